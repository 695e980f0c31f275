#include "app/media/demux/frame_limits.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <zlib.h>

#include <fmt/format.h>

#include "app/media/demux/box.h"
#include "app/media/demux/file_cursor.h"

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

std::string too_large_text(const std::string& path, AVCodecID codec, int width, int height,
                           std::int64_t bytes) {
    return fmt::format("{}: damaged: a {} picture of {}x{} does not fit into its {} bytes", path,
                       avcodec_get_name(codec), width, height, bytes);
}

void check_size(std::int64_t width, std::int64_t height, const ReaderLimits& limits,
                const std::string& path) {
    if (width > limits.max_side || height > limits.max_side)
        throw MediaError(Outcome::failed,
                         fmt::format("{}: frames of {}x{} exceed the limit of {} a side "
                                     "(--max-side)",
                                     path, width, height, limits.max_side));
    if (width * height > limits.max_pixels)
        throw MediaError(Outcome::failed,
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
        throw MediaError(Outcome::damaged,
                         fmt::format("{}: damaged: a PNG of {}x{} does not fit into its {} bytes",
                                     path, header->width, header->height, packet.size));
    check_png_chunks(data, path);
}

namespace {

// Cameras and editors write a handful of texts, medical converters some hundreds.
constexpr int kMostTexts = 4096;
// Colour profiles of printers have up to 3 MB. libav doubles its buffer as it inflates.
constexpr std::int64_t kMostInflated = std::int64_t{8} << 20;
constexpr std::uint32_t kMostEdits = 2000;

[[noreturn]] void refuse_over_limit(const std::string& path, const std::string& what) {
    throw MediaError(Outcome::failed, fmt::format("{}: {}", path, what));
}

// The bytes that a zlib stream expands to, counted up to `most`.
std::int64_t inflated_bytes(std::span<const std::uint8_t> data, std::int64_t most) {
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
    std::array<std::uint8_t, 1 << 15> window{};
    stream.next_in = const_cast<Bytef*>(data.data());  // NOLINT: zlib's signature
    stream.avail_in = static_cast<uInt>(data.size());
    std::int64_t count = 0;
    int result = Z_OK;
    while (result == Z_OK && count <= most) {
        stream.next_out = window.data();
        stream.avail_out = static_cast<uInt>(window.size());
        result = inflate(&stream, Z_NO_FLUSH);
        count += static_cast<std::int64_t>(window.size()) - stream.avail_out;
    }
    inflateEnd(&stream);
    return count;
}

// The data after `fields` texts that end with a zero byte, and `more` bytes.
std::span<const std::uint8_t> after_fields(std::span<const std::uint8_t> data, int fields,
                                           std::size_t more) {
    for (; fields > 0; --fields) {
        const auto zero = std::ranges::find(data, std::uint8_t{0});
        if (zero == data.end()) return {};
        data = data.subspan(static_cast<std::size_t>(zero - data.begin()) + 1);
    }
    return data.subspan(std::min(more, data.size()));
}

// The zlib stream of a chunk; empty if it has none.
std::span<const std::uint8_t> compressed_part(std::string_view type,
                                              std::span<const std::uint8_t> data) {
    if (type == "zTXt" || type == "iCCP") return after_fields(data, 1, 1);
    if (type != "iTXt") return {};
    const auto rest = after_fields(data, 1, 0);
    if (rest.empty() || rest.front() == 0) return {};  // not compressed
    return after_fields(after_fields(rest, 0, 2), 2, 0);
}

bool is_container(std::string_view type) {
    constexpr std::array<std::string_view, 6> kContainers = {"moov", "trak", "edts",
                                                             "mdia", "minf", "udta"};
    return std::ranges::find(kContainers, type) != kContainers.end();
}

}  // namespace

void check_png_chunks(std::span<const std::uint8_t> data, const std::string& path) {
    int texts = 0;
    std::int64_t inflated = 0;
    std::size_t at = data.size() >= 8 && big32(data, 0) == 0x89504E47U ? 8 : 0;
    while (data.size() - at >= 12) {
        const std::size_t size = big32(data, at);
        const std::string_view type = text4(data, at + 4);
        if (type == "IEND") return;
        const auto content = data.subspan(at + 8, std::min(size, data.size() - at - 8));
        texts += type == "tEXt" || type == "zTXt" || type == "iTXt" ? 1 : 0;
        if (texts > kMostTexts)
            refuse_over_limit(path, fmt::format("has more than {} texts", kMostTexts));
        if (const auto part = compressed_part(type, content); !part.empty())
            inflated += inflated_bytes(part, kMostInflated - inflated);
        if (inflated > kMostInflated)
            refuse_over_limit(path,
                              fmt::format("its texts and colour profile expand to more than {} MiB",
                                          kMostInflated >> 20));
        if (size > data.size() - at - 12) return;
        at += size + 12;
    }
}

void check_edit_lists(const InputFile& file) {
    FileCursor cursor(file);
    std::uint64_t edits = 0;
    bool in_movie = false;
    while (cursor.left() >= 8) {
        const Box box = read_box(cursor);
        if (cursor.ended()) return;
        in_movie = in_movie || box.type == "moov";
        if (box.type == "elst" && in_movie) {
            cursor.skip(4);  // version and flags
            edits += cursor.big32();
            if (edits > kMostEdits)
                refuse_over_limit(file.path(),
                                  fmt::format("has {} edits; the limit is {}", edits, kMostEdits));
        }
        if (is_container(box.type)) continue;
        if (!box.fits(file.size())) return;
        cursor.go(box.end());
    }
}

void check_gif_screen(int width, int height, std::int64_t bytes, const std::string& path) {
    const std::int64_t screen = std::int64_t{width} * height * 4;
    if (can_hold(AV_CODEC_ID_GIF, screen, bytes)) return;
    throw MediaError(Outcome::damaged, too_large_text(path, AV_CODEC_ID_GIF, width, height, bytes));
}

}  // namespace weft
