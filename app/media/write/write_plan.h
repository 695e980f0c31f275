// The Writer's decisions before it starts, from the source and the options alone, so that `weft
// info` and a dry run can show them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/media/metadata/embedded_blocks.h"
#include "app/media/metadata/jpeg_tables.h"
#include "app/media/picture/rotation.h"
#include "app/media/write/container_table.h"
#include "app/media/write/frame_clock.h"
#include "app/media/write/stream_plan.h"
#include "app/media/write/video_choice.h"
#include "app/media/write/writer.h"

namespace weft {

struct WritePlan {
    const Container* container = nullptr;
    VideoChoice video;
    bool frames_on_gpu = false;  // the encoder reads frames in GPU memory
    std::vector<StreamPlan> streams;
    TimeShift shift;  // for all streams
    Turn turn;        // rotation of the pixels
    PictureTarget picture;
    AVRational frame_rate{25, 1};
    AVRational clock_rate{25, 1};  // FrameClock's
    AVFieldOrder field_order = AV_FIELD_PROGRESSIVE;
    bool lossless = false;                  // asked for, or because the source is
    std::optional<JpegTables> jpeg_tables;  // the source's, which the output keeps
    bool global_header = false;
    std::vector<std::string> warnings;   // properties that cannot be kept
    std::vector<std::string> lost_tags;  // of the file; one of the warnings
    std::vector<std::string> notes;
};

// Does not open any file. Throws Error(usage) for an unknown container or codec, or, with
// options.strict, for the first warning.
WritePlan make_write_plan(const WriterOptions& options, const WriterSource& source);

// A sentence about tags that are not kept.
std::string lost_tags_text(const Container& container, const std::vector<std::string>& tags);

// Returns one entry per source stream, for the report.
std::vector<StreamOutcome> outcomes(const WritePlan& plan, const AVFormatContext& source,
                                    const std::string& encoder);

}  // namespace weft
