// The directories of TIFF files (TIFF 6.0) that libav decodes wrongly or in part.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <map>

#include <fmt/format.h>

#include "app/media/demux/file_cursor.h"
#include "app/media/demux/picture_kinds.h"
#include "app/media/demux/picture_limits.h"

namespace weft {
namespace {

enum Tag : std::uint32_t {
    kKind = 254,
    kBits = 258,
    kCompression = 259,
    kColors = 262,
    kFillOrder = 266,
    kStrips = 273,
    kSamples = 277,
    kPlanes = 284,
    kPredictor = 317,
    kColorMap = 320,
    kTileWidth = 322,
    kSubDirectories = 330,
    kInkSet = 332,
    kExtraSamples = 338,
    kSampleFormat = 339,
    kYccCoefficients = 529,
    kYccSubsampling = 530,
    kBlackAndWhite = 532,
    kDngVersion = 50706,
};
constexpr std::array kRead{kStrips,         kKind,          kBits,         kCompression,
                           kColors,         kFillOrder,     kSamples,      kPlanes,
                           kPredictor,      kColorMap,      kTileWidth,    kSubDirectories,
                           kInkSet,         kExtraSamples,  kSampleFormat, kYccCoefficients,
                           kYccSubsampling, kBlackAndWhite, kDngVersion};

// Bits of the tag NewSubfileType.
constexpr unsigned kCopy = 1, kMask = 4;
// Values of the tag PhotometricInterpretation.
constexpr unsigned kWhiteIsZero = 0, kBlackIsZero = 1, kPalette = 3, kInks = 5, kYcc = 6;
// Compressions; the fax codes are 2 to 4.
constexpr unsigned kNone = 1, kLzw = 5, kOldJpeg = 6, kJpeg = 7, kDeflate = 8, kPackBits = 32773,
                   kOldDeflate = 32946, kLzma = 34925;

struct Directory {
    std::map<unsigned, std::vector<double>> entries;
    bool little = false;

    bool has(Tag tag) const { return entries.contains(tag); }
    const std::vector<double>& list(Tag tag) const {
        static const std::vector<double> none;
        const auto found = entries.find(tag);
        return found == entries.end() ? none : found->second;
    }
    unsigned get(Tag tag, unsigned missing = 0) const {
        const std::vector<double>& values = list(tag);
        return values.empty() ? missing : static_cast<unsigned>(values.front());
    }
    bool is_any(Tag tag, std::initializer_list<unsigned> values, unsigned missing) const {
        return std::ranges::find(values, get(tag, missing)) != values.end();
    }
    unsigned bits() const { return get(kBits, 1); }
    unsigned samples() const { return get(kSamples, 1); }
    unsigned colors() const { return get(kColors, kBlackIsZero); }
};

// Reads numbers in the file's own byte order.
class TiffCursor {
 public:
    explicit TiffCursor(const InputFile& file) : cursor_(file) {
        const std::string magic = cursor_.text4();
        little_ = magic.starts_with("II");
        tiff_ = magic == std::string("II*\0", 4) || magic == std::string("MM\0*", 4);
    }
    bool is_tiff() const { return tiff_; }
    std::int64_t first() {
        cursor_.go(4);
        return word();
    }
    // At its end is the place of the next directory.
    Directory directory(std::int64_t at) {
        Directory made{.entries = {}, .little = little_};
        cursor_.go(at);
        for (std::uint32_t left = half(); left > 0 && !cursor_.ended(); --left) {
            const std::uint32_t tag = half();
            const std::int64_t end = cursor_.at() + 10;
            if (std::ranges::find(kRead, tag) != kRead.end()) made.entries.emplace(tag, values());
            cursor_.go(end);
        }
        return made;
    }
    std::int64_t next() { return word(); }
    bool ended() const { return cursor_.ended(); }

 private:
    std::uint32_t word() { return little_ ? cursor_.little32() : cursor_.big32(); }
    std::uint32_t half() {
        const auto value = static_cast<std::uint32_t>(cursor_.big(2));
        return little_ ? (value & 0xFFU) << 8U | value >> 8U : value;
    }
    // Type, count and values, or their place if four bytes cannot hold them.
    std::vector<double> values() {
        constexpr std::uint32_t kShort = 3, kRational = 5, kMost = 3 * 256;
        constexpr std::array<std::uint32_t, 6> kBytes{4, 1, 1, 2, 4, 8};
        const std::uint32_t type = half();
        const std::uint32_t count = std::min(word(), kMost);
        const std::uint32_t bytes = type < kBytes.size() ? kBytes.at(type) : 4;
        if (bytes * count > 4) cursor_.go(word());
        std::vector<double> list;
        while (list.size() < count && !cursor_.ended()) {
            double value = bytes == 1 ? cursor_.u8() : type == kShort ? half() : word();
            if (type == kRational) value /= std::max(word(), 1U);
            list.push_back(value);
        }
        return list;
    }

    FileCursor cursor_;
    bool little_ = false;
    bool tiff_ = false;
};

// The directories in their list, which may be circular.
std::vector<Directory> directories(const InputFile& file) {
    constexpr std::size_t kMost = 1000;
    TiffCursor cursor(file);
    std::vector<Directory> list;
    if (!cursor.is_tiff()) return list;
    for (std::int64_t at = cursor.first(); at != 0 && list.size() < kMost; at = cursor.next()) {
        Directory read = cursor.directory(at);
        if (cursor.ended()) break;
        list.push_back(std::move(read));
    }
    return list;
}

bool has_palette_of_bytes(const Directory& page) {
    const std::vector<double>& map = page.list(kColorMap);
    return std::ranges::any_of(map, [](double color) { return color > 0; }) &&
           std::ranges::all_of(map, [](double color) { return color < 256; });
}

// libav converts four inks of 8 bits, or of 16 bits in big-endian order, and an alpha next to them.
bool has_known_inks(const Directory& page) {
    constexpr unsigned kCmyk = 1;
    const bool with_alpha = page.samples() == 5 && page.get(kExtraSamples) != 0;
    if (page.get(kInkSet, kCmyk) != kCmyk || page.get(kPlanes, 1) != 1) return false;
    if (page.bits() == 16) return page.samples() == 4 && !page.little;
    return page.samples() == 4 || with_alpha;
}

// ITU-R BT.601's, which stand for missing ones.
bool has_default_coefficients(const Directory& page) {
    constexpr std::array kBt601{0.299, 0.587, 0.114};
    return !page.has(kYccCoefficients) ||
           std::ranges::equal(page.list(kYccCoefficients), kBt601,
                              [](double a, double b) { return std::abs(a - b) < 0.0005; });
}

// The lowest and the highest value of Y', and of each difference from its middle. Some writers put
// 15 for 16.
bool has_range(const Directory& page, const std::array<double, 6>& range) {
    return std::ranges::equal(page.list(kBlackAndWhite), range,
                              [](double a, double b) { return std::abs(a - b) <= 1; });
}

constexpr std::array<double, 6> kFull{0, 255, 128, 255, 128, 255};
constexpr std::array<double, 6> kLimited{16, 235, 128, 240, 128, 240};

struct Row {
    bool (*applies)(const Directory& page);
    std::string_view what;
};

constexpr std::array kRows{
    Row{[](const Directory& p) { return (p.get(kKind) & (kCopy | kMask)) != 0; },
        "whose first picture is a smaller copy or a mask"},
    Row{[](const Directory& p) { return p.get(kKind) != 0 && p.has(kSubDirectories); },
        "of a page with pictures below it"},
    Row{[](const Directory& p) { return p.get(kSampleFormat) == 2; }, "of signed samples"},
    Row{[](const Directory& p) { return p.get(kSampleFormat) == 3; }, "of floating-point samples"},
    Row{[](const Directory& p) {
            return p.is_any(kSampleFormat, {5, 6}, 1);
        },
        "of complex samples"},
    Row{[](const Directory& p) { return p.has(kTileWidth); }, "of tiles"},
    Row{[](const Directory& p) {
            return p.is_any(kCompression, {kOldJpeg, kJpeg}, kNone);
        },
        "with JPEG compression"},
    Row{[](const Directory& p) { return p.colors() == kInks && !has_known_inks(p); },
        "of inks, but not of the four of CMYK next to each other in 8 bits"},
    // Deflate, LZW and the fax codes are reversed as a whole.
    Row{[](const Directory& p) {
            return p.get(kFillOrder, 1) == 2 && p.is_any(kCompression, {kNone, kPackBits}, kNone) &&
                   p.samples() == 1 && (p.bits() == 2 || p.bits() == 4 || p.has(kColorMap)) &&
                   p.bits() < 8;
        },
        "with its bits in reversed order"},
    Row{[](const Directory& p) {
            return p.bits() == 12 && p.samples() == 1 &&
                   (p.colors() == kWhiteIsZero ||
                    !p.is_any(kCompression, {kNone, kLzw, kPackBits}, kNone));
        },
        "of 12-bit samples that are compressed or inverted"},
    // The samples after the first are not gray, and alpha is not inverted.
    Row{[](const Directory& p) {
            return (p.colors() == kWhiteIsZero && p.samples() > 1) ||
                   (p.colors() == kBlackIsZero && p.has(kColors) && p.samples() > 2);
        },
        "of gray and further samples"},
    Row{[](const Directory& p) {
            return p.colors() == kPalette && (p.samples() > 1 || p.bits() > 8);
        },
        "of a palette with alpha or of more than 256 colors"},
    Row{[](const Directory& p) { return p.colors() == kPalette && has_palette_of_bytes(p); },
        "whose palette has 8 bits in place of 16"},
    Row{[](const Directory& p) {
            return p.is_any(kColors, {kWhiteIsZero, kBlackIsZero}, kPalette) && p.samples() == 1 &&
                   p.bits() <= 8 && p.has(kColorMap);
        },
        "of gray with a palette"},
    Row{[](const Directory& p) {
            const bool coded = p.is_any(kCompression, {kLzw, kDeflate, kOldDeflate, kLzma}, kNone);
            return p.get(kPredictor, 1) != 1 &&
                   (!coded || p.get(kPredictor) != 2 || (p.bits() != 8 && p.bits() != 16));
        },
        "with a predictor that does not go with its samples or compression"},
    Row{[](const Directory& p) {
            const bool other_range = p.list(kBlackAndWhite).size() == kFull.size() &&
                                     !has_range(p, kFull) && !has_range(p, kLimited);
            return p.colors() == kYcc &&
                   (!p.has(kYccSubsampling) || !has_default_coefficients(p) || other_range);
        },
        "of YCbCr without a subsampling or with unusual coefficients or ranges"},
    Row{[](const Directory& p) {
            const std::vector<double>& bits = p.list(kBits);
            return std::ranges::adjacent_find(bits, std::not_equal_to<>()) != bits.end();
        },
        "of samples of unequal size"},
};

// The first code, 256, has its lowest bits first: libtiff knows these files by the same two bytes.
bool has_old_lzw(const InputFile& file, const Directory& page) {
    if (page.get(kCompression, kNone) != kLzw || !page.has(kStrips)) return false;
    FileCursor cursor(file, page.get(kStrips));
    return cursor.u8() == 0 && (cursor.u8() & 1U) != 0 && !cursor.ended();
}

bool is_picture(const Directory& directory) {
    return (directory.get(kKind) & (kCopy | kMask)) == 0;
}

}  // namespace

int pages_of_tiff(const InputFile& file) {
    return static_cast<int>(std::ranges::count_if(directories(file), is_picture));
}

std::string_view wrong_tiff(const InputFile& file) {
    const std::vector<Directory> list = directories(file);
    // libav decodes the tiles and JPEGs of these.
    if (list.empty() || list.front().has(kDngVersion)) return "";
    if (has_old_lzw(file, list.front())) return "of LZW codes from before TIFF 5.0";
    const auto* const found =
        std::ranges::find_if(kRows, [&](const Row& row) { return row.applies(list.front()); });
    return found == kRows.end() ? "" : found->what;
}

std::vector<std::string> lost_of_tiff(const InputFile& file) {
    std::vector<std::string> lost;
    TiffCursor cursor(file);
    const std::vector<Directory> list = directories(file);
    if (list.empty() || list.front().has(kDngVersion)) return lost;
    if (std::ranges::any_of(list, [](const Directory& d) { return (d.get(kKind) & kMask) != 0; }))
        lost.emplace_back("a transparency mask");
    const auto below = std::ranges::count_if(list.front().list(kSubDirectories), [&](double at) {
        return is_picture(cursor.directory(static_cast<std::int64_t>(at))) && !cursor.ended();
    });
    if (below > 0) lost.push_back(fmt::format("{} pictures below the first", below));
    return lost;
}

bool has_limited_range(const InputFile& file) {
    const std::vector<Directory> list = directories(file);
    return !list.empty() && list.front().colors() == kYcc && has_range(list.front(), kLimited);
}

bool has_associated_alpha(const InputFile& file) {
    const std::vector<Directory> list = directories(file);
    return !list.empty() && list.front().get(kExtraSamples) == 1;
}

}  // namespace weft
