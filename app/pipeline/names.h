// Names that users give: kernels, encoders, pixel formats. Checked before any file is opened.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/media/libav/error.h"
#include "app/media/libav/ffmpeg.h"
#include "app/pipeline/stack/stack_plan.h"
#include "kernels/conv_kernel.h"

namespace weft {

// "there is no filter soble: did you mean 'sobel'? choose from box, …", as Error(usage).
Error unknown_name(std::string_view kind, std::string_view name,
                   const std::vector<std::string_view>& names);

// Throws Error(usage) with the nearest name and the list for an unknown name.
const ConvKernel& require_kernel(const std::string& name);

// "direct" applies to every step, "direct,,fft" to the first and the third of three. Throws like
// require_kernel().
ForcedKernels parse_forced_kernels(std::string_view text);

// The encoder of that name, or the default encoder of the codec of that name; null if none exists.
const AVCodec* find_encoder(std::string_view name);

// `option` (-c:v, -c:a) names an encoder, or a codec that has one, of the given type. Throws
// Error(usage). Whether a container supports it is checked later.
void check_encoder_name(const std::string& option, const std::string& name, AVMediaType type);

// Throws Error(usage) if libav has no pixel format of that name.
void check_pixel_format_name(const std::string& name);

// "'x' is not a whole number from 1 to 64", or "" for one in this range.
std::string why_not_whole_number(std::string_view text, std::int64_t least, std::int64_t most);

// "'x' is not one of json, none", or "" for one of `words`.
std::string why_not_one_of(std::string_view text, std::span<const std::string_view> words);

}  // namespace weft
