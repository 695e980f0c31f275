// Continuing an interrupted run on another device.
#include <filesystem>
#include <optional>

#include <gmock/gmock.h>

#include "app/media/write/segment_store.h"
#include "app/pipeline/pipeline.h"
#include "filters/stack.h"
#include "tests/support/clips.h"

namespace weft {
namespace {

using namespace test;
using testing::HasSubstr;

constexpr std::int64_t kFinished = 500;  // frames, two segments

// The CPU under another name, which makes it another device.
Device device_named(const std::string& name) {
    Device device = cpu_device();
    device.name = name;
    return device;
}

class PipelineResume : public ClipTest {
 protected:
    void SetUp() override {
        ClipTest::SetUp();
        av_log_set_level(AV_LOG_ERROR);
    }
    static FileJob job_for(const char* stack, const std::string& name, const std::string& device) {
        FileJob job;
        job.reader.path =
            make_clip("resume.mkv",
                      "-f lavfi -i testsrc2=s=64x48:r=25:d=24 -c:v libx264 -preset ultrafast")
                .string();
        job.writer.path = (clip_dir() / name).string();
        job.writer.resume = JobFacts{};
        job.writer.encoder_threads = 1;
        job.stack = parse_stack(stack);
        job.device = device_named(device);
        return job;
    }
    // Leaves no output and two segments.
    static void interrupt(const FileJob& job) {
        std::filesystem::remove(job.writer.path);
        remove_segment_file(job.writer.path);
        std::stop_source stop;
        EXPECT_THROW((void)filter_file(job, stop.get_token(),
                                       [&](const FileProgress& progress) {
                                           if (progress.frames > kFinished) stop.request_stop();
                                       }),
                     Cancelled);
    }
    static std::string frame_hashes(const std::string& path) {
        const CommandResult result = run_command(
            {"ffmpeg", "-v", "error", "-i", path, "-map", "0:v", "-f", "framemd5", "-"});
        EXPECT_EQ(result.exit_code, 0) << result.err;
        return result.out;
    }
    static std::string frames_without_interruption(const char* stack) {
        FileJob job = job_for(stack, "whole.mkv", "Card 1");
        job.writer.overwrite = Overwrite::replace;
        EXPECT_EQ(filter_file(job, {}, {}).error, "");
        return frame_hashes(job.writer.path);
    }
};

TEST_F(PipelineResume, ContinuesOnAnotherDeviceIfAllGiveTheSameBits) {
    struct Row {
        const char* stack;
        const char* then;
        std::int64_t taken_over;
        const char* note;  // part of the note; empty: no note
    };
    constexpr const char* kBeginsAgain =
        "500 frames of an interrupted run are not used (device: then Card 0, now Card 1): devices "
        "differ by at most";
    for (const Row& row : {
             Row{"sobel", "Card 0", kFinished, ""},
             Row{"sobel,convolve=matrix='1 2 1; 2 4 2; 1 2 1'", "Card 0", kFinished, ""},
             Row{"temporal_average=frames=4", "Card 0", kFinished, ""},
             Row{"gaussian=sigma=2", "Card 1", kFinished, ""},
             Row{"gaussian=sigma=2", "Card 0", 0, kBeginsAgain},
             Row{"sobel,gaussian=sigma=2,sobel", "Card 0", 0, kBeginsAgain},
         }) {
        SCOPED_TRACE(testing::Message() << row.stack << " begun on " << row.then);
        interrupt(job_for(row.stack, "out.mkv", row.then));
        const FileJob job = job_for(row.stack, "out.mkv", "Card 1");
        const FileResult result = filter_file(job, {}, {});
        ASSERT_EQ(result.error, "");
        EXPECT_EQ(result.written.segments->frames_taken_over, row.taken_over);
        if (*row.note == '\0')
            EXPECT_THAT(result.written.notes, testing::Each(testing::Not(HasSubstr("frames of"))));
        else
            EXPECT_THAT(result.notes, testing::Contains(HasSubstr(row.note)));
        EXPECT_EQ(frame_hashes(job.writer.path), frames_without_interruption(row.stack));
    }
}

// The refusal does not drop the segments; only -y does.
TEST_F(PipelineResume, AnotherStackIsRefusedOnAnotherDeviceToo) {
    const FileJob begun = job_for("gaussian=sigma=4", "out.mkv", "Card 0");
    interrupt(begun);
    const FileResult result = filter_file(job_for("gaussian=sigma=3", "out.mkv", "Card 1"), {}, {});
    EXPECT_EQ(result.outcome, Outcome::usage);
    EXPECT_THAT(result.error, HasSubstr("stack: then gaussian=sigma=4, now gaussian=sigma=3"));
    EXPECT_EQ(filter_file(begun, {}, {}).written.segments->frames_taken_over, kFinished);
}

}  // namespace
}  // namespace weft
