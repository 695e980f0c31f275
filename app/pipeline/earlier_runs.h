// Detects other runs on a file: those that finished it, are working on it, or died during the work.
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

// Whether the output, whose proof is `made`, may take its name: true if the name is free or the
// file there is weft's own by its receipt; false, with that file's time in `made`, if the file has
// the same bytes. Throws OutputExists if another run made it just now, and else Error(usage).
bool may_replace(const FileJob& job, const ReceiptCheck& before, WrittenProof& made);

// The name whose claim keeps other runs from the file.
std::string claimed_name(const FileJob& job);

// Adds a note if an earlier run ended while it worked on this file. Throws Error(failed) if the
// file is likely to end this run as well, because no run would then get past it.
void judge_earlier_run(const FileJob& job, OutputClaim& claim, FileResult& result);

}  // namespace weft
