// Options of mixed batches: some are meant for videos, others for pictures.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/batch/job_list.h"
#include "app/media/write/container_table.h"
#include "app/media/write/writer.h"

namespace weft {

// Drops -c:v, --lossless and -pix_fmt for pictures, and -crf, -q:v, -preset, --encoder-option and
// -movflags for any output, whose container does not support them if another output does. An option
// that no output supports is kept, and so are all with --strict: the encoder refuses them. -c:v,
// --lossless and -pix_fmt that only pictures support are dropped for videos.
class FittingOptions {
 public:
    FittingOptions(std::span<const JobFile> files, const WriterOptions& request);

    // Returns the options that apply to this output.
    WriterOptions for_output(const std::string& output) const;
    // One sentence about the dropped options; empty if none were.
    const std::string& note() const { return note_; }

 private:
    // Removes options from `options` and returns their names.
    std::vector<std::string> leave_out(const Container& container, WriterOptions& options) const;

    WriterOptions request_;
    std::vector<std::string> for_videos_;    // options that a video of the batch supports
    std::vector<std::string> for_pictures_;  // options that a picture supports
    std::string note_;
};

}  // namespace weft
