#include "app/viewer/export/export_request.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/media/demux/image_sequence.h"
#include "app/media/write/container_table.h"
#include "app/pipeline/job_options.h"
#include "app/pipeline/resumable.h"
#include "app/viewer/view/compare_video.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr Remedies kWindowRemedies{
    .resume = "'Continue after an interruption'",
    .other_settings = "choose that export's settings to continue it, or press 'Start over'",
    .unreadable = "remove it, or press 'Start over'",
    .damaged_input = "'Keep the good part of damaged files' keeps it",
};

bool is_plain_file(const std::string& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error);
}

// Throws Error for every problem except an existing file, which may be replaced.
void check_names(const FileJob& job) {
    const std::string& output = job.writer.path;
    if (output.empty()) throw Error(Outcome::usage, "the output needs a name");
    (void)find_container(output, job.writer.format);
    RunFiles(job.reader.path).refuse_taken(output);
    if (job.reader.start_us && job.reader.end_us && *job.reader.end_us <= *job.reader.start_us)
        throw Error(Outcome::usage, "the range to export is empty: its end is not after its start");
    if (!job.writer.numbered) check_output_path(follow_links(output), Overwrite::replace);
}

CompareLayout layout_of(CompareMode mode) {
    switch (mode) {
        case CompareMode::single:
        case CompareMode::wipe:
            return CompareLayout::wipe;
        case CompareMode::side_by_side:
        case CompareMode::stacked:
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

// Between the two pictures.
WipeOrientation line_of(const ViewState& view) {
    if (view.mode == CompareMode::wipe) return view.wipe_line;
    return view.mode == CompareMode::stacked ? WipeOrientation::horizontal
                                             : WipeOrientation::vertical;
}

CompareVideo comparison(const ExportRequest& request) {
    return {.layout = layout_of(request.view.mode),
            .position = request.view.wipe,
            .gain = request.view.gain,
            .false_colour = request.view.false_colour,
            .rotation_degrees = request.rotation_degrees,
            .line = line_of(request.view)};
}

// Sets the stacks and the layout to export.
void set_pictures(const ExportRequest& request, FileJob& job) {
    const bool compared = request.compared && request.view.mode != CompareMode::single;
    const StackRequest right =
        stack_of(request, compared ? request.view.right : request.view.filtered());
    job.stack = right.stack;
    job.forced.by_step = right.kernels;
    if (!compared) return;
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

void set_quality(const ExportRequest& request, WriterOptions& writer) {
    writer.video_codec = request.codec;
    const Container* container = container_of(request.output);
    if (container == nullptr) return;  // refused by why_not_export()
    const FrameShape& shape = request.source.shape;
    const ExportQuality quality =
        nearest_quality(export_qualities(*container, shape, request.codec), request.quality);
    writer.lossless = quality == ExportQuality::lossless;
    writer.crf = crf_of(quality, encoder_of(*container, shape, request.codec, false));
    if (quality == ExportQuality::custom) writer.crf = request.crf;
}

bool can_be_written(std::string_view extension) {
    const std::vector<std::string> all = output_extensions();
    return !extension.empty() && std::ranges::find(all, extension.substr(1)) != all.end();
}

}  // namespace

void set_range(FileJob& job, const ExportRange& range) {
    job.reader.start_us = range.start_us;
    job.reader.end_us = range.end_us;
    job.writer.shift_us = range.start_us;
    job.writer.length_us = range.end_us - range.start_us;
}

std::optional<ExportRefusal> why_not_export(const FileJob& job) {
    try {
        check_names(job);
    } catch (const Error& error) {
        return ExportRefusal{error.what()};
    }
    if (job.writer.overwrite == Overwrite::replace || !is_plain_file(job.writer.path))
        return std::nullopt;
    return ExportRefusal{fmt::format("{}: already exists", job.writer.path), true};
}

ExportSource export_source(const MediaInfo& media) {
    return {.shape = {av_get_pix_fmt(media.pixel_format.c_str()), media.frame.width,
                      media.frame.height},
            .video_codec = media.video_codec,
            .has_audio = media.has_audio,
            .still = media.still};
}

std::string why_not_resumable(const ExportRequest& request) {
    if (request.compared && request.view.mode != CompareMode::single)
        return "Exports of comparisons cannot be continued.";
    if (container_of(request.output) == nullptr) return "The container is unknown.";
    return why_not_resumable(request.input, request.output, "").empty()
               ? ""
               : "Only exports of one video file to mp4, mov, mkv, webm, avi or nut can be "
                 "continued.";
}

FileJob job_of(const ExportRequest& request) {
    FileJob job;
    job.reader.path = request.input;
    job.reader.frame_rate = request.frame_rate;
    job.writer.path = request.output;
    // A single picture keeps the name that was typed.
    job.writer.numbered = numbers_pictures(request.output, "") &&
                          (!request.source.still || is_sequence(request.input));
    set_quality(request, job.writer);
    job.writer.audio = request.audio;
    job.writer.overwrite = request.replace ? Overwrite::replace : Overwrite::refuse;
    job.device = request.device;
    job.keep_damaged = request.keep_damaged;
    job.writer.remedies = kWindowRemedies;
    if (request.resumable && why_not_resumable(request).empty())
        job.writer.resume = program_facts();
    set_pictures(request, job);
    if (request.part)
        set_range(job, {microseconds(request.part->first + request.first_frame_seconds),
                        microseconds(request.part->second + request.first_frame_seconds)});
    return job;
}

std::string work_key(const ExportRequest& request) {
    FileJob job = job_of(request);
    job.reader.start_us.reset();
    job.reader.end_us.reset();
    std::string options;
    for (const JobFact& fact : option_facts(job, Affects::file)) options += fact.value + '|';
    return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", request.input, print_stack(job.stack),
                       fmt::join(job.forced.by_step, ","), print_stack(job.compared),
                       job.compose ? static_cast<int>(request.view.mode) : -1,
                       fs::path(request.output).extension().string(), options,
                       job.writer.resume.has_value());
}

std::string numbered_output(const std::string& output) {
    constexpr std::size_t kMostDigits = 2;  // more may be a year
    const fs::path path(output);
    std::string stem = path.stem().string();
    const std::size_t dash = stem.rfind('-');
    const std::string digits = dash == std::string::npos ? "" : stem.substr(dash + 1);
    int number = 1;
    const bool counts = !digits.empty() && digits.size() <= kMostDigits && digits[0] != '0' &&
                        digits.find_first_not_of("0123456789") == std::string::npos;
    if (counts) {
        number = std::stoi(digits);
        stem.resize(dash);
    }
    return (path.parent_path() /
            fmt::format("{}-{}{}", stem, number + 1, path.extension().string()))
        .string();
}

std::string proposed_output(const std::string& input) {
    const fs::path path(input);
    const std::string own = path.extension().string();
    const std::string ending = can_be_written(own) ? own : ".mkv";
    return (path.parent_path() / (path.stem().string() + "-filtered" + ending)).string();
}

}  // namespace weft
