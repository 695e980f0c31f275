// Other runs on a file: those that have done it, that are at work on it, and that ended at work.
#pragma once

#include <string>

#include "app/media/output/output_claim.h"
#include "app/pipeline/file_job.h"
#include "app/pipeline/receipt/receipt_check.h"

namespace weft {

// The file that was in the output's place when the work began.
struct Existing {
    bool there = false;
    ReceiptCheck check = {};
};

// With -n, several runs can share the same files; each processes those that no other has.
bool may_be_shared(const FileJob& job);

// The result of a file that is left as it is.
void skip(FileResult& result, const std::string& why);

// Whether nothing is left to do on a file that several runs may share; the result is then complete.
bool is_done(const FileJob& job, const Existing& existing, FileResult& result);

// With -n and receipts. A file that weft wrote may be replaced. Any other file is kept: it is the
// output if it has the same bytes, as after a crash between an output and its receipt.
// Throws Error(usage) for such a file with other bytes, and OutputExists if another run was faster.
bool may_replace(const FileJob& job, const ReceiptCheck& before, WrittenProof& made);

// The name whose claim keeps other runs from the file.
std::string claimed_name(const FileJob& job);

// Notes how an earlier run ended at work on this file. Throws Error(failed) if the file is likely
// to end this one, too: a file that ends each run would let no file after it be done.
void judge_earlier_run(const FileJob& job, OutputClaim& claim, FileResult& result);

}  // namespace weft
