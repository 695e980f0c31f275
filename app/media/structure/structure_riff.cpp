// RIFF files (AVI, WebP): sizes that exceed the file, and an AVI's index.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/media/demux/file_cursor.h"
#include "app/media/structure/structure.h"

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
                const std::string lost = fmt::format("no AVI chunk begins at byte {}", at);
                doubt(lost);
                if (find_movie(at, std::min(end, file_.size()))) continue;
                report_ = problem_at(at, lost);
                return false;
            }
            const std::uint32_t size = cursor_.little32();
            const bool movi = id == "LIST" && cursor_.text4() == "movi";
            movie_seen_ = movie_seen_ || movi;
            if (!is_a_promise(size)) return false;
            const std::int64_t list_end = at + 8 + size;
            if (id == "LIST" && !movi && is_header_list(at)) read_headers(at + 12, list_end);
            if (movi && list_end > file_.size())
                report_ = beyond_end(file_, at, list_end, "the movie list");
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
        compare_streams();
        if (!report_.indexed.empty()) {
            report_.proof = "its index";
            return;
        }
        for (std::size_t stream = 0; stream < streams_.size(); ++stream) {
            // The header of a file written to a pipe promises 10^9 chunks.
            const bool video = streams_[stream].type == "vids";
            const std::int64_t length = video ? streams_[stream].length : 0;
            const bool possible = length <= file_.size() / 8;
            const std::int64_t pictures = length - empty_.at(stream);
            report_.indexed.push_back(possible ? std::max<std::int64_t>(pictures, 0) : 0);
            if (possible && pictures > 0) report_.proof = "the count in its header";
        }
    }

    StructureReport& report() { return report_; }
    // A further part follows, which the index of the first does not count.
    void begin_part() {
        report_.indexed.clear();
        first_index_ = {};
    }

 private:
    // The number of chunks with data, and their bytes.
    struct Chunks {
        std::int64_t count = 0;
        std::int64_t bytes = 0;
        std::uint64_t first_place = 0;
        std::uint64_t places = 0;  // their sum, modulo 2^64
        void add(std::int64_t size, std::int64_t place) {
            if (size == 0) return;
            if (count++ == 0) first_place = static_cast<std::uint64_t>(place);
            bytes += size;
            places += static_cast<std::uint64_t>(place);
        }
        // Writers count places from different bytes.
        bool agrees_with(const Chunks& other) const {
            const std::uint64_t shift = other.first_place - first_place;
            return count == other.count && bytes == other.bytes &&
                   places + static_cast<std::uint64_t>(count) * shift == other.places;
        }
    };

    struct Stream {
        std::string type;  // "vids", "auds"
        std::int64_t length = 0;
        std::int64_t sample_bytes = 0;  // 0: they vary
    };

    // Moves to the movie list that begins after `at`, if there is one.
    bool find_movie(std::int64_t at, std::int64_t end) {
        for (cursor_.go(at); !cursor_.ended();) {
            cursor_.skip_to('L');
            const std::int64_t list = cursor_.at();
            if (list + 12 > end) return false;
            const bool is_list = cursor_.text4() == "LIST";
            cursor_.skip(4);  // its size
            const bool found = is_list && cursor_.text4() == "movi";
            cursor_.go(found ? list : list + 1);
            if (found) return true;
        }
        return false;
    }

    // The chunks of a stream in the movie, in its indexes and in its header.
    void compare_streams() {
        const auto streams = static_cast<std::int64_t>(streams_.size());
        const auto empty = [](const Chunks& chunks) { return chunks.count == 0; };
        if (streams != stated_streams_ ||
            !std::all_of(found_.begin() + streams, found_.end(), empty))
            doubt(
                fmt::format("its headers state {} streams and describe {}, and its movie may have "
                            "others",
                            stated_streams_, streams));
        for (std::size_t k = 0; k < streams_.size(); ++k) {
            const Stream& stream = streams_[k];
            if (stream.type != "vids" && stream.type != "auds") continue;
            const Chunks& found = found_.at(k);
            report_.streams.push_back(
                {.id = static_cast<int>(k), .packets = found.count, .bytes = found.bytes});
            const auto contradicts = [&](const Chunks& index) {
                return index.count > 0 && !index.agrees_with(found);
            };
            if (contradicts(first_index_.at(k)) || contradicts(indexes_.at(k)))
                doubt(fmt::format("its index has other chunks of stream {} than its movie", k));
            // Recorders that were interrupted state any length.
            const bool indexed = first_index_.at(k).count + indexes_.at(k).count > 0;
            const std::int64_t units =
                stream.sample_bytes > 0 ? found.bytes / stream.sample_bytes : found.count;
            if (stream.type == "auds" && !indexed && stream.length <= file_.size() &&
                units < stream.length)
                doubt(fmt::format("its header states {} samples of stream {}, its movie has {}",
                                  stream.length, k, units));
        }
    }

    void doubt(std::string clause) {
        if (report_.doubt.empty()) report_.doubt = std::move(clause);
    }

    bool is_header_list(std::int64_t at) {
        cursor_.go(at + 8);
        return cursor_.text4() == "hdrl";
    }

    // Each stream has a list with `strh`, which counts the chunks for video.
    void read_headers(std::int64_t begin, std::int64_t end) {
        cursor_.go(begin);
        while (cursor_.at() + 8 <= std::min(end, file_.size())) {
            const std::string id = cursor_.text4();
            const std::uint32_t size = cursor_.little32();
            const std::int64_t data = cursor_.at();
            const bool list = id == "LIST";
            if (id == "strh" && streams_.size() < empty_.size()) read_header(data);
            if (id == "avih") {
                cursor_.go(data + 24);
                stated_streams_ = cursor_.little32();
            }
            if (id == "strf" && !streams_.empty()) compare_sound_format(data, size);
            cursor_.go(list ? data + 4 : data + size + (size & 1U));
        }
    }

    void read_header(std::int64_t data) {
        Stream stream;
        stream.type = cursor_.text4();
        cursor_.go(data + 20);
        scale_ = cursor_.little32();
        rate_ = cursor_.little32();
        cursor_.skip(4);
        stream.length = cursor_.little32();
        cursor_.skip(8);
        stream.sample_bytes = cursor_.little32();
        streams_.push_back(stream);
    }

    // WAVEFORMATEX of PCM, A-law and µ-law: the same rate and size of a sample as in the header.
    void compare_sound_format(std::int64_t data, std::int64_t size) {
        const Stream& stream = streams_.back();
        if (stream.type != "auds" || size < 16) return;
        cursor_.go(data);
        const std::uint32_t format = cursor_.little32() & 0xFFFFU;
        const std::uint32_t samples_per_second = cursor_.little32();
        cursor_.skip(4);
        const std::uint32_t block = cursor_.little32() & 0xFFFFU;
        if (format != 1 && format != 3 && format != 6 && format != 7) return;
        const double rate = scale_ > 0 ? static_cast<double>(rate_) / scale_ : 0;
        const double stated = rate * static_cast<double>(stream.sample_bytes);
        const double actual = static_cast<double>(samples_per_second) * block;
        if (std::abs(stated - actual) > 0.001 * actual)
            doubt(
                fmt::format("stream {} has {} bytes of sound per second in one header and {} in "
                            "another",
                            streams_.size() - 1, stated, actual));
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
            if (const auto stream = stream_of(id)) {
                if (size == 0) ++empty_.at(*stream);
                found_.at(*stream).add(size, at);
            } else if (id.starts_with("ix")) {
                read_part_index(cursor_.at(), size);
                cursor_.go(at + 8);
            }
            cursor_.skip(list ? 4 : size + (size & 1U));
        }
    }

    // Entries of 16 bytes: chunk id, flags, offset, size.
    void read_index(std::int64_t begin, std::int64_t end) {
        for (std::int64_t at = begin; at + 16 <= end; at += 16) {
            cursor_.go(at);
            const auto stream = stream_of(cursor_.text4());
            cursor_.go(at + 8);
            const std::uint32_t place = cursor_.little32();
            const std::uint32_t size = stream ? cursor_.little32() : 0;
            if (size == 0) continue;
            first_index_.at(*stream).add(size, place);
            if (report_.indexed.size() <= *stream) report_.indexed.resize(*stream + 1);
            ++report_.indexed[*stream];
        }
    }

    // OpenDML's index of one stream's chunks in one part: entries of an offset and a size, whose
    // highest bit marks pictures that are no key frames. An index by fields has another form.
    void read_part_index(std::int64_t begin, std::int64_t bytes) {
        constexpr std::uint32_t kTwoWords = 2;
        cursor_.go(begin);
        const std::uint32_t form = cursor_.little32();
        const std::int64_t entries = cursor_.little32();
        const auto stream = stream_of(cursor_.text4());
        const auto base = static_cast<std::int64_t>(__builtin_bswap64(cursor_.big(8)) & INT64_MAX);
        cursor_.skip(4);
        if (!stream || (form & 0xFFFFFFU) != kTwoWords) return;
        for (std::int64_t k = 0; k < std::min(entries, (bytes - 24) / 8); ++k) {
            const std::uint64_t place = static_cast<std::uint64_t>(base) + cursor_.little32();
            indexes_.at(*stream).add(cursor_.little32() & 0x7FFFFFFFU,
                                     static_cast<std::int64_t>(place));
        }
    }

    const InputFile& file_;
    FileCursor cursor_;
    bool movie_seen_ = false;
    std::vector<Stream> streams_;
    std::int64_t stated_streams_ = 0;
    std::uint32_t scale_ = 0;  // in the last header: `rate_` / `scale_` samples per second
    std::uint32_t rate_ = 0;
    std::array<Chunks, 100> found_ = {};        // by stream: in the movie
    std::array<Chunks, 100> first_index_ = {};  // in the index of the first part
    std::array<Chunks, 100> indexes_ = {};      // in OpenDML's indexes
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
        if (form == "WEBP" && end > file.size()) return beyond_end(file, at, end, "the WebP");
        if (form == "WEBP") report.proof = "the size in its header";
        // The first part's index does not count the parts after it.
        if (form == "AVIX") avi.begin_part();
        if ((form != "AVI " && form != "AVIX") || !avi.pass_riff(at + 12, end)) break;
        cursor.go(end + (size & 1U));
        if (cursor.left() < 12) avi.close();
    }
    return std::move(report);
}

}  // namespace weft
