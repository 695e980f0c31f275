// Writes the receipts of jobs, for --receipts.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "app/media/output/output_claim.h"
#include "app/media/write/resume.h"
#include "app/pipeline/file_job.h"
#include "app/pipeline/receipt/receipt_check.h"

namespace weft {

// The options that decide the output, by their names on the command line: {"-vf",
// "gaussian=sigma=2"}, {"--lossless", "yes"}. Defaults are left out, and so are options that decide
// only how the work is done: device, kernels, files in flight, --resume. Paths of matrices are
// relative to the output's folder; "files" has a hash of each. kDefinitionFact is left out if it is
// 1. Throws Error(failed) if a matrix cannot be read.
JobFacts receipt_job(const FileJob& job);

// The job with these options: receipt_job() of it gives them again. Throws Error(failed) for
// options that it does not know, if a file of the stack is missing or has changed, and if the
// filters have another definition now; FilterError.
FileJob job_of_receipt(const Receipt& receipt, const std::string& input, const std::string& output);

// The text that ReceiptFrames::time_base stores.
std::string time_base_text(const WrittenProof& proof);

// The receipt of one job. Does nothing without FileJob::receipt.
class JobReceipt {
 public:
    // Starts the clock. `job` outlives this object.
    explicit JobReceipt(const FileJob& job);

    // Returns check_receipt() of the job, or Proof::missing without FileJob::receipt.
    ReceiptCheck check() const;

    // Call it before the input is opened and the stack is planned, which reads its files. Throws
    // Error(usage) if a file that is no receipt has the receipt's name and must not be replaced.
    void begin();
    // Remembers the input's size and time. Call it once the input is open: from then on its reader
    // finds changes. Throws Error(failed), also if a file of the stack has changed since begin().
    void input_is_open();
    // Call it before the output is finished. Keeps other runs on this machine from giving their
    // output its name until write() is done, so that the receipt is of the output that is there.
    // Blocks while another one does so. Throws Cancelled.
    void claim(const std::stop_token& stop);

    // Makes write_failure() record that another run of the same FFmpeg would fail in the same way.
    void is_final() { final_ = true; }
    // Makes write_failure() record the input that a plan expected: the present one is another, or
    // cannot be read.
    void input_was_planned(std::int64_t bytes, std::int64_t mtime_ns);

    // Leaves the existing receipt as it is.
    void keep() { written_ = true; }
    // Writes the receipt of an output that has its name. Throws Error(not_written).
    void write(const FileResult& result);
    // Writes the receipt of a failed file, unless an older output exists or the cause was only the
    // device or this run (no space, a signal), and counts the attempts that ended so. Adds a note
    // to the result if writing fails.
    void write_failure(FileResult& result);

 private:
    Receipt receipt(const FileResult& result) const;
    ReceiptInput input() const;
    ReceiptInput named(ReceiptInput input) const;
    int earlier_attempts(const Receipt& receipt) const;
    std::string without_paths(std::string text) const;

    const FileJob& job_;
    std::chrono::system_clock::time_point started_;
    std::chrono::steady_clock::time_point clock_;
    std::optional<JobFacts> facts_;
    std::optional<ReceiptInput> input_;
    bool final_ = false;
    std::optional<OutputClaim> claim_;
    bool written_ = false;  // or kept
};

}  // namespace weft
