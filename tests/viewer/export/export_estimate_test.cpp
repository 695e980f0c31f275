#include "app/viewer/export/export_estimate.h"

#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/clips.h"
#include "tests/support/mount.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

SizeEstimate size(std::int64_t bytes, const char* basis) {
    return {bytes, basis};
}

TEST(ViewerExportEstimate, SizesAreHonest) {
    EXPECT_EQ(size_text_of({}, {}).words, "Size: unknown");
    EXPECT_EQ(size_text_of({.size = size(12'300'000, "at most, uncompressed")}, {}).words,
              "Size: at most 12.3 MB");
    const EstimateText guess =
        size_text_of({.size = size(1'200'000, "estimated from the input's size")}, {});
    EXPECT_EQ(guess.words, "Size: about 1.2 MB");
    EXPECT_THAT(guess.basis, HasSubstr("Estimated from"));
    const MeasuredExport last{.fps = 10, .bytes_per_frame = 1000};
    EXPECT_EQ(size_text_of({.frames = 500}, last).words, "Size: about 500 kB");
    EXPECT_EQ(size_text_of({}, last).words, "Size: unknown");
}

TEST(ViewerExportEstimate, TimesAreHonest) {
    const MeasuredExport last{.fps = 10, .bytes_per_frame = 0};
    EXPECT_EQ(time_text_of({}, last, 100).words, "Time: unknown");
    EXPECT_EQ(time_text_of({.frames = 500}, {}, {}).words, "Time: unknown");
    EXPECT_EQ(time_text_of({.frames = 500}, {}, 100).words, "Time: 0:05 for the filters alone");
    EXPECT_EQ(time_text_of({.frames = 500}, last, 100).words, "Time: about 0:50");
}

TEST(ViewerExportEstimate, DurationsAreRoundedUp) {
    EXPECT_EQ(duration_words(0), "0:00");
    EXPECT_EQ(duration_words(0.2), "0:01");
    EXPECT_EQ(duration_words(62), "1:02");
    EXPECT_EQ(duration_words(3723), "1:02:03");
}

TEST(ViewerExportEstimate, ProgressHasASizeOnceItMeansSomething) {
    ExportStatus status;
    status.pace = {.frames = 1000, .fps = 24, .fraction = 0.25, .eta_seconds = 10};
    status.bytes = 1'000'000;
    EXPECT_EQ(progress_words(status),
              "1000 frames, 24.0 frames/s, 0:10 left, 1.0 MB of about 4.0 MB");
    status.pace.frames = 120;  // most may still be in the encoder and in the muxer
    EXPECT_EQ(progress_words(status), "120 frames, 24.0 frames/s, 0:10 left, 1.0 MB");
    status.bytes = 48;  // a header
    EXPECT_EQ(progress_words(status), "120 frames, 24.0 frames/s, 0:10 left");
    status.bytes = 1'000'000;
    status.pace.frames = 1000;
    status.pace.fraction = 0.01;
    EXPECT_EQ(progress_words(status), "1000 frames, 24.0 frames/s, 0:10 left, 1.0 MB");
    status.pace.fraction = 1;
    EXPECT_EQ(progress_words(status), "1000 frames, 24.0 frames/s, verifying");
}

// Frames over frames per second: an export decides before it starts whether it takes long.
TEST(ViewerExportEstimate, TheTimeIsMadeOfTheMeasuredSpeed) {
    EXPECT_EQ(export_seconds({.frames = 500}, MeasuredExport{.fps = 20}, 100), 25);
    EXPECT_EQ(export_seconds({.frames = 500}, {}, 100), 5);
    EXPECT_EQ(export_seconds({.frames = 500}, {}, {}), std::nullopt);
    EXPECT_EQ(export_seconds({}, MeasuredExport{.fps = 20}, 100), std::nullopt);
}

// The slower of decoding and filtering, of the frames since the stack changed.
TEST(ViewerExportEstimate, FiltersAreMeasuredSinceTheLastChange) {
    StageTimes times;
    FilterPace pace;
    for (int k = 0; k < 100; ++k) times.add(Stage::kernels, 1);
    pace.restart(times, true);
    for (int k = 0; k < 9; ++k) {
        times.add(Stage::decode, 0.01);
        times.add(Stage::kernels, 0.02);
    }
    EXPECT_FALSE(pace.fps(times));
    for (int k = 0; k < 20; ++k) times.add(Stage::kernels, 0.02);
    ASSERT_TRUE(pace.fps(times));
    EXPECT_NEAR(*pace.fps(times), 50, 1e-6);
    for (int k = 0; k < 20; ++k) times.add(Stage::decode, 0.1);
    EXPECT_NEAR(*pace.fps(times), 10, 1e-6);
}

// An empty stack has no times of kernels.
TEST(ViewerExportEstimate, WithoutFiltersDecodingIsMeasured) {
    StageTimes times;
    FilterPace pace;
    pace.restart(times, false);
    for (int k = 0; k < 20; ++k) times.add(Stage::decode, 0.01);
    ASSERT_TRUE(pace.fps(times));
    EXPECT_NEAR(*pace.fps(times), 100, 1e-6);
}

class ViewerExportForecast : public ClipTest {
 protected:
    static ExportRequest request() {
        ExportRequest request;
        request.input = make_clip("forecast.mkv",
                                  "-f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i sine=d=2 "
                                  "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac")
                            .string();
        request.output = (clip_dir() / "forecast-out.mkv").string();
        request.device = cpu_device();
        return request;
    }
    static ExportForecast wait(const ExportPlanner& planner) {
        while (!planner.forecast()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return *planner.forecast();
    }
};

TEST_F(ViewerExportForecast, PlansWithoutWriting) {
    const ExportForecast forecast = forecast_of(request());
    EXPECT_EQ(forecast.problem, "");
    EXPECT_NEAR(static_cast<double>(forecast.frames), 50, 1);  // the sound is longer
    EXPECT_TRUE(forecast.size);
    EXPECT_FALSE(forecast.lossless);
    EXPECT_FALSE(std::filesystem::exists(request().output));
}

TEST_F(ViewerExportForecast, WarnsOfADiskThatIsTooSmall) {
    EXPECT_EQ(forecast_of(request()).shortage, "");
    const std::filesystem::path folder = clip_dir() / "small";
    std::filesystem::create_directories(folder);
    const Mount disk(folder, "tmpfs", 0, "size=4k");
    if (!disk.mounted()) GTEST_SKIP() << "a tmpfs cannot be mounted here";
    ExportRequest small = request();
    small.output = (folder / "out.mkv").string();
    EXPECT_THAT(forecast_of(small).shortage, HasSubstr("4.1 kB are free in " + folder.string()));
}

TEST_F(ViewerExportForecast, PlansThePart) {
    ExportRequest part = request();
    part.part = {0.4, 1.0};
    EXPECT_EQ(forecast_of(part).frames, 15);
}

TEST_F(ViewerExportForecast, ListsLossesAndProblems) {
    ExportRequest silent = request();
    silent.output = (clip_dir() / "forecast-out.y4m").string();
    EXPECT_THAT(forecast_of(silent).warnings, testing::Contains(HasSubstr("y4m holds no audio")));
    ExportRequest broken = request();
    broken.codec = "libx264";
    broken.output = (clip_dir() / "forecast-out.webm").string();
    EXPECT_THAT(forecast_of(broken).problem, HasSubstr("webm cannot hold video of"));
}

TEST_F(ViewerExportForecast, FollowsTheRequest) {
    std::atomic<int> changes = 0;
    ExportPlanner planner(cpu_device(), [&changes] { ++changes; });
    EXPECT_FALSE(planner.forecast());
    planner.want(request());
    planner.want(request());
    EXPECT_NEAR(static_cast<double>(wait(planner).frames), 50, 1);
    ExportRequest part = request();
    part.part = {0.4, 1.0};
    planner.want(part);
    EXPECT_EQ(wait(planner).frames, 15);
    EXPECT_TRUE(planner.gpu_encoders().empty());
}

}  // namespace
}  // namespace weft::test
