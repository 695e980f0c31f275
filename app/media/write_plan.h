// Everything the Writer decides before it starts: made of the source and the options alone, so
// that `weft info` and a dry run can show it.
#pragma once

#include <string>
#include <vector>

#include "app/media/container_table.h"
#include "app/media/frame_clock.h"
#include "app/media/rotation.h"
#include "app/media/stream_plan.h"
#include "app/media/video_choice.h"
#include "app/media/writer.h"

namespace weft {

struct WritePlan {
    const Container* container = nullptr;
    VideoChoice video;
    bool frames_on_gpu = false;  // the encoder reads them where they are made
    std::vector<StreamPlan> streams;
    TimeShift shift;  // of every stream
    Turn turn;        // by which the pixels are turned
    AVRational frame_rate{25, 1};
    AVFieldOrder field_order = AV_FIELD_PROGRESSIVE;
    bool global_header = false;
    std::vector<std::string> warnings;  // what cannot be kept
    std::vector<std::string> notes;
};

// Opens nothing. Throws Error(usage): no such container or codec, or, with options.strict, the
// first of the warnings.
WritePlan make_write_plan(const WriterOptions& options, const WriterSource& source);

// One entry a source stream.
std::vector<StreamOutcome> outcomes(const WritePlan& plan, const AVFormatContext& source,
                                    const std::string& encoder);

}  // namespace weft
