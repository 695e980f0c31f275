#include "app/media/frame_limits.h"

#include <array>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "app/media/bytes.h"

namespace weft {
namespace {

// Deflate expands at most 1032 times (RFC 1951: a 258-byte match in two bits).
constexpr std::int64_t kDeflateRatio = 1032;

struct PngHeader {
    std::int64_t width;
    std::int64_t height;
    std::int64_t raw_bytes;
};

// Signature, then IHDR: length, type, width, height, depth, colour type. Interlacing only adds.
std::optional<PngHeader> read_png_header(std::span<const std::uint8_t> data) {
    constexpr std::array<std::int64_t, 7> kChannels = {1, 0, 3, 1, 2, 0, 4};
    if (data.size() < 26 || big32(data, 0) != 0x89504E47U || text4(data, 12) != "IHDR")
        return std::nullopt;
    const std::int64_t width = big32(data, 16);
    const std::int64_t height = big32(data, 20);
    const std::size_t colour = data[25];
    if (colour >= kChannels.size()) return std::nullopt;
    const std::int64_t row_bits = width * kChannels.at(colour) * data[24];
    return PngHeader{width, height, height * (row_bits / 8 + 1)};
}

}  // namespace

void check_size(std::int64_t width, std::int64_t height, const ReaderLimits& limits,
                const std::string& path) {
    if (width > limits.max_side || height > limits.max_side)
        throw MediaError(ExitCode::failed,
                         fmt::format("{}: frames of {}x{} exceed the limit of {} a side "
                                     "(--max-side)",
                                     path, width, height, limits.max_side));
    if (width * height > limits.max_pixels)
        throw MediaError(ExitCode::failed,
                         fmt::format("{}: frames of {}x{} exceed the limit of {} pixels "
                                     "(--max-pixels)",
                                     path, width, height, limits.max_pixels));
}

void check_png(const AVPacket& packet, const ReaderLimits& limits, const std::string& path) {
    const auto header = read_png_header({packet.data, static_cast<std::size_t>(packet.size)});
    if (!header) return;
    check_size(header->width, header->height, limits, path);
    if (header->raw_bytes > packet.size * kDeflateRatio)
        throw MediaError(ExitCode::damaged,
                         fmt::format("{}: damaged: a PNG of {}x{} does not fit into its {} bytes",
                                     path, header->width, header->height, packet.size));
}

}  // namespace weft
