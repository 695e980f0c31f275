// RIFF files (AVI, WebP): sizes that exceed the file, and an AVI's index.
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/media/demux/file_cursor.h"
#include "app/media/demux/structure.h"

namespace weft {

namespace {

// An interrupted capture leaves 0 or all ones: such sizes promise nothing.
bool is_a_promise(std::uint32_t size) {
    return size != 0 && size < 0xFFFFFF00U;
}

bool is_text(const std::string& id) {
    return std::ranges::all_of(id, [](unsigned char c) { return std::isprint(c) != 0; });
}

// "00dc", "01wb", "ix00": two letters and two digits in either order; lists of records, padding.
bool is_movie_chunk(const std::string& id) {
    if (id == "LIST" || id == "JUNK" || id == "idx1") return true;
    const auto digit = [&](std::size_t i) { return id[i] >= '0' && id[i] <= '9'; };
    const auto letter = [&](std::size_t i) { return id[i] >= 'a' && id[i] <= 'z'; };
    return (digit(0) && digit(1) && letter(2)) || (letter(0) && letter(1) && digit(2) && digit(3));
}

// The RIFF chunks of an AVI: the first has the headers and the index of its own part; files larger
// than 1 GiB have more.
class AviWalk {
 public:
    explicit AviWalk(const InputFile& file) : file_(file), cursor_(file) {}

    // Checks the lists of one RIFF chunk: only `movi` holds pictures; losing an index after it is
    // harmless. False if the rest of the file cannot be checked.
    bool pass_riff(std::int64_t begin, std::int64_t end) {
        cursor_.go(begin);
        while (cursor_.at() + 12 <= std::min(end, file_.size())) {
            const std::int64_t at = cursor_.at();
            const std::string id = cursor_.text4();
            // After the pictures any data may follow; before them libav searches for the next known
            // chunk.
            if (!movie_seen_ && !is_text(id)) {
                report_ = problem_at(at, fmt::format("no AVI chunk begins at byte {}", at));
                return false;
            }
            const std::uint32_t size = cursor_.little32();
            const bool movi = id == "LIST" && cursor_.text4() == "movi";
            movie_seen_ = movie_seen_ || movi;
            if (!is_a_promise(size)) return false;
            const std::int64_t list_end = at + 8 + size;
            if (id == "LIST" && !movi && is_header_list(at)) read_headers(at + 12, list_end);
            if (movi && list_end > file_.size())
                report_ = reaches_too_far(file_, at, list_end, "the movie list");
            else if (movi)
                check_movie_list(at + 12, list_end);
            else if (id == "idx1" && list_end <= file_.size())
                read_index(at + 8, list_end);
            if (!report_.problem.empty()) return false;
            cursor_.go(list_end + (size & 1U));
        }
        return true;
    }

    // Called after the last chunk. Without an index the header's counts apply, empty chunks
    // included.
    void close() {
        if (!report_.indexed.empty()) {
            report_.proof = "its index";
            return;
        }
        for (std::size_t stream = 0; stream < lengths_.size(); ++stream) {
            // The header of a file written to a pipe promises 10^9 chunks.
            const bool possible = lengths_[stream] <= file_.size() / 8;
            const std::int64_t pictures = lengths_[stream] - empty_.at(stream);
            report_.indexed.push_back(possible ? std::max<std::int64_t>(pictures, 0) : 0);
            if (possible && pictures > 0) report_.proof = "the count in its header";
        }
    }

    StructureReport& report() { return report_; }

 private:
    bool is_header_list(std::int64_t at) {
        cursor_.go(at + 8);
        return cursor_.text4() == "hdrl";
    }

    // One list per stream, containing `strh`, which counts the chunks for video.
    void read_headers(std::int64_t begin, std::int64_t end) {
        cursor_.go(begin);
        while (cursor_.at() + 8 <= std::min(end, file_.size())) {
            const std::string id = cursor_.text4();
            const std::uint32_t size = cursor_.little32();
            const std::int64_t data = cursor_.at();
            const bool list = id == "LIST";
            if (id == "strh" && lengths_.size() < empty_.size()) {
                const bool video = cursor_.text4() == "vids";
                cursor_.go(data + 32);
                lengths_.push_back(video ? cursor_.little32() : 0);
            }
            cursor_.go(list ? data + 4 : data + size + (size & 1U));
        }
    }

    // "00dc": the stream's number; nothing if the id has another form.
    static std::optional<std::size_t> stream_of(const std::string& id) {
        const bool digits = std::isdigit(static_cast<unsigned char>(id[0])) != 0 &&
                            std::isdigit(static_cast<unsigned char>(id[1])) != 0;
        if (!digits || id.ends_with("pc")) return std::nullopt;
        return static_cast<std::size_t>((id[0] - '0') * 10 + (id[1] - '0'));
    }

    // The chunks of a movie list are contiguous. Some files lack the padding to even sizes.
    void check_movie_list(std::int64_t begin, std::int64_t end) {
        cursor_.go(begin);
        while (cursor_.at() + 8 <= end) {
            const std::int64_t at = cursor_.at();
            std::string id = cursor_.text4();
            if (!is_movie_chunk(id) && at > begin) {
                cursor_.go(at - 1);
                id = cursor_.text4();
            }
            const std::uint32_t size = cursor_.little32();
            const bool list = id == "LIST";
            if (!is_movie_chunk(id) || (!list && cursor_.at() + size > end)) {
                report_ = problem_at(at, fmt::format("no AVI chunk begins at byte {}", at));
                return;
            }
            if (const auto stream = stream_of(id); stream && size == 0) ++empty_.at(*stream);
            cursor_.skip(list ? 4 : size + (size & 1U));
        }
    }

    // Entries of 16 bytes: chunk id, flags, offset, size.
    void read_index(std::int64_t begin, std::int64_t end) {
        for (std::int64_t at = begin; at + 16 <= end; at += 16) {
            cursor_.go(at);
            const auto stream = stream_of(cursor_.text4());
            cursor_.go(at + 12);
            if (!stream || cursor_.little32() == 0) continue;
            if (report_.indexed.size() <= *stream) report_.indexed.resize(*stream + 1);
            ++report_.indexed[*stream];
        }
    }

    const InputFile& file_;
    FileCursor cursor_;
    bool movie_seen_ = false;
    std::vector<std::int64_t> lengths_;         // chunks that the headers promise, by stream
    std::array<std::int64_t, 100> empty_ = {};  // by stream: chunks that repeat the last picture
    StructureReport report_;
};

}  // namespace

StructureReport check_riff(const InputFile& file) {
    FileCursor cursor(file);
    AviWalk avi(file);
    StructureReport& report = avi.report();
    while (cursor.left() >= 12) {
        const std::int64_t at = cursor.at();
        const std::string id = cursor.text4();
        const std::uint32_t size = cursor.little32();
        const std::string form = cursor.text4();
        if (id != "RIFF" || !is_a_promise(size)) break;
        const std::int64_t end = at + 8 + size;
        if (form == "WEBP" && end > file.size()) return reaches_too_far(file, at, end, "the WebP");
        if (form == "WEBP") report.proof = "the size in its header";
        // The first part's index does not count the parts after it.
        if (form == "AVIX") report.indexed.clear();
        if ((form != "AVI " && form != "AVIX") || !avi.pass_riff(at + 12, end)) break;
        cursor.go(end + (size & 1U));
        if (cursor.left() < 12) avi.close();
    }
    return std::move(report);
}

}  // namespace weft
