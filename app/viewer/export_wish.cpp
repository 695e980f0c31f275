#include "app/viewer/export_wish.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>

#include "app/media/container_table.h"
#include "app/viewer/compare_video.h"
#include "app/viewer/export_job.h"

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

bool is_compared(const ExportWish& wish) {
    return wish.compared && wish.view.mode != CompareMode::single;
}

// The side whose stack the frames go through.
Side filtered_side(const ExportWish& wish) {
    if (!is_compared(wish)) return wish.view.right;
    if (wish.view.left != 0 && wish.view.right != 0 && wish.view.left != wish.view.right)
        throw Error(ExitCode::usage,
                    "the results of two stacks cannot be exported side by side: show the original "
                    "on one side");
    return std::max(wish.view.left, wish.view.right);
}

CompareVideo comparison(const ExportWish& wish) {
    return {.layout = layout_of(wish.view.mode),
            .position = wish.view.wipe,
            .swapped = wish.view.left != 0 && wish.view.right == 0,
            .gain = wish.view.left <= wish.view.right ? wish.view.gain : -wish.view.gain,
            .rotation_degrees = wish.rotation_degrees};
}

// Rounded down, but for what doubles lose: a frame that begins with the part is in it, one that
// begins with its end is not.
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
    const Side side = filtered_side(wish);
    if (side > 0 && side <= wish.stacks.size()) {
        job.stack = wish.stacks[side - 1].stack;
        job.forced.by_step = wish.stacks[side - 1].kernels;
    }
    if (is_compared(wish)) job.compose = compare_composer(comparison(wish));
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
