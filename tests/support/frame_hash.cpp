#include "tests/support/frame_hash.h"

#include <functional>
#include <stdexcept>
#include <string>

extern "C" {
#include <libavutil/frame.h>
#include <libavutil/imgutils.h>
}

namespace weft::test {

std::size_t frame_hash(const AVFrame& frame) {
    const auto format = static_cast<AVPixelFormat>(frame.format);
    const int size = av_image_get_buffer_size(format, frame.width, frame.height, 1);
    if (size < 0) throw std::runtime_error("a frame without a size");
    std::string bytes(static_cast<std::size_t>(size), '\0');
    if (av_image_copy_to_buffer(reinterpret_cast<std::uint8_t*>(bytes.data()), size, frame.data,
                                frame.linesize, format, frame.width, frame.height, 1) != size)
        throw std::runtime_error("a frame that cannot be copied");
    return std::hash<std::string>()(bytes);
}

}  // namespace weft::test
