#include "app/batch/kept_results.h"

#include <algorithm>
#include <utility>

namespace weft {
namespace {

bool went_well(const FileResult& result) {
    return result.status == FileStatus::ok || result.status == FileStatus::skipped;
}

bool same_kernels(const FileResult& a, const FileResult& b) {
    return std::ranges::equal(a.steps, b.steps, [](const StepReport& x, const StepReport& y) {
        return x.filter == y.filter && x.kernel == y.kernel;
    });
}

// Keeps the fields that add_up() needs.
FileResult without_details(const FileResult& result) {
    FileResult kept;
    kept.status = result.status;
    kept.outcome = result.outcome;
    kept.utilisation = result.utilisation;
    for (const StepReport& step : result.steps) {
        StepReport& added = kept.steps.emplace_back();
        added.filter = step.filter;
        added.kernel = step.kernel;
        added.frames = step.frames;
    }
    return kept;
}

void add_use(const StageSeconds& more, StageSeconds& sum) {
    sum.busy += more.busy;
    sum.waited_for_input += more.waited_for_input;
    sum.waited_for_room += more.waited_for_room;
}

void add_up(const FileResult& more, FileResult& sum) {
    for (std::size_t s = 0; s < sum.steps.size(); ++s)
        sum.steps[s].frames.merge(more.steps[s].frames);
    if (more.utilisation.seconds <= 0) return;
    sum.utilisation.seconds += more.utilisation.seconds;
    add_use(more.utilisation.decode, sum.utilisation.decode);
    add_use(more.utilisation.filter, sum.utilisation.filter);
    add_use(more.utilisation.encode, sum.utilisation.encode);
}

}  // namespace

void count(const FileResult& result, BatchTally& tally) {
    switch (result.status) {
        case FileStatus::ok:
            ++tally.done;
            break;
        case FileStatus::skipped:
            ++tally.skipped;
            break;
        case FileStatus::damaged:
            ++tally.damaged;
            break;
        case FileStatus::failed:
            ++(result.outcome == Outcome::interrupted ? tally.stopped : tally.failed);
            break;
    }
}

void KeptResults::add(std::size_t file, FileResult result) {
    count(result, tally_);
    if (all_ || !went_well(result)) {
        kept_.insert_or_assign(file, std::move(result));
        return;
    }
    if (merge(result)) return;
    kept_.insert_or_assign(file, without_details(result));
    merged_.push_back(file);
}

bool KeptResults::merge(const FileResult& result) {
    for (const std::size_t file : merged_) {
        FileResult& sum = kept_.at(file);
        if (!same_kernels(sum, result)) continue;
        add_up(result, sum);
        return true;
    }
    return false;
}

std::vector<FileResult> KeptResults::take() {
    std::vector<FileResult> results;
    for (auto& [file, result] : kept_) results.push_back(std::move(result));
    kept_.clear();
    merged_.clear();
    return results;
}

}  // namespace weft
