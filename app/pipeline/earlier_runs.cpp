#include "app/pipeline/earlier_runs.h"

#include <filesystem>

#include <fmt/format.h>

#include "app/media/write/segment_store.h"
#include "app/pipeline/folders.h"
#include "app/pipeline/job_receipt.h"

namespace weft {
namespace {

// The result of an input that a receipt proves to be damaged, or not decodable by this FFmpeg.
void repeat_failure(const FileJob& job, const Receipt& receipt, FileResult& result) {
    if (!receipt.damage) {
        result.error = fmt::format("{}: an earlier run found: {}", job.reader.path, receipt.error);
        return;
    }
    result.status = FileStatus::damaged;
    result.outcome = Outcome::damaged;
    result.error = fmt::format("{}: damaged, as an earlier run found: {}", job.reader.path,
                               receipt.damage->reason);
    result.damage.damaged = true;
    result.damage.reason = receipt.damage->reason;
}

// Whether a receipt proves that another run would end the same way; the result is then complete.
bool is_proven(const FileJob& job, const Existing& existing, FileResult& result) {
    const ReceiptCheck& check = existing.check;
    if (check.proof != Proof::valid) {
        if (existing.there) result.notes.push_back("done again: " + check.reason);
        return false;
    }
    const Receipt& receipt = *check.receipt;
    if (receipt.error.empty()) {
        remove_parts(job.writer.path, job.joined);  // a killed run may have left them
        skip(result, "its receipt proves that the output is complete");
        return true;
    }
    const bool would_keep_more = job.keep_damaged && !receipt.output;
    if (receipt.retry == Retry::maybe || would_keep_more) return false;
    repeat_failure(job, receipt, result);
    return true;
}

// Finished parts end a part's job as a proven output does.
bool is_finished_part(const FileJob& job, FileResult& result) {
    if (!job.writer.part || job.writer.overwrite == Overwrite::replace) return false;
    const std::filesystem::path file = part_file(job.writer.path, job.writer.part->number);
    std::error_code error;
    if (!std::filesystem::exists(file, error)) return false;
    skip(result, fmt::format("{} is finished", file.string()));
    return true;
}

}  // namespace

bool may_be_shared(const FileJob& job) {
    return job.writer.overwrite == Overwrite::skip && job.writer.path != kNoOutput &&
           job.writer.path != "-";
}

void skip(FileResult& result, const std::string& why) {
    result.status = FileStatus::skipped;
    result.outcome = Outcome::ok;
    result.frames_out = 0;
    result.notes.push_back("skipped: " + why);
}

bool is_done(const FileJob& job, const Existing& existing, FileResult& result) {
    if (is_finished_part(job, result)) return true;
    if (job.receipt) return is_proven(job, existing, result);
    if (existing.there) skip(result, "another run has made the output");
    return existing.there;
}

bool may_replace(const FileJob& job, const ReceiptCheck& before, WrittenProof& made) {
    const std::string& output = job.writer.path;
    const bool numbered = job.writer.numbered;
    if (!output_exists(output, numbered)) return true;
    const auto there =
        output_facts(output, numbered, static_cast<std::int64_t>(made.frames.size()));
    if (there && there->sha256 == made.sha256) {
        made.mtime_ns = there->mtime_ns;
        return false;
    }
    if (before.output_unchanged) {
        const auto now = output_facts(output, numbered, before.receipt->frames.count);
        if (now && now->sha256 == before.receipt->output->sha256) return true;
    }
    if (JobReceipt(job).check().proof == Proof::valid)
        throw OutputExists(fmt::format("{}: another run has made this output", output));
    throw Error(Outcome::usage,
                fmt::format("{}: exists without a receipt that proves it, and differs from the "
                            "output of this run: give -y to replace it",
                            output));
}

std::string claimed_name(const FileJob& job) {
    return job.writer.part ? part_file(job.writer.path, job.writer.part->number).string()
                           : job.writer.path;
}

void judge_earlier_run(const FileJob& job, OutputClaim& claim, FileResult& result) {
    if (claim.ended().empty()) return;
    const std::string what =
        fmt::format("an earlier run was {} while it was at work on this file", claim.ended());
    if (!claim.will_end_again()) return result.notes.push_back(what);
    claim.leave();
    throw Error(Outcome::failed, fmt::format("{}: {}, so the file is left out; -y tries it again",
                                             job.reader.path, what));
}

}  // namespace weft
