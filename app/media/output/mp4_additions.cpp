#include "app/media/output/mp4_additions.h"

#include <cstdint>
#include <initializer_list>
#include <iterator>
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

// Returns the byte at which the index begins.
std::int64_t find_index(const FileSink& sink) {
    constexpr std::size_t kLargeHeader = 16;
    std::int64_t at = 0;
    for (;;) {
        const std::string head = read_bytes(sink, at, kHeader);
        std::int64_t size = number32(head, 0);
        if (head.substr(4) == "moov" && at + size == sink.size()) return at;
        if (size == 1) {
            const std::string large = read_bytes(sink, at, kLargeHeader);
            size = std::int64_t{number32(large, 8)} << 32U | number32(large, 12);
        }
        if (size < static_cast<std::int64_t>(kHeader)) refuse_index(sink);
        at += size;
    }
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

}  // namespace

void add_to_mp4(FileSink& sink, const Mp4Additions& additions) {
    const std::int64_t at = find_index(sink);
    std::string index = read_bytes(sink, at, static_cast<std::size_t>(sink.size() - at));
    add_user_data(index, additions);
    // After the iTunes list: libav takes the entries of all lists after the keys for theirs.
    if (!additions.keys.empty()) insert(index, {Place{0, index.size()}}, keys_box(additions.keys));
    if (!additions.xmp.empty()) index += xmp_box(additions.xmp);
    sink.seek(at);
    sink.write(index.data(), static_cast<std::int64_t>(index.size()));
    sink.check();
}

}  // namespace weft
