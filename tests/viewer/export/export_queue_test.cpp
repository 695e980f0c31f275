#include "app/viewer/export/export_queue.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/clips.h"
#include "tests/support/mount.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class ViewerExportQueue : public ClipTest {
 protected:
    static fs::path clip() {
        return make_clip("queue.mkv",
                         "-f lavfi -i testsrc2=s=64x48:r=25:d=2 -c:v libx264 -preset ultrafast");
    }
    void SetUp() override {
        ClipTest::SetUp();
        if (IsSkipped()) return;
        folder_ = clip_dir() / "queue";
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    ExportRequest request(const std::string& name, const std::string& stack = "box") const {
        ExportRequest request;
        request.input = clip().string();
        request.output = (folder_ / name).string();
        request.stacks = {{parse_stack(stack), {}}};
        request.device = cpu_device();
        return request;
    }
    // The job fails: this input is missing.
    ExportRequest failing(const std::string& name) const {
        ExportRequest request = this->request(name);
        request.input = (folder_ / "missing.mkv").string();
        return request;
    }
    static void wait_until(ExportQueue& queue, const std::function<bool()>& is_so) {
        while (!is_so()) {
            (void)queue.poll();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    static void run_all(ExportQueue& queue) {
        queue.start();
        wait_until(queue, [&] { return !queue.running() && !queue.started(); });
    }
    static std::vector<std::string> states(const ExportQueue& queue) {
        std::vector<std::string> texts;
        for (const QueuedExport& queued : queue.list())
            texts.push_back(state_text(queued, queue.status()));
        return texts;
    }
    static std::vector<std::string> names(const ExportQueue& queue) {
        std::vector<std::string> texts;
        for (const QueuedExport& queued : queue.list())
            texts.push_back(fs::path(queued.job.writer.path).stem().string());
        return texts;
    }

    fs::path folder_;
};

TEST_F(ViewerExportQueue, FindsAFreeName) {
    ExportQueue queue;
    const auto in_folder = [&](const char* name) { return (folder_ / name).string(); };
    EXPECT_EQ(queue.free_name(in_folder("a.mkv")), in_folder("a.mkv"));
    queue.add(request("a.mkv"));
    EXPECT_EQ(queue.free_name(in_folder("a.mkv")), in_folder("a-2.mkv"));
    std::ofstream(in_folder("a-2.mkv")) << "taken";
    EXPECT_EQ(queue.free_name(in_folder("a.mkv")), in_folder("a-3.mkv"));
    queue.add(request("a-3.mkv"));
    EXPECT_EQ(queue.free_name(in_folder("a.mkv")), in_folder("a-4.mkv"));
    // Whether it may be replaced is another question.
    EXPECT_EQ(queue.free_name(in_folder("a-2.mkv")), in_folder("a-2.mkv"));
    run_all(queue);
    EXPECT_EQ(queue.free_name(in_folder("a.mkv")), in_folder("a.mkv"));
}

TEST_F(ViewerExportQueue, RunsOneAfterTheOtherWhenStarted) {
    ExportQueue queue;
    queue.add(request("a.mkv"));
    queue.add(request("b.mkv"));
    EXPECT_TRUE(queue.poll().empty());
    EXPECT_THAT(states(queue), ElementsAre("Waiting", "Waiting"));
    EXPECT_FALSE(queue.running());
    queue.start();
    EXPECT_EQ(queue.waiting(), 1U);
    run_all(queue);
    EXPECT_THAT(states(queue), ElementsAre("Done", "Done"));
    EXPECT_EQ(count_frames(folder_ / "a.mkv"), 50);
    EXPECT_EQ(count_frames(folder_ / "b.mkv"), 50);
}

TEST_F(ViewerExportQueue, AFailureDoesNotStopTheOthersAndCanBeTriedAgain) {
    ExportQueue queue;
    const auto failed = queue.add(failing("a.mkv"));
    queue.add(request("b.mkv"));
    run_all(queue);
    EXPECT_THAT(states(queue), ElementsAre("Failed", "Done"));
    EXPECT_THAT(queue.list()[0].outcome.sentence, HasSubstr("missing.mkv"));
    fs::copy_file(clip(), folder_ / "missing.mkv");
    queue.try_again(failed);
    EXPECT_TRUE(queue.running());
    run_all(queue);
    EXPECT_THAT(states(queue), ElementsAre("Done", "Done"));
}

TEST_F(ViewerExportQueue, TryingAgainCanKeepTheGoodPartOfADamagedFile) {
    ExportRequest damaged = request("a.mkv");
    damaged.input = (folder_ / "cut.mkv").string();
    fs::copy_file(clip(), damaged.input);
    fs::resize_file(damaged.input, fs::file_size(clip()) / 2);
    ExportQueue queue;
    const auto id = queue.add(damaged);
    run_all(queue);
    queue.try_again(id);
    run_all(queue);
    EXPECT_THAT(states(queue), ElementsAre("Failed"));
    EXPECT_FALSE(fs::exists(damaged.output));
    queue.try_again(id, {.keep_damaged = true});
    run_all(queue);
    EXPECT_THAT(states(queue), ElementsAre("Done"));
    EXPECT_TRUE(fs::exists(damaged.output));
}

// The choice is often made only after the first one was cancelled.
TEST_F(ViewerExportQueue, TryingAgainCanKeepWhatIsFinished) {
    ExportQueue queue;
    const auto id = queue.add(request("a.mkv"));
    run_all(queue);
    EXPECT_FALSE(queue.list()[0].job.writer.resume.has_value());
    fs::remove(request("a.mkv").output);
    queue.try_again(id, {.resumable = true});
    run_all(queue);
    EXPECT_TRUE(queue.list()[0].job.writer.resume.has_value());
    EXPECT_THAT(states(queue), ElementsAre("Done"));
    ExportRequest picture = request("b.png");
    const auto other = queue.add(picture);
    run_all(queue);
    queue.try_again(other, {.resumable = true});
    run_all(queue);
    EXPECT_FALSE(queue.list()[1].job.writer.resume.has_value()) << "pictures cannot be continued";
}

TEST_F(ViewerExportQueue, ReportsEachOutcomeOnce) {
    ExportQueue queue;
    queue.add(request("a.mkv"));
    queue.add(failing("b.mkv"));
    queue.start();
    std::vector<bool> written;
    while (written.size() < 2)
        for (const ExportOutcome& outcome : queue.poll()) written.push_back(outcome.written);
    EXPECT_THAT(written, ElementsAre(true, false));
    EXPECT_TRUE(queue.poll().empty());
}

TEST_F(ViewerExportQueue, IsReorderedAndShortened) {
    ExportQueue queue;
    const auto a = queue.add(request("a.mkv"));
    const auto b = queue.add(request("b.mkv"));
    const auto c = queue.add(request("c.mkv"));
    const auto now = queue.add(request("now.mkv"), true);
    EXPECT_THAT(names(queue), ElementsAre("now", "a", "b", "c"));
    queue.remove(now);
    queue.move(c, -1);
    EXPECT_THAT(names(queue), ElementsAre("a", "c", "b"));
    queue.move(a, 1);
    EXPECT_THAT(names(queue), ElementsAre("c", "a", "b"));
    queue.move(b, 1);    // it is the last one
    queue.move(c, -1);   // it is the first one
    queue.move(999, 1);  // it does not exist
    EXPECT_THAT(names(queue), ElementsAre("c", "a", "b"));
    queue.remove(a);
    queue.start();
    queue.move(b, -1);  // the other one runs
    queue.remove(c);
    EXPECT_THAT(names(queue), ElementsAre("c", "b"));
    run_all(queue);
}

// An export that is tried again waits in the place where it failed.
TEST_F(ViewerExportQueue, IsReorderedAcrossExportsThatDoNotWait) {
    ExportQueue queue;
    const auto a = queue.add(failing("a.mkv"));
    run_all(queue);
    queue.add(request("b.mkv"));
    const auto c = queue.add(request("c.mkv"));
    queue.start();
    ASSERT_EQ(queue.list()[1].state, QueueState::running) << "for as long as nothing polls";
    queue.set_paused(true);
    queue.try_again(a);
    queue.move(c, -1);
    EXPECT_THAT(names(queue), ElementsAre("c", "b", "a"));
    queue.move(c, 1);
    EXPECT_THAT(names(queue), ElementsAre("a", "b", "c"));
    queue.set_paused(false);
    run_all(queue);
}

TEST_F(ViewerExportQueue, RefusesANameThatIsTaken) {
    ExportQueue queue;
    queue.add(request("a.mkv"));
    const auto refusal = queue.why_not(request("a.mkv", "sobel"));
    ASSERT_TRUE(refusal);
    EXPECT_THAT(refusal->sentence, HasSubstr("queue"));
    EXPECT_FALSE(refusal->exists);
    EXPECT_FALSE(queue.why_not(request("b.mkv")));
    run_all(queue);
    EXPECT_TRUE(queue.why_not(request("a.mkv"))->exists);
}

// A paused export makes no progress, and its output has no name yet.
TEST_F(ViewerExportQueue, PausesTheRunningExport) {
    std::promise<void> go;
    ExportQueue queue([held = go.get_future().share()] { held.wait(); });
    queue.add(request("a.mkv"));
    queue.add(request("b.mkv"));
    queue.start();
    wait_until(queue, [&] { return queue.status().pace.frames > 0; });
    queue.set_paused(true);
    go.set_value();
    const std::int64_t held = queue.status().pace.frames;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    (void)queue.poll();
    EXPECT_TRUE(queue.running());
    EXPECT_EQ(queue.status().pace.frames, held);
    EXPECT_THAT(states(queue)[0], HasSubstr("Paused"));
    EXPECT_FALSE(fs::exists(folder_ / "a.mkv"));
    EXPECT_EQ(states(queue)[1], "Waiting");
    queue.set_paused(false);
    run_all(queue);
    EXPECT_THAT(states(queue), ElementsAre("Done", "Done"));
    EXPECT_EQ(count_frames(folder_ / "a.mkv"), 50);
}

TEST_F(ViewerExportQueue, APausedExportCanBeCancelled) {
    std::promise<void> go;
    ExportQueue queue([held = go.get_future().share()] { held.wait(); });
    queue.add(request("a.mkv"));
    queue.start();
    wait_until(queue, [&] { return queue.status().pace.frames > 0; });
    queue.set_paused(true);
    go.set_value();
    queue.cancel();
    wait_until(queue, [&] { return !queue.running(); });
    (void)queue.poll();
    EXPECT_FALSE(fs::exists(folder_ / "a.mkv"));
    EXPECT_THAT(states(queue), ElementsAre("Cancelled"));
    EXPECT_FALSE(queue.paused());  // nothing is left to resume
    queue.try_again(queue.list()[0].id);
    run_all(queue);
    EXPECT_THAT(states(queue), ElementsAre("Done"));
}

TEST_F(ViewerExportQueue, StartingEndsAPauseBetweenExports) {
    ExportQueue queue;
    queue.add(request("a.mkv"));
    queue.set_paused(true);
    EXPECT_FALSE(queue.running());
    run_all(queue);
    EXPECT_THAT(states(queue), ElementsAre("Done"));
}

TEST_F(ViewerExportQueue, AnOutputThatExistsWhenItsTurnComesFails) {
    ExportQueue queue;
    queue.add(request("a.mkv"));
    const auto late = queue.add(request("b.mkv"));
    queue.add(request("c.mkv"));
    std::ofstream(folder_ / "b.mkv") << "of value";
    run_all(queue);
    EXPECT_THAT(states(queue), ElementsAre("Done", "Failed", "Done"));
    EXPECT_THAT(queue.list()[1].outcome.sentence, HasSubstr("rename or remove it"));
    EXPECT_EQ(fs::file_size(folder_ / "b.mkv"), 8U);
    fs::remove(folder_ / "b.mkv");
    queue.try_again(late);
    run_all(queue);
    EXPECT_THAT(states(queue), ElementsAre("Done", "Done", "Done"));
}

// Only a full disk pauses an export, not a name that reads like one.
TEST_F(ViewerExportQueue, AFailureIsJudgedByItsCause) {
    const std::string name = "a: No space left on device; .mkv";
    ExportQueue queue;
    queue.add(request(name));
    std::ofstream(folder_ / name) << "of value";
    run_all(queue);
    EXPECT_THAT(states(queue), ElementsAre("Failed"));
}

// On a disk of 100 KiB; the uncompressed export has 230 KB, and a resumable one needs twice as
// much.
class ViewerExportQueueFullDisk : public ViewerExportQueue {
 protected:
    void SetUp() override {
        ViewerExportQueue::SetUp();
        if (IsSkipped()) return;
        const fs::path disk = folder_ / "disk";
        fs::create_directories(disk);
        disk_.emplace(disk.string(), "tmpfs", 0, "size=100k");
        if (!disk_->mounted()) GTEST_SKIP() << "a tmpfs cannot be mounted here";
    }
    static void wait_for_pause(ExportQueue& queue) {
        wait_until(queue, [&] { return !queue.status().full_disk.empty() || !queue.running(); });
        ASSERT_TRUE(queue.running()) << queue.list()[0].outcome.sentence;
        EXPECT_TRUE(queue.paused());
        EXPECT_THAT(states(queue)[0], HasSubstr("Paused"));
    }
    // The disk's file, once it is written, has the bytes of the same export elsewhere.
    void expect_whole(const std::string& name) const {
        ExportQueue queue;
        queue.add(request(name));
        run_all(queue);
        EXPECT_EQ(read_bytes(folder_ / "disk" / name), read_bytes(folder_ / name));
    }
    std::optional<Mount> disk_;
};

TEST_F(ViewerExportQueueFullDisk, PausesTheQueueAndContinuesWithNothingLost) {
    ExportQueue queue;
    queue.add(request("disk/a.y4m"));
    queue.add(request("b.mkv"));
    queue.start();
    for (int k = 0; k < 2; ++k) {  // the second time because nothing was freed
        wait_for_pause(queue);
        const std::string text = queue.status().full_disk;
        EXPECT_THAT(text, HasSubstr("The disk at " + (folder_ / "disk").string() + " is full"));
        EXPECT_THAT(text, HasSubstr("press Resume"));
        EXPECT_EQ(states(queue)[1], "Waiting");
        EXPECT_FALSE(fs::exists(folder_ / "disk" / "a.y4m"));
        if (k == 1) {
            ASSERT_TRUE(disk_->change("size=10m"));
        }
        queue.set_paused(false);
    }
    // Only now: the first attempt may have found the disk full again by here.
    EXPECT_EQ(queue.status().full_disk, "");
    run_all(queue);
    EXPECT_THAT(states(queue), ElementsAre("Done", "Done"));
    expect_whole("a.y4m");
}

TEST_F(ViewerExportQueueFullDisk, HoldsTheSegmentsOfAResumableExport) {
    ExportRequest resumable = request("disk/a.nut");
    resumable.quality = ExportQuality::lossless;
    resumable.resumable = true;
    ExportQueue queue;
    queue.add(resumable);
    queue.start();
    wait_for_pause(queue);
    ASSERT_TRUE(disk_->change("size=10m"));
    queue.set_paused(false);
    run_all(queue);
    EXPECT_THAT(states(queue), ElementsAre("Done"));
    EXPECT_EQ(count_frames(folder_ / "disk" / "a.nut"), 50);
}

// The one file that the disk may have is its folder.
TEST_F(ViewerExportQueueFullDisk, HoldsAnExportWhoseFileCannotBeCreated) {
    ASSERT_TRUE(disk_->change("size=10m,nr_inodes=1"));
    ExportQueue queue;
    queue.add(request("disk/a.y4m"));
    queue.add(request("b.mkv"));
    queue.start();
    for (int k = 0; k < 2; ++k) {  // the second time because nothing was freed
        wait_for_pause(queue);
        EXPECT_THAT(queue.status().full_disk, HasSubstr("has no room for more files"));
        EXPECT_THAT(queue.status().full_disk, HasSubstr("press Resume: the export starts again"));
        EXPECT_EQ(states(queue)[1], "Waiting");
        if (k == 1) {
            ASSERT_TRUE(disk_->change("size=10m,nr_inodes=100"));
        }
        queue.set_paused(false);
    }
    run_all(queue);
    EXPECT_THAT(states(queue), ElementsAre("Done", "Done"));
    expect_whole("a.y4m");
}

TEST_F(ViewerExportQueueFullDisk, CanBeCancelled) {
    ExportQueue queue;
    queue.add(request("disk/a.y4m"));
    queue.add(request("b.mkv"));
    queue.start();
    wait_for_pause(queue);
    queue.cancel();
    run_all(queue);
    EXPECT_THAT(states(queue), ElementsAre("Cancelled", "Done"));
    EXPECT_TRUE(fs::is_empty(folder_ / "disk"));
}

TEST_F(ViewerExportQueueFullDisk, QuittingLeavesNothing) {
    {
        ExportQueue queue;
        queue.add(request("disk/a.y4m"));
        queue.start();
        wait_for_pause(queue);
    }
    EXPECT_TRUE(fs::is_empty(folder_ / "disk"));
}

TEST_F(ViewerExportQueue, RemembersSpeedAndSizeOfEqualWork) {
    ExportQueue queue;
    queue.add(request("a.mkv"));
    EXPECT_FALSE(queue.measured(work_key(request("a.mkv"))));
    run_all(queue);
    const auto measured = queue.measured(work_key(request("other.mkv")));
    ASSERT_TRUE(measured);
    EXPECT_GT(measured->fps, 0);
    // Its encoder hands out most bytes at the end.
    EXPECT_NEAR(measured->bytes_per_frame * 50,
                static_cast<double>(fs::file_size(folder_ / "a.mkv")), 1);
    EXPECT_FALSE(queue.measured(work_key(request("a.mkv", "sobel"))));
    EXPECT_FALSE(queue.measured(work_key(request("a.mp4"))));
}

TEST_F(ViewerExportQueueFullDisk, ACancelledOneLeavesItsSpeed) {
    ExportQueue queue;
    queue.add(request("disk/a.y4m"));
    queue.start();
    wait_for_pause(queue);  // at 100 kB of 231
    const auto running = queue.measured(work_key(request("disk/a.y4m")));
    ASSERT_TRUE(running);
    EXPECT_GT(running->fps, 0);
    EXPECT_EQ(running->bytes_per_frame, 0);
    queue.cancel();
    run_all(queue);
    const auto measured = queue.measured(work_key(request("disk/a.y4m")));
    ASSERT_TRUE(measured);
    EXPECT_GT(measured->fps, 0);
    EXPECT_EQ(measured->bytes_per_frame, 0);
}

TEST(ViewerExportQueueText, TheQuestionBeforeQuitting) {
    EXPECT_EQ(unfinished_words(RunningExport::lost_by_quitting, 0),
              "An export is still running. If you quit now, its file is not written.");
    EXPECT_EQ(unfinished_words(RunningExport::lost_by_quitting, 2),
              "An export is still running, and 2 exports are waiting. If you quit now, their files "
              "are not written.");
    EXPECT_EQ(unfinished_words(RunningExport::none, 1),
              "1 export is waiting. If you quit now, its file is not written.");
    EXPECT_EQ(unfinished_words(RunningExport::resumable, 0),
              "An export is still running. If you quit now, its file is not written. The finished "
              "part of the running one is kept; the same export continues after it.");
}

}  // namespace
}  // namespace weft::test
