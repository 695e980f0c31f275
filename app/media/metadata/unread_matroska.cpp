// Matroska and WebM (RFC 9559) over EBML (RFC 8794).
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/media/demux/file_cursor.h"
#include "app/media/metadata/unread_metadata.h"
#include "app/media/structure/matroska_elements.h"

namespace weft {

namespace {

using namespace matroska;

constexpr std::uint32_t kSeekHead = 0x114D9B74;
constexpr std::uint32_t kSeek = 0x4DBB;
constexpr std::uint32_t kSeekPosition = 0x53AC;
constexpr std::uint32_t kTitle = 0x7BA9;
constexpr std::uint32_t kFlagEnabled = 0xB9;
constexpr std::uint32_t kLanguageBcp47 = 0x22B59D;
constexpr std::uint32_t kTrackOperation = 0xE2;
constexpr std::uint32_t kVideo = 0xE0;
constexpr std::uint32_t kProjection = 0x7670;
constexpr std::uint32_t kProjectionType = 0x7671;
constexpr std::uint32_t kChapters = 0x1043A770;
constexpr std::uint32_t kEdition = 0x45B9;
constexpr std::uint32_t kChapterAtom = 0xB6;
constexpr std::uint32_t kChapterDisplay = 0x80;
constexpr std::uint32_t kChapterString = 0x85;
constexpr std::uint32_t kChapterLanguage = 0x437C;
constexpr std::uint32_t kChapterLanguageBcp47 = 0x437D;
constexpr std::uint32_t kTargets = 0x63C0;
constexpr std::uint32_t kTargetTypeValue = 0x68CA;
constexpr std::uint32_t kTargetType = 0x63CA;
constexpr std::uint32_t kTagEdition = 0x63C9;
constexpr std::uint32_t kSimpleTag = 0x67C8;
constexpr std::uint32_t kTagLanguage = 0x447A;
constexpr std::uint32_t kTagBinary = 0x4485;

// By their ids: SegmentFamily, PrevUUID, PrevFilename, NextUUID, NextFilename.
constexpr std::array<std::uint32_t, 5> kLinks{0x4444, 0x3CB923, 0x3C83AB, 0x3EB923, 0x3E83BB};
// TagTrackUID, TagChapterUID, TagAttachmentUID.
constexpr std::array<std::uint32_t, 3> kOwners{kTagTrackUid, 0x63C4, 0x63C6};
// PixelCropLeft, -Top, -Right, -Bottom.
constexpr std::array<std::uint32_t, 4> kCrop{0x54CC, 0x54BB, 0x54DD, 0x54AA};

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

class MatroskaWalk {
 public:
    explicit MatroskaWalk(const InputFile& file) : file_(file), cursor_(file) {}

    UnreadMetadata run() {
        Element segment;
        each({.data = 0, .size = file_.size()}, [&](const Element& element) {
            if (element.id == kSegment && segment.id == 0) segment = element;
            return element.id != kSegment;
        });
        visit(segment, segment.data);
        for (std::size_t i = 0; i < listed_.size(); ++i) visit(segment, listed_[i]);
        // mkvmerge writes this language, Matroska's default, where none is stated.
        if (chapter_languages_ == std::set<std::string>{"eng"})
            found_.notes.emplace_back(
                "the language of the chapter names is English by default, and undetermined in the "
                "output");
        else if (!chapter_languages_.empty())
            lose(fmt::format("the languages of chapter names ({})",
                             fmt::join(chapter_languages_, ", ")));
        count(editions_, "chapter edition", 1);
        count(nested_, "nested chapter", 0);
        return std::move(found_);
    }

 private:
    void lose(std::string what) { found_.lost.push_back(std::move(what)); }

    void count(int number, std::string_view what, int read) {
        if (number > read)
            lose(fmt::format("{} {}{}", number - read, what, number - read > 1 ? "s" : ""));
    }

    // Calls `take` for each element until it returns false, or the bytes are no element. Headers
    // may not have more elements than this, which no real file reaches.
    template <class Take>
    void each(const Element& parent, Take take) {
        constexpr int kMostElements = 200'000;
        for (std::int64_t at = parent.data; at < parent.end() && elements_++ < kMostElements;) {
            cursor_.go(at);
            Element element = read_element(cursor_);
            const std::int64_t left = parent.end() - element.data;
            if (element.id == 0 || left < 0 || element.size > left) return;
            if (element.size == kUnknownSize) element.size = left;
            if (!take(element)) return;
            at = element.end();
        }
    }

    std::string text_of(const Element& element) {
        constexpr std::int64_t kMost = 1000;
        cursor_.go(element.data);
        std::string text;
        const std::int64_t end = std::min(element.end(), element.data + kMost);
        while (cursor_.at() < end) {
            const auto byte = static_cast<char>(cursor_.u8());
            if (byte == '\0') break;
            text += byte;
        }
        return text;
    }

    // The elements from one place in the segment to the first cluster, after which libav goes by
    // the positions in SeekHead, too.
    void visit(const Element& segment, std::int64_t from) {
        each({.data = from, .size = segment.end() - from}, [&](const Element& element) {
            if (element.id == kCluster || !visited_.insert(element.data).second) return false;
            if (element.id == kSeekHead) seek_head(element, segment.data);
            if (element.id == kInfo) info(element);
            if (element.id == kTracks) tracks(element);
            if (element.id == kChapters) chapters(element);
            if (element.id == kTags) tags(element);
            return true;
        });
    }

    template <class Take>
    void all(const Element& parent, Take take) {
        each(parent, [&](const Element& element) {
            take(element);
            return true;
        });
    }

    void seek_head(const Element& head, std::int64_t origin) {
        all(head, [&](const Element& entry) {
            if (entry.id != kSeek) return;
            all(entry, [&](const Element& field) {
                if (field.id != kSeekPosition) return;
                const auto position =
                    static_cast<std::int64_t>(read_unsigned(cursor_, field) & INT64_MAX);
                if (position < file_.size() - origin) listed_.push_back(origin + position);
            });
        });
    }

    void info(const Element& parent) {
        bool linked = false;
        all(parent, [&](const Element& field) {
            linked = linked || std::ranges::find(kLinks, field.id) != kLinks.end();
            if (field.id == kTitle) tags_["title"] = text_of(field);
        });
        if (linked) lose("the links to other segments");
    }

    void tracks(const Element& parent) {
        all(parent, [&](const Element& track) {
            if (track.id != kTrackEntry) return;
            const std::string where = fmt::format(" of track {}", ++track_);
            all(track, [&](const Element& field) {
                if (field.id == kFlagEnabled && read_unsigned(cursor_, field) == 0)
                    lose("the disabled state" + where);
                if (field.id == kLanguageBcp47) language(text_of(field), where);
                if (field.id == kTrackOperation) lose("the operation" + where);
                if (field.id == kVideo) video(field, where);
            });
        });
    }

    // The codes of ISO 639 alone are in the older element, too.
    void language(const std::string& name, const std::string& where) {
        if (name.find('-') != std::string::npos)
            lose(fmt::format("the language {}{}", name, where));
    }

    void video(const Element& parent, const std::string& where) {
        constexpr std::uint64_t kMesh = 3;
        std::array<std::uint64_t, kCrop.size()> crop{};
        all(parent, [&](const Element& field) {
            const auto* const side = std::ranges::find(kCrop, field.id);
            if (side != kCrop.end())
                crop.at(static_cast<std::size_t>(side - kCrop.begin())) =
                    read_unsigned(cursor_, field);
            if (field.id != kProjection) return;
            all(field, [&](const Element& part) {
                if (part.id == kProjectionType && read_unsigned(cursor_, part) >= kMesh)
                    lose("the projection on a mesh" + where);
            });
        });
        if (crop != std::array<std::uint64_t, kCrop.size()>{})
            lose(
                fmt::format("the crop{} (left {}, top {}, right {}, bottom {}), so hidden rows and "
                            "columns become visible",
                            where, crop[0], crop[1], crop[2], crop[3]));
    }

    void chapters(const Element& parent) {
        all(parent, [&](const Element& edition) {
            if (edition.id != kEdition) return;
            ++editions_;
            all(edition, [&](const Element& field) {
                constexpr std::uint32_t kOrdered = 0x45DD;
                if (field.id == kOrdered && read_unsigned(cursor_, field) == 1)
                    lose("the order of ordered chapters");
                if (field.id == kChapterAtom) chapter(field, 0);
            });
        });
    }

    void chapter(const Element& atom, int depth) {
        constexpr int kMostDepth = 16;
        constexpr std::uint32_t kHidden = 0x98;
        constexpr std::uint32_t kProcess = 0x6944;
        int names = 0;
        if (depth > 0) ++nested_;
        if (depth > kMostDepth) return;
        all(atom, [&](const Element& field) {
            if (field.id == kChapterAtom) chapter(field, depth + 1);
            if (field.id == kHidden && read_unsigned(cursor_, field) == 1)
                lose("a chapter's hidden state");
            if (field.id == kProcess) lose("a chapter's commands");
            if (field.id == kChapterDisplay) display(field, ++names);
        });
    }

    void display(const Element& parent, int nth) {
        std::string name;
        all(parent, [&](const Element& field) {
            if (field.id == kChapterString) name = text_of(field);
            if (field.id != kChapterLanguage && field.id != kChapterLanguageBcp47) return;
            const std::string own = text_of(field);
            const bool newer = field.id == kChapterLanguageBcp47;
            if (newer ? own.find('-') != std::string::npos : own != "und")
                chapter_languages_.insert(own);
        });
        if (nth > 1) lose(fmt::format("a second name of a chapter ({})", name));
    }

    void tags(const Element& parent) {
        all(parent, [&](const Element& tag) {
            if (tag.id != kTag) return;
            Target target;
            all(tag, [&](const Element& field) {
                if (field.id == kTargets) target = targets(field);
            });
            all(tag, [&](const Element& field) {
                if (field.id == kSimpleTag) simple_tag(field, target, "", 0);
            });
        });
    }

    struct Target {
        std::string owner;  // none if the file's
        std::string type;   // libav writes it before the name
        std::string lost;   // properties that it does not read
    };

    Target targets(const Element& parent) {
        constexpr std::uint64_t kUsualLevel = 50;
        Target target;
        all(parent, [&](const Element& field) {
            if (std::ranges::find(kOwners, field.id) != kOwners.end() &&
                read_unsigned(cursor_, field) != 0)
                target.owner = fmt::format("{:x}/{}/", field.id, read_unsigned(cursor_, field));
            if (field.id == kTargetTypeValue && read_unsigned(cursor_, field) != kUsualLevel)
                target.lost = fmt::format("the level {}", read_unsigned(cursor_, field));
            if (field.id == kTargetType) target.type = text_of(field);
            if (field.id == kTagEdition && read_unsigned(cursor_, field) != 0)
                target.lost = "the edition";
        });
        if (!target.owner.empty()) return {.owner = target.owner, .type = {}, .lost = {}};
        if (!target.type.empty()) target.lost = "the level " + target.type;
        return target;
    }

    // If several tags have one name, libav keeps the last.
    void simple_tag(const Element& parent, const Target& target, const std::string& path,
                    int depth) {
        constexpr int kMostDepth = 16;
        std::string name;
        std::string language;
        std::string value;
        bool binary = false;
        all(parent, [&](const Element& field) {
            if (field.id == kTagName) name = text_of(field);
            if (field.id == kTagLanguage) language = text_of(field);
            if (field.id == kTagString) value = text_of(field);
            if (field.id == kTagBinary) binary = true;
        });
        const std::string full = path + name;
        const std::string shown = fmt::format("{}={}", full, value.substr(0, 60));
        if (binary) return lose(fmt::format("the binary tag {}", full));
        if (!target.lost.empty()) lose(fmt::format("{} of the tag {}", target.lost, shown));
        std::string& last = tags_[target.owner + target.type + lower(full) +
                                  (language == "und" ? "" : "-" + language)];
        if (!last.empty() && last != value)
            lose(fmt::format("the tag {}={}, which another one follows", full, last));
        last = value;
        if (depth < kMostDepth)
            all(parent, [&](const Element& field) {
                if (field.id == kSimpleTag) simple_tag(field, target, full + "/", depth + 1);
            });
    }

    const InputFile& file_;
    FileCursor cursor_;
    UnreadMetadata found_;
    std::vector<std::int64_t> listed_;  // in SeekHead
    std::set<std::int64_t> visited_;
    std::map<std::string, std::string> tags_;  // the latest value, by owner and name
    std::set<std::string> chapter_languages_;
    int track_ = 0;
    int editions_ = 0;
    int nested_ = 0;
    int elements_ = 0;
};

}  // namespace

UnreadMetadata find_unread_in_matroska(const InputFile& file) {
    return MatroskaWalk(file).run();
}

}  // namespace weft
