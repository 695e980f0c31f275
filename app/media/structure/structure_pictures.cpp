// PNG and APNG (ISO/IEC 15948, chunks with checksums) and JPEG (ITU T.81) files.
#include <algorithm>
#include <array>
#include <new>
#include <span>
#include <utility>
#include <vector>
#include <zlib.h>

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

// The rows of a picture of a PNG, which its data must inflate to: libav leaves those that are
// missing black, and those with an unknown filter as they were before.
class PngRows {
 public:
    PngRows() {
        if (inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
    }
    ~PngRows() { inflateEnd(&stream_); }
    PngRows(const PngRows&) = delete;
    PngRows& operator=(const PngRows&) = delete;

    // Begins the whole picture, whose IHDR has its data at the cursor.
    void read_header(FileCursor& cursor) {
        constexpr std::array<std::int64_t, 7> kSamples = {1, 0, 3, 1, 2, 0, 4};
        const std::int64_t width = cursor.big32();
        const std::int64_t height = cursor.big32();
        const std::int64_t depth = cursor.u8();
        const std::uint8_t color = cursor.u8();
        cursor.skip(2);
        pixel_bits_ = color < kSamples.size() ? kSamples.at(color) * depth : 0;
        interlaced_ = cursor.u8() == 1;
        begin(width, height);
    }
    // Begins a picture of the animation.
    void begin(std::int64_t width, std::int64_t height) {
        if (inflateReset(&stream_) != Z_OK) throw std::bad_alloc();
        passes_.clear();
        in_row_ = 0;
        broken_ = started_ = false;
        // Columns and rows of the first pixel, and their steps.
        constexpr std::array<std::array<std::int64_t, 4>, 7> kAdam7 = {{{0, 0, 8, 8},
                                                                        {4, 0, 8, 8},
                                                                        {0, 4, 4, 8},
                                                                        {2, 0, 4, 4},
                                                                        {0, 2, 2, 4},
                                                                        {1, 0, 2, 2},
                                                                        {0, 1, 1, 2}}};
        if (!interlaced_) add_pass(width, height);
        for (const auto& [x, y, dx, dy] : kAdam7)
            if (interlaced_) add_pass((width - x + dx - 1) / dx, (height - y + dy - 1) / dy);
        std::ranges::reverse(passes_);
    }
    // The next part of the compressed data.
    void add(std::span<const std::uint8_t> data) {
        started_ = true;
        stream_.next_in = const_cast<Bytef*>(data.data());  // NOLINT: zlib's signature
        stream_.avail_in = static_cast<uInt>(data.size());
        std::array<std::uint8_t, 1 << 15> rows{};
        int result = Z_OK;
        while (result == Z_OK && !passes_.empty() && !broken_) {
            stream_.next_out = rows.data();
            stream_.avail_out = static_cast<uInt>(rows.size());
            result = inflate(&stream_, Z_NO_FLUSH);
            take(std::span<const std::uint8_t>(rows).first(rows.size() - stream_.avail_out));
        }
        broken_ = broken_ || result == Z_DATA_ERROR;
    }
    // Whether rows are missing or broken in data that has ended.
    bool are_short() const { return started_ && (broken_ || !passes_.empty()); }

 private:
    struct Pass {
        std::int64_t row_bytes = 0;
        std::int64_t rows = 0;
    };

    void add_pass(std::int64_t width, std::int64_t height) {
        if (width > 0 && height > 0 && pixel_bits_ > 0)
            passes_.push_back({(width * pixel_bits_ + 7) / 8, height});
    }
    // Each row begins with its filter.
    void take(std::span<const std::uint8_t> bytes) {
        constexpr std::uint8_t kLastFilter = 4;
        while (!bytes.empty() && !passes_.empty()) {
            if (in_row_ == 0) {
                broken_ = broken_ || bytes.front() > kLastFilter;
                in_row_ = passes_.back().row_bytes + 1;
            }
            const std::size_t taken = std::min(bytes.size(), static_cast<std::size_t>(in_row_));
            bytes = bytes.subspan(taken);
            in_row_ -= static_cast<std::int64_t>(taken);
            if (in_row_ == 0 && --passes_.back().rows == 0) passes_.pop_back();
        }
    }

    z_stream stream_{};
    std::int64_t pixel_bits_ = 0;
    bool interlaced_ = false;
    std::vector<Pass> passes_;  // the last is the current one
    std::int64_t in_row_ = 0;   // bytes of the current row that are to come
    bool started_ = false;
    bool broken_ = false;
};

void add_data(PngRows& rows, const InputFile& file, std::int64_t at, std::int64_t size) {
    std::vector<std::uint8_t> part(std::size_t{1} << 16U);
    for (; size > 0; size -= std::ssize(part), at += std::ssize(part)) {
        part.resize(static_cast<std::size_t>(std::min(size, std::ssize(part))));
        part.resize(file.read_at(at, part));
        if (part.empty()) return;
        rows.add(part);
    }
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

// A scan of a progressive JPEG (ITU-T T.81, G.1.1.1): its components, coefficients and the bits of
// them that it adds. libav decodes others to noise.
bool is_valid_scan(FileCursor cursor) {
    constexpr unsigned kLastCoefficient = 63, kMostShift = 13;
    const unsigned components = cursor.u8();
    cursor.skip(2 * components);
    const unsigned first = cursor.u8(), last = cursor.u8(), bits = cursor.u8();
    const unsigned before = bits >> 4U, shift = bits & 15U;
    if (first == 0 ? last != 0 : last < first || components != 1) return false;
    return last <= kLastCoefficient && shift <= kMostShift && (before == 0 || before == shift + 1);
}

StructureReport ends_early(const InputFile& file) {
    return problem_at(file.size(), fmt::format("the JPEG ends too early, at byte {}", file.size()));
}

// Advances from after a start marker to after the end marker of the same picture.
StructureReport check_one_jpeg(const InputFile& file, FileCursor& cursor,
                               Jpeg kind = Jpeg::baseline) {
    bool in_frame = false, progressive = false;
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
        progressive = progressive || marker == 0xC2U;
        const auto size = static_cast<std::int64_t>(cursor.big(2));
        if (progressive && marker == 0xDAU && !is_valid_scan(cursor))
            return problem_at(at, fmt::format("the scan of the JPEG at byte {} is invalid", at));
        cursor.skip(size - 2);
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
    PngRows rows;
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
        const bool ends = chunk.type == "fcTL" || chunk.type == "IEND";
        if (ends && rows.are_short())
            return problem_at(chunk.at, fmt::format("the pixels before byte {} of the PNG are not "
                                                    "whole",
                                                    chunk.at));
        const std::int64_t data = chunk.at + 8;
        FileCursor content(file, data);
        if (chunk.type == "IHDR") rows.read_header(content);
        if (chunk.type == "fcTL") {
            content.skip(4);
            const std::int64_t width = content.big32();
            rows.begin(width, content.big32());
        }
        if (chunk.type == "IDAT") add_data(rows, file, data, chunk.size);
        if (chunk.type == "fdAT") add_data(rows, file, data + 4, chunk.size - 4);
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
