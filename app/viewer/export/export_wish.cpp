#include "app/viewer/export/export_wish.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>

#include "app/media/write/container_table.h"
#include "app/viewer/export/export_job.h"
#include "app/viewer/view/compare_video.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

CompareLayout layout_of(CompareMode mode) {
    switch (mode) {
        case CompareMode::single:
        case CompareMode::wipe:
            return CompareLayout::wipe;
        case CompareMode::side_by_side:
            return CompareLayout::side_by_side;
        case CompareMode::difference:
            return CompareLayout::difference;
    }
    return CompareLayout::wipe;
}

// The stack of a side of the view; the original's has no steps.
StackRequest stack_of(const ExportWish& wish, Side side) {
    return side == 0 || side > wish.stacks.size() ? StackRequest{} : wish.stacks[side - 1];
}

CompareVideo comparison(const ExportWish& wish) {
    return {.layout = layout_of(wish.view.mode),
            .position = wish.view.wipe,
            .gain = wish.view.gain,
            .rotation_degrees = wish.rotation_degrees,
            .line = wish.view.wipe_line};
}

// Sets the stacks and the layout to export.
void set_pictures(const ExportWish& wish, FileJob& job) {
    const StackRequest right = stack_of(wish, wish.view.right);
    job.stack = right.stack;
    job.forced.by_step = right.kernels;
    if (!wish.compared || wish.view.mode == CompareMode::single) return;
    const StackRequest left = stack_of(wish, wish.view.left);
    job.compared = left.stack;
    job.compared_forced.by_step = left.kernels;
    job.compose = compare_composer(comparison(wish));
}

// Rounded down, allowing for the error of doubles: includes a frame at the start of the part and
// excludes one at its end.
std::int64_t microseconds(double seconds) {
    constexpr double kLost = 1e-3;
    return static_cast<std::int64_t>(std::floor(std::max(seconds, 0.0) * 1e6 + kLost));
}

bool can_be_written(std::string_view extension) {
    const std::vector<std::string> all = output_extensions();
    return !extension.empty() && std::ranges::find(all, extension.substr(1)) != all.end();
}

}  // namespace

FileJob job_of(const ExportWish& wish) {
    FileJob job;
    job.reader.path = wish.input;
    job.writer.path = wish.output;
    job.writer.lossless = wish.lossless;
    if (!wish.lossless) job.writer.crf = wish.crf;
    job.writer.overwrite = wish.replace ? Overwrite::replace : Overwrite::refuse;
    job.device = wish.device;
    job.keep_damaged = wish.keep_damaged;
    set_pictures(wish, job);
    if (wish.part)
        set_range(job, {microseconds(wish.part->first + wish.first_frame_seconds),
                        microseconds(wish.part->second + wish.first_frame_seconds)});
    return job;
}

std::string proposed_output(const std::string& input) {
    const fs::path path(input);
    const std::string own = path.extension().string();
    const std::string ending = can_be_written(own) ? own : ".mkv";
    return (path.parent_path() / (path.stem().string() + "-filtered" + ending)).string();
}

}  // namespace weft
