#include "app/media/metadata/png_chunks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>
#include <zlib.h>

#include "app/media/demux/file_cursor.h"
#include "app/media/metadata/side_data.h"

namespace weft {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::array<std::uint8_t, 8> kSignature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;
constexpr std::size_t kFrame = 12;  // a chunk's length, type and checksum

bool holds_pixels(std::string_view type) {
    return type == "IDAT" || type == "fdAT" || type == "fcTL" || type == "acTL";
}

bool is_text(std::string_view type) {
    return type == "tEXt" || type == "zTXt" || type == "iTXt";
}

void put32(Bytes& bytes, std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes.push_back(static_cast<std::uint8_t>(value >> static_cast<unsigned>(shift)));
}

void put(Bytes& bytes, const PngChunk& chunk) {
    put32(bytes, static_cast<std::uint32_t>(chunk.data.size()));
    const std::size_t type = bytes.size();
    bytes.insert(bytes.end(), chunk.type.begin(), chunk.type.end());
    bytes.insert(bytes.end(), chunk.data.begin(), chunk.data.end());
    put32(bytes, static_cast<std::uint32_t>(
                     crc32(0, bytes.data() + type, static_cast<uInt>(bytes.size() - type))));
}

bool is_replaced(std::string_view type, const std::vector<PngChunk>& chunks) {
    return !is_text(type) && std::any_of(chunks.begin(), chunks.end(),
                                         [&](const PngChunk& chunk) { return chunk.type == type; });
}

bool is_unknown_size(std::span<const std::uint8_t> encoded, std::size_t at) {
    return text4(encoded, at + 4) == "pHYs" && big32(encoded, at) == 9 &&
           big32(encoded, at + 8) == 0;
}

// add_png_chunks() for chunks without the signature before them.
Bytes with_chunks(std::span<const std::uint8_t> encoded, const std::vector<PngChunk>& chunks) {
    Bytes made;
    for (std::size_t at = 0; at + kFrame <= encoded.size();) {
        const std::size_t size = kFrame + big32(encoded, at);
        const std::string_view type = text4(encoded, at + 4);
        if (size > encoded.size() - at)
            throw MediaError(Outcome::failed, "the encoded PNG ends too early");
        if (!is_replaced(type, chunks) && !is_unknown_size(encoded, at))
            made.insert(made.end(), encoded.begin() + static_cast<std::ptrdiff_t>(at),
                        encoded.begin() + static_cast<std::ptrdiff_t>(at + size));
        if (type == "IHDR")
            for (const PngChunk& chunk : chunks) put(made, chunk);
        at += size;
    }
    return made;
}

bool is_signed(std::span<const std::uint8_t> encoded) {
    return encoded.size() >= kSignature.size() &&
           std::equal(kSignature.begin(), kSignature.end(), encoded.begin());
}

// Where the chunks end that come before the pixels.
std::size_t header_end(std::span<const std::uint8_t> encoded) {
    std::size_t at = kSignature.size();
    while (at + kFrame <= encoded.size() && text4(encoded, at + 4) != "IDAT") {
        const std::size_t size = kFrame + big32(encoded, at);
        if (size > encoded.size() - at) break;
        at += size;
    }
    return at;
}

// libav's encoder writes cHRM for these.
bool has_chrm(AVColorPrimaries primaries) {
    constexpr std::array kKnown{AVCOL_PRI_BT709,     AVCOL_PRI_BT470M,    AVCOL_PRI_BT470BG,
                                AVCOL_PRI_SMPTE170M, AVCOL_PRI_SMPTE240M, AVCOL_PRI_BT2020};
    return std::ranges::find(kKnown, primaries) != kKnown.end();
}

// libav's encoder writes gAMA for these, exact or near enough.
bool has_gama(AVColorTransferCharacteristic curve) {
    constexpr std::array kKnown{AVCOL_TRC_BT709,      AVCOL_TRC_SMPTE170M, AVCOL_TRC_SMPTE240M,
                                AVCOL_TRC_BT1361_ECG, AVCOL_TRC_BT2020_10, AVCOL_TRC_BT2020_12,
                                AVCOL_TRC_GAMMA22,    AVCOL_TRC_GAMMA28,   AVCOL_TRC_IEC61966_2_1,
                                AVCOL_TRC_LINEAR};
    return std::ranges::find(kKnown, curve) != kKnown.end();
}

void put16(Bytes& bytes, std::uint16_t value) {
    bytes.push_back(static_cast<std::uint8_t>(value >> 8U));
    bytes.push_back(static_cast<std::uint8_t>(value));
}

double scaled(AVRational number, double unit, double most) {
    const double value = number.den == 0 ? 0 : av_q2d(number) / unit;
    return std::round(std::clamp(value, 0.0, most));
}

constexpr double kLuminance = 0.0001;  // cd/m²

void put_luminance(Bytes& bytes, AVRational luminance) {
    put32(bytes, static_cast<std::uint32_t>(scaled(luminance, kLuminance, UINT32_MAX)));
}

PngChunk mastering_chunk(const AVMasteringDisplayMetadata& display) {
    constexpr double kChromaticity = 0.00002;
    PngChunk chunk{.type = "mDCV", .data = {}};
    const auto put_point = [&chunk](const AVRational(&xy)[2]) {
        for (const AVRational& number : xy)
            put16(chunk.data,
                  static_cast<std::uint16_t>(scaled(number, kChromaticity, UINT16_MAX)));
    };
    for (const auto& primary : display.display_primaries) put_point(primary);
    put_point(display.white_point);
    put_luminance(chunk.data, display.max_luminance);
    put_luminance(chunk.data, display.min_luminance);
    return chunk;
}

PngChunk light_chunk(const AVContentLightMetadata& light) {
    PngChunk chunk{.type = "cLLI", .data = {}};
    for (const unsigned level : {light.MaxCLL, light.MaxFALL})
        put_luminance(chunk.data, {static_cast<int>(level), 1});
    return chunk;
}

}  // namespace

PngChunks read_png_chunks(const InputFile& file) {
    std::array<std::uint8_t, kSignature.size()> start{};
    if (file.read_at(0, start) != start.size() || start != kSignature) return {};
    PngChunks chunks;
    std::int64_t held = 0;
    FileCursor cursor(file, kSignature.size());
    for (;;) {
        const std::int64_t size = cursor.big32();
        PngChunk chunk{.type = cursor.text4(), .data = {}};
        const std::int64_t data = cursor.at();
        if (cursor.ended() || size > cursor.left()) return chunks;
        if (chunk.type == "IEND") {
            chunks.end = data + size + 4;
            return chunks;
        }
        if (!holds_pixels(chunk.type)) {
            held += size;
            if (held > kMostBytes) return chunks;
            chunk.data.resize(static_cast<std::size_t>(size));
            if (file.read_at(data, chunk.data) != chunk.data.size()) return chunks;
            chunks.list.push_back(std::move(chunk));
        }
        cursor.go(data + size + 4);
    }
}

std::string png_keyword(const PngChunk& chunk) {
    const auto end = std::find(chunk.data.begin(), chunk.data.end(), std::uint8_t{0});
    return {chunk.data.begin(), end};
}

Bytes add_png_chunks(std::span<const std::uint8_t> encoded, const std::vector<PngChunk>& chunks) {
    if (!is_signed(encoded)) throw MediaError(Outcome::failed, "the encoded picture is no PNG");
    Bytes made = with_chunks(encoded.subspan(kSignature.size()), chunks);
    made.insert(made.begin(), kSignature.begin(), kSignature.end());
    return made;
}

std::vector<PngChunk> png_chunks_of(const AVFrame& frame) {
    std::vector<PngChunk> chunks;
    const bool primaries = frame.color_primaries != AVCOL_PRI_UNSPECIFIED;
    const bool curve = frame.color_trc != AVCOL_TRC_UNSPECIFIED;
    if ((primaries && !has_chrm(frame.color_primaries)) || (curve && !has_gama(frame.color_trc)))
        // The matrix of RGB, and full range.
        chunks.push_back({.type = "cICP",
                          .data = {static_cast<std::uint8_t>(frame.color_primaries),
                                   static_cast<std::uint8_t>(frame.color_trc), 0, 1}});
    const SideData data = side_data_of(frame);
    if (data.mastering) chunks.push_back(mastering_chunk(*data.mastering));
    if (data.light) chunks.push_back(light_chunk(*data.light));
    return chunks;
}

void complete_png(AVPacket& packet, const std::vector<PngChunk>& chunks) {
    std::size_t size = 0;
    if (const std::uint8_t* header =
            av_packet_get_side_data(&packet, AV_PKT_DATA_NEW_EXTRADATA, &size)) {
        const Bytes made = with_chunks({header, size}, chunks);
        std::uint8_t* place =
            av_packet_new_side_data(&packet, AV_PKT_DATA_NEW_EXTRADATA, made.size());
        if (place == nullptr) throw_no_memory();
        std::ranges::copy(made, place);
    }
    const std::span encoded(packet.data, static_cast<std::size_t>(packet.size));
    if (!is_signed(encoded)) return;
    // The pixels stay where they are if the header does not grow.
    const std::size_t old = header_end(encoded);
    const Bytes made = add_png_chunks(encoded.first(old), chunks);
    if (made.size() > old) {
        const auto more = static_cast<int>(made.size() - old);
        av_check(av_grow_packet(&packet, more), "describing a picture", "memory");
        std::memmove(packet.data + made.size(), packet.data + old, encoded.size() - old);
    } else {
        packet.data += old - made.size();
        packet.size -= static_cast<int>(old - made.size());
    }
    std::ranges::copy(made, packet.data);
}

}  // namespace weft
