// Pictures and videos that players mirror or rotate are written upright, whatever stores them.
#include <array>
#include <utility>

#include <gmock/gmock.h>

#include "app/media/demux/video_stream.h"
#include "app/media/picture/rotation.h"
#include "tests/media/write/writer_clips.h"
#include "tests/media/write/writer_support.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using namespace test;
using testing::Contains;
using testing::HasSubstr;

// Blocks of one colour each, so that a JPEG of any quality keeps them: 3 by 2 of 16×16 pixels.
constexpr int kBlock = 16;
constexpr int kWidth = 3 * kBlock;
constexpr int kHeight = 2 * kBlock;

std::array<int, 3> upright_color(int x, int y) {
    constexpr std::array<std::array<int, 3>, 6> kColors{
        {{255, 255, 255}, {200, 40, 40}, {40, 160, 40}, {30, 60, 200}, {120, 120, 120}, {0, 0, 0}}};
    return kColors.at(static_cast<std::size_t>(y / kBlock * 3 + x / kBlock));
}

// EXIF 2.3, tag 274: where row 0 and column 0 of the stored picture are when it is upright. Returns
// the stored place of an upright pixel.
std::pair<int, int> stored_place(int orientation, int x, int y) {
    const int right = kWidth - 1 - x;
    const int bottom = kHeight - 1 - y;
    switch (orientation) {
        case 2:  // top right
            return {right, y};
        case 3:  // bottom right
            return {right, bottom};
        case 4:  // bottom left
            return {x, bottom};
        case 5:  // left top
            return {y, x};
        case 6:  // right top
            return {y, right};
        case 7:  // right bottom
            return {bottom, right};
        case 8:  // left bottom
            return {bottom, x};
        default:  // top left
            return {x, y};
    }
}

fs::path stored_ppm(int orientation) {
    const bool lying = orientation >= 5;
    const int width = lying ? kHeight : kWidth;
    const int height = lying ? kWidth : kHeight;
    const std::string header =
        "P6 " + std::to_string(width) + " " + std::to_string(height) + " 255\n";
    Bytes bytes(header.begin(), header.end());
    const std::size_t start = bytes.size();
    bytes.resize(start + static_cast<std::size_t>(width) * height * 3);
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) {
            const auto [u, v] = stored_place(orientation, x, y);
            for (int c = 0; c < 3; ++c)
                bytes[start + static_cast<std::size_t>((v * width + u) * 3 + c)] =
                    static_cast<std::uint8_t>(upright_color(x, y)[static_cast<std::size_t>(c)]);
        }
    return write_bytes("stored" + std::to_string(orientation) + ".ppm", bytes);
}

// A TIFF structure with the tag alone: its header, one entry, no further directory.
Bytes exif_of(int orientation) {
    Bytes exif{'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0};
    exif.insert(exif.end(), {static_cast<std::uint8_t>(orientation), 0, 0, 0, 0, 0, 0, 0});
    return exif;
}

Bytes joined(std::initializer_list<Bytes> parts) {
    Bytes all;
    for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

Bytes jpeg_with(const Bytes& jpeg, const Bytes& exif) {
    const auto size = static_cast<std::uint8_t>(exif.size() + 8);
    return joined({{0xFF, 0xD8, 0xFF, 0xE1, 0, size, 'E', 'x', 'i', 'f', 0, 0},
                   exif,
                   Bytes(jpeg.begin() + 2, jpeg.end())});
}

fs::path oriented_jpeg(int orientation) {
    const std::string number = std::to_string(orientation);
    const fs::path ppm = stored_ppm(orientation);
    const fs::path plain =
        make_clip("stored" + number + ".jpg",
                  "-i @" + ppm.filename().string() + " -pix_fmt yuvj444p -q:v 1 -huffman default");
    return write_bytes("oriented" + number + ".jpg",
                       jpeg_with(read_bytes(plain), exif_of(orientation)));
}

// Levels that JPEG's rounding may cost a flat block.
constexpr unsigned kSlack = 4;

void expect_upright(const AVFrame& frame) {
    ASSERT_EQ(frame.width, kWidth);
    ASSERT_EQ(frame.height, kHeight);
    for (int c = 0; c < 3; ++c) {
        const std::vector<unsigned> samples = samples_of(frame, c);
        for (int y = kBlock / 2; y < kHeight; y += kBlock)
            for (int x = kBlock / 2; x < kWidth; x += kBlock) {
                const auto want =
                    static_cast<unsigned>(upright_color(x, y)[static_cast<std::size_t>(c)]);
                const unsigned got = samples[static_cast<std::size_t>(y * kWidth + x)];
                EXPECT_LE(std::max(want, got) - std::min(want, got), kSlack)
                    << "x " << x << " y " << y << " component " << c;
            }
    }
}

class MediaOrientation : public ClipTest {};

TEST_F(MediaOrientation, EveryExifOrientationIsWrittenUpright) {
    for (int orientation = 1; orientation <= 8; ++orientation) {
        SCOPED_TRACE(orientation);
        const fs::path out = fresh_output(".ppm");
        rewrite(oriented_jpeg(orientation), quick_options(out));
        const auto frames = decode_frames(out);
        ASSERT_EQ(frames.size(), 1U);
        expect_upright(*frames.front());
    }
}

// The window rotates what the Reader delivers and knows nothing of mirrors.
TEST_F(MediaOrientation, TheReaderLeavesARotation) {
    for (int orientation = 1; orientation <= 8; ++orientation) {
        SCOPED_TRACE(orientation);
        ReaderOptions options;
        options.path = oriented_jpeg(orientation).string();
        Reader reader(options);
        MediaItem item = reader.next();
        const AVFrame& frame = *std::get<Frame>(item).av;
        const AVFramePtr shown = reorient(frame, turn_by(reader.rotation_degrees()));
        ASSERT_EQ(shown->width, kWidth);
        const std::vector<unsigned> luma = samples_of(*shown, 0);
        const auto at = [&](int x, int y) {
            return luma[static_cast<std::size_t>(y * kWidth + x)];
        };
        EXPECT_GE(at(kBlock / 2, kBlock / 2), 255 - kSlack);                   // the white block
        EXPECT_LE(at(kWidth - kBlock / 2, kHeight - kBlock / 2), 0 + kSlack);  // the black one
    }
}

// A copy of the clip whose video track has another matrix {a, b, c, d}. ISO 14496-12: nine numbers,
// 44 bytes after the type of the track header.
fs::path with_matrix(const std::string& name, const std::array<int, 4>& abcd) {
    Bytes bytes = read_bytes(clip("silent.mp4"));
    const std::string type = "tkhd";
    const auto header = std::search(bytes.begin(), bytes.end(), type.begin(), type.end());
    if (header == bytes.end()) throw std::runtime_error("the clip has no track header");
    constexpr std::array kPlaces{0, 1, 3, 4};
    for (std::size_t i = 0; i < abcd.size(); ++i) {
        const auto number = static_cast<std::uint32_t>(abcd.at(i)) << 16U;
        for (int byte = 0; byte < 4; ++byte)
            *(header + 44 + kPlaces.at(i) * 4 + byte) =
                static_cast<std::uint8_t>(number >> (24 - 8 * byte));
    }
    return write_bytes(name, bytes);
}

struct Flip {
    const char* name;
    std::array<int, 4> matrix;  // x' = a x + c y, y' = b x + d y
    const char* filters;        // that do the same
};

// mp4 keeps the rotation, which ffmpeg applies when it decodes.
TEST_F(MediaOrientation, DisplayMatricesThatMirror) {
    const std::vector<Flip> table{{"mirrored.mp4", {-1, 0, 0, 1}, "hflip"},
                                  {"upside_down.mp4", {1, 0, 0, -1}, "vflip"},
                                  {"transposed.mp4", {0, 1, 1, 0}, "transpose=cclock_flip"},
                                  {"antitransposed.mp4", {0, -1, -1, 0}, "transpose=clock_flip"}};
    for (const Flip& row : table)
        for (const char* ending : {".mkv", ".mp4"}) {
            SCOPED_TRACE(std::string(row.name) + " to " + ending);
            const fs::path source = with_matrix(row.name, row.matrix);
            const fs::path upright = make_clip(
                std::string(row.name) + ".upright.mkv",
                "-noautorotate -i @silent.mp4 -vf " + std::string(row.filters) + " -c:v ffv1");
            WriterOptions options = quick_options(fresh_output(ending));
            options.lossless = true;
            options.preset.clear();
            const WriteReport report = rewrite(source, options);
            const std::string name = fs::path(options.path).filename().string();
            const fs::path shown = make_clip(name + ".shown.mkv", "-i @" + name + " -c:v ffv1");
            EXPECT_EQ(frame_hashes(shown, "yuv420p"), frame_hashes(upright, "yuv420p"));
            EXPECT_THAT(report.warnings, testing::IsEmpty());
        }
}

TEST_F(MediaOrientation, NotesThatPixelsAreMirrored) {
    ReaderOptions options;
    options.path = oriented_jpeg(5).string();
    EXPECT_THAT(Reader(options).notes(), Contains(HasSubstr("pixels are mirrored")));
    options.path = oriented_jpeg(6).string();
    EXPECT_THAT(Reader(options).notes(), testing::Not(Contains(HasSubstr("mirrored"))));
}

TEST(MediaReaderTurn, MirrorsBeforeItRotates) {
    // x' = y, y' = x: mirrored left and right, then a quarter turn counter-clockwise.
    std::array<std::int32_t, 9> matrix{0, 1 << 16, 0, 1 << 16, 0, 0, 0, 0, 1 << 30};
    const DisplayTurn turn = display_turn_of(matrix.data());
    EXPECT_TRUE(turn.mirrored);
    EXPECT_EQ(turn.degrees, 270);
    EXPECT_FALSE(turn.slanted);
}

}  // namespace
}  // namespace weft
