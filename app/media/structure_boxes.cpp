// RIFF (AVI, WebP) and ISO base media (mp4, mov) files: sizes that reach beyond the file's end.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "app/media/file_cursor.h"
#include "app/media/structure.h"

namespace weft {

namespace {

// A capture that never got to its end leaves 0 or all ones: such sizes promise nothing.
bool is_a_promise(std::uint32_t size) {
    return size != 0 && size < 0xFFFFFF00U;
}

StructureReport cut_off(const InputFile& file, std::int64_t at, std::int64_t end,
                        std::string_view what) {
    StructureReport report;
    report.problem = fmt::format("the file ends at byte {}, {} at byte {} reaches to byte {}",
                                 file.size(), what, at, end);
    report.byte = file.size();
    return report;
}

// "00dc", "01wb", "ix00": two letters and two digits either way round; lists of records, padding.
bool is_movie_chunk(const std::string& id) {
    if (id == "LIST" || id == "JUNK" || id == "idx1") return true;
    const auto digit = [&](std::size_t i) { return id[i] >= '0' && id[i] <= '9'; };
    const auto letter = [&](std::size_t i) { return id[i] >= 'a' && id[i] <= 'z'; };
    return (digit(0) && digit(1) && letter(2)) || (letter(0) && letter(1) && digit(2) && digit(3));
}

// The chunks of a movie list follow each other without a gap. Padding to even sizes is missing in
// some files.
StructureReport check_movie_list(const InputFile& file, std::int64_t begin, std::int64_t end) {
    FileCursor cursor(file, begin);
    while (cursor.at() + 8 <= end) {
        const std::int64_t at = cursor.at();
        std::string id = cursor.text4();
        if (!is_movie_chunk(id) && at > begin) {
            cursor.go(at - 1);
            id = cursor.text4();
        }
        if (!is_movie_chunk(id)) {
            StructureReport report;
            report.problem = fmt::format("no AVI chunk begins at byte {}", at);
            report.byte = at;
            return report;
        }
        const std::uint32_t size = cursor.little32();
        cursor.skip(id == "LIST" ? 4 : size + (size & 1U));
    }
    return {};
}

// The LISTs of one RIFF chunk: only `movi` holds pictures, an index behind it may be lost.
StructureReport check_avi_chunk(const InputFile& file, std::int64_t begin, std::int64_t end) {
    FileCursor cursor(file, begin);
    while (cursor.at() + 12 <= std::min(end, file.size())) {
        const std::int64_t at = cursor.at();
        const std::string id = cursor.text4();
        const std::uint32_t size = cursor.little32();
        const bool movi = id == "LIST" && cursor.text4() == "movi";
        if (!is_a_promise(size)) return {};
        const std::int64_t list_end = at + 8 + size;
        if (movi && list_end > file.size()) return cut_off(file, at, list_end, "the movie list");
        if (movi) {
            StructureReport report = check_movie_list(file, at + 12, list_end);
            if (!report.problem.empty()) return report;
        }
        cursor.go(list_end + (size & 1U));
    }
    return {};
}

// Larger sizes would overflow sums of offsets.
constexpr std::uint64_t kFar = 1ULL << 48U;

bool is_box_type(const std::string& type) {
    return std::all_of(type.begin(), type.end(),
                       [](unsigned char c) { return std::isprint(c) != 0 || c == 0xA9U; });
}

}  // namespace

StructureReport check_riff(const InputFile& file) {
    FileCursor cursor(file);
    while (cursor.left() >= 12) {
        const std::int64_t at = cursor.at();
        const std::string id = cursor.text4();
        const std::uint32_t size = cursor.little32();
        const std::string form = cursor.text4();
        if (id != "RIFF" || !is_a_promise(size)) return {};
        const std::int64_t end = at + 8 + size;
        if (form == "WEBP" && end > file.size()) return cut_off(file, at, end, "the WebP");
        if (form != "AVI " && form != "AVIX") return {};
        StructureReport report = check_avi_chunk(file, at + 12, end);
        if (!report.problem.empty()) return report;
        cursor.go(end + (size & 1U));
    }
    return {};
}

// The parts of files with fragments, and the index of the others, which the Reader compares with
// the file's size sample by sample.
StructureReport check_mp4(const InputFile& file) {
    FileCursor cursor(file);
    bool fragmented = false;
    while (cursor.left() >= 8) {
        const std::int64_t at = cursor.at();
        std::uint64_t size = cursor.big32();
        const std::string type = cursor.text4();
        if (size == 1) size = cursor.big(8);
        if (size == 0) return {};
        fragmented = fragmented || type == "moof";
        if (fragmented && (size < 8 || !is_box_type(type))) {
            StructureReport report;
            report.problem = fmt::format("byte {} begins no part of an mp4", at);
            report.byte = at;
            return report;
        }
        const auto left = static_cast<std::uint64_t>(file.size() - at);
        if (size < 8 || size > left) {
            const bool pictures = type == "moof" || type == "mdat";
            if (type == "moov" || (fragmented && pictures))
                return cut_off(file, at, at + static_cast<std::int64_t>(std::min(size, kFar)),
                               fmt::format("the part '{}'", type));
            return {};
        }
        cursor.go(at + static_cast<std::int64_t>(size));
    }
    return {};
}

}  // namespace weft
