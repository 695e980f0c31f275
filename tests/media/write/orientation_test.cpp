// Pictures and videos that players mirror or rotate are written upright, whatever stores them.
#include <algorithm>
#include <array>

#include <gmock/gmock.h>

#include "app/media/demux/video_stream.h"
#include "app/media/picture/rotation.h"
#include "tests/media/write/picture_files.h"
#include "tests/media/write/writer_clips.h"
#include "tests/media/write/writer_support.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using namespace test;
using testing::Contains;
using testing::HasSubstr;

class MediaOrientation : public MetadataTest {};

TEST_F(MediaOrientation, EveryExifOrientationIsWrittenUpright) {
    for (const char* ending : {".jpg", ".png", ".tiff", ".webp"})
        for (int orientation = 1; orientation <= 8; ++orientation) {
            SCOPED_TRACE(std::to_string(orientation) + " in " + ending);
            const fs::path out = fresh_output(".ppm");
            rewrite(oriented_blocks(orientation, ending), quick_options(out));
            const auto frames = decode_frames(out);
            ASSERT_EQ(frames.size(), 1U);
            expect_upright_blocks(*frames.front());
        }
}

// JPEG XL turns a picture by its codestream; the EXIF of the original is for information.
TEST_F(MediaOrientation, ExifDoesNotTurnAJpegXl) {
    const Bytes upright = read_bytes(stored_blocks(1, ".jxl"));
    for (int orientation = 1; orientation <= 8; ++orientation) {
        SCOPED_TRACE(orientation);
        const fs::path out = fresh_output(".ppm");
        rewrite(write_bytes("exif.jxl", jxl_with_exif(upright, exif_bytes(orientation))),
                quick_options(out));
        const auto frames = decode_frames(out);
        ASSERT_EQ(frames.size(), 1U);
        expect_upright_blocks(*frames.front());
    }
}

// The window rotates what the Reader delivers and knows nothing of mirrors.
TEST_F(MediaOrientation, TheReaderLeavesARotation) {
    constexpr unsigned kSlack = 4;
    for (const char* ending : {".jpg", ".png"})
        for (int orientation = 1; orientation <= 8; ++orientation) {
            SCOPED_TRACE(std::to_string(orientation) + " in " + ending);
            ReaderOptions options;
            options.path = oriented_blocks(orientation, ending).string();
            Reader reader(options);
            MediaItem item = reader.next();
            const AVFrame& frame = *std::get<Frame>(item).av;
            const AVFramePtr shown = reorient(frame, turn_by(reader.rotation_degrees()));
            ASSERT_EQ(shown->width, kBlocksWidth);
            const std::vector<unsigned> first = samples_of(*shown, 0);
            EXPECT_GE(first.front(), 255 - kSlack);  // the white block
            EXPECT_LE(first.back(), 0 + kSlack);     // the black one
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
    options.path = oriented_blocks(5, ".jpg").string();
    EXPECT_THAT(Reader(options).notes(), Contains(HasSubstr("pixels are mirrored")));
    options.path = oriented_blocks(6, ".jpg").string();
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
