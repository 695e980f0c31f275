// ISO/IEC 14496-12, and Apple's QuickTime File Format.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "app/media/demux/box.h"
#include "app/media/demux/file_cursor.h"
#include "app/media/metadata/unread_metadata.h"

namespace weft {

namespace {

using Names = std::span<const std::string_view>;

// Boxes at their places that hold no metadata, or whose metadata libav reads.
constexpr std::array<std::string_view, 20> kTopLevel{
    "ftyp", "styp", "moov", "moof", "mdat", "mfra", "sidx", "ssix", "free", "skip",
    "wide", "prft", "pdin", "uuid", "imda", "otyp", "emsg", "pssh", "ftab", "junk"};
constexpr std::array<std::string_view, 12> kMovie{"mvhd", "pssh", "trak", "udta", "meta", "mvex",
                                                  "iods", "cmov", "rmra", "free", "skip", "uuid"};
constexpr std::array<std::string_view, 15> kTrack{"tkhd", "tapt", "edts", "mdia", "udta",
                                                  "tref", "free", "skip", "load", "txas",
                                                  "uuid", "meta", "trgr", "imap", "wide"};
constexpr std::array<std::string_view, 15> kTrackData{"name",
                                                      "kind",
                                                      "hinf",
                                                      "hnti",
                                                      "hinv",
                                                      "free",
                                                      "skip",
                                                      "meta",
                                                      "\xA9nam",
                                                      "\xA9"
                                                      "enc",
                                                      "\xA9"
                                                      "fmt",
                                                      "\xA9"
                                                      "cmt",
                                                      "\xA9"
                                                      "inf",
                                                      "WLOC",
                                                      "SelO"};
// mov_read_udta_string() and its table of boxes in libav 5.1.
constexpr std::array<std::string_view, 50> kStrings{
    "@PRM", "@PRQ", "XMP_", "aART", "akID", "apID", "catg", "cpil", "cprt", "desc",
    "disk", "egid", "FIRM", "gnre", "hdvd", "HMMT", "keyw", "ldes", "loci", "manu",
    "modl", "pcst", "pgap", "purd", "rtng", "soaa", "soal", "soar", "soco", "sonm",
    "sosn", "stik", "trkn", "tven", "tves", "tvnn", "tvsh", "tvsn", "covr", "----",
    "meta", "ilst", "chpl", "name", "free", "skip", "AllF", "WLOC", "SelO", "hnti"};
constexpr std::array<std::string_view, 36> kCopyrightStrings{
    "ART", "PRD", "alb", "aut", "chp", "cmt", "com", "cpy", "day", "dir", "dis", "ed1",
    "enc", "fmt", "gen", "grp", "hst", "inf", "lyr", "mak", "mod", "nam", "ope", "prd",
    "prf", "req", "src", "st3", "swr", "too", "trk", "url", "wrn", "wrt", "xyz", "TIM"};

// The names by which users know the entries of iTunes' list, and other boxes.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kTitles{
    {{"tmpo", "BPM"},
     {"\xA9mvn", "movement name"},
     {"\xA9mvi", "movement number"},
     {"\xA9mvc", "movement count"},
     {"\xA9wrk", "work"},
     {"shwm", "show work"},
     {"rate", "rating"},
     {"\xA9"
      "con",
      "conductor"},
     {"clap", "clean aperture (crop)"},
     {"vexu", "stereo video of Apple"},
     {"elng", "language"}}};

// Texts that 3GPP TS 26.244 puts into boxes with version, flags and language. libav does not know
// some of them, and takes the others for QuickTime's, without a text.
constexpr std::array<std::pair<std::string_view, const char*>, 7> kAssets{{{"titl", "title"},
                                                                           {"auth", "author"},
                                                                           {"perf", "artist"},
                                                                           {"gnre", "genre"},
                                                                           {"dscp", "description"},
                                                                           {"cprt", "copyright"},
                                                                           {"albm", "album"}}};

bool contains(Names names, std::string_view type) {
    return std::ranges::find(names, type) != names.end();
}

bool reads_string(std::string_view type) {
    return type.starts_with('\xA9') ? contains(kCopyrightStrings, type.substr(1))
                                    : contains(kStrings, type);
}

// "©mvn" in UTF-8, and other bytes that are no text as in "%00%A9".
std::string printed(std::string_view type) {
    std::string text;
    for (const char c : type) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte == 0xA9)
            text += "©";
        else if (std::isprint(byte) != 0)
            text += c;
        else
            text += fmt::format("%{:02X}", byte);
    }
    return text;
}

std::string title_of(std::string_view type) {
    const auto* const found =
        std::ranges::find(kTitles, type, [](const auto& row) { return row.first; });
    return found == kTitles.end() ? printed(type)
                                  : fmt::format("{} ({})", found->second, printed(type));
}

class Mp4Walk {
 public:
    explicit Mp4Walk(const InputFile& file) : file_(file), cursor_(file) {}

    UnreadMetadata run() {
        each({.size = static_cast<std::uint64_t>(file_.size()), .type = {}}, [&](const Box& box) {
            if (box.type == "moov") return movie(box);
            if (box.type == "uuid") return identified(box);
            if (box.type == "meta") return items(box);
            if (!contains(kTopLevel, box.type)) lose(box.type, "");
        });
        for (const Text& text : texts_)
            if (std::ranges::none_of(read_,
                                     [&](const auto& one) { return one.second == text.value; }))
                ++lost_[fmt::format("{}={}, which another one follows", title_of(text.type),
                                    text.value)];
        for (const auto& [name, count] : lost_)
            found_.lost.push_back(count > 1 ? fmt::format("{} ({} of them)", name, count) : name);
        return std::move(found_);
    }

 private:
    // Boxes that are damaged end the walk of their parent. Of very many boxes only the first ones
    // are looked at: fragments hold no metadata.
    template <class Visit>
    void each(const Box& parent, Visit visit, std::int64_t skip = 0) {
        constexpr int kMostBoxes = 1000;
        std::int64_t at = parent.data + skip;
        for (int count = 0; count < kMostBoxes; ++count) {
            cursor_.go(at);
            const auto box = read_box(cursor_, parent.end());
            if (!box) return;
            visit(*box);
            at = box->end();
        }
    }

    void lose(std::string_view type, std::string_view where) {
        ++lost_[fmt::format("{}{}", title_of(type), where)];
    }

    void movie(const Box& box) {
        each(box, [&](const Box& child) {
            if (child.type == "trak") return track(child);
            if (child.type == "udta") return user_data(child);
            if (child.type == "meta") return metadata(child);
            if (child.type == "uuid") return identified(child);
            if (!contains(kMovie, child.type)) lose(child.type, "");
        });
    }

    void user_data(const Box& box) {
        each(box, [&](const Box& child) {
            if (child.type == "meta") return metadata(child);
            if (child.type == "uuid") return identified(child);
            if (is_asset(child)) return asset(child);
            if (child.type.starts_with('\xA9')) strings(child);
            if (!reads_string(child.type)) lose(child.type, "");
        });
    }

    // QuickTime's boxes of the same names begin with the length of their text.
    bool is_asset(const Box& box) {
        const bool known = std::ranges::find(kAssets, box.type, [](const auto& row) {
                               return row.first;
                           }) != kAssets.end();
        cursor_.go(box.data);
        return (known || box.type == "yrrc" || box.type == "rtng") && cursor_.big32() == 0;
    }

    void asset(const Box& box) {
        cursor_.go(box.data + 4);
        const std::uint64_t word = cursor_.big(2);
        if (box.type == "yrrc") return keep_tag(box, "date", std::to_string(word), "");
        const auto* const row =
            std::ranges::find(kAssets, box.type, [](const auto& one) { return one.first; });
        constexpr std::uint64_t kByteOrderMark = 0xFEFF;
        const bool wide = cursor_.big(2) == kByteOrderMark;
        if (row == kAssets.end() || wide) return lose(box.type, "");
        const std::string value = text(box.data + 6, box.end());
        keep_tag(box, row->second, value, language_of(word));
        const std::int64_t after = box.data + 6 + static_cast<std::int64_t>(value.size()) + 1;
        if (box.type != "albm" || after >= box.end()) return;
        cursor_.go(after);
        keep_tag(box, "track", std::to_string(cursor_.u8()), "");
    }

    // libav gives QuickTime's texts two names if they state a language, and so does this.
    void keep_tag(const Box& box, const std::string& key, const std::string& value,
                  const std::string& language) {
        if (value.empty()) return;
        if (const auto [at, added] = found_.tags.try_emplace(key, value);
            !added && at->second != value && language.empty())
            lose(box.type, "");
        if (!language.empty()) found_.tags.insert_or_assign(key + "-" + language, value);
    }

    // Three letters of five bits (ISO 14496-12, 8.4.2); empty for "und" and Macintosh's numbers.
    static std::string language_of(std::uint64_t packed) {
        constexpr std::uint64_t kLeast = 0x400;
        if (packed < kLeast) return "";
        std::string letters;
        for (const unsigned shift : {10U, 5U, 0U})
            letters += static_cast<char>((packed >> shift & 0x1FU) + 0x60);
        return letters == "und" ? "" : letters;
    }

    // Texts with their lengths and languages, of which libav reads the first.
    void strings(const Box& box) {
        constexpr std::int64_t kHeader = 4;
        for (std::int64_t at = box.data; at + kHeader <= box.end();) {
            cursor_.go(at);
            const auto size = static_cast<std::int64_t>(cursor_.big(2));
            const std::string language = fmt::format("-{}", cursor_.big(2));
            if (size == 0 || size > box.end() - at - kHeader) return;
            const std::string value = text(at + kHeader, at + kHeader + size);
            take_text(box.type, at == box.data ? language : "", value, at == box.data);
            at += kHeader + size;
        }
    }

    // Of several texts with one name, libav keeps the last, and one in each language.
    void take_text(const std::string& type, const std::string& language, const std::string& value,
                   bool is_read) {
        texts_.push_back({type, value});
        if (!is_read) return;
        read_[type] = value;
        if (!language.empty()) read_[type + language] = value;
    }

    // The box has a version and flags in mp4, and none in QuickTime.
    void metadata(const Box& box) {
        cursor_.go(box.data + 4);
        const std::int64_t skip = cursor_.text4() == "hdlr" ? 0 : 4;
        bool keys = false;
        each(
            box,
            [&](const Box& child) {
                if (child.type == "keys") keys = true;
                if (child.type == "ilst" && !keys) list(child);
                if (child.type == "ID32" || child.type == "xml " || child.type == "bxml")
                    lose(child.type, "");
            },
            skip);
    }

    // Entries are kept as they are, where their number and size are sane.
    void list(const Box& box) {
        constexpr std::int64_t kMostBytes = 4 << 20;
        each(box, [&](const Box& entry) {
            if (reads_string(entry.type)) return values(entry);
            const std::int64_t size = entry.end() - entry.at;
            const auto have = static_cast<std::int64_t>(found_.list_entries.size());
            if (have + size > kMostBytes) return lose(entry.type, "");
            cursor_.go(entry.at);
            found_.list_names.push_back(title_of(entry.type));
            for (std::int64_t i = 0; i < size; ++i)
                found_.list_entries += static_cast<char>(cursor_.u8());
        });
    }

    // Texts of an entry of iTunes' list.
    void values(const Box& entry) {
        if (entry.type == "covr") return;
        std::string name = entry.type;
        bool first = true;
        each(entry, [&](const Box& part) {
            if (part.type == "name") name = text(part.data + 4, part.end());
            if (part.type != "data") return;
            cursor_.go(part.data);
            constexpr std::uint32_t kUtf8 = 1;
            if (cursor_.big32() != kUtf8) return;
            take_text(name, "", text(part.data + 8, part.end()), std::exchange(first, false));
        });
    }

    // Items of a still picture in the same file, or texts.
    void items(const Box& box) {
        each(
            box,
            [&](const Box& child) {
                if (child.type == "xml " || child.type == "bxml" || child.type == "iinf")
                    lose(child.type, " of the file");
            },
            4);
    }

    void identified(const Box& box) {
        // XMP, the manifest of Smooth Streaming, 360-degree video, keys of PIFF, profiles of PSP.
        constexpr std::array kRead{0xBE7ACFCB97A942E8ULL, 0xA5D40B30E81411DDULL,
                                   0xFFCC8263F8554A93ULL, 0xD08A4F1810F34A82ULL,
                                   0x50524F4621D24FCEULL};
        cursor_.go(box.data);
        const std::uint64_t id = cursor_.big(8);
        if (std::ranges::find(kRead, id) == kRead.end()) ++lost_[fmt::format("uuid {:016x}", id)];
    }

    void track(const Box& box) {
        const std::string where = fmt::format(" of track {}", ++track_);
        each(box, [&](const Box& child) {
            if (child.type == "mdia") return media(child, where);
            if (child.type == "uuid") return identified(child);
            if (child.type == "udta")
                return each(child, [&](const Box& data) {
                    if (data.type == "name")
                        found_.track_names[track_ - 1] = text(data.data, data.end());
                    if (is_asset(data) ||
                        (!contains(kTrackData, data.type) && !reads_string(data.type)))
                        lose(data.type, where);
                });
            if (!contains(kTrack, child.type)) lose(child.type, where);
        });
    }

    void media(const Box& box, const std::string& where) {
        each(box, [&](const Box& child) {
            if (child.type == "elng") language(child, where);
            if (child.type != "minf") return;
            each(child, [&](const Box& part) {
                if (part.type != "stbl") return;
                each(part, [&](const Box& table) {
                    if (table.type == "stsd") descriptions(table, where);
                });
            });
        });
    }

    // The codes of ISO 639 alone are in the header, too.
    void language(const Box& box, const std::string& where) {
        const std::string name = text(box.data + 4, box.end());
        if (name.find('-') != std::string::npos)
            ++lost_[fmt::format("language {}{}", printed(name), where)];
    }

    // Returns the text up to the first zero byte.
    std::string text(std::int64_t begin, std::int64_t end) {
        constexpr std::int64_t kMost = 1 << 16;
        cursor_.go(begin);
        std::string read;
        while (cursor_.at() < std::min(end, begin + kMost)) {
            const auto byte = static_cast<char>(cursor_.u8());
            if (byte == '\0') break;
            read += byte;
        }
        return read;
    }

    void descriptions(const Box& box, const std::string& where) {
        constexpr std::int64_t kVideoFields = 78;
        each(
            box,
            [&](const Box& entry) {
                each(
                    entry,
                    [&](const Box& child) {
                        if (child.type == "vexu") lose(child.type, where);
                        if (child.type == "clap") crop(entry, child, where);
                    },
                    kVideoFields);
            },
            8);
    }

    // The size of the clean aperture, as two fractions, and the pixels' own.
    void crop(const Box& entry, const Box& box, const std::string& where) {
        cursor_.go(entry.data + 24);
        const std::uint64_t width = cursor_.big(2);
        const std::uint64_t height = cursor_.big(2);
        cursor_.go(box.data);
        const std::uint64_t shown_width = cursor_.big32();
        const std::uint64_t width_by = cursor_.big32();
        const std::uint64_t shown_height = cursor_.big32();
        const std::uint64_t height_by = cursor_.big32();
        if (shown_width != width * width_by || shown_height != height * height_by)
            lose(box.type, where);
    }

    const InputFile& file_;
    FileCursor cursor_;
    UnreadMetadata found_;
    struct Text {
        std::string type;
        std::string value;
    };

    std::map<std::string, int> lost_;
    std::vector<Text> texts_;
    std::map<std::string, std::string> read_;  // as libav does, by type and language
    int track_ = 0;
};

}  // namespace

UnreadMetadata find_unread_in_mp4(const InputFile& file) {
    return Mp4Walk(file).run();
}

UnreadMetadata find_unread_metadata(const InputFile& file, std::string_view format) {
    if (!file.seekable()) return {};
    if (format.starts_with("mov,")) return find_unread_in_mp4(file);
    if (format.starts_with("matroska,")) return find_unread_in_matroska(file);
    return {};
}

}  // namespace weft
