#include "app/viewer/export/export_request.h"

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
StackRequest stack_of(const ExportRequest& request, Side side) {
    return side == 0 || side > request.stacks.size() ? StackRequest{} : request.stacks[side - 1];
}

CompareVideo comparison(const ExportRequest& request) {
    return {.layout = layout_of(request.view.mode),
            .position = request.view.wipe,
            .gain = request.view.gain,
            .rotation_degrees = request.rotation_degrees,
            .line = request.view.wipe_line};
}

// Sets the stacks and the layout to export.
void set_pictures(const ExportRequest& request, FileJob& job) {
    const StackRequest right = stack_of(request, request.view.right);
    job.stack = right.stack;
    job.forced.by_step = right.kernels;
    if (!request.compared || request.view.mode == CompareMode::single) return;
    const StackRequest left = stack_of(request, request.view.left);
    job.compared = left.stack;
    job.compared_forced.by_step = left.kernels;
    job.compose = compare_composer(comparison(request));
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

FileJob job_of(const ExportRequest& request) {
    FileJob job;
    job.reader.path = request.input;
    job.writer.path = request.output;
    job.writer.lossless = request.lossless;
    if (!request.lossless) job.writer.crf = request.crf;
    job.writer.overwrite = request.replace ? Overwrite::replace : Overwrite::refuse;
    job.device = request.device;
    job.keep_damaged = request.keep_damaged;
    set_pictures(request, job);
    if (request.part)
        set_range(job, {microseconds(request.part->first + request.first_frame_seconds),
                        microseconds(request.part->second + request.first_frame_seconds)});
    return job;
}

std::string proposed_output(const std::string& input) {
    const fs::path path(input);
    const std::string own = path.extension().string();
    const std::string ending = can_be_written(own) ? own : ".mkv";
    return (path.parent_path() / (path.stem().string() + "-filtered" + ending)).string();
}

}  // namespace weft
