#include "app/media/metadata/png_chunks.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <zlib.h>

#include "app/media/demux/file_cursor.h"

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
    if (encoded.size() < kSignature.size() ||
        !std::equal(kSignature.begin(), kSignature.end(), encoded.begin()))
        throw MediaError(Outcome::failed, "the encoded picture is no PNG");
    Bytes made(kSignature.begin(), kSignature.end());
    for (std::size_t at = kSignature.size(); at + kFrame <= encoded.size();) {
        const std::size_t size = kFrame + big32(encoded, at);
        const std::string_view type = text4(encoded, at + 4);
        if (size > encoded.size() - at)
            throw MediaError(Outcome::failed, "the encoded PNG ends too early");
        if (!is_replaced(type, chunks))
            made.insert(made.end(), encoded.begin() + static_cast<std::ptrdiff_t>(at),
                        encoded.begin() + static_cast<std::ptrdiff_t>(at + size));
        if (type == "IHDR")
            for (const PngChunk& chunk : chunks) put(made, chunk);
        at += size;
    }
    return made;
}

}  // namespace weft
