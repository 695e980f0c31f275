// The pictures of a sequence appear together or not at all, and a move that a kill has interrupted
// is finished.
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/demux/image_sequence.h"
#include "app/media/output/atomic_output.h"
#include "app/media/output/partial_name.h"
#include "tests/media/output/output_folder.h"

namespace weft {
namespace {

class AtomicSequenceFiles : public AtomicOutputFile {};
INSTANTIATE_TEST_SUITE_P(Media, AtomicSequenceFiles, testing::Values(true));

TEST_P(AtomicSequenceFiles, AppearsTogether) {
    {
        AtomicSequence sequence(dir_, "out_%d.png", {Overwrite::refuse});
        sequence.add("out_1.png", "one", 3);
        sequence.add("out_2.png", "two", 3);
        EXPECT_FALSE(fs::exists(at("out_1.png")));
        EXPECT_EQ(read_file(sequence.staged("out_2.png")), "two");
        sequence.commit();
    }
    EXPECT_THAT(names_in(dir_), testing::ElementsAre("out_1.png", "out_2.png"));
    EXPECT_EQ(read_file(at("out_2.png")), "two");
}

TEST_P(AtomicSequenceFiles, LeavesNothingWithoutCommit) {
    { AtomicSequence(dir_, "out_%d.png", {Overwrite::refuse}).add("out_1.png", "one", 3); }
    EXPECT_THAT(names_in(dir_), testing::IsEmpty());
}

TEST_P(AtomicSequenceFiles, LeavesNothingWhenMemoryRunsOut) {
    run_out_of_memory(
        [&] {
            AtomicSequence sequence(dir_, "out_%d.png", {Overwrite::replace});
            sequence.add("out_1.png", "one", 3);
            sequence.commit();
        },
        [&] { EXPECT_THAT(names_in(dir_), testing::Each("out_1.png")); });
}

TEST_P(AtomicSequenceFiles, KeepsExistingFiles) {
    put(at("out_2.png"), "old");
    AtomicSequence sequence(dir_, "out_%d.png", {Overwrite::refuse});
    sequence.add("out_1.png", "one", 3);
    EXPECT_EQ(outcome_of([&] { sequence.add("out_2.png", "two", 3); }), Outcome::usage);
    EXPECT_EQ(read_file(at("out_2.png")), "old");
}

TEST_P(AtomicSequenceFiles, KeepsModeOfReplacedFiles) {
    put(at("out_1.png"), "old");
    fs::permissions(at("out_1.png"), fs::perms(0600));
    put(at("real.png"), "old");
    fs::permissions(at("real.png"), fs::perms(0640));
    fs::create_symlink("real.png", at("out_2.png"));
    put(at("new"), "made by the umask");
    AtomicSequence sequence(dir_, "out_%d.png", {Overwrite::replace});
    for (const char* name : {"out_1.png", "out_2.png", "out_3.png"}) sequence.add(name, "new", 3);
    EXPECT_EQ(fs::status(sequence.staged("out_1.png")).permissions(), fs::perms(0600));
    sequence.commit();
    EXPECT_EQ(fs::status(at("out_1.png")).permissions(), fs::perms(0600));
    EXPECT_EQ(fs::status(at("real.png")).permissions(), fs::perms(0640));
    EXPECT_EQ(read_file(at("real.png")), "new");
    EXPECT_EQ(fs::status(at("out_3.png")).permissions(), fs::status(at("new")).permissions());
}

// Two pictures lead to one file by a link: none is lost.
TEST_P(AtomicSequenceFiles, AreAllOldIfOneCannotBeMoved) {
    for (const Overwrite overwrite : {Overwrite::refuse, Overwrite::replace}) {
        fs::create_symlink("out_2.png", at("out_1.png"));
        AtomicSequence sequence(dir_, "out_%d.png", {overwrite});
        sequence.add("out_1.png", "one", 3);
        sequence.add("out_2.png", "two", 3);
        EXPECT_EQ(outcome_of([&] { sequence.commit(); }), Outcome::usage);
        EXPECT_FALSE(fs::exists(at("out_2.png")));
        fs::remove(at("out_1.png"));
    }
    EXPECT_THAT(names_in(dir_), testing::IsEmpty());
}

class UnfinishedMove : public AtomicOutputFile {
 protected:
    // As a writer leaves it that was killed after it had moved the first of three pictures.
    UnfinishedMove() {
        for (const char* name : {"i_2.png", "i_3.png"}) put(at(name), "old");
        fs::create_directory(moving_);
        for (const char* name : {"i_2.png", "i_3.png"}) put(moving_ / name, "new");
        put(at("i_1.png"), "new");
    }
    const SequencePattern pattern_ = *parse_sequence(at("i_%d.png").string());
    const fs::path moving_ = at(moving_name("i_%d.png"));
};
INSTANTIATE_TEST_SUITE_P(Media, UnfinishedMove, testing::Values(true));

TEST_P(UnfinishedMove, IsFoundByItsPatternAlone) {
    EXPECT_EQ(unfinished_move(pattern_), moving_.string());
    EXPECT_EQ(unfinished_move(*parse_sequence(at("i_%01d.png").string())), moving_.string());
    EXPECT_EQ(unfinished_move(*parse_sequence(at("j_%d.png").string())), "");
    EXPECT_EQ(unfinished_move(*parse_sequence(at("none/i_%d.png").string())), "");
}

TEST_P(UnfinishedMove, IsFinishedByTheNextWriter) {
    AtomicOutput(at("b.txt").string(), options()).commit();
    EXPECT_THAT(names_in(dir_), testing::ElementsAre("b.txt", "i_1.png", "i_2.png", "i_3.png"));
    for (const char* name : {"i_1.png", "i_2.png", "i_3.png"})
        EXPECT_EQ(read_file(at(name)), "new") << name;
    EXPECT_EQ(unfinished_move(pattern_), "");
}

TEST_P(UnfinishedMove, IsReplacedByAWriterOfTheSameSequence) {
    const int lock = open(moving_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ASSERT_EQ(flock(lock, LOCK_EX), 0);
    AtomicSequence sequence(dir_, "i_%d.png", options(Overwrite::replace));
    EXPECT_FALSE(finish_move(moving_)) << "its writer is alive";
    EXPECT_EQ(unfinished_move(pattern_), moving_.string());
    close(lock);
    for (const char* name : {"i_1.png", "i_2.png", "i_3.png"}) sequence.add(name, "newer", 5);
    sequence.commit();
    for (const char* name : {"i_1.png", "i_2.png", "i_3.png"})
        EXPECT_EQ(read_file(at(name)), "newer") << name;
    EXPECT_EQ(unfinished_move(pattern_), "");
}

// Files that were written since are not replaced by those of a killed run.
TEST_P(UnfinishedMove, DoesNotReplaceWhatHasChangedSince) {
    fs::last_write_time(moving_, fs::last_write_time(moving_) - std::chrono::seconds(1));
    EXPECT_FALSE(finish_move(moving_));
    EXPECT_EQ(read_file(at("i_2.png")), "old");
    EXPECT_EQ(unfinished_move(pattern_), moving_.string());
}

TEST_P(UnfinishedMove, OfAnotherUserIsLeftAlone) {
    if (chown(moving_.c_str(), 65534, 65534) != 0) GTEST_SKIP() << "no right to change owners";
    EXPECT_FALSE(finish_move(moving_));
    EXPECT_EQ(read_file(at("i_3.png")), "old");
}

TEST_P(AtomicSequenceFiles, RemovesFolderOfKilledWriterLater) {
    const pid_t child = fork();
    if (child == 0) {
        AtomicSequence sequence(dir_, "out_%d.png", {Overwrite::refuse});
        sequence.add("out_1.png", "one", 3);
        raise(SIGKILL);
    }
    waitpid(child, nullptr, 0);
    EXPECT_EQ(names_in(dir_).size(), 1U);
    remove_stale_partials(dir_);
    EXPECT_THAT(names_in(dir_), testing::IsEmpty());
}

}  // namespace
}  // namespace weft
