#include "app/media/output/mp4_additions.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

#include "app/media/libav/error.h"
#include "app/media/libav/ffmpeg.h"

namespace weft {

namespace {

constexpr std::size_t kHeader = 8;
constexpr std::size_t kFullHeader = 12;  // with version and flags

[[noreturn]] void refuse_index(const FileSink& sink) {
    throw MediaError(
        Outcome::failed,
        fmt::format("{}: the index is not at the end of the file; please report it", sink.path()));
}

std::string as32(std::uint64_t value) {
    std::string text;
    for (const unsigned shift : {24U, 16U, 8U, 0U}) text += static_cast<char>(value >> shift);
    return text;
}

std::uint32_t number32(std::string_view data, std::size_t at) {
    std::uint32_t value = 0;
    for (const char c : data.substr(at, 4)) value = value << 8U | static_cast<std::uint8_t>(c);
    return value;
}

std::uint64_t number64(std::string_view data, std::size_t at) {
    return std::uint64_t{number32(data, at)} << 32U | number32(data, at + 4);
}

std::string box(std::string_view type, std::string_view content) {
    return as32(kHeader + content.size()).append(type).append(content);
}

// A box in memory: its place and its size with the header.
struct Place {
    std::size_t at = 0;
    std::size_t size = 0;
    std::size_t end() const { return at + size; }
};

// The first box of this type between two places, or nothing.
std::optional<Place> find(std::string_view data, std::size_t from, std::size_t to,
                          std::string_view type) {
    while (to >= kHeader && from <= to - kHeader) {
        const std::size_t size = number32(data, from);
        if (size < kHeader || size > to - from) return std::nullopt;
        if (data.substr(from + 4, 4) == type) return Place{from, size};
        from += size;
    }
    return std::nullopt;
}

// Inserts at the end of the last of these boxes, each of which is within the one before it.
void insert(std::string& index, std::initializer_list<Place> boxes, std::string_view more) {
    for (const Place& one : boxes)
        index.replace(one.at, 4, as32(number32(index, one.at) + more.size()));
    index.insert(std::prev(boxes.end())->end(), more);
}

// QuickTime File Format, "Metadata"; libav and players read the form with version and flags, too.
std::string keys_box(const std::map<std::string, std::string>& tags) {
    std::string keys = as32(0) + as32(tags.size());
    std::string list;
    std::uint32_t number = 0;
    for (const auto& [key, value] : tags) {
        constexpr std::uint32_t kUtf8 = 1;
        keys += box("mdta", key);
        list += box(as32(++number), box("data", as32(kUtf8) + as32(0) + value));
    }
    const std::string handler = box("hdlr", as32(0) + as32(0) + "mdta" + std::string(13, '\0'));
    return box("meta", as32(0) + handler + box("keys", keys) + box("ilst", list));
}

std::string location_box(const std::string& location) {
    constexpr std::uint32_t kUndetermined = 0x55C4;  // the language "und"
    return box("\xA9xyz", as32(location.size() << 16U | kUndetermined) + location);
}

// The form of the box is that of Adobe's XMP Specification, Part 3, "MPEG-4".
std::string xmp_box(const std::string& xmp) {
    return box("uuid",
               as32(0xBE7ACFCB) + as32(0x97A942E8) + as32(0x9C719994) + as32(0x91E3AFAC) + xmp);
}

std::string read_bytes(const FileSink& sink, std::int64_t at, std::size_t size) {
    std::string data(size, '\0');
    if (pread(sink.fd(), data.data(), size, at) != static_cast<ssize_t>(size)) refuse_index(sink);
    return data;
}

struct FileBox {
    std::int64_t at = 0;
    std::int64_t size = 0;
    std::int64_t end() const { return at + size; }
};

FileBox find_box(const FileSink& sink, std::string_view type) {
    constexpr std::size_t kLargeHeader = 16;
    for (FileBox found;; found.at = found.end()) {
        const std::string head = read_bytes(sink, found.at, kHeader);
        found.size = number32(head, 0);
        if (found.size == 1)
            found.size =
                static_cast<std::int64_t>(number64(read_bytes(sink, found.at, kLargeHeader), 8));
        if (found.size < static_cast<std::int64_t>(kHeader)) refuse_index(sink);
        if (head.substr(4) == type) return found;
    }
}

std::string read_box(const FileSink& sink, FileBox box) {
    return read_bytes(sink, box.at, static_cast<std::size_t>(box.size));
}

void add_user_data(std::string& index, const Mp4Additions& additions) {
    const auto whole = [&] { return Place{0, index.size()}; };
    const auto user_data = [&] { return find(index, kHeader, index.size(), "udta"); };
    if (!user_data()) insert(index, {whole()}, box("udta", ""));
    const Place udta = *user_data();
    const auto meta = find(index, udta.at + kHeader, udta.end(), "meta");
    const auto list =
        meta ? find(index, meta->at + kFullHeader, meta->end(), "ilst") : std::nullopt;
    if (list) insert(index, {whole(), udta, *meta, *list}, additions.list_entries);
    if (!additions.location.empty())
        insert(index, {whole(), *user_data()}, location_box(additions.location));
}

// ---- the place of the index ----

// How the offsets of chunks in an index change.
struct ChunkMove {
    std::uint64_t by = 0;
    bool wide = false;       // to tables of 64 bits
    bool overflows = false;  // set when an offset needs such a table
};

std::string moved_table(std::string_view table, ChunkMove& move) {
    constexpr std::size_t kEntries = kFullHeader + 4;
    const bool was_wide = table.substr(4, 4) == "co64";
    const bool is_wide = was_wide || move.wide;
    const std::size_t entry = was_wide ? 8 : 4;
    std::string content(table.substr(kHeader, kEntries - kHeader));
    for (std::size_t at = kEntries; at + entry <= table.size(); at += entry) {
        const std::uint64_t to = (was_wide ? number64(table, at) : number32(table, at)) + move.by;
        content += is_wide ? as32(to >> 32U) + as32(to) : as32(to);
        if (!is_wide && to > std::numeric_limits<std::uint32_t>::max()) move.overflows = true;
    }
    return box(is_wide ? "co64" : "stco", content);
}

// The boxes of an index, with other offsets in their tables of chunks.
std::string with_moved_chunks(std::string_view boxes, ChunkMove& move) {
    constexpr std::array<std::string_view, 5> kParents = {"moov", "trak", "mdia", "minf", "stbl"};
    std::string moved;
    while (boxes.size() >= kHeader) {
        const std::size_t size = number32(boxes, 0);
        if (size < kHeader || size > boxes.size()) break;
        const std::string_view one = boxes.substr(0, size);
        const std::string_view type = one.substr(4, 4);
        if (std::ranges::find(kParents, type) != kParents.end())
            moved += box(type, with_moved_chunks(one.substr(kHeader), move));
        else
            moved += type == "stco" || type == "co64" ? moved_table(one, move) : std::string(one);
        boxes.remove_prefix(size);
    }
    return moved.append(boxes);
}

// Moves the bytes from `from` to `to` towards the end of the file, the last ones first.
void move_bytes(FileSink& sink, std::int64_t from, std::int64_t to, std::int64_t by) {
    constexpr std::int64_t kPiece = 1 << 20;
    while (to > from) {
        const std::int64_t size = std::min(kPiece, to - from);
        to -= size;
        const std::string piece = read_bytes(sink, to, static_cast<std::size_t>(size));
        sink.seek(to + by);
        sink.write(piece.data(), size);
        sink.check();
    }
}

}  // namespace

void move_index_first(FileSink& sink) {
    const FileBox index = find_box(sink, "moov");
    const std::string old = read_box(sink, index);
    const std::string rest = read_box(sink, {index.end(), sink.size() - index.end()});
    ChunkMove move{.by = old.size()};
    std::string moved = with_moved_chunks(old, move);
    if (move.overflows) {
        move.wide = true;
        move.by = with_moved_chunks(old, move).size();
        moved = with_moved_chunks(old, move);
    }
    const auto size = static_cast<std::int64_t>(moved.size());
    const std::int64_t place = find_box(sink, "ftyp").end();
    move_bytes(sink, place, index.at, size);
    sink.seek(place);
    sink.write(moved.data(), size);
    sink.seek(index.at + size);
    sink.write(rest.data(), static_cast<std::int64_t>(rest.size()));
    sink.check();
}

void add_to_mp4(FileSink& sink, const Mp4Additions& additions) {
    const FileBox place = find_box(sink, "moov");
    if (place.end() != sink.size()) refuse_index(sink);
    const std::int64_t at = place.at;
    std::string index = read_box(sink, place);
    add_user_data(index, additions);
    // After the iTunes list: libav takes the entries of all lists after the keys for theirs.
    if (!additions.keys.empty()) insert(index, {Place{0, index.size()}}, keys_box(additions.keys));
    if (!additions.xmp.empty()) index += xmp_box(additions.xmp);
    sink.seek(at);
    sink.write(index.data(), static_cast<std::int64_t>(index.size()));
    sink.check();
}

}  // namespace weft
