#include "app/media/demux/picture_limits.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "app/media/demux/file_cursor.h"

namespace weft {
namespace {

// RIFF, size, WEBP; then the first chunk: VP8X, size, flags.
bool is_animated_webp(const InputFile& file) {
    constexpr std::uint8_t kAnimation = 0x02;
    std::array<std::uint8_t, 21> head{};
    return file.read_at(0, head) == head.size() && text4(head, 12) == "VP8X" &&
           (head[20] & kAnimation) != 0;
}

// Reads a TIFF's numbers in its own byte order (TIFF 6.0, section 2).
class TiffCursor {
 public:
    explicit TiffCursor(const InputFile& file) : cursor_(file) {
        little_ = cursor_.text4().starts_with("II");
    }
    std::uint32_t word() { return little_ ? cursor_.little32() : cursor_.big32(); }
    std::uint32_t half() {
        const auto value = static_cast<std::uint32_t>(cursor_.big(2));
        return little_ ? (value & 0xFFU) << 8U | value >> 8U : value;
    }
    // The first number of a directory's entry, after its tag: type, count, values, or where they
    // are if four bytes cannot hold them.
    std::uint32_t value() {
        constexpr std::uint32_t kShort = 3;
        const bool small = half() == kShort;
        const std::uint32_t count = word();
        const std::int64_t end = cursor_.at() + 4;
        if (small && count > 2) cursor_.go(word());
        const std::uint32_t number = small ? half() : word();
        cursor_.go(end);
        return number;
    }
    void go(std::int64_t at) { cursor_.go(at); }
    bool ended() const { return cursor_.ended(); }

 private:
    FileCursor cursor_;
    bool little_ = true;
};

struct TiffFacts {
    int pages = 0;  // without smaller copies and masks; libav decodes the first
    bool tiled = false;
    bool jpeg = false;
    std::uint32_t sample_format = 1;  // unsigned
    bool associated_alpha = false;
    bool dng = false;  // libav decodes the tiles and JPEGs of these
};

void read_entry(TiffCursor& cursor, TiffFacts& facts, std::uint32_t& kind) {
    constexpr std::uint32_t kNewSubfileType = 254, kCompression = 259, kTileWidth = 322,
                            kExtraSamples = 338, kSampleFormat = 339, kDngVersion = 50706;
    constexpr std::uint32_t kOldJpeg = 6, kJpeg = 7;
    const std::uint32_t tag = cursor.half();
    const std::uint32_t value = cursor.value();
    if (tag == kNewSubfileType) kind = value;
    if (tag == kCompression && (value == kOldJpeg || value == kJpeg)) facts.jpeg = true;
    if (tag == kTileWidth) facts.tiled = true;
    if (tag == kExtraSamples && value == 1) facts.associated_alpha = true;
    if (tag == kSampleFormat) facts.sample_format = value;
    if (tag == kDngVersion) facts.dng = true;
}

TiffFacts read_tiff(const InputFile& file) {
    constexpr std::uint32_t kCopyOrMask = 1U | 4U;
    constexpr int kMostPages = 1000;  // the list may be circular
    TiffCursor cursor(file);
    TiffFacts facts;
    for (std::uint32_t at = cursor.word(); at != 0 && !cursor.ended() && facts.pages < kMostPages;
         at = cursor.word()) {
        cursor.go(at);
        std::uint32_t kind = 0;
        for (std::uint32_t left = cursor.half(); left > 0 && !cursor.ended(); --left)
            read_entry(cursor, facts, kind);
        if (!cursor.ended() && (kind & kCopyOrMask) == 0) ++facts.pages;
    }
    return facts;
}

// Those that libav does not know; it takes 8 and 16 bits of them for unsigned numbers. Format 4 is
// unspecified.
std::string_view odd_samples(std::uint32_t format) {
    switch (format) {
        case 2:
            return "signed";
        case 3:
            return "floating-point";
        case 5:
        case 6:
            return "complex";
        default:
            return "";
    }
}

std::optional<PictureLimit> tiff_limit(const InputFile& file) {
    const TiffFacts facts = read_tiff(file);
    if (facts.pages > 1)
        return PictureLimit{Outcome::usage,
                            fmt::format("is a TIFF of {} pages, of which FFmpeg decodes the first: "
                                        "make a file of each page (tiffsplit)",
                                        facts.pages)};
    if (facts.dng) return std::nullopt;
    if (const std::string_view samples = odd_samples(facts.sample_format); !samples.empty())
        return PictureLimit{
            Outcome::failed,
            fmt::format("is a TIFF of {} samples, which FFmpeg cannot decode: convert it to "
                        "unsigned ones, for example with ImageMagick",
                        samples)};
    if (!facts.tiled && !facts.jpeg) return std::nullopt;
    return PictureLimit{
        Outcome::failed,
        facts.tiled ? "is a TIFF of tiles, which FFmpeg decodes as black: save it in strips"
                    : "is a TIFF with JPEG compression, which FFmpeg decodes as black: save it "
                      "with another compression"};
}

// Whether rows of PackBits (Adobe Photoshop File Formats, "Image Data Section") have the byte 128,
// which stands for nothing. ImageMagick ends its rows with one.
bool has_empty_codes(FileCursor& cursor, std::int64_t rows) {
    constexpr std::uint8_t kNothing = 128;
    std::int64_t bytes = 0;
    for (std::int64_t row = 0; row < rows && !cursor.ended(); ++row)
        bytes += static_cast<std::int64_t>(cursor.big(2));
    const std::int64_t end = cursor.at() + bytes;
    while (cursor.at() < end && !cursor.ended()) {
        const int code = cursor.u8();
        if (code == kNothing) return true;
        cursor.skip(code < kNothing ? code + 1 : 1);
    }
    return false;
}

std::optional<PictureLimit> psd_limit(const InputFile& file) {
    constexpr std::uint64_t kPackBits = 1;
    constexpr std::int64_t kChannelsAt = 12;
    constexpr int kSections = 3;  // of palette, resources and layers, each after its size
    FileCursor cursor(file, kChannelsAt);
    const auto channels = static_cast<std::int64_t>(cursor.big(2));
    const std::int64_t height = cursor.big32();
    cursor.skip(4 + 2 + 2);  // width, depth and color mode
    for (int k = 0; k < kSections; ++k) cursor.skip(cursor.big32());
    if (cursor.big(2) != kPackBits || !has_empty_codes(cursor, channels * height))
        return std::nullopt;
    return PictureLimit{Outcome::failed,
                        "is a PSD with empty codes in its PackBits rows, as ImageMagick makes "
                        "them, which FFmpeg cannot decode: convert it to PNG or TIFF first, for "
                        "example with ImageMagick"};
}

// libav expects the pixels of a picture directly after its control chunk.
std::optional<PictureLimit> animation_limit(const InputFile& file) {
    FileCursor cursor(file, 8);
    std::string before;
    while (!cursor.ended()) {
        const std::int64_t size = cursor.big32();
        const std::string type = cursor.text4();
        if (before == "fcTL" && type != "IDAT" && type != "fdAT")
            return PictureLimit{Outcome::failed,
                                fmt::format("is an animated PNG with {} between the control chunk "
                                            "and the pixels of a picture, which FFmpeg cannot "
                                            "decode",
                                            type)};
        before = type;
        cursor.skip(size + 4);
    }
    return std::nullopt;
}

}  // namespace

bool is_animated_png(const InputFile& file) {
    if (!file.seekable()) return false;
    FileCursor cursor(file);
    if (cursor.text4() != "\x89PNG") return false;
    cursor.skip(4);
    while (!cursor.ended()) {
        const std::int64_t size = cursor.big32();
        const std::string type = cursor.text4();
        if (type == "acTL" || type == "IDAT") return type == "acTL";
        cursor.skip(size + 4);
    }
    return false;
}

bool is_heic(const InputFile& file) {
    std::array<std::uint8_t, 12> head{};
    if (file.read_at(0, head) != head.size() || text4(head, 4) != "ftyp") return false;
    const std::string_view brand = text4(head, 8);
    return brand == "heic" || brand == "heix" || brand == "heim" || brand == "heis";
}

std::string_view large_form(const InputFile& file) {
    std::array<std::uint8_t, 6> head{};
    if (file.read_at(0, head) != head.size()) return "";
    const std::string_view tiff = text4(head, 0);
    if (tiff == std::string_view("II\x2B\0", 4) || tiff == std::string_view("MM\0\x2B", 4))
        return "BigTIFF";
    return tiff == "8BPS" && head[4] == 0 && head[5] == 2 ? "PSB" : "";
}

bool has_associated_alpha(const InputFile& file) {
    const std::string magic = FileCursor(file).text4();
    const bool tiff = magic == std::string("II*\0", 4) || magic == std::string("MM\0*", 4);
    return tiff && read_tiff(file).associated_alpha;
}

std::optional<PictureLimit> find_picture_limit(const InputFile& file, AVCodecID codec) {
    if (codec == AV_CODEC_ID_WEBP && is_animated_webp(file))
        return PictureLimit{Outcome::failed, "is an animated WebP, which FFmpeg cannot decode"};
    if (codec == AV_CODEC_ID_TIFF) return tiff_limit(file);
    if (codec == AV_CODEC_ID_PSD && file.seekable()) return psd_limit(file);
    if (codec == AV_CODEC_ID_APNG && file.seekable()) return animation_limit(file);
    return std::nullopt;
}

}  // namespace weft
