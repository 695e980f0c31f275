// What the user asks of an export, as the pipeline's job.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/pipeline/file_job.h"
#include "app/viewer/stack_request.h"
#include "app/viewer/view_state.h"

namespace weft {

struct ExportWish {
    std::string input;
    std::string output;
    std::vector<StackRequest> stacks;  // the window's; a side k of the view is stack k - 1
    ViewState view;            // says which stack is meant, and how both pictures are compared
    int rotation_degrees = 0;  // of the input, as a player turns it
    bool compared = false;     // what the compare view shows instead of the filtered picture
    // A and B, in seconds from the first frame; that one's own time as -ss counts it.
    std::optional<std::pair<double, double>> part;
    double first_frame_seconds = 0;
    bool lossless = false;
    std::optional<double> crf;
    bool keep_damaged = false;
    bool replace = false;  // an existing output
    Device device;
};

FileJob job_of(const ExportWish& wish);

// A name beside the input: "film.mkv" gives "film-filtered.mkv". Where the input's own kind of file
// cannot be written it is mkv.
std::string proposed_output(const std::string& input);

}  // namespace weft
