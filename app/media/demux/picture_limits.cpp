#include "app/media/demux/picture_limits.h"

extern "C" {
#include <libavutil/parseutils.h>
}

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sstream>
#include <string_view>
#include <strings.h>
#include <utility>

#include <fmt/format.h>

#include "app/media/demux/box.h"
#include "app/media/demux/file_cursor.h"
#include "app/media/demux/heif_properties.h"
#include "app/media/demux/picture_kinds.h"
#include "app/media/demux/png_color_key.h"

namespace weft {
namespace {

// Returns nothing if `what` is empty.
std::optional<PictureLimit> wrong(std::string_view kind, std::string_view what) {
    if (what.empty()) return std::nullopt;
    return PictureLimit{Outcome::failed,
                        fmt::format("is {} {}, which FFmpeg decodes wrongly: convert it first, "
                                    "for example with ImageMagick",
                                    kind, what)};
}

// RIFF, size, WEBP; then the first chunk: VP8X, size, flags.
bool is_animated_webp(const InputFile& file) {
    constexpr std::uint8_t kAnimation = 0x02;
    std::array<std::uint8_t, 21> head{};
    return file.read_at(0, head) == head.size() && text4(head, 12) == "VP8X" &&
           (head[20] & kAnimation) != 0;
}

// Reads the bits of a JPEG XL codestream, the lowest of each byte first.
class JxlBits {
 public:
    explicit JxlBits(FileCursor cursor) : cursor_(std::move(cursor)) {}
    unsigned get(int count) {
        unsigned value = 0;
        for (int k = 0; k < count; ++k, ++at_) {
            if (at_ % 8 == 0) byte_ = cursor_.u8();
            value |= (byte_ >> (at_ % 8) & 1U) << static_cast<unsigned>(k);
        }
        return value;
    }
    // A number after two bits that choose its length.
    void skip_number(const std::array<int, 4>& lengths) { get(lengths.at(get(2))); }
    // The other side is stored only if it is not in a common ratio to the first.
    template <class Side>
    void skip_sides(const Side& side) {
        side();
        if (get(3) == 0) side();
    }

 private:
    FileCursor cursor_;
    unsigned byte_ = 0;
    int at_ = 0;
};

void skip_jxl_size(JxlBits& bits) {
    const bool small = bits.get(1) != 0;
    bits.skip_sides([&] { small ? void(bits.get(5)) : bits.skip_number({9, 13, 18, 30}); });
}

void skip_jxl_preview_size(JxlBits& bits) {
    const bool small = bits.get(1) != 0;
    bits.skip_sides([&] {
        bits.skip_number(small ? std::array{0, 0, 5, 9} : std::array{6, 8, 10, 12});
    });
}

// The codestream is the file, or in the first of these boxes (ISO/IEC 18181-2); a part of it begins
// with its number.
FileCursor find_jxl_codestream(const InputFile& file) {
    FileCursor cursor(file);
    if (cursor.big(2) == 0xFF0AU) return FileCursor(file);
    for (cursor.go(0); !cursor.ended();) {
        const Box box = read_box(cursor);
        if (box.type == "jxlp") cursor.skip(4);
        if (box.type == "jxlc" || box.type == "jxlp") return cursor;
        if (!box.fits(file.size())) break;
        cursor.go(box.end());
    }
    return FileCursor(file, file.size());
}

// ISO/IEC 18181-1, 9.2 and A.2: the size, then the metadata of the picture.
bool is_animated_jxl(const InputFile& file) {
    FileCursor cursor = find_jxl_codestream(file);
    if (cursor.big(2) != 0xFF0AU) return false;
    JxlBits bits(std::move(cursor));
    skip_jxl_size(bits);
    const bool all_default = bits.get(1) != 0;
    const bool extra_fields = !all_default && bits.get(1) != 0;
    if (!extra_fields) return false;
    bits.get(3);  // orientation
    if (bits.get(1) != 0) skip_jxl_size(bits);
    if (bits.get(1) != 0) skip_jxl_preview_size(bits);
    return bits.get(1) != 0;
}

std::optional<PictureLimit> tiff_limit(const InputFile& file) {
    const int pages = pages_of_tiff(file);
    if (pages <= 1) return wrong("a TIFF", wrong_tiff(file));
    return PictureLimit{Outcome::usage,
                        fmt::format("is a TIFF of {} pages, of which FFmpeg decodes the first: "
                                    "make a file of each page (tiffsplit)",
                                    pages)};
}

// Truevision TGA 2.0, fields 3, 5.5 and 5.6.
std::string_view wrong_targa(const InputFile& file) {
    constexpr unsigned kPalette = 1, kColors = 2, kGray = 3, kRightToLeft = 0x10;
    FileCursor cursor(file, 2);
    const unsigned kind = cursor.u8() & 7U;  // without run lengths
    cursor.go(16);
    const unsigned bits = cursor.u8();
    const unsigned descriptor = cursor.u8();
    if (kind == kGray && bits != 8) return "of gray with alpha";
    if (kind == kPalette && bits != 8) return "of a palette with more than 256 colors";
    if (kind == kColors && bits == 8) return "of colors in 8 bits";
    return bits == 15 && (descriptor & kRightToLeft) != 0 ? "of 15 bits from right to left" : "";
}

bool has_targa_alpha_bit(const InputFile& file) {
    constexpr unsigned kColors = 2, kAlphaBits = 0x0F;
    FileCursor cursor(file, 2);
    const bool colors = (cursor.u8() & 7U) == kColors;
    cursor.go(16);
    return colors && cursor.u8() == 16 && (cursor.u8() & kAlphaBits) != 0;
}

struct BmpHeader {
    std::uint32_t size = 0;
    std::uint32_t bits = 0;
    std::uint32_t compression = 0;
    std::uint32_t alpha = 0;  // its mask
};

BmpHeader read_bmp(const InputFile& file) {
    constexpr std::uint32_t kMasks = 3, kWithAlpha = 56;
    FileCursor cursor(file);
    BmpHeader header;
    if (!cursor.text4().starts_with("BM")) return header;
    cursor.go(14);
    header.size = cursor.little32();
    if (header.size < 40) return header;
    cursor.go(28);
    header.bits = cursor.little32() & 0xFFFFU;
    cursor.go(30);
    header.compression = cursor.little32();
    cursor.go(66);
    if (header.compression == kMasks && header.size >= kWithAlpha) header.alpha = cursor.little32();
    return header;
}

bool has_lost_bmp_alpha(const InputFile& file) {
    const BmpHeader header = read_bmp(file);
    return header.bits == 16 && header.alpha != 0;
}

// libav gives no meaning of their own to the compressions of OS/2, and takes every mask of alpha
// for the byte that the colors leave.
std::string_view wrong_bmp(const InputFile& file) {
    constexpr std::uint32_t kOs2 = 64, kHuffman = 3;
    const BmpHeader header = read_bmp(file);
    if (header.size == kOs2 && header.compression == kHuffman) return "with Huffman codes of OS/2";
    const bool whole_byte = header.alpha == 0xFFU || header.alpha == 0xFF00U ||
                            header.alpha == 0xFF0000U || header.alpha == 0xFF000000U;
    return header.bits == 32 && header.alpha != 0 && !whole_byte ? "whose alpha is not 8 bits" : "";
}

// Whether no pixel of an XWD of 32 bits has a bit outside the colors: libav takes the bits for
// alpha, and dumps of screens leave them at zero.
bool is_clear_xwd(const InputFile& file) {
    FileCursor cursor(file);
    const auto word = [&](std::int64_t at) {
        cursor.go(at);
        return cursor.big32();
    };
    const bool big = word(28) != 0;
    const std::uint32_t colors = word(56) | word(60) | word(64);
    const std::int64_t begin = std::int64_t{word(0)} + 12 * std::int64_t{word(76)};
    const std::int64_t width = word(16), height = word(20), stride = word(48);
    for (std::int64_t y = 0; y < height; ++y) {
        cursor.go(begin + y * stride);
        for (std::int64_t x = 0; x < width && !cursor.ended(); ++x)
            if (((big ? cursor.big32() : cursor.little32()) & ~colors) != 0) return false;
    }
    return !cursor.ended();
}

// The header is described in X11/XWDFile.h.
std::string_view wrong_xwd(const InputFile& file) {
    FileCursor cursor(file, 36);
    const bool low_bit_first = cursor.big32() == 0;
    cursor.go(44);
    const std::uint32_t bits = cursor.big32();
    if (bits == 32 && is_clear_xwd(file)) return "of 24 bits, whose fourth byte stands for alpha";
    return bits == 1 && low_bit_first ? "of one bit per pixel, the lowest first" : "";
}

// libav takes other colors for black. The first text in quotes has the numbers of columns, rows,
// colors and letters per color; each color is a text of its letters, and then "c" and its name.
std::string_view wrong_xpm(const InputFile& file) {
    constexpr std::int64_t kMostBytes = 1 << 20;
    std::string text(static_cast<std::size_t>(std::min(file.size(), kMostBytes)), ' ');
    text.resize(file.read_at(0, {reinterpret_cast<std::uint8_t*>(text.data()), text.size()}));
    std::size_t at = text.find('"');
    std::array<std::size_t, 4> numbers{};
    std::istringstream head(at == std::string::npos ? "" : text.substr(at + 1, 100));
    for (std::size_t& number : numbers) head >> number;
    at = text.find('"', at + 1);
    for (std::size_t k = 0; head && k < numbers[2] && at != std::string::npos; ++k) {
        const std::size_t begin = text.find('"', at + 1);
        if (begin == std::string::npos) return "";
        at = text.find('"', begin + 1 + numbers[3]);
        if (at == std::string::npos) return "";
        std::istringstream words(text.substr(begin + 1 + numbers[3], at - begin - 1 - numbers[3]));
        for (std::string word, before; words >> word; before = word) {
            if (before != "c") continue;
            std::array<std::uint8_t, 4> color{};
            const bool digits = word.front() == '#';
            const bool known = digits
                                   ? word.size() == 7 || word.size() == 9
                                   : av_parse_color(color.data(), word.c_str(), -1, nullptr) >= 0;
            if (!known && strcasecmp(word.c_str(), "none") != 0)
                return "of colors in other than six digits or common names";
        }
    }
    return "";
}

// A third axis of colors has its own name; libav gives others the range from the least to the
// greatest value.
bool is_gray_fits(const InputFile& file) {
    constexpr std::size_t kBlock = 2880;
    std::array<std::uint8_t, kBlock> head{};
    const std::string_view text(reinterpret_cast<const char*>(head.data()), file.read_at(0, head));
    return text.find("CTYPE3") == std::string_view::npos;
}

// The header is lines of a name and a number. libav scales samples without alpha only.
std::string_view wrong_pam(const InputFile& file) {
    std::array<std::uint8_t, 1024> head{};
    const std::string text(head.begin(),
                           head.begin() + static_cast<std::ptrdiff_t>(file.read_at(0, head)));
    const auto number = [&](const char* name) {
        const std::size_t at = text.find(name);
        return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + std::strlen(name));
    };
    const int depth = number("\nDEPTH ");
    const bool alpha = depth == 2 || depth == 4;
    return alpha && number("\nMAXVAL ") < 255 ? "with alpha and a MAXVAL below 255" : "";
}

// The SGI Image File Format, version 1.00.
std::string_view wrong_sgi(const InputFile& file) {
    constexpr std::int64_t kMeaning = 104;
    return FileCursor(file, kMeaning).big32() == 0 ? "" : "whose samples are places in a palette";
}

// SMPTE 268M: the orientation and the number of elements, and of the first one the sign of its
// samples and the bytes after each line.
std::string_view wrong_dpx(const InputFile& file) {
    constexpr std::uint32_t kUnknown = 0xFFFFFFFFU, kUnknownHalf = 0xFFFFU;
    FileCursor cursor(file);
    const bool little = cursor.text4() == "XPDS";
    const auto word = [&](std::int64_t at) {
        cursor.go(at);
        return little ? cursor.little32() : cursor.big32();
    };
    const std::uint32_t both = word(768);
    const std::uint32_t orientation = little ? both & 0xFFFFU : both >> 16U;
    const std::uint32_t elements = little ? both >> 16U : both & 0xFFFFU;
    if (orientation != 0 && orientation != kUnknownHalf) return "with turned or mirrored pixels";
    if (elements > 1 && elements != kUnknownHalf) return "of several elements";
    if (word(780) == 1) return "of signed samples";
    const std::uint32_t padding = word(812);
    return padding == 0 || padding == kUnknown ? "" : "with bytes after each line";
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

// Where the palette, resources, layers and pixels of a PSD are, after the sizes of the first three.
std::array<std::int64_t, 4> psd_sections(const InputFile& file) {
    std::array<std::int64_t, 4> begin{};
    FileCursor cursor(file, 26);
    for (std::size_t k = 0; k < begin.size() - 1; ++k) {
        const std::int64_t size = cursor.big32();
        begin.at(k) = cursor.at();
        cursor.skip(size);
    }
    begin.back() = cursor.at();
    return begin;
}

// The place of a resource's data; none if the file has none of this number.
std::optional<std::int64_t> psd_resource(const InputFile& file, std::uint64_t number) {
    const auto [palette, resources, layers, pixels] = psd_sections(file);
    FileCursor cursor(file, resources);
    while (cursor.at() < layers - 4 && cursor.text4() == "8BIM" && !cursor.ended()) {
        const bool found = cursor.big(2) == number;
        const std::int64_t name = cursor.u8();
        cursor.skip(name | 1);
        const std::int64_t size = cursor.big32();
        if (found) return cursor.at();
        cursor.skip(size + size % 2);
    }
    return std::nullopt;
}

std::optional<PictureLimit> psd_limit(const InputFile& file) {
    constexpr std::uint64_t kPackBits = 1, kVersionInfo = 0x0421;
    FileCursor cursor(file, 12);
    const auto channels = static_cast<std::int64_t>(cursor.big(2));
    const std::int64_t height = cursor.big32();
    cursor.go(psd_sections(file).back());
    if (cursor.big(2) == kPackBits && has_empty_codes(cursor, channels * height))
        return PictureLimit{Outcome::failed,
                            "is a PSD with empty codes in its PackBits rows, as ImageMagick makes "
                            "them, which FFmpeg cannot decode: convert it to PNG or TIFF first, "
                            "for example with ImageMagick"};
    const auto version = psd_resource(file, kVersionInfo);
    if (!version) return std::nullopt;
    cursor.go(*version + 4);
    return wrong("a PSD", cursor.u8() == 0 ? "of layers without a picture of them together" : "");
}

std::vector<std::string> lost_of_psd(const InputFile& file) {
    constexpr std::uint64_t kTransparentIndex = 0x0417;
    std::vector<std::string> lost;
    const auto [palette, resources, layers, pixels] = psd_sections(file);
    FileCursor cursor(file, layers);
    // Below zero if the first alpha is that of all layers together.
    if (pixels > layers + 4 + 4 && cursor.big32() > 0)
        if (const int count = std::abs(static_cast<std::int16_t>(cursor.big(2))); count > 0)
            lost.push_back(fmt::format("{} layers", count));
    if (psd_resource(file, kTransparentIndex)) lost.emplace_back("the transparent color");
    return lost;
}

// Reads DDS_HEADER and DDS_HEADER_DXT10, as Direct3D documents them.
std::string_view wrong_dds(const InputFile& file) {
    constexpr std::uint32_t kVolumeFlag = 0x0080'0000, kCubeOrVolume = 0x0020'0200;
    constexpr std::uint32_t kFirstBlocks = 70, kLastBlocks = 84, kB5G6R5 = 85;
    FileCursor cursor(file);
    const auto word = [&](std::int64_t at) {
        cursor.go(at);
        return cursor.little32();
    };
    if ((word(112) & kCubeOrVolume) != 0 || ((word(8) & kVolumeFlag) != 0 && word(24) > 1))
        return "of several pictures (a cube or a volume)";
    cursor.go(84);
    if (cursor.text4() != "DX10") return word(104) == 0x8000 ? "with one bit of alpha" : "";
    const std::uint32_t format = word(128);
    if (word(140) > 1) return "of several pictures (an array)";
    const bool blocks = format >= kFirstBlocks && format <= kLastBlocks;
    return blocks || format == kB5G6R5 ? "" : "whose red and blue FFmpeg exchanges";
}

// Whether only red and green are stored, as for normal vectors (BC5).
bool has_two_dds_channels(const InputFile& file) {
    constexpr std::uint32_t kFirst = 82, kLast = 84;
    FileCursor cursor(file, 84);
    const std::string code = cursor.text4();
    cursor.go(128);
    const std::uint32_t format = cursor.little32();
    return code == "ATI2" || code == "BC5U" || code == "BC5S" ||
           (code == "DX10" && format >= kFirst && format <= kLast);
}

// libav expects the pixels of a picture directly after its control chunk.
std::optional<PictureLimit> animation_limit(const InputFile& file) {
    std::vector<std::uint8_t> head(std::size_t{1} << 16U);
    head.resize(file.read_at(0, head));
    if (!with_gray_palette(head).empty())
        return wrong("an animated PNG", "of gray with a transparent color");
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

// Whether pixels come before the first control chunk: those of a picture for programs that do not
// play it.
bool has_unplayed_picture(const InputFile& file) {
    FileCursor cursor(file, 8);
    while (!cursor.ended()) {
        const std::int64_t size = cursor.big32();
        const std::string type = cursor.text4();
        if (type == "fcTL" || type == "IDAT") return type == "IDAT";
        cursor.skip(size + 4);
    }
    return false;
}

// Whether a pixel of the icon, whose header is here, is transparent by the mask after the pixels.
// The alpha of 32 bits takes its place, unless it is zero everywhere.
bool has_icon_mask(FileCursor cursor) {
    const std::int64_t header = cursor.at();
    cursor.skip(4);
    const std::int64_t width = cursor.little32();
    const std::int64_t height = cursor.little32() / 2;
    const std::int64_t bits = cursor.little32() >> 16U;
    cursor.go(header + 32);
    const std::int64_t used = cursor.little32();
    const std::int64_t colors = used > 0 || bits > 8 ? used : std::int64_t{1} << bits;
    constexpr std::int64_t kMostSide = 4096;
    if (width <= 0 || width > kMostSide || height <= 0 || height > kMostSide || bits > 32)
        return false;
    cursor.go(header + 40 + 4 * colors);
    if (bits == 32)
        for (std::int64_t left = width * height; left > 0; --left)
            if (cursor.little32() >> 24U != 0) return false;
    if (bits != 32) cursor.skip((width * bits + 31) / 32 * 4 * height);
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; x += 32) {
            const std::uint32_t word = cursor.big32();
            const std::int64_t unused = std::max<std::int64_t>(x + 32 - width, 0);
            if (word >> static_cast<unsigned>(unused) != 0) return !cursor.ended();
        }
    return false;
}

// Whether any picture in the file has one.
bool has_icon_masks(const InputFile& file) {
    constexpr std::uint32_t kIcon = 0x00010000, kHeaderSize = 40;
    FileCursor cursor(file);
    if (cursor.little32() != kIcon) return false;
    const std::int64_t count = cursor.little32() & 0xFFFFU;
    for (std::int64_t k = 0; k < count && !cursor.ended(); ++k) {
        cursor.go(18 + 16 * k);
        FileCursor picture(file, cursor.little32());
        const std::int64_t header = picture.at();
        if (picture.little32() == kHeaderSize && has_icon_mask(FileCursor(file, header)))
            return true;
    }
    return false;
}

// libav reads other bytes in place of the picture's.
std::optional<PictureLimit> avif_limit(const InputFile& file) {
    const std::string_view unread = read_heif_properties(file).unread;
    if (unread.empty()) return std::nullopt;
    return PictureLimit{Outcome::failed,
                        fmt::format("is an AVIF picture {}, which FFmpeg cannot decode: convert "
                                    "it first, for example with ImageMagick",
                                    unread)};
}

// libav's decoder ends the process for these (an assertion on the bytes of all rows).
std::optional<PictureLimit> sun_raster_limit(const InputFile& file) {
    FileCursor cursor(file, 4);
    const std::int64_t width = cursor.big32();
    const std::int64_t height = cursor.big32();
    const std::int64_t depth = cursor.big32();
    if (width == 0 || depth == 0 || depth > 32) return std::nullopt;  // refused by libav
    const std::int64_t row_bytes = (width * depth + 7) / 8;
    if (height <= std::numeric_limits<std::int32_t>::max() / (3 * row_bytes)) return std::nullopt;
    return PictureLimit{Outcome::failed,
                        fmt::format("is a Sun raster of {}x{}, which is too large for FFmpeg: "
                                    "convert it first, for example with ImageMagick",
                                    width, height)};
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
        if (type == "acTL" || type == "IDAT") return type == "acTL" && cursor.big32() > 0;
        cursor.skip(size + 4);
    }
    return false;
}

std::string_view large_form(const InputFile& file) {
    std::array<std::uint8_t, 6> head{};
    if (file.read_at(0, head) != head.size()) return "";
    const std::string_view tiff = text4(head, 0);
    if (tiff == std::string_view("II\x2B\0", 4) || tiff == std::string_view("MM\0\x2B", 4))
        return "BigTIFF";
    return tiff == "8BPS" && head[4] == 0 && head[5] == 2 ? "PSB" : "";
}

std::optional<PictureLimit> find_picture_limit(const InputFile& file, AVCodecID codec) {
    switch (codec) {
        case AV_CODEC_ID_AV1:
            return file.seekable() ? avif_limit(file) : std::nullopt;
        case AV_CODEC_ID_WEBP:
            if (!is_animated_webp(file)) return std::nullopt;
            return PictureLimit{Outcome::failed,
                                "is an animated WebP, which FFmpeg cannot decode: convert it to "
                                "GIF first, for example with ImageMagick"};
        case AV_CODEC_ID_JPEGXL:
            if (!is_animated_jxl(file)) return std::nullopt;
            return PictureLimit{Outcome::failed,
                                "is an animated JPEG XL, of which FFmpeg decodes the first frame: "
                                "convert it to APNG first (djxl)"};
        case AV_CODEC_ID_APNG:
            return file.seekable() ? animation_limit(file) : std::nullopt;
        case AV_CODEC_ID_PSD:
            return file.seekable() ? psd_limit(file) : std::nullopt;
        case AV_CODEC_ID_SUNRAST:
            return file.seekable() ? sun_raster_limit(file) : std::nullopt;
        case AV_CODEC_ID_TIFF:
            return tiff_limit(file);
        case AV_CODEC_ID_EXR:
            return wrong("an OpenEXR picture", wrong_exr(file));
        case AV_CODEC_ID_TARGA:
            return wrong("a TGA", wrong_targa(file));
        case AV_CODEC_ID_BMP:
            return wrong("a BMP", wrong_bmp(file));
        case AV_CODEC_ID_XWD:
            return wrong("an XWD", wrong_xwd(file));
        case AV_CODEC_ID_XPM:
            return wrong("an XPM", wrong_xpm(file));
        case AV_CODEC_ID_PAM:
            return wrong("a PAM", wrong_pam(file));
        case AV_CODEC_ID_SGI:
            return wrong("an SGI picture", wrong_sgi(file));
        case AV_CODEC_ID_DPX:
            return wrong("a DPX", wrong_dpx(file));
        case AV_CODEC_ID_DDS:
            return wrong("a DDS", wrong_dds(file));
        default:
            return std::nullopt;
    }
}

std::vector<std::string> find_picture_losses(const InputFile& file, AVCodecID codec) {
    if (codec == AV_CODEC_ID_TIFF) return lost_of_tiff(file);
    if (codec == AV_CODEC_ID_EXR) return lost_of_exr(file);
    if (codec == AV_CODEC_ID_PSD) return lost_of_psd(file);
    if (codec == AV_CODEC_ID_TARGA && has_targa_alpha_bit(file)) return {"one bit of alpha"};
    if (codec == AV_CODEC_ID_BMP && has_lost_bmp_alpha(file)) return {"alpha"};
    if (codec == AV_CODEC_ID_BMP && has_icon_masks(file)) return {"the mask of transparent pixels"};
    if (codec == AV_CODEC_ID_DDS && has_two_dds_channels(file))
        return {
            "the zeros of the blue channel, in whose place is the third side of a normal vector"};
    if (codec == AV_CODEC_ID_FITS && is_gray_fits(file))
        return {"the values of the samples, which are stretched to the whole range"};
    if (codec == AV_CODEC_ID_AV1 && read_heif_properties(file).cropped) return {"the crop"};
    if (codec == AV_CODEC_ID_APNG && has_unplayed_picture(file))
        return {"the picture for programs that do not play the animation"};
    return {};
}

}  // namespace weft
