#include "app/media/demux/frame_limits.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "app/media/demux/input_limits.h"
#include "app/media/libav/bytes.h"

namespace weft {
namespace {

// Deflate expands at most 1032 times (RFC 1951: a 258-byte match in two bits).
constexpr std::int64_t kDeflateRatio = 1032;

// Maximum pixel bytes per packet byte, where known. Uncompressed formats have a reserve for files
// that are cut short; the others' numbers are those of a run: BMP's and TGA's 255 and 128 pixels in
// two bytes or more, GIF's string of 4096 pixels of four bytes in a code of twelve bits.
struct Expansion {
    AVCodecID codec;
    std::int64_t ratio;
};
constexpr std::array kExpansions = {Expansion{AV_CODEC_ID_PBM, 16},
                                    Expansion{AV_CODEC_ID_PGM, 16},
                                    Expansion{AV_CODEC_ID_PGMYUV, 16},
                                    Expansion{AV_CODEC_ID_PPM, 16},
                                    Expansion{AV_CODEC_ID_PAM, 16},
                                    Expansion{AV_CODEC_ID_PFM, 16},
                                    Expansion{AV_CODEC_ID_DDS, 16},
                                    Expansion{AV_CODEC_ID_XWD, 16},
                                    Expansion{AV_CODEC_ID_DPX, 16},
                                    Expansion{AV_CODEC_ID_FITS, 16},
                                    Expansion{AV_CODEC_ID_BMP, 128},
                                    Expansion{AV_CODEC_ID_TARGA, 128},
                                    Expansion{AV_CODEC_ID_SUNRAST, 256},
                                    Expansion{AV_CODEC_ID_SGI, 256},
                                    Expansion{AV_CODEC_ID_PCX, 256},
                                    Expansion{AV_CODEC_ID_PSD, 256},
                                    Expansion{AV_CODEC_ID_QOI, 256},
                                    Expansion{AV_CODEC_ID_ALIAS_PIX, 256},
                                    Expansion{AV_CODEC_ID_GIF, 4096 * 4 * 8 / 12}};

// Frames up to this size are no attack.
constexpr std::int64_t kSmallFrame = std::int64_t{16} << 20;

const Expansion* find_expansion(AVCodecID codec) {
    const auto* const found = std::ranges::find(kExpansions, codec, &Expansion::codec);
    return found == kExpansions.end() ? nullptr : found;
}

struct PngHeader {
    std::int64_t width;
    std::int64_t height;
    std::int64_t row_bytes;
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
    return PngHeader{width, height, row_bits / 8 + 1};
}

}  // namespace

bool has_expansion_limit(AVCodecID codec) {
    return find_expansion(codec) != nullptr;
}

bool can_hold(AVCodecID codec, std::int64_t frame_bytes, std::int64_t packet_bytes) {
    const Expansion* const known = find_expansion(codec);
    return known == nullptr || frame_bytes <= kSmallFrame + known->ratio * packet_bytes;
}

std::string does_not_fit_text(const std::string& path, AVCodecID codec, int width, int height,
                              std::int64_t bytes) {
    return fmt::format("{}: damaged: a {} picture of {}x{} does not fit into its {} bytes", path,
                       avcodec_get_name(codec), width, height, bytes);
}

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
    const std::span data(packet.data, static_cast<std::size_t>(packet.size));
    const auto header = read_png_header(data);
    if (!header) return;
    check_size(header->width, header->height, limits, path);
    if (header->height * header->row_bytes > packet.size * kDeflateRatio)
        throw MediaError(ExitCode::damaged,
                         fmt::format("{}: damaged: a PNG of {}x{} does not fit into its {} bytes",
                                     path, header->width, header->height, packet.size));
    check_png_chunks(data, path);
}

}  // namespace weft
