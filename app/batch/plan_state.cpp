#include "app/batch/plan_state.h"

#include <algorithm>
#include <ctime>
#include <set>
#include <string>
#include <sys/stat.h>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/media/libav/error.h"
#include "app/media/output/atomic_output.h"
#include "app/media/output/file_time.h"
#include "app/media/write/segment_store.h"
#include "app/pipeline/receipt/receipt.h"
#include "app/pipeline/receipt/receipt_check.h"

namespace weft {
namespace {

FileCheck missing(std::string reason) {
    return {.reason = std::move(reason)};
}

std::int64_t seconds_of(const std::string& utc) {
    std::tm time{};
    return strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%SZ", &time) == nullptr ? 0 : timegm(&time);
}

// The usual case, which needs no more than the attributes of the output.
bool is_untouched(const ReceiptOutput& output, const std::string& path) {
    struct stat info {};
    return stat(path.c_str(), &info) == 0 && info.st_size == output.bytes &&
           file_time_ns(info, path) == output.mtime_ns;
}

// The list has the file's name next to it.
std::string clause_of(const std::string& sentence, const JobFile& file) {
    for (const std::string& name : {file.name, file.input})
        if (!name.empty() && sentence.starts_with(name + ": "))
            return sentence.substr(name.size() + 2);
    return sentence;
}

// The parts of a video have one receipt, which counts the failures of all of them.
FileCheck check_failure(const Receipt& receipt, const JobFile& file) {
    const std::int64_t most = std::int64_t{kMostAttempts} * (file.part ? file.part->of : 1);
    const std::string reason = fmt::format("{} (attempt {} of {})", clause_of(receipt.error, file),
                                           receipt.attempts, most);
    if (receipt.attempts < most) return {.reason = reason, .failed = true};
    return {.state = FileState::failed,
            .reason = reason,
            .started = seconds_of(receipt.run.started),
            .seconds = receipt.run.seconds,
            .host = receipt.run.host};
}

FileCheck check_by(const Receipt& receipt, const JobFile& file, const JobFacts& job) {
    if (const std::string other = job_difference(receipt.job, job); !other.empty())
        return missing(other);
    if (file.planned && (receipt.input.bytes != file.planned->bytes ||
                         receipt.input.mtime_ns != file.planned->mtime_ns))
        return missing("its receipt is of another input");
    if (!receipt.error.empty() && receipt.retry == Retry::maybe)
        return check_failure(receipt, file);
    const bool expected = receipt.error.empty() || receipt.output;
    if (expected && !(receipt.output && is_untouched(*receipt.output, file.output))) {
        const ReceiptCheck check = check_receipt(file.input, file.output, file.numbered, job);
        if (check.proof != Proof::valid) return missing(check.reason);
    }
    if (const std::string doubt = doubt_of_damage(receipt, file.input, file.output); !doubt.empty())
        return missing(doubt);
    FileCheck found{.state = receipt.error.empty() ? FileState::done : FileState::damaged,
                    .reason = clause_of(receipt.error, file)};
    // The receipt of a joined video stands for all of its parts.
    if (!file.part || file.part->number == 1) found.frames = receipt.frames.count;
    found.started = seconds_of(receipt.run.started);
    found.seconds = receipt.run.seconds;
    found.host = receipt.run.host;
    return found;
}

FileCheck check_receipt_of(const JobFile& file, const JobFacts& job) {
    struct stat info {};
    const std::filesystem::path path = receipt_path(file.output);
    if (lstat(path.c_str(), &info) != 0)
        return missing(output_exists(file.output, file.numbered)
                           ? "the output exists, but nothing proves that it is complete: run its "
                             "shard again, which compares it with a new one"
                           : "the output does not exist yet");
    try {
        return check_by(read_receipt(path, ReceiptPart::without_hashes), file, job);
    } catch (const Error& error) {
        return missing(error.what());
    }
}

}  // namespace

std::string part_text(const JobFile& file) {
    if (!file.part) return "";
    return fmt::format(", part {} of {}", file.part->number, file.part->of);
}

FileCheck check_file(const JobFile& file, const JobFacts& job) {
    FileCheck found = check_receipt_of(file, job);
    const bool is_open = found.state == FileState::missing || found.state == FileState::failed;
    if (!is_open || !file.part) return found;
    struct stat info {};
    if (lstat(part_file(file.output, file.part->number).c_str(), &info) != 0) return found;
    return {.state = FileState::unjoined,
            .reason = fmt::format("part {} of {} is not joined to the others yet",
                                  file.part->number, file.part->of)};
}

PlanState::PlanState(std::vector<JobFile> files, std::vector<PlannedFile> planned, int shards,
                     std::function<JobFacts(const JobFile&)> job_of)
    : files_(std::move(files)),
      planned_(std::move(planned)),
      checks_(files_.size()),
      shards_(shards),
      job_of_(std::move(job_of)) {}

void PlanState::update(const std::stop_token& stop) {
    for (std::size_t k = 0; k < files_.size() && !stop.stop_requested(); ++k)
        if (const FileState now = checks_[k].state;
            now == FileState::missing || now == FileState::unjoined)
            checks_[k] = check_file(files_[k], job_of_(files_[k]));
}

bool PlanState::has_parts() const {
    return std::ranges::any_of(files_, [](const JobFile& file) { return file.part.has_value(); });
}

std::size_t PlanState::count(FileState state) const {
    return static_cast<std::size_t>(std::ranges::count(checks_, state, &FileCheck::state));
}

std::vector<int> PlanState::open_shards() const {
    std::set<int> shards;
    for (std::size_t k = 0; k < files_.size(); ++k)
        if (checks_[k].state == FileState::missing) shards.insert(planned_[k].shard);
    return {shards.begin(), shards.end()};
}

std::int64_t PlanState::frames() const {
    std::int64_t frames = 0;
    for (const FileCheck& check : checks_) frames += check.frames;
    return frames;
}

std::optional<PlanState::Rate> PlanState::rate(std::int64_t now) const {
    constexpr std::int64_t kWindow = 3600;
    std::int64_t first = now;
    for (const FileCheck& check : checks_)
        if (check.started > 0) first = std::min(first, check.started);
    const std::int64_t from = std::max(first, now - kWindow);
    double frames = 0;
    double done = 0;
    double left = 0;
    for (std::size_t k = 0; k < files_.size(); ++k) {
        const FileCheck& check = checks_[k];
        const auto work = static_cast<double>(planned_[k].work);
        if (check.state == FileState::missing) left += work;
        if (check.started == 0 ||
            static_cast<double>(check.started) + check.seconds < static_cast<double>(from))
            continue;
        frames += static_cast<double>(check.frames);
        done += work;
    }
    if (done <= 0 || now <= from) return std::nullopt;
    const auto span = static_cast<double>(now - from);
    return Rate{.frames_per_second = frames / span, .eta_seconds = left * span / done};
}

std::string slurm_array(const std::vector<int>& shards) {
    std::vector<std::string> parts;
    for (std::size_t k = 0; k < shards.size();) {
        std::size_t end = k + 1;
        while (end < shards.size() && shards[end] == shards[end - 1] + 1) ++end;
        const int first = shards[k] - 1;
        const int last = shards[end - 1] - 1;
        parts.push_back(first == last ? fmt::format("{}", first)
                                      : fmt::format("{}-{}", first, last));
        k = end;
    }
    return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace weft
