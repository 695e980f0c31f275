// The user's export settings, and their conversion to a pipeline job.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/pipeline/file_job.h"
#include "app/viewer/screen/stack_request.h"
#include "app/viewer/view/view_state.h"

namespace weft {

struct ExportRequest {
    std::string input;
    std::string output;
    std::vector<StackRequest> stacks;  // the window's; side k of the view is stack k - 1
    ViewState view;                    // selects the stack and how the pictures are compared
    int rotation_degrees = 0;          // of the input, as applied by players
    bool compared = false;             // export the compare view instead of the filtered picture
    // A and B, in seconds from the first frame; first_frame_seconds is that frame's time as counted
    // by -ss.
    std::optional<std::pair<double, double>> part;
    double first_frame_seconds = 0;
    bool lossless = false;
    std::optional<double> crf;
    bool keep_damaged = false;
    bool replace = false;  // an existing output
    Device device;
};

FileJob job_of(const ExportRequest& request);

// A name next to the input: "film.mkv" gives "film-filtered.mkv", with .mkv if the input's
// container cannot be written.
std::string proposed_output(const std::string& input);

}  // namespace weft
