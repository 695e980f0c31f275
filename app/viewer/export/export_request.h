// An export as the user chose it, and the pipeline's job made of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/pipeline/file_job.h"
#include "app/viewer/export/export_choices.h"
#include "app/viewer/play/media_info.h"
#include "app/viewer/screen/stack_request.h"
#include "app/viewer/view/view_state.h"

namespace weft {

// Labels of the check boxes, which errors name.
inline constexpr const char* kContinueLabel = "Continue after an interruption";
inline constexpr const char* kKeepDamagedLabel = "Keep the good part of damaged files";

struct ExportRequest {
    std::string input;
    std::optional<double> frame_rate;  // the input's: see ReaderOptions
    std::string output;
    std::vector<StackRequest> stacks;  // the window's; side k of the view is stack k - 1
    ViewState view;                    // selects the stack and how the pictures are compared
    int rotation_degrees = 0;          // of the input, as applied by players
    bool compared = false;             // export the compare view instead of the filtered picture
    // A and B, in seconds from the first frame; first_frame_seconds is that frame's time as counted
    // by -ss.
    std::optional<std::pair<double, double>> part;
    double first_frame_seconds = 0;
    ExportSource source;  // properties of the input
    std::string codec;    // CodecChoice::encoder
    ExportQuality quality = ExportQuality::high;
    double crf = 0;          // for ExportQuality::custom
    bool audio = true;       // keep the sound, if the container can store it
    bool resumable = false;  // keep finished segments, and continue after those of an earlier run
    bool keep_damaged = false;
    bool interrupted = false;  // an earlier export of this name has left segments
    bool replace = false;      // an existing output
    Device device;
};

ExportSource export_source(const MediaInfo& media);

// Why the export cannot be continued after an interruption, as a sentence; empty: it can.
std::string why_not_resumable(const ExportRequest& request);

// A quality that the encoder does not offer becomes the nearest one.
FileJob job_of(const ExportRequest& request);

// Equal for requests that take the same work per frame: everything but the part and the names.
std::string work_key(const ExportRequest& request);

// A name next to the input: "film.mkv" gives "film-filtered.mkv", with .mkv if the input's
// container cannot be written.
std::string proposed_output(const std::string& input);

// The next name of a series: "film.mkv" gives "film-2.mkv", that one "film-3.mkv".
std::string numbered_output(const std::string& output);

// Microseconds from the file's first timestamp; the frame at `end_us` is excluded.
struct ExportRange {
    std::int64_t start_us = 0;
    std::int64_t end_us = 0;
};

// Limits the job to a part of its input, like -ss and -to: the output starts at zero.
void set_range(FileJob& job, const ExportRange& range);

struct ExportRefusal {
    std::string sentence;
    bool exists = false;      // the output exists: ask, then set Overwrite::replace
    bool unfinished = false;  // finished frames would be lost: ask, then remove_segment_file()
};

// Checks that need no open files: an unknown container, output = input, a folder with that name, an
// empty range, an existing file. Looks up a few file names; does not block on content.
std::optional<ExportRefusal> why_not_export(const FileJob& job);

}  // namespace weft
