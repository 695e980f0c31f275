// PNG and APNG (ISO/IEC 15948, chunks with checksums) and JPEG (ITU T.81) files.
#include <utility>

#include <fmt/format.h>

#include "app/media/demux/file_cursor.h"
#include "app/media/structure/structure.h"

namespace weft {

namespace {

struct PngChunk {
    std::int64_t at = 0;
    std::int64_t size = 0;
    std::string type;
    bool whole = false;
    bool checksum_fits = false;
    std::uint32_t first_word = 0;
};

PngChunk read_chunk(FileCursor& cursor) {
    PngChunk chunk;
    chunk.at = cursor.at();
    chunk.size = cursor.big32();
    const std::int64_t type_at = cursor.at();
    chunk.type = cursor.text4();
    chunk.first_word = cursor.big32();
    cursor.go(type_at);
    chunk.whole = cursor.left() >= chunk.size + 8;
    if (!chunk.whole) return chunk;
    const std::uint32_t crc = cursor.crc32(chunk.size + 4);
    chunk.checksum_fits = crc == cursor.big32();
    return chunk;
}

// After a 0xFF byte JPEG-LS (ITU-T T.87) inserts a zero bit, JPEG a zero byte.
enum class Jpeg { baseline, lossless };

// The marker after the entropy-coded data of a scan; 0 at the end of the file.
unsigned marker_after_scan(FileCursor& cursor, Jpeg kind) {
    const unsigned last_of_data = kind == Jpeg::lossless ? 0x7FU : 0;
    for (;;) {
        cursor.skip_to(0xFF);
        if (cursor.ended()) return 0;
        cursor.skip(1);
        unsigned next = cursor.u8();
        while (next == 0xFFU && !cursor.ended()) next = cursor.u8();
        const bool restart = next >= 0xD0U && next <= 0xD7U;
        if (cursor.ended()) return 0;
        if (next > last_of_data && !restart) return next;
    }
}

// The next marker between segments; 0 if a required marker is missing.
unsigned next_marker(FileCursor& cursor) {
    if (cursor.u8() != 0xFFU) return 0;
    unsigned marker = cursor.u8();
    while (marker == 0xFFU && !cursor.ended()) marker = cursor.u8();
    return marker;
}

StructureReport ends_early(const InputFile& file) {
    return problem_at(file.size(), fmt::format("the JPEG ends too early, at byte {}", file.size()));
}

// Advances from after a start marker to after the end marker of the same picture.
StructureReport check_one_jpeg(const InputFile& file, FileCursor& cursor,
                               Jpeg kind = Jpeg::baseline) {
    bool in_frame = false;
    unsigned marker = next_marker(cursor);
    while (marker != 0xD9U) {
        if (cursor.ended()) return ends_early(file);
        const std::int64_t at = cursor.at() - 2;
        if (marker == 0)
            return problem_at(at,
                              fmt::format("byte {} is not the beginning of a JPEG segment", at));
        // A second frame header belongs to the next picture, so an end marker is missing.
        const bool frame_header = marker >= 0xC0U && marker <= 0xC2U;
        if (marker == 0xD8U || (frame_header && std::exchange(in_frame, true)))
            return problem_at(at, fmt::format("the JPEG before byte {} has no end marker", at));
        cursor.skip(static_cast<std::int64_t>(cursor.big(2)) - 2);
        marker = marker == 0xDAU ? marker_after_scan(cursor, kind) : next_marker(cursor);
    }
    StructureReport report;
    report.byte = cursor.at();
    report.proof = "its end marker";
    return report;
}

}  // namespace

// Data after IEND (another picture, an appended archive) are not checked.
StructureReport check_png(const InputFile& file) {
    FileCursor cursor(file, 8);
    std::optional<std::int64_t> promised;
    std::int64_t frames = 0;
    for (;;) {
        const PngChunk chunk = read_chunk(cursor);
        if (!chunk.whole)
            return problem_at(file.size(),
                              fmt::format("the file ends inside a PNG, at byte {}", file.size()));
        if (!chunk.checksum_fits)
            return problem_at(chunk.at,
                              fmt::format("PNG chunk at byte {} has a wrong checksum", chunk.at));
        if (chunk.type == "acTL" && promised)
            return problem_at(chunk.at,
                              fmt::format("a second count of frames is at byte {}", chunk.at));
        if (chunk.type == "acTL") promised = chunk.first_word;
        if (chunk.type == "fcTL") ++frames;
        if (chunk.type == "IEND") break;
    }
    StructureReport report;
    report.frames = promised;
    if (!promised && frames > 0)
        report.doubt = "it has frames of an animation, but no count of them";
    if (promised && frames < *promised)
        report.problem = fmt::format("the APNG contains {} of {} frames", frames, *promised);
    if (promised && frames > *promised)
        report.doubt = fmt::format("it has {} frames and states {}", frames, *promised);
    report.byte = cursor.at();
    report.proof = "its end marker";
    return report;
}

// Cameras append thumbnails and more pictures to the first.
StructureReport check_jpeg(const InputFile& file) {
    FileCursor cursor(file, 2);
    return check_one_jpeg(file, cursor);
}

StructureReport check_jpeg_ls(const InputFile& file) {
    FileCursor cursor(file, 2);
    return check_one_jpeg(file, cursor, Jpeg::lossless);
}

StructureReport check_motion_jpeg(const InputFile& file) {
    FileCursor cursor(file);
    while (cursor.left() > 0) {
        const std::int64_t at = cursor.at();
        if (cursor.big(2) != 0xFFD8U)
            return problem_at(at, fmt::format("no picture begins at byte {}", at));
        StructureReport report = check_one_jpeg(file, cursor);
        if (!report.problem.empty()) return report;
    }
    return {};
}

}  // namespace weft
