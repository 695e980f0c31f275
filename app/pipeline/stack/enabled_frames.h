// Which frames a step filters, by ffmpeg's `enable`.
#pragma once

#include <memory>
#include <string>

#include "filters/frame_place.h"
#include "filters/params.h"

namespace weft {

// An expression in the grammar of libavutil, with the variables t and n of the frame and w and h of
// its picture in pixels. A frame is filtered where the value is at least 0.5 or at most -0.5, as in
// ffmpeg, and not where it is no number.
class EnabledFrames {
 public:
    // Throws std::invalid_argument with a sentence if the text is no expression.
    explicit EnabledFrames(const std::string& text);

    bool at(const FramePlace& frame, int width, int height) const;

 private:
    struct Free {
        void operator()(void* expression) const noexcept;
    };
    std::unique_ptr<void, Free> expression_;  // an AVExpr
};

// Throws FilterError at the parameter if its value is no expression.
void check_enable(const Params& params);

}  // namespace weft
