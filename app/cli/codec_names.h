// Names of encoders and pixel formats, checked before any file is opened.
#pragma once

#include <string>

#include "app/media/libav/ffmpeg.h"

namespace weft {

// `option` (-c:v, -c:a) names an encoder, or a codec that has one, of the given type. Throws
// Error(usage). Whether a container supports it is checked later.
void check_encoder_name(const std::string& option, const std::string& name, AVMediaType type);

// Throws Error(usage).
void check_pixel_format_name(const std::string& name);

}  // namespace weft
