// Options of mixed batches: some are meant for the videos, others for the pictures.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/cli/job_list.h"
#include "app/media/container_table.h"
#include "app/media/writer.h"

namespace weft {

// Leaves -c:v, --lossless and -pix_fmt out for pictures, and -crf and -preset for any output, whose
// container has no use for them, where another output has. An option that no output can use stays,
// and so do all with --strict: the encoder refuses them. -c:v, --lossless and -pix_fmt that only
// pictures can use are left out for videos.
class FittingOptions {
 public:
    FittingOptions(std::span<const JobFile> files, const WriterOptions& wish);

    // The options for that output.
    WriterOptions for_output(const std::string& output) const;
    // One sentence about what was left out; empty if nothing was.
    const std::string& note() const { return note_; }

 private:
    // Taken out of `options`; their names.
    std::vector<std::string> leave_out(const Container& container, WriterOptions& options) const;

    WriterOptions wish_;
    std::vector<std::string> for_videos_;    // options that a video of the batch can use
    std::vector<std::string> for_pictures_;  // options that a picture can use
    std::string note_;
};

}  // namespace weft
