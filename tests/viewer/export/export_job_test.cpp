#include "app/viewer/export/export_job.h"

#include <atomic>
#include <filesystem>
#include <future>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/pipeline/resumable.h"
#include "app/viewer/export/export_request.h"
#include "tests/support/clips.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ViewerExport : public ClipTest {
 protected:
    static fs::path clip() {
        return make_clip("export.mkv",
                         "-f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i sine=d=2 "
                         "-c:v libx264 -preset ultrafast -c:a aac");
    }

    static FileJob job(const std::string& output, const std::string& stack = "gaussian=sigma=1") {
        FileJob job;
        job.reader.path = clip().string();
        job.writer.path = output;
        job.writer.preset = "ultrafast";
        job.stack = parse_stack(stack);
        job.device = cpu_device();
        return job;
    }

    static fs::path empty_folder(const std::string& name) {
        fs::path folder = clip_dir() / name;
        fs::remove_all(folder);
        fs::create_directories(folder);
        return folder;
    }

    static ExportStatus wait(const ExportJob& exporter) {
        while (exporter.running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return exporter.status();
    }
};

TEST_F(ViewerExport, WritesTheFilteredVideoAndReportsCopies) {
    const fs::path out = empty_folder("export_whole") / "out.mkv";
    std::atomic<int> changes = 0;
    ExportJob exporter([&changes] { ++changes; });
    EXPECT_EQ(exporter.status().state, ExportState::idle);
    exporter.start(job(out.string()));
    EXPECT_EQ(exporter.status().output, out.string());
    const ExportStatus status = wait(exporter);
    EXPECT_EQ(status.state, ExportState::done);
    EXPECT_TRUE(status.outcome.written);
    EXPECT_THAT(status.outcome.sentence, HasSubstr("50 frames, 1 audio copied; nothing dropped"));
    EXPECT_EQ(status.pace.frames, 50);
    EXPECT_EQ(status.pace.fraction, 1.0);
    EXPECT_GT(status.pace.fps, 0);
    EXPECT_GE(changes, 2);
    EXPECT_EQ(count_frames(out), 50);
}

TEST_F(ViewerExport, WritesTheRangeFromAToB) {
    const fs::path out = empty_folder("export_part") / "out.mkv";
    FileJob part = job(out.string());
    set_range(part, {.start_us = 400'000, .end_us = 1'000'000});
    ExportJob exporter;
    exporter.start(part);
    EXPECT_THAT(wait(exporter).outcome.sentence, HasSubstr("15 frames"));
    EXPECT_EQ(count_frames(out), 15);
    // Zero, apart from sound that is playing when the part begins.
    const std::string start = ffprobe(out, "-show_streams")["streams"][0]["start_time"];
    EXPECT_LT(std::stod(start), 0.05);
}

TEST_F(ViewerExport, CancellingLeavesNoFiles) {
    const fs::path folder = empty_folder("export_cancel");
    std::promise<void> go;
    ExportJob exporter([held = go.get_future().share()] { held.wait(); });
    const FileJob first = job((folder / "new" / "out.mkv").string());
    exporter.start(first);
    EXPECT_THROW(exporter.start(first), std::logic_error);
    while (exporter.running() && exporter.status().pace.frames == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    exporter.cancel();
    go.set_value();
    const ExportStatus status = wait(exporter);
    EXPECT_TRUE(status.outcome.cancelled);
    EXPECT_FALSE(status.outcome.written);
    EXPECT_THAT(status.outcome.sentence, HasSubstr("cancelled"));
    EXPECT_TRUE(fs::is_empty(folder));
    exporter.start(job((folder / "out.mkv").string()));  // the next export works
    EXPECT_TRUE(wait(exporter).outcome.written);
}

// Cancels a resumable export of 5,000 frames after the first segment of 250.
class ViewerExportResumed : public ViewerExport {
 protected:
    static constexpr std::int64_t kEnough = 300;

    static FileJob long_job(const std::string& output) {
        FileJob resumable = job(output);
        resumable.reader.path =
            make_clip("export_long.mkv",
                      "-f lavfi -i testsrc2=s=64x48:r=25:d=200 -c:v libx264 -preset ultrafast")
                .string();
        resumable.writer.resume = program_facts();
        return resumable;
    }

    static void interrupt(const FileJob& resumable) {
        std::promise<void> go;
        ExportJob exporter([&, held = go.get_future().share()] {
            if (exporter.status().pace.frames >= kEnough) held.wait();
        });
        exporter.start(resumable);
        while (exporter.running() && exporter.status().pace.frames < kEnough)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        exporter.cancel();
        go.set_value();
        const ExportStatus status = wait(exporter);
        ASSERT_TRUE(status.outcome.cancelled) << status.outcome.sentence;
        EXPECT_THAT(status.outcome.sentence, HasSubstr("its finished part is kept"));
        EXPECT_FALSE(fs::exists(resumable.writer.path));
        ASSERT_TRUE(has_segments(resumable.writer.path));
    }
};

TEST_F(ViewerExportResumed, TheSameExportContinuesAfterTheFinishedPart) {
    const std::string out = (empty_folder("export_resumed") / "out.mkv").string();
    interrupt(long_job(out));
    ExportJob exporter;
    exporter.start(long_job(out));
    const ExportOutcome outcome = wait(exporter).outcome;
    EXPECT_TRUE(outcome.written) << outcome.sentence;
    EXPECT_THAT(outcome.sentence, testing::ContainsRegex("[(][1-9][0-9]* taken over"));
    EXPECT_EQ(count_frames(out), 5000);
    EXPECT_FALSE(has_segments(out));
}

TEST_F(ViewerExportResumed, AnExportThatIsNotContinuedRemovesTheFinishedPart) {
    const std::string out = (empty_folder("export_anew") / "out.mkv").string();
    interrupt(long_job(out));
    ExportJob failing;
    FileJob bad = job(out);
    bad.writer.video_codec = "nosuch";
    failing.start(bad);
    EXPECT_FALSE(wait(failing).outcome.written);
    EXPECT_TRUE(has_segments(out)) << "nothing has replaced them";
    ExportJob exporter;
    exporter.start(job(out));
    const ExportOutcome outcome = wait(exporter).outcome;
    EXPECT_TRUE(outcome.written) << outcome.sentence;
    EXPECT_THAT(outcome.sentence, testing::Not(HasSubstr("taken over")));
    EXPECT_EQ(count_frames(out), 50);
    EXPECT_FALSE(has_segments(out));
}

// The remedies are controls of the window, not options of the command.
TEST_F(ViewerExportResumed, AnExportWithOtherSettingsIsRefusedInTheWindowsWords) {
    const std::string out = (empty_folder("export_other") / "out.mkv").string();
    interrupt(long_job(out));
    FileJob other = long_job(out);
    other.stack = parse_stack("box");
    other.writer.remedies = job_of(ExportRequest{}).writer.remedies;
    ExportJob exporter;
    exporter.start(other);
    const ExportOutcome outcome = wait(exporter).outcome;
    EXPECT_FALSE(outcome.written);
    EXPECT_THAT(outcome.sentence, HasSubstr("press 'Start over'"));
    EXPECT_THAT(outcome.sentence, testing::Not(HasSubstr(" -y")));
    EXPECT_TRUE(has_segments(out));
}

TEST_F(ViewerExport, DamageIsReportedInTheWindowsWords) {
    const fs::path folder = empty_folder("export_damaged");
    const Bytes whole = read_bytes(clip());
    FileJob damaged = job((folder / "out.mkv").string());
    damaged.reader.path = write_bytes("export_damaged/in.mkv",
                                      Bytes(whole.begin(), whole.begin() + std::ssize(whole) / 2))
                              .string();
    damaged.writer.remedies = job_of(ExportRequest{}).writer.remedies;
    ExportJob exporter;
    exporter.start(damaged);
    const ExportOutcome outcome = wait(exporter).outcome;
    EXPECT_THAT(outcome.sentence, HasSubstr(kKeepDamagedLabel));
    EXPECT_THAT(outcome.sentence, testing::Not(HasSubstr("--")));
}

TEST_F(ViewerExport, QuittingCancels) {
    const fs::path folder = empty_folder("export_quit");
    {
        ExportJob exporter;
        exporter.start(job((folder / "out.mkv").string()));
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        EXPECT_EQ(entry.path().filename(), "out.mkv");  // if it was faster: a complete output
}

TEST_F(ViewerExport, FailuresAreReportedAsASentence) {
    ExportJob exporter;
    FileJob bad = job((empty_folder("export_bad") / "out.mkv").string());
    bad.writer.video_codec = "nosuch";
    exporter.start(bad);
    const ExportStatus status = wait(exporter);
    EXPECT_FALSE(status.outcome.written);
    EXPECT_FALSE(status.outcome.cancelled);
    EXPECT_THAT(status.outcome.sentence, HasSubstr("nosuch"));
}

TEST_F(ViewerExport, RefusesBeforeItStarts) {
    const fs::path folder = empty_folder("export_refused");
    fs::create_hard_link(clip(), folder / "same.mkv");
    fs::create_directory(folder / "folder.mkv");
    write_bytes("export_refused/there.mkv", {1});
    struct Case {
        std::string output;
        std::string sentence;  // part of the sentence; empty: not refused
        bool exists = false;
    };
    for (const auto& [output, sentence, exists] :
         {Case{(folder / "new.mkv").string(), ""}, Case{"", "needs a name"},
          Case{(folder / "same.mkv").string(), "the output is the input"},
          Case{clip().string(), "the output is the input"},
          Case{(folder / "folder.mkv").string(), "is a folder"},
          Case{(folder / "out.xyz").string(), "xyz"},
          Case{(folder / "there.mkv").string(), "exists", true},
          Case{(folder / "shot_%03d.png").string(), ""}}) {
        const auto refusal = why_not_export(job(output));
        EXPECT_EQ(refusal.has_value(), !sentence.empty()) << output;
        if (!refusal) continue;
        EXPECT_THAT(refusal->sentence, HasSubstr(sentence));
        EXPECT_EQ(refusal->exists, exists) << output;
    }
    FileJob overwriting = job((folder / "there.mkv").string());
    overwriting.writer.overwrite = Overwrite::replace;
    EXPECT_FALSE(why_not_export(overwriting));
    FileJob empty = job((folder / "new.mkv").string());
    set_range(empty, {.start_us = 5, .end_us = 5});
    EXPECT_THAT(why_not_export(empty)->sentence, HasSubstr("empty"));
}

}  // namespace
}  // namespace weft::test
