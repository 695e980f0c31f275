#include "app/media/metadata/header_facts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/media/demux/box.h"
#include "app/media/demux/file_cursor.h"

namespace weft {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;

std::uint32_t little16(FileCursor& cursor) {
    const std::uint32_t low = cursor.u8();
    return low | std::uint32_t{cursor.u8()} << 8U;
}

Bytes bytes_at(const InputFile& file, std::int64_t at, std::int64_t size) {
    if (at < 0 || size <= 0 || size > kMostBytes || at > file.size() - size) return {};
    Bytes bytes(static_cast<std::size_t>(size));
    bytes.resize(file.read_at(at, bytes));
    return bytes;
}

// A field of text, up to the first zero; 0xFF fills DPX fields that are not set.
std::string text_at(const InputFile& file, std::int64_t at, std::int64_t size) {
    const Bytes bytes = bytes_at(file, at, size);
    const auto end = std::ranges::find_if(bytes, [](auto c) { return c == 0 || c == 0xFF; });
    std::string text(bytes.begin(), end);
    while (text.ends_with(' ')) text.pop_back();
    return text;
}

std::optional<Resolution> per_metre(std::uint32_t x, std::uint32_t y) {
    if (x == 0 || y == 0) return std::nullopt;
    return Resolution{.x = {x, 100}, .y = {y, 100}, .unit = Resolution::centimetre};
}

// Windows' bitmap: the header's size is its version; version 5 has a profile after the pixels.
void read_bmp(const InputFile& file, HeaderFacts& facts) {
    constexpr std::int64_t kHeader = 14;
    constexpr std::uint32_t kVersion4 = 108, kVersion5 = 124;
    FileCursor cursor(file, kHeader);
    const std::uint32_t size = cursor.little32();
    if (size < 40) return;
    cursor.go(kHeader + 24);
    const std::uint32_t x = cursor.little32();
    facts.resolution = per_metre(x, cursor.little32());
    if (size < kVersion4) return;
    cursor.go(kHeader + 56);
    const std::string space = cursor.text4();  // its letters are stored from the last to the first
    const Bytes calibration = bytes_at(file, cursor.at(), 48);
    const auto set = [](std::uint8_t byte) { return byte != 0; };
    if (space == std::string(4, '\0') && std::ranges::any_of(calibration, set))
        facts.others.emplace_back("the calibration of the colours");
    if (space == "KNIL") facts.others.emplace_back("the name of an ICC profile's file");
    if (size < kVersion5 || space != "DEBM") return;
    cursor.go(kHeader + 112);
    const std::int64_t place = cursor.little32();
    facts.blocks.profile = bytes_at(file, kHeader + place, cursor.little32());
}

// Some writers have the size of a screen or of the picture in place of dots per inch.
void read_pcx(const InputFile& file, HeaderFacts& facts) {
    FileCursor cursor(file, 4);
    std::array<std::uint32_t, 6> fields{};  // left, top, right, bottom, resolutions
    for (std::uint32_t& field : fields) field = little16(cursor);
    const auto [left, top, right, bottom, x, y] = fields;
    const bool picture = x == right - left + 1 && y == bottom - top + 1;
    const bool screen = (x == 640 && (y == 480 || y == 350 || y == 200)) ||
                        (x == 320 && y == 200) || (x == 800 && y == 600) || (x == 1024 && y == 768);
    if (x > 0 && y > 0 && !picture && !screen)
        facts.resolution = Resolution{.x = {x, 1}, .y = {y, 1}, .unit = Resolution::inch};
}

// A part of a header that no output holds.
struct Field {
    std::int64_t at = 0;
    std::int64_t size = 0;
    const char* name = "";
    bool number = false;  // else a text, which zero ends
};

void name_fields(const InputFile& file, std::int64_t begin, std::span<const Field> fields,
                 HeaderFacts& facts) {
    for (const Field& field : fields) {
        const std::int64_t at = begin + field.at;
        const Bytes bytes = bytes_at(file, at, field.size);
        const bool set = field.number ? std::ranges::any_of(bytes, [](auto c) { return c != 0; })
                                      : !text_at(file, at, field.size).empty();
        if (set) facts.others.emplace_back(field.name);
    }
}

// Truevision's TGA 2.0 has an area of fields, whose place is in the last 26 bytes.
void read_tga(const InputFile& file, HeaderFacts& facts) {
    constexpr std::array kFields{Field{2, 41, "author"},
                                 Field{43, 324, "comment"},
                                 Field{367, 12, "date", true},
                                 Field{379, 41, "job"},
                                 Field{420, 6, "job time", true},
                                 Field{426, 41, "software"},
                                 Field{474, 4, "pixel aspect ratio", true},
                                 Field{478, 4, "gamma", true}};
    const std::int64_t footer = file.size() - 26;
    FileCursor cursor(file);
    if (cursor.u8() > 0) facts.others.emplace_back("image identification");
    if (text_at(file, footer + 8, 16) != "TRUEVISION-XFILE") return;
    cursor.go(footer);
    const std::int64_t area = cursor.little32();
    const std::int64_t developer = cursor.little32();
    if (developer != 0) facts.others.emplace_back("developer area");
    if (area != 0) name_fields(file, area, kFields, facts);
}

// SMPTE 268: texts at fixed places; those that libav hands over are named with the frame's.
void read_dpx(const InputFile& file, HeaderFacts& facts) {
    constexpr std::array kFields{Field{136, 24, "creation time"},
                                 Field{260, 200, "project"},
                                 Field{460, 200, "copyright"},
                                 Field{792, 100, "source file"},
                                 Field{892, 24, "source time"},
                                 Field{948, 32, "serial number of the input device"},
                                 Field{1664, 16, "film edge code"},
                                 Field{1680, 32, "film format"},
                                 Field{1732, 32, "frame identification"},
                                 Field{1764, 100, "slate"}};
    name_fields(file, 0, kFields, facts);
}

// Photoshop's resources up to `end`: a type, a number, a name and data, the last two padded to even
// sizes. Exiv2 reads those that hold EXIF, XMP and IPTC.
void read_resources(const InputFile& file, FileCursor& cursor, std::int64_t end,
                    HeaderFacts& facts) {
    constexpr std::array<std::uint64_t, 7> kElsewhere{0x0404, 0x0409, 0x040C, 0x0422,
                                                      0x0423, 0x0424, 0x0425};  // and thumbnails
    bool others = false;
    while (cursor.at() < end && !cursor.ended() && cursor.text4() == "8BIM") {
        const std::uint64_t number = cursor.big(2);
        cursor.skip(cursor.u8() | 1);
        const std::int64_t bytes = cursor.big32();
        const std::int64_t data = cursor.at();
        if (number == 0x03ED) {  // 16.16, always per inch
            const std::uint32_t x = cursor.big32();
            cursor.skip(4);
            const std::uint32_t y = cursor.big32();
            if (x > 0 && y > 0)
                facts.resolution =
                    Resolution{.x = {x, 65536}, .y = {y, 65536}, .unit = Resolution::inch};
        } else if (number == 0x040F) {
            facts.blocks.profile = bytes_at(file, data, bytes);
        } else if (std::ranges::find(kElsewhere, number) == kElsewhere.end()) {
            others = true;
        }
        cursor.go(data + bytes + bytes % 2);
    }
    if (others) facts.others.emplace_back("Photoshop resources");
    cursor.go(end);
}

// The resources follow the header and the table of colours.
void read_psd(const InputFile& file, HeaderFacts& facts) {
    FileCursor cursor(file, 26);
    cursor.skip(cursor.big32());
    const std::int64_t size = cursor.big32();
    read_resources(file, cursor, cursor.at() + size, facts);
}

// TIFF 6.0: the first directory has entries of a tag, a type, a count and a place. Its other tags
// are EXIF's.
void read_tiff(const InputFile& file, bool little, HeaderFacts& facts) {
    constexpr std::uint32_t kResources = 34377;
    FileCursor cursor(file, 4);
    const auto number16 = [&] {
        return little ? little16(cursor) : static_cast<std::uint32_t>(cursor.big(2));
    };
    const auto number32 = [&] { return little ? cursor.little32() : cursor.big32(); };
    cursor.go(number32());
    for (std::uint32_t left = number16(); left > 0 && !cursor.ended(); --left) {
        const std::uint32_t tag = number16();
        cursor.skip(2);
        const std::int64_t size = number32();
        const std::int64_t place = number32();
        if (tag != kResources) continue;
        HeaderFacts found;
        cursor.go(place);
        read_resources(file, cursor, place + size, found);
        facts.others = found.others;
        return;
    }
}

Bytes gif_blocks(FileCursor& cursor) {
    Bytes bytes;
    while (!cursor.ended() && std::cmp_less(bytes.size(), kMostBytes)) {
        const std::uint8_t size = cursor.u8();
        if (size == 0) break;
        for (int k = 0; k < size; ++k) bytes.push_back(cursor.u8());
    }
    return bytes;
}

// XMP in GIF is no sequence of blocks: sizes of blocks are bytes of the packet, up to a trailer
// that leads every reader to its end.
std::string gif_packet(FileCursor& cursor) {
    std::string packet;
    while (!cursor.ended() && std::cmp_less(packet.size(), kMostBytes)) {
        const std::uint8_t byte = cursor.u8();
        if (byte == 0x01) break;
        packet.push_back(static_cast<char>(byte));
    }
    for (int size = cursor.u8(); size > 0 && !cursor.ended(); --size) cursor.skip(1);
    cursor.skip_to(0);
    cursor.skip(2);
    return packet;
}

void read_gif_extension(const InputFile& file, FileCursor& cursor, HeaderFacts& facts) {
    constexpr std::uint8_t kText = 0x01, kControl = 0xF9, kComment = 0xFE, kApplication = 0xFF;
    const std::uint8_t label = cursor.u8();
    if (label == kComment) {
        const Bytes text = gif_blocks(cursor);
        if (facts.blocks.comment.empty()) facts.blocks.comment.assign(text.begin(), text.end());
        return;
    }
    if (label == kText) facts.others.emplace_back("plain text");
    if (label != kApplication) {
        if (label != kControl && label != kText)
            facts.others.push_back(fmt::format("extension 0x{:02X}", label));
        gif_blocks(cursor);
        return;
    }
    const std::int64_t size = cursor.u8();
    const std::string name = text_at(file, cursor.at(), size);
    cursor.skip(size);
    if (name == "XMP DataXMP") {
        facts.blocks.xmp = gif_packet(cursor);
        return;
    }
    const Bytes data = gif_blocks(cursor);
    if (name == "ICCRGBG1012")
        facts.blocks.profile = data;
    else if (name != "NETSCAPE2.0" && name != "ANIMEXTS1.0")
        facts.others.push_back(fmt::format("extension {}", name));
}

// GIF89a: a screen, its colours, then extensions and pictures up to the end.
void read_gif(const InputFile& file, HeaderFacts& facts) {
    constexpr std::uint8_t kExtension = 0x21, kPicture = 0x2C;
    const auto colors = [](unsigned flags) {
        return (flags & 0x80U) != 0 ? 3 << ((flags & 7U) + 1) : 0;
    };
    FileCursor cursor(file, 10);
    const unsigned screen = cursor.u8();
    cursor.skip(2 + colors(screen));
    while (!cursor.ended()) {
        const std::uint8_t kind = cursor.u8();
        if (kind == kExtension) {
            read_gif_extension(file, cursor, facts);
        } else if (kind == kPicture) {
            cursor.skip(8);
            const unsigned picture = cursor.u8();
            cursor.skip(colors(picture) + 1);
            for (std::uint8_t size = cursor.u8(); size > 0 && !cursor.ended(); size = cursor.u8())
                cursor.skip(size);
        } else {
            return;
        }
    }
}

void read_webp(const InputFile& file, HeaderFacts& facts) {
    constexpr std::array<std::string_view, 9> kKnown{"VP8 ", "VP8L", "VP8X", "ALPH", "ANIM",
                                                     "ANMF", "ICCP", "EXIF", "XMP "};
    FileCursor cursor(file, 12);
    while (cursor.left() >= 8) {
        const std::string type = cursor.text4();
        const std::int64_t size = cursor.little32();
        if (cursor.ended()) return;
        if (std::ranges::find(kKnown, type) == kKnown.end())
            facts.others.push_back(fmt::format("chunk {}", type));
        cursor.skip(size + size % 2);
    }
}

// Attributes that describe how the pixels are stored, and those with another place here.
bool is_exr_layout(std::string_view name) {
    constexpr std::array<std::string_view, 19> kLayout{"framesPerSecond",
                                                       "channels",
                                                       "compression",
                                                       "dataWindow",
                                                       "displayWindow",
                                                       "lineOrder",
                                                       "pixelAspectRatio",
                                                       "screenWindowCenter",
                                                       "screenWindowWidth",
                                                       "tiles",
                                                       "type",
                                                       "name",
                                                       "version",
                                                       "chunkCount",
                                                       "maxSamplesPerPixel",
                                                       "view",
                                                       "multiView",
                                                       "dwaCompressionLevel",
                                                       "preview"};
    return std::ranges::find(kLayout, name) != kLayout.end();
}

std::string exr_text(FileCursor& cursor) {
    std::string text;
    for (std::uint8_t c = cursor.u8(); c != 0 && !cursor.ended() && text.size() < 256;
         c = cursor.u8())
        text += static_cast<char>(c);
    return text;
}

// Values without a meaning, and those that libav's encoder writes: its name, and a gamma of 1.
bool is_exr_default(const Bytes& value, std::string_view name) {
    constexpr std::array kBt709{0.64F, 0.33F, 0.3F, 0.6F, 0.15F, 0.06F, 0.3127F, 0.329F};
    const auto number = [&value](std::size_t k) {
        return std::bit_cast<float>(little32(value, 4 * k));
    };
    if (name == "gamma") return value.size() == 4 && number(0) == 1;
    if (name == "chromaticities" && value.size() == 4 * kBt709.size()) {
        for (std::size_t k = 0; k < kBt709.size(); ++k)
            if (std::abs(number(k) - kBt709[k]) > 0.0001F) return false;
        return true;
    }
    const std::string text(value.begin(), value.end());
    return text.starts_with("Lavc") || text.starts_with("lavc");
}

// OpenEXR: attributes of a name, a type, a size and a value, up to an empty name.
void read_exr(const InputFile& file, HeaderFacts& facts) {
    FileCursor cursor(file, 8);
    while (!cursor.ended()) {
        const std::string name = exr_text(cursor);
        if (name.empty()) return;
        exr_text(cursor);
        const std::int64_t size = cursor.little32();
        const std::int64_t value = cursor.at();
        if (!is_exr_layout(name) && !is_exr_default(bytes_at(file, value, size), name))
            facts.others.push_back(name);
        cursor.go(value + size);
    }
}

// Netpbm: lines that begin with # between the numbers of the header.
void read_netpbm(const InputFile& file, HeaderFacts& facts) {
    constexpr std::int64_t kMostHeader = 4096;
    const Bytes start = bytes_at(file, 0, std::min(file.size(), kMostHeader));
    const bool pam = start[1] == '7';
    const bool bitmap = start[1] == '1' || start[1] == '4';
    int numbers = 0;
    for (std::size_t at = 2; at < start.size() && (pam || numbers < (bitmap ? 2 : 3));) {
        const auto line = std::find(start.begin() + static_cast<std::ptrdiff_t>(at), start.end(),
                                    std::uint8_t{'\n'});
        const std::string text(start.begin() + static_cast<std::ptrdiff_t>(at), line);
        if (start[at] == '#') {
            facts.blocks.comment += (facts.blocks.comment.empty() ? "" : "\n") +
                                    text.substr(text.size() > 1 && text[1] == ' ' ? 2 : 1);
            at += text.size() + 1;
        } else if (pam) {
            if (text == "ENDHDR") return;
            at += text.size() + 1;
        } else {
            const auto space = [](std::uint8_t c) { return c == ' ' || (c >= 9 && c <= 13); };
            if (!space(start[at]) && space(start[at - 1])) ++numbers;
            ++at;
        }
    }
}

// ISO/IEC 15444-1, I.5.3.7: a number of pixels per metre, a fraction with an exponent.
std::optional<Resolution> jp2_resolution(FileCursor& cursor) {
    std::array<double, 4> numbers{};
    for (double& number : numbers) number = static_cast<double>(cursor.big(2));
    std::array<double, 2> powers{};
    for (double& power : powers) power = static_cast<std::int8_t>(cursor.u8());
    const auto value = [&](std::size_t k) {
        const double made = numbers[2 * k] / numbers[2 * k + 1] * std::pow(10.0, powers[k]);
        return made >= 1 && made < 0x7FFFFFFF ? static_cast<std::uint32_t>(std::lround(made)) : 0U;
    };
    if (cursor.ended() || numbers[1] == 0 || numbers[3] == 0) return std::nullopt;
    return per_metre(value(1), value(0));  // down, then across
}

// The main header of a codestream: markers with sizes, up to the first tile. Encoders name
// themselves in comments.
void read_codestream(const InputFile& file, std::int64_t begin, HeaderFacts& facts) {
    constexpr std::uint64_t kComment = 0xFF64, kTile = 0xFF90;
    FileCursor cursor(file, begin);
    if (cursor.big(2) != 0xFF4F) return;
    while (!cursor.ended()) {
        const std::uint64_t marker = cursor.big(2);
        const auto size = static_cast<std::int64_t>(cursor.big(2));
        if (marker < 0xFF00 || marker == kTile || size < 2) return;
        const std::int64_t data = cursor.at();
        if (marker == kComment) {
            const std::string text = text_at(file, data + 2, size - 4);
            const bool own = text.starts_with("Created by") || text.starts_with("Kakadu") ||
                             text.starts_with("Lavc");
            if (!own && facts.blocks.comment.empty()) facts.blocks.comment = text;
        }
        cursor.go(data + size - 2);
    }
}

bool is_super_box(std::string_view type) {
    return type == "jp2h" || type == "res ";
}

// Boxes of JPEG 2000 and JPEG XL, in which lists are nested to a depth of two. Exiv2 reads uuid
// boxes of EXIF, XMP and IPTC.
void read_boxes(const InputFile& file, std::int64_t begin, std::int64_t end, HeaderFacts& facts,
                int depth = 0) {
    constexpr int kMostDepth = 2;
    constexpr std::array<std::string_view, 20> kKnown{
        "rreq", "jP  ", "JXL ", "ftyp", "jp2h", "ihdr", "bpcc", "colr", "pclr", "cmap",
        "cdef", "jp2c", "jxlc", "jxlp", "jxll", "jbrd", "Exif", "xml ", "uuid", "free"};
    FileCursor cursor(file, begin);
    while (const auto box = read_box(cursor, end)) {
        const std::string& type = box->type;
        if (is_super_box(type) && depth < kMostDepth) {
            read_boxes(file, box->data, box->end(), facts, depth + 1);
        } else if (type == "jp2c") {
            read_codestream(file, box->data, facts);
        } else if (type == "resc" || (type == "resd" && !facts.resolution)) {
            facts.resolution = jp2_resolution(cursor);
        } else if (type == "brob") {
            facts.others.push_back(fmt::format("compressed box {}", cursor.text4()));
        } else if (type != "resd" && std::ranges::find(kKnown, type) == kKnown.end()) {
            facts.others.push_back(fmt::format("box {}", type));
        }
        cursor.go(box->end());
    }
}

bool has_extension(const InputFile& file, std::string_view lower) {
    std::string extension = std::filesystem::path(file.path()).extension().string();
    std::ranges::transform(extension, extension.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension == lower;
}

}  // namespace

HeaderFacts read_header_facts(const InputFile& file) {
    HeaderFacts facts;
    const Bytes start = bytes_at(file, 0, 16);
    if (start.size() < 16) return facts;
    const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
    const auto begins = [&](std::string_view magic) { return text.starts_with(magic); };
    if (begins("BM"))
        read_bmp(file, facts);
    else if (start[0] == 0x0A && start[1] <= 5 && start[2] <= 1)
        read_pcx(file, facts);
    else if (begins("SDPX") || begins("XPDS"))
        read_dpx(file, facts);
    else if (begins({"II*\0", 4}) || begins({"MM\0*", 4}))
        read_tiff(file, start[0] == 'I', facts);
    else if (begins("8BPS"))
        read_psd(file, facts);
    else if (begins("GIF8"))
        read_gif(file, facts);
    else if (begins("RIFF") && text.substr(8, 4) == "WEBP")
        read_webp(file, facts);
    else if (begins("\x76\x2F\x31\x01"))
        read_exr(file, facts);
    else if (start[0] == 'P' && start[1] >= '1' && start[1] <= '7')
        read_netpbm(file, facts);
    else if (text.substr(4, 4) == "jP  " || text.substr(4, 4) == "JXL ")
        read_boxes(file, 0, file.size(), facts);
    else if (begins("\xFF\x4F\xFF\x51"))
        read_codestream(file, 0, facts);
    else if (begins("\x01\xDA") && !text_at(file, 24, 80).empty())
        facts.others.emplace_back("name of the image");
    else if (has_extension(file, ".tga"))
        read_tga(file, facts);
    return facts;
}

}  // namespace weft
