// Exports that were interrupted, as the Export panel describes them.
#include "app/viewer/export/unfinished_export.h"

#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/write/segment_store.h"
#include "app/pipeline/resumable.h"
#include "tests/support/clips.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ViewerUnfinished : public ClipTest {
 protected:
    void SetUp() override {
        ClipTest::SetUp();
        if (IsSkipped()) return;
        folder_ = clip_dir() / "unfinished";
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    std::string path(const std::string& name) const { return (folder_ / name).string(); }

    ExportRequest request(const std::string& stack = "box") const {
        ExportRequest request;
        request.input =
            make_clip("unfinished.mkv",
                      "-f lavfi -i testsrc2=s=64x48:r=25:d=200 -c:v libx264 -preset ultrafast")
                .string();
        request.output = path("out.mkv");
        request.stacks = {{.stack = parse_stack(stack), .kernels = {}}};
        request.source = {.shape = {AV_PIX_FMT_YUV420P, 64, 48}, .video_codec = "h264"};
        request.resumable = true;
        request.interrupted = has_segments(request.output);
        return request;
    }
    // Cancels after the first segment.
    void interrupt() const {
        ExportJob exporter;
        exporter.start(job_of(request()));
        while (exporter.running() && exporter.status().pace.frames < 300)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        exporter.cancel();
        while (exporter.running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ASSERT_TRUE(has_segments(path("out.mkv"))) << exporter.status().outcome.sentence;
    }

    fs::path folder_;
};

TEST_F(ViewerUnfinished, TheSameSettingsFit) {
    interrupt();
    const std::uintmax_t bytes = fs::file_size(segment_file(path("out.mkv")));
    const std::optional<ExportForecast> forecast = forecast_of(request());
    ASSERT_EQ(forecast->problem, "");
    EXPECT_EQ(unfinished_of(true, forecast), Unfinished::fits);
    EXPECT_THAT(unfinished_text(Unfinished::fits, forecast),
                testing::MatchesRegex("An unfinished export with these settings exists: "
                                      "[1-9][0-9]* of 5000 frames are finished."));
    EXPECT_THAT(start_over_text("out.mkv", forecast),
                testing::MatchesRegex("out.mkv: starting over removes the [1-9][0-9]* finished "
                                      "frames of its unfinished export"));
    EXPECT_EQ(fs::file_size(segment_file(path("out.mkv"))), bytes) << "a forecast only reads";
}

TEST_F(ViewerUnfinished, OtherSettingsAreNamed) {
    interrupt();
    const std::optional<ExportForecast> forecast = forecast_of(request("sobel"));
    EXPECT_EQ(unfinished_of(true, forecast), Unfinished::differs);
    EXPECT_THAT(unfinished_text(Unfinished::differs, forecast), HasSubstr("stack: then box"));
    ExportRequest alone = request();
    alone.quality = ExportQuality::lossless;
    EXPECT_EQ(unfinished_of(true, forecast_of(alone)), Unfinished::differs);
}

// Such as a file that a crash has left before the first segment was complete.
TEST_F(ViewerUnfinished, WithoutAFinishedSegmentThereIsNothingToLose) {
    write_bytes("unfinished/.out.mkv.weft-resume", {});
    const ExportRequest wanted = request();
    ASSERT_TRUE(wanted.interrupted);
    EXPECT_EQ(unfinished_of(true, forecast_of(wanted)), Unfinished::none);
    EXPECT_EQ(unfinished_of(true, std::nullopt), Unfinished::unknown);
    EXPECT_EQ(unfinished_of(false, std::nullopt), Unfinished::none);
    EXPECT_EQ(unfinished_text(Unfinished::none, std::nullopt), "");
}

// The finished frames of an export whose settings cannot be compared may be of value.
TEST_F(ViewerUnfinished, AnExportThatCannotBeContinuedDiffers) {
    interrupt();
    ExportRequest compared = request();
    compared.compared = true;
    compared.view.mode = CompareMode::wipe;
    EXPECT_EQ(unfinished_of(true, forecast_of(compared)), Unfinished::differs);
    ExportRequest lost = request();
    lost.input = path("none.mkv");
    EXPECT_EQ(unfinished_of(true, forecast_of(lost)), Unfinished::differs);
}

TEST_F(ViewerUnfinished, IsFoundInAnotherContainer) {
    EXPECT_EQ(interrupted_output(path("out.y4m")), path("out.y4m"));
    interrupt();
    EXPECT_EQ(interrupted_output(path("out.y4m")), path("out.mkv"));
    EXPECT_EQ(interrupted_output(path("out.mkv")), path("out.mkv"));
    EXPECT_EQ(interrupted_output(path("other.y4m")), path("other.y4m"));
}

}  // namespace
}  // namespace weft::test
