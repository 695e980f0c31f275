#include "app/viewer/export/frame_export.h"

#include <cmath>
#include <cstring>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/media/libav/error.h"
#include "tests/pipeline/test_frames.h"
#include "tests/support/allocations.h"
#include "tests/support/blank_frame.h"
#include "tests/support/clips.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;

fs::path fresh_folder(const std::string& name) {
    fs::path folder = clip_dir() / name;
    fs::create_directories(folder);
    return folder;
}

TEST(ViewerShotName, FollowsMpvAndIsNeverAPattern) {
    struct Case {
        std::string input;
        double seconds;
        int attempt;
        std::string want;
    };
    for (const auto& [input, seconds, attempt, want] :
         {Case{"/a/film.mkv", 0, 1, "film-00.00.00.000.png"},
          Case{"film.part1.mkv", 3661.5, 1, "film.part1-01.01.01.500.png"},
          Case{"film.mkv", 59.9996, 1, "film-00.01.00.000.png"},
          Case{"film.mkv", -0.04, 2, "film-00.00.00.000-2.png"},
          Case{"film.mkv", 360000, 10, "film-100.00.00.000-10.png"},
          Case{"shot_%03d.png", 0.04, 1, "shot__03d-00.00.00.040.png"},
          Case{"b\xfft.mkv", 0, 1, "b\xfft-00.00.00.000.png"}}) {
        Shot shot;
        shot.input = input;
        shot.seconds = seconds;
        EXPECT_EQ(shot_name(shot, attempt), want);
    }
    Shot untimed;
    untimed.input = "film.mkv";
    untimed.seconds = std::nullopt;
    EXPECT_EQ(shot_name(untimed, 3), "film-3.png");
}

class ViewerShot : public ClipTest {
 protected:
    static Shot shot_of(AVFramePtr picture, const fs::path& folder, const std::string& extension) {
        Shot shot;
        shot.picture = std::move(picture);
        shot.folder = folder;
        shot.input = "clip.mkv";
        shot.extension = extension;
        return shot;
    }

    // The only picture of a file, as a frame of `format`.
    static AVFramePtr decoded(const fs::path& file, AVPixelFormat format, int width, int height) {
        const std::string raw =
            run_command({"ffmpeg", "-v", "error", "-i", file.string(), "-f", "rawvideo", "-pix_fmt",
                         av_get_pix_fmt_name(format), "-"})
                .out;
        AVFramePtr frame = blank_frame(format, width, height);
        std::uint8_t* planes[4];
        int pitches[4];
        const int size =
            av_image_fill_arrays(planes, pitches, reinterpret_cast<const std::uint8_t*>(raw.data()),
                                 format, width, height, 1);
        if (size != static_cast<int>(raw.size())) throw std::runtime_error("other size");
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): it only adds const
        av_image_copy(frame->data, frame->linesize, const_cast<const std::uint8_t**>(planes),
                      pitches, format, width, height);
        return frame;
    }
};

// Every format, in files that store its samples unchanged.
TEST_F(ViewerShot, KeepsEverySample) {
    struct Case {
        AVPixelFormat format;
        const char* extension;
        AVPixelFormat read_as;  // the same samples, planar or not
    };
    const fs::path folder = fresh_folder("exact");
    for (const auto& [format, extension, read_as] :
         {Case{AV_PIX_FMT_GRAY8, "png", AV_PIX_FMT_GRAY8},
          Case{AV_PIX_FMT_RGB24, "png", AV_PIX_FMT_RGB24},
          Case{AV_PIX_FMT_BGRA, "png", AV_PIX_FMT_BGRA},
          Case{AV_PIX_FMT_GBRP, "tiff", AV_PIX_FMT_GBRP},
          Case{AV_PIX_FMT_YUV420P, "y4m", AV_PIX_FMT_YUV420P},
          Case{AV_PIX_FMT_YUV422P10LE, "mkv", AV_PIX_FMT_YUV422P10LE},
          Case{AV_PIX_FMT_YUV422P10LE, "nut", AV_PIX_FMT_YUV422P10LE},
          Case{AV_PIX_FMT_NV12, "mkv", AV_PIX_FMT_NV12},
          Case{AV_PIX_FMT_GBRAP12LE, "mkv", AV_PIX_FMT_GBRAP12LE},
          Case{AV_PIX_FMT_YUVA444P, "nut", AV_PIX_FMT_YUVA444P}}) {
        const FormatRow& row = format_row(format);
        const AVFramePtr picture = random_frame(row, 33, 18, 7);
        Shot shot = shot_of(AVFramePtr(av_frame_clone(picture.get())), folder, extension);
        const fs::path path = save_shot(shot);
        const AVFramePtr got = decoded(path, read_as, 33, 18);
        for (const ComponentPlace& place : row.components)
            EXPECT_EQ(component_image(*got, row, place.component).samples,
                      component_image(*picture, row, place.component).samples)
                << path;
    }
}

AVFramePtr flat_frame(AVPixelFormat format, std::array<int, 3> yuv) {
    const AVFramePtr like = random_frame(format_row(format), 16, 8, 0);
    AVFramePtr frame = new_frame_like(*like);
    for (std::size_t p = 0; p < 3; ++p) {
        const ImageView plane = plane_views(*frame)[p];
        for (int y = 0; y < plane.height; ++y)
            for (int x = 0; x < plane.width; ++x)
                reinterpret_cast<std::uint16_t*>(plane.row(y))[x] =
                    static_cast<std::uint16_t>(yuv[p]);
    }
    return frame;
}

// Limited-range 10-bit BT.601 becomes 16-bit RGB by the standard's formula.
TEST_F(ViewerShot, TurnsYuvIntoRgbOfFullDepth) {
    for (const auto& yuv : {std::array{512, 512, 512}, {400, 600, 450}, {64, 512, 512}}) {
        const fs::path path = save_shot(
            shot_of(flat_frame(AV_PIX_FMT_YUV422P10LE, yuv), fresh_folder("flat"), "png"));
        EXPECT_EQ(ffprobe(path, "-show_streams")["streams"][0]["pix_fmt"], "rgb48be");
        const AVFramePtr got = decoded(path, AV_PIX_FMT_RGB48LE, 16, 8);
        const double luma = (yuv[0] - 64) / 876.0;
        const double cb = (yuv[1] - 512) / 896.0;
        const double cr = (yuv[2] - 512) / 896.0;
        const double kr = 0.299;
        const double kb = 0.114;
        const double red = luma + 2 * (1 - kr) * cr;
        const double blue = luma + 2 * (1 - kb) * cb;
        const double green = (luma - kr * red - kb * blue) / (1 - kr - kb);
        const auto* pixel = reinterpret_cast<const std::uint16_t*>(got->data[0]) + 7 * 3;
        // Half a step of the 10-bit input.
        EXPECT_NEAR(pixel[0], red * 65535, 32);
        EXPECT_NEAR(pixel[1], green * 65535, 32);
        EXPECT_NEAR(pixel[2], blue * 65535, 32);
    }
}

TEST_F(ViewerShot, IsSavedUpright) {
    const AVFramePtr picture = random_frame(format_row(AV_PIX_FMT_GRAY8), 3, 2, 3);
    Shot shot = shot_of(AVFramePtr(av_frame_clone(picture.get())), fresh_folder("turned"), "png");
    shot.rotation_degrees = 90;
    const AVFramePtr got = decoded(save_shot(shot), AV_PIX_FMT_GRAY8, 2, 3);
    for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 3; ++x)  // row y becomes column 1 - y
            EXPECT_EQ(got->data[0][x * got->linesize[0] + 1 - y],
                      picture->data[0][y * picture->linesize[0] + x]);
    shot.extension = "mp4";  // stores the rotation as a tag, which ffmpeg applies when reading
    EXPECT_EQ(decoded(save_shot(shot), AV_PIX_FMT_GRAY8, 2, 3)->width, 2);
}

TEST_F(ViewerShot, NeverReplacesAFile) {
    const fs::path folder = fresh_folder("again");
    const AVFramePtr picture = random_frame(format_row(AV_PIX_FMT_RGB24), 4, 4, 1);
    std::vector<std::string> names;
    for (int k = 0; k < 3; ++k)
        names.push_back(save_shot(shot_of(AVFramePtr(av_frame_clone(picture.get())), folder, "png"))
                            .filename());
    EXPECT_THAT(names, testing::ElementsAre("clip-00.00.00.000.png", "clip-00.00.00.000-2.png",
                                            "clip-00.00.00.000-3.png"));
}

TEST_F(ViewerShot, SavesInOrderAndReportsFailures) {
    const fs::path folder = fresh_folder("saver");
    const AVFramePtr picture = random_frame(format_row(AV_PIX_FMT_RGB24), 4, 4, 1);
    const auto copy = [&] { return AVFramePtr(av_frame_clone(picture.get())); };
    std::vector<ShotSaver::Outcome> outcomes;
    {
        ShotSaver saver;
        saver.save(shot_of(copy(), folder, "png"));
        saver.save(shot_of(copy(), folder / "missing", "png"));
        saver.save(shot_of(copy(), folder, "xyz"));
        saver.save(shot_of(copy(), folder, "tif"));
        while (outcomes.size() < 4)
            for (ShotSaver::Outcome& outcome : saver.take_outcomes())
                outcomes.push_back(std::move(outcome));
        EXPECT_EQ(saver.waiting(), 0U);
        saver.save(shot_of(copy(), folder, "bmp"));  // still saved by the destructor
    }
    EXPECT_EQ(outcomes[0].path, folder / "clip-00.00.00.000.png");
    EXPECT_EQ(outcomes[0].error, "");
    EXPECT_EQ(outcomes[1].path, "");
    EXPECT_THAT(outcomes[1].error, testing::HasSubstr("missing"));
    EXPECT_THAT(outcomes[2].error, testing::HasSubstr("xyz"));
    EXPECT_EQ(outcomes[3].path, folder / "clip-00.00.00.000.tif");
    EXPECT_TRUE(fs::exists(folder / "clip-00.00.00.000.bmp"));
}

TEST_F(ViewerShot, MemoryThatRunsOutIsReported) {
    const fs::path missing = fresh_folder("no_memory") / "a_folder_that_is_missing";
    bool all_failed = false;
    for (std::int64_t nth = 1; !all_failed; ++nth) {
        ShotSaver saver;
        Shot shot = shot_of(random_frame(format_row(AV_PIX_FMT_RGB24), 4, 4, 1), missing, "png");
        const FailedAllocation failure(nth, FailedAllocation::In::other_threads);
        saver.save(std::move(shot));
        std::vector<ShotSaver::Outcome> outcomes;
        for (; outcomes.empty(); std::this_thread::yield()) outcomes = saver.take_outcomes();
        EXPECT_EQ(outcomes.front().path, "");
        EXPECT_NE(outcomes.front().error, "");
        all_failed = !failure.happened();
    }
}

TEST(ViewerShotOfTheWindow, AcceptsRowsInEitherOrder) {
    const std::array<std::uint8_t, 12> bytes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const auto pixels = std::as_bytes(std::span(bytes));
    const AVFramePtr down = frame_of_rgb(pixels, 2, 2, false);
    const AVFramePtr up = frame_of_rgb(pixels, 2, 2, true);
    EXPECT_EQ(std::memcmp(down->data[0], bytes.data(), 6), 0);
    EXPECT_EQ(std::memcmp(up->data[0], bytes.data() + 6, 6), 0);
    EXPECT_EQ(std::memcmp(up->data[0] + up->linesize[0], bytes.data(), 6), 0);
    EXPECT_THROW((void)frame_of_rgb(pixels, 3, 2, false), std::invalid_argument);
}

}  // namespace
}  // namespace weft::test
