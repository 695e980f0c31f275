// Pictures whose decoders fill in missing data without an error: QOI, OpenEXR, JPEG 2000 and Sun
// raster files.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/media/demux/exr_header.h"
#include "app/media/demux/jpeg2000_codestream.h"
#include "app/media/structure/structure.h"

namespace weft {

namespace {

StructureReport ends_early(const InputFile& file, std::string_view kind) {
    StructureReport report;
    report.problem = fmt::format("the {} ends too early, at byte {}", kind, file.size());
    report.byte = file.size();
    return report;
}

StructureReport whole(std::string_view proof) {
    StructureReport report;
    report.proof = proof;
    return report;
}

// Indexed by compression: none, RLE, ZIPS, ZIP, PIZ, PXR24, B44, B44A, DWAA, DWAB.
std::int64_t lines_of(unsigned compression) {
    constexpr std::array<std::int64_t, 10> kLines = {1, 1, 1, 16, 32, 16, 32, 32, 32, 256};
    return compression < kLines.size() ? kLines[compression] : 1;
}

// Sizes from headers: a product that does not fit is larger than any file, so the largest number
// does as well.
std::int64_t product(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? INT64_MAX : result;
}

std::int64_t parts_of(std::int64_t length, std::int64_t part) {
    return (length + part - 1) / part;
}

// The number of chunks in the part; nothing if its size does not determine it.
std::optional<std::int64_t> chunks_of(const ExrPart& part) {
    if (part.chunks > 0) return part.chunks;
    if (part.width() <= 0 || part.height() <= 0 || part.several_levels) return std::nullopt;
    if (part.tile_width > 0 && part.tile_height > 0)
        return product(parts_of(part.width(), part.tile_width),
                       parts_of(part.height(), part.tile_height));
    return parts_of(part.height(), lines_of(part.compression));
}

// Four bytes of colour or alpha, or a run: the bytes and pixels of the operation.
std::pair<int, int> qoi_operation(unsigned first) {
    if (first == 0xFEU) return {4, 1};
    if (first == 0xFFU) return {5, 1};
    switch (first >> 6U) {
        case 2:
            return {2, 1};
        case 3:
            return {1, static_cast<int>(first & 0x3FU) + 1};
        default:
            return {1, 1};
    }
}

}  // namespace

// Operations up to the last pixel, then seven zero bytes and a one.
StructureReport check_qoi(const InputFile& file) {
    FileCursor cursor(file, 4);
    const std::int64_t width = cursor.big32();
    std::int64_t pixels = product(width, cursor.big32());
    cursor.skip(2);
    while (pixels > 0 && cursor.left() > 0) {
        const auto [bytes, drawn] = qoi_operation(cursor.u8());
        cursor.skip(bytes - 1);
        pixels -= drawn;
    }
    if (pixels > 0 || cursor.left() < 8) return ends_early(file, "QOI");
    return whole("its end marker");
}

// The table after the headers gives the offset of each chunk of lines or tiles.
StructureReport check_exr(const InputFile& file) {
    const ExrHeader header = read_exr_header(file);
    const std::optional<std::int64_t> chunks = chunks_of(header.parts.front());
    if (header.cut) return ends_early(file, "OpenEXR");
    if (!chunks || header.deep || header.several_parts) return {};
    FileCursor cursor(file);
    const std::int64_t head = header.tiled ? 16 : 4;  // coordinates before the size
    for (std::int64_t n = 0; n < *chunks; ++n) {
        cursor.go(header.end + n * 8);
        const std::uint64_t at = __builtin_bswap64(cursor.big(8));
        if (cursor.ended()) return ends_early(file, "OpenEXR");
        // A table of zeros means that writing was interrupted.
        if (at >= static_cast<std::uint64_t>(file.size())) return ends_early(file, "OpenEXR");
        cursor.go(static_cast<std::int64_t>(at) + head);
        const std::int64_t size = cursor.little32();
        if (cursor.ended() || cursor.left() < size) return ends_early(file, "OpenEXR");
    }
    return whole("its table of chunks");
}

StructureReport check_jpeg2000(const InputFile& file) {
    const Jpeg2000Codestream found = read_jpeg2000_codestream(file);
    if (!found.problem.empty()) return problem_at(found.end, found.problem);
    return found.whole ? whole("its end marker") : StructureReport{};
}

// Whether runs of bytes from here on fill `bytes`: 128 and 0 stand for 128, 128 and a count for
// that many more of the byte that follows (rasterfile(5)).
bool are_filled_by_runs(FileCursor& cursor, std::int64_t bytes) {
    constexpr std::uint8_t kRun = 128;
    while (bytes > 0 && cursor.left() > 0) {
        --bytes;
        if (cursor.u8() != kRun) continue;
        const std::uint8_t more = cursor.u8();
        bytes -= more;
        if (more > 0) cursor.skip(1);
    }
    return bytes <= 0 && cursor.left() >= 0;
}

// The header gives the stored size of the pixels in bytes; the oldest files give none, and some
// writers give the size of the unpacked pixels.
StructureReport check_sun_raster(const InputFile& file) {
    constexpr std::int64_t kRuns = 2;
    FileCursor cursor(file, 4);
    const std::int64_t width = cursor.big32();
    const std::int64_t height = cursor.big32();
    const std::int64_t depth = cursor.big32();
    const std::int64_t length = cursor.big32();
    const std::int64_t type = cursor.big32();
    cursor.skip(4);
    const std::int64_t begin = 32 + std::int64_t{cursor.big32()};
    if (length != 0 && length <= file.size() - begin) return whole("the size in its header");
    const std::int64_t bits = product(width, depth);
    const std::int64_t words = bits / 16 + (bits % 16 != 0 ? 1 : 0);  // of two bytes, per row
    const std::int64_t unpacked = product(2 * words, height);
    if (length != 0 && (length != unpacked || type != kRuns)) return ends_early(file, "Sun raster");
    cursor.go(begin);
    const bool filled =
        type == kRuns ? are_filled_by_runs(cursor, unpacked) : unpacked <= file.size() - begin;
    return filled ? whole("the size of its rows") : ends_early(file, "Sun raster");
}

}  // namespace weft
