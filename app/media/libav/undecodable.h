// Intact inputs that FFmpeg cannot decode, as opposed to damaged ones.
#pragma once

#include <string>

#include "app/media/libav/ffmpeg.h"

namespace weft {

// Thrown for an input whose bytes are not broken, but for which FFmpeg lacks a feature or a key:
// another run of the same FFmpeg would end the same way.
class Undecodable : public MediaError {
 public:
    explicit Undecodable(const std::string& message, int av_code = 0)
        : MediaError(Outcome::failed, message, av_code) {}
};

// Whether libav's error means that it lacks a feature.
inline bool is_lack(int av_code) {
    return av_code == AVERROR_PATCHWELCOME || av_code == AVERROR(ENOSYS);
}

}  // namespace weft
