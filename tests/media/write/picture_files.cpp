#include "tests/media/write/picture_files.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "app/media/metadata/embedded_blocks.h"
#include "tests/media/write/writer_support.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;

std::array<int, 3> upright_color(int x, int y) {
    constexpr std::array<std::array<int, 3>, 6> kColors{
        {{255, 255, 255}, {200, 40, 40}, {40, 160, 40}, {30, 60, 200}, {120, 120, 120}, {0, 0, 0}}};
    const int block = y / kBlockSide * 3 + x / kBlockSide;
    return kColors.at(static_cast<std::size_t>(block));
}

// EXIF 2.3, tag 274: what row 0 and column 0 of the stored picture show. Returns the stored place
// of an upright pixel.
std::pair<int, int> stored_place(int orientation, int x, int y) {
    const int right = kBlocksWidth - 1 - x;
    const int bottom = kBlocksHeight - 1 - y;
    switch (orientation) {
        case 2:  // top, right
            return {right, y};
        case 3:  // bottom, right
            return {right, bottom};
        case 4:  // bottom, left
            return {x, bottom};
        case 5:  // left, top
            return {y, x};
        case 6:  // right, top
            return {y, right};
        case 7:  // right, bottom
            return {bottom, right};
        case 8:  // left, bottom
            return {bottom, x};
        default:  // top, left
            return {x, y};
    }
}

std::pair<int, int> stored_size(int orientation) {
    return orientation >= 5 ? std::pair(kBlocksHeight, kBlocksWidth)
                            : std::pair(kBlocksWidth, kBlocksHeight);
}

fs::path stored_ppm(int orientation) {
    const auto [width, height] = stored_size(orientation);
    const std::string header =
        "P6 " + std::to_string(width) + " " + std::to_string(height) + " 255\n";
    Bytes bytes = text_bytes(header);
    const std::size_t start = bytes.size();
    bytes.resize(start + static_cast<std::size_t>(width) * height * 3);
    for (int y = 0; y < kBlocksHeight; ++y)
        for (int x = 0; x < kBlocksWidth; ++x) {
            const auto [u, v] = stored_place(orientation, x, y);
            const std::array<int, 3> color = upright_color(x, y);
            for (std::size_t c = 0; c < 3; ++c)
                bytes[start + static_cast<std::size_t>(v * width + u) * 3 + c] =
                    static_cast<std::uint8_t>(color.at(c));
        }
    return write_bytes("stored" + std::to_string(orientation) + ".ppm", bytes);
}

Bytes little(std::uint32_t value, int bytes) {
    Bytes made;
    for (int i = 0; i < bytes; ++i) made.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    return made;
}

Bytes big(std::uint32_t value, int bytes) {
    Bytes made = little(value, bytes);
    std::reverse(made.begin(), made.end());
    return made;
}

std::uint32_t little_at(const Bytes& bytes, std::size_t at, int count) {
    std::uint32_t value = 0;
    for (int i = count; i-- > 0;) value = value << 8U | bytes.at(at + static_cast<std::size_t>(i));
    return value;
}

// A directory entry of TIFF 6.0 whose value fits into four bytes.
Bytes tiff_entry(std::uint32_t tag, std::uint32_t type, std::uint32_t count, std::uint32_t value) {
    return joined({little(tag, 2), little(type, 2), little(count, 4), little(value, 4)});
}

constexpr std::uint32_t kShort = 3;
constexpr std::uint32_t kLong = 4;

// ISO 3309, bit by bit.
std::uint32_t crc32_of(const Bytes& bytes) {
    std::uint32_t crc = 0xFFFFFFFFU;
    for (const std::uint8_t byte : bytes) {
        crc ^= byte;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc & 1U) != 0 ? crc >> 1U ^ 0xEDB88320U : crc >> 1U;
    }
    return ~crc;
}

Bytes slice(const Bytes& bytes, std::size_t from, std::size_t to) {
    return {bytes.begin() + static_cast<std::ptrdiff_t>(from),
            bytes.begin() + static_cast<std::ptrdiff_t>(to)};
}

}  // namespace

void MetadataTest::SetUp() {
    ClipTest::SetUp();
    if (const std::string why = EmbeddedBlocks(stored_ppm(1).string()).problem(); !why.empty())
        GTEST_SKIP() << why;
}

Bytes joined(std::initializer_list<Bytes> parts) {
    Bytes all;
    for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

Bytes text_bytes(std::string_view text) {
    return {text.begin(), text.end()};
}

bool holds(const fs::path& file, const Bytes& bytes) {
    const Bytes all = read_bytes(file);
    return std::search(all.begin(), all.end(), bytes.begin(), bytes.end()) != all.end();
}

fs::path stored_blocks(int orientation, const std::string& ending) {
    const fs::path ppm = stored_ppm(orientation);
    const std::string how = ending == ".jpg"    ? " -pix_fmt yuvj444p -q:v 1"
                            : ending == ".webp" ? " -lossless 1"
                            : ending == ".jxl"  ? " -distance 0"
                                                : "";
    return make_clip("stored" + std::to_string(orientation) + ending,
                     "-i @" + ppm.filename().string() + how);
}

void expect_upright_blocks(const AVFrame& rgb) {
    constexpr unsigned kSlack = 4;  // levels that JPEG's rounding may cost
    ASSERT_EQ(rgb.width, kBlocksWidth);
    ASSERT_EQ(rgb.height, kBlocksHeight);
    for (int c = 0; c < 3; ++c) {
        const std::vector<unsigned> samples = samples_of(rgb, c);
        for (int y = kBlockSide / 2; y < kBlocksHeight; y += kBlockSide)
            for (int x = kBlockSide / 2; x < kBlocksWidth; x += kBlockSide) {
                const auto want =
                    static_cast<unsigned>(upright_color(x, y).at(static_cast<std::size_t>(c)));
                const int place = y * kBlocksWidth + x;
                const unsigned got = samples.at(static_cast<std::size_t>(place));
                EXPECT_LE(std::max(want, got) - std::min(want, got), kSlack)
                    << "x " << x << " y " << y << " component " << c;
            }
    }
}

// Offsets: header 0, IFD0 8 (3 entries, 42 bytes), Exif IFD 50 (2 entries, 30 bytes), IFD1 80 (2
// entries, 30 bytes), thumbnail 110.
Bytes exif_bytes(int orientation, int width, int height) {
    constexpr std::uint32_t kExifIfd = 50;
    constexpr std::uint32_t kIfd1 = 80;
    constexpr std::uint32_t kThumbnailAt = 110;
    constexpr std::uint32_t kAscii = 2;
    const std::uint32_t artist = 'A' | 'd' << 8 | 'a' << 16;
    return joined({text_bytes("II"), little(42, 2), little(8, 4), little(3, 2),
                   tiff_entry(0x0112, kShort, 1, static_cast<std::uint32_t>(orientation)),
                   tiff_entry(0x013B, kAscii, 4, artist), tiff_entry(0x8769, kLong, 1, kExifIfd),
                   little(kIfd1, 4), little(2, 2),
                   tiff_entry(0xA002, kLong, 1, static_cast<std::uint32_t>(width)),
                   tiff_entry(0xA003, kLong, 1, static_cast<std::uint32_t>(height)), little(0, 4),
                   little(2, 2), tiff_entry(0x0201, kLong, 1, kThumbnailAt),
                   tiff_entry(0x0202, kLong, 1, static_cast<std::uint32_t>(kThumbnail.size())),
                   little(0, 4), text_bytes(kThumbnail)});
}

Bytes jpeg_with(const Bytes& jpeg, std::uint8_t marker, const Bytes& segment) {
    return joined({{0xFF, 0xD8, 0xFF, marker},
                   big(static_cast<std::uint32_t>(segment.size() + 2), 2),
                   segment,
                   slice(jpeg, 2, jpeg.size())});
}

Bytes png_with(const Bytes& png, const std::string& type, const Bytes& data) {
    constexpr std::size_t kHeaderEnd = 33;
    const Bytes named = joined({text_bytes(type), data});
    return joined({slice(png, 0, kHeaderEnd), big(static_cast<std::uint32_t>(data.size()), 4),
                   named, big(crc32_of(named), 4), slice(png, kHeaderEnd, png.size())});
}

Bytes webp_with_exif(const Bytes& webp, int width, int height, const Bytes& exif) {
    constexpr std::uint8_t kHasExif = 8;
    const Bytes body =
        joined({text_bytes("WEBPVP8X"), little(10, 4), Bytes{kHasExif, 0, 0, 0},
                little(static_cast<std::uint32_t>(width - 1), 3),
                little(static_cast<std::uint32_t>(height - 1), 3), slice(webp, 12, webp.size()),
                text_bytes("EXIF"), little(static_cast<std::uint32_t>(exif.size()), 4), exif,
                Bytes(exif.size() % 2, 0)});
    return joined({text_bytes("RIFF"), little(static_cast<std::uint32_t>(body.size()), 4), body});
}

// ISO/IEC 18181-2: boxes of a size, a type and data.
Bytes jxl_with_exif(const Bytes& codestream, const Bytes& exif) {
    const auto box = [](std::string_view type, const Bytes& data) {
        return joined(
            {big(static_cast<std::uint32_t>(8 + data.size()), 4), text_bytes(type), data});
    };
    return joined({box("JXL ", {0x0D, 0x0A, 0x87, 0x0A}),
                   box("ftyp", joined({text_bytes("jxl "), big(0, 4), text_bytes("jxl ")})),
                   box("Exif", joined({big(0, 4), exif})), box("jxlc", codestream)});
}

// Appends a copy of the directory with the tag, in order, and points the header to it.
Bytes tiff_with_shorts(const Bytes& tiff, std::uint16_t tag, std::uint32_t count,
                       std::uint32_t value) {
    const std::size_t old = little_at(tiff, 4, 4);
    const std::uint32_t old_count = little_at(tiff, old, 2);
    std::vector<Bytes> entries{tiff_entry(tag, kShort, count, value)};
    for (std::uint32_t i = 0; i < old_count; ++i) {
        const std::size_t at = old + 2 + std::size_t{12} * i;
        if (little_at(tiff, at, 2) != tag) entries.push_back(slice(tiff, at, at + 12));
    }
    std::sort(entries.begin(), entries.end(), [](const Bytes& a, const Bytes& b) {
        return little_at(a, 0, 2) < little_at(b, 0, 2);
    });
    const Bytes padding(tiff.size() % 2, 0);
    Bytes made = joined({slice(tiff, 0, 4),
                         little(static_cast<std::uint32_t>(tiff.size() + padding.size()), 4),
                         slice(tiff, 8, tiff.size()), padding,
                         little(static_cast<std::uint32_t>(entries.size()), 2)});
    for (const Bytes& entry : entries) made.insert(made.end(), entry.begin(), entry.end());
    return joined({made, little(0, 4)});
}

namespace {

// Where a little-endian TIFF has the rational number of a tag.
std::size_t rational_at(const Bytes& tiff, std::uint16_t tag) {
    const std::size_t directory = little_at(tiff, 4, 4);
    for (std::size_t k = 0; k < little_at(tiff, directory, 2); ++k) {
        const std::size_t entry = directory + 2 + 12 * k;
        if (little_at(tiff, entry, 2) == tag) return little_at(tiff, entry + 8, 4);
    }
    throw std::runtime_error("the TIFF has no such tag");
}

constexpr std::uint16_t kXResolution = 0x011A, kYResolution = 0x011B;

}  // namespace

Bytes tiff_with_resolution(Bytes tiff, std::uint32_t x, std::uint32_t y) {
    for (const auto& [tag, value] : {std::pair{kXResolution, x}, std::pair{kYResolution, y}})
        std::ranges::copy(joined({little(value, 4), little(1, 4)}),
                          tiff.begin() + static_cast<std::ptrdiff_t>(rational_at(tiff, tag)));
    return tiff;
}

std::array<double, 2> resolution_of_tiff(const fs::path& file) {
    const Bytes tiff = read_bytes(file);
    const auto number = [&](std::uint16_t tag) {
        const std::size_t at = rational_at(tiff, tag);
        return static_cast<double>(little_at(tiff, at, 4)) / little_at(tiff, at + 4, 4);
    };
    return {number(kXResolution), number(kYResolution)};
}

std::vector<Bytes> png_chunks(const fs::path& file, const std::string& type) {
    const Bytes png = read_bytes(file);
    std::vector<Bytes> found;
    for (std::size_t at = 8; at + 12 <= png.size();) {
        Bytes length = slice(png, at, at + 4);
        std::reverse(length.begin(), length.end());
        const std::size_t size = little_at(length, 0, 4);
        if (slice(png, at + 4, at + 8) == text_bytes(type))
            found.push_back(slice(png, at + 8, at + 8 + size));
        at += size + 12;
    }
    return found;
}

// ICC.1: the size, then among zeros the version, the class, the colour space, the signature.
Bytes icc_bytes(std::string_view space) {
    Bytes icc(132, 0);
    const auto put = [&icc](std::size_t at, const Bytes& bytes) {
        std::copy(bytes.begin(), bytes.end(), icc.begin() + static_cast<std::ptrdiff_t>(at));
    };
    put(0, big(static_cast<std::uint32_t>(icc.size()), 4));
    put(8, {4, 0x20});
    put(12, text_bytes("mntr"));
    put(16, text_bytes(space));
    put(20, text_bytes("XYZ "));
    put(36, text_bytes("acsp"));
    return icc;
}

fs::path oriented_blocks(int orientation, const std::string& ending) {
    const auto [width, height] = stored_size(orientation);
    const Bytes plain = read_bytes(stored_blocks(orientation, ending));
    const Bytes exif = exif_bytes(orientation, width, height);
    const std::string name = "oriented" + std::to_string(orientation) + ending;
    if (ending == ".jpg")
        return write_bytes(name,
                           jpeg_with(plain, 0xE1, joined({text_bytes("Exif"), {0, 0}, exif})));
    if (ending == ".png") return write_bytes(name, png_with(plain, "eXIf", exif));
    if (ending == ".webp") return write_bytes(name, webp_with_exif(plain, width, height, exif));
    if (ending == ".tiff")
        return write_bytes(
            name, tiff_with_shorts(plain, 0x0112, 1, static_cast<std::uint32_t>(orientation)));
    throw std::runtime_error("no form for " + ending);
}

}  // namespace weft::test
