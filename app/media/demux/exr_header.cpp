#include "app/media/demux/exr_header.h"

#include <bit>

namespace weft {
namespace {

constexpr std::size_t kMostParts = 1000;
constexpr std::size_t kMostChannels = 10'000;

std::string text(FileCursor& cursor) {
    std::string read;
    for (std::uint8_t c = cursor.u8(); c != 0 && !cursor.ended() && read.size() < 256;
         c = cursor.u8())
        read += static_cast<char>(c);
    return read;
}

std::string text(FileCursor& cursor, std::int64_t letters) {
    std::string read;
    for (; letters > 0 && !cursor.ended() && read.size() < 256; --letters)
        read += static_cast<char>(cursor.u8());
    return read;
}

ExrWindow window(FileCursor& cursor) {
    ExrWindow box;
    for (std::int64_t* side : {&box.left, &box.top, &box.right, &box.bottom})
        *side = static_cast<std::int32_t>(cursor.little32());
    return box;
}

// Names up to an empty one, each with a type and twelve bytes on sampling.
std::vector<ExrChannel> channels(FileCursor& cursor) {
    std::vector<ExrChannel> list;
    while (!cursor.ended() && list.size() < kMostChannels) {
        ExrChannel channel{.name = text(cursor)};
        if (channel.name.empty()) break;
        channel.type = cursor.little32();
        cursor.skip(12);
        list.push_back(std::move(channel));
    }
    return list;
}

void read_attribute(FileCursor& cursor, const std::string& name, std::int64_t size, ExrPart& part) {
    if (name == "name") part.name = text(cursor, size);
    if (name == "type") part.type = text(cursor, size);
    if (name == "channels") part.channels = channels(cursor);
    if (name == "compression") part.compression = cursor.u8();
    if (name == "chunkCount") part.chunks = cursor.little32();
    if (name == "dataWindow") part.data = window(cursor);
    if (name == "displayWindow") part.display = window(cursor);
    if (name == "chromaticities")
        for (float& number : part.chromaticities) number = std::bit_cast<float>(cursor.little32());
    if (name == "tiles") {
        part.tile_width = cursor.little32();
        part.tile_height = cursor.little32();
        part.several_levels = (cursor.u8() & 0xFU) != 0;
    }
}

// Each attribute has a name, a type, a size and a value; an empty name ends them.
ExrPart read_part(FileCursor& cursor) {
    ExrPart part;
    while (!cursor.ended()) {
        const std::string name = text(cursor);
        if (name.empty()) break;
        text(cursor);
        const std::int64_t size = cursor.little32();
        const std::int64_t value = cursor.at();
        read_attribute(cursor, name, size, part);
        cursor.go(value + size);
    }
    return part;
}

}  // namespace

ExrHeader read_exr_header(const InputFile& file) {
    constexpr unsigned kTiled = 0x02;  // in the second byte of the version
    constexpr unsigned kDeep = 0x08;
    constexpr unsigned kSeveralParts = 0x10;
    FileCursor cursor(file, 5);
    const unsigned flags = cursor.u8();
    ExrHeader header;
    header.tiled = (flags & kTiled) != 0;
    header.deep = (flags & kDeep) != 0;
    header.several_parts = (flags & kSeveralParts) != 0;
    cursor.go(8);
    header.parts.push_back(read_part(cursor));
    // Several parts end with an empty one.
    while (header.several_parts && !cursor.ended() && header.parts.size() < kMostParts) {
        const std::int64_t begin = cursor.at();
        if (cursor.u8() == 0) break;
        cursor.go(begin);
        header.parts.push_back(read_part(cursor));
    }
    header.end = cursor.at();
    header.cut = cursor.ended();
    return header;
}

}  // namespace weft
