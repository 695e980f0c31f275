// An output appears complete under its name or not at all, whatever fails.
#include "app/media/output/atomic_output.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <type_traits>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/libav/error.h"
#include "app/media/output/output_claim.h"
#include "app/media/output/partial_name.h"
#include "tests/media/output/output_folder.h"
#include "tests/support/mount.h"

namespace weft {
namespace {

static_assert(std::is_nothrow_move_constructible_v<FileDescriptor>);
static_assert(std::is_nothrow_move_assignable_v<FileDescriptor>);
static_assert(!std::is_copy_constructible_v<FileDescriptor>);

INSTANTIATE_TEST_SUITE_P(Media, AtomicOutputFile, testing::Bool(),
                         [](const auto& param) { return param.param ? "Anonymous" : "Named"; });

TEST_P(AtomicOutputFile, AppearsOnlyWithCommit) {
    AtomicOutput output(at("out.txt").string(), options());
    output.write("hello ");
    output.write("world");
    EXPECT_FALSE(fs::exists(at("out.txt")));
    output.commit();
    EXPECT_EQ(read_file(at("out.txt")), "hello world");
    EXPECT_THAT(names_in(dir_), testing::ElementsAre("out.txt"));
}

TEST_P(AtomicOutputFile, LeavesNothingWithoutCommit) {
    { AtomicOutput(at("out.txt").string(), options()).write("half"); }
    EXPECT_THAT(names_in(dir_), testing::IsEmpty());
}

TEST_P(AtomicOutputFile, LeavesNothingWhenMemoryRunsOut) {
    const std::string path = at("out.txt").string();
    run_out_of_memory([&] { const AtomicOutput output(path, options()); },
                      [&] { EXPECT_THAT(names_in(dir_), testing::IsEmpty()); });
}

TEST_P(AtomicOutputFile, KeepsTheOldFileWithoutCommit) {
    put(at("out.txt"), "old");
    { AtomicOutput(at("out.txt").string(), options(Overwrite::replace)).write("half"); }
    EXPECT_EQ(read_file(at("out.txt")), "old");
    EXPECT_THAT(names_in(dir_), testing::ElementsAre("out.txt"));
}

TEST_P(AtomicOutputFile, ReplacesAndKeepsTheMode) {
    put(at("out.txt"), "old");
    chmod(at("out.txt").c_str(), 0640);
    AtomicOutput output(at("out.txt").string(), options(Overwrite::replace));
    output.write("new");
    EXPECT_EQ(read_file(at("out.txt")), "old");
    output.commit();
    EXPECT_EQ(read_file(at("out.txt")), "new");
    struct stat info {};
    stat(at("out.txt").c_str(), &info);
    EXPECT_EQ(info.st_mode & 0777U, 0640U);
    EXPECT_THAT(names_in(dir_), testing::ElementsAre("out.txt"));
}

TEST_P(AtomicOutputFile, NewFilesFollowTheUmask) {
    const mode_t old = umask(027);
    AtomicOutput output(at("out.txt").string(), options());
    umask(old);
    output.commit();
    struct stat info {};
    stat(at("out.txt").c_str(), &info);
    EXPECT_EQ(info.st_mode & 0777U, 0640U);
}

TEST_P(AtomicOutputFile, RefusesAnExistingFileBeforeWork) {
    put(at("out.txt"), "old");
    std::string text;
    EXPECT_EQ(outcome_of([&] { AtomicOutput(at("out.txt").string(), options()); }, &text),
              Outcome::usage);
    EXPECT_THAT(text, testing::HasSubstr("-y"));
    EXPECT_EQ(outcome_of([&] { AtomicOutput(at("out.txt").string(), options(Overwrite::skip)); }),
              Outcome::usage);
    EXPECT_EQ(read_file(at("out.txt")), "old");
}

TEST_P(AtomicOutputFile, RefusesFileCreatedMeanwhile) {
    AtomicOutput output(at("out.txt").string(), options());
    output.write("mine");
    put(at("out.txt"), "theirs");
    EXPECT_EQ(outcome_of([&] { output.commit(); }), Outcome::usage);
    EXPECT_EQ(read_file(at("out.txt")), "theirs");
}

TEST_P(AtomicOutputFile, WritesThroughLinkAndKeepsIt) {
    fs::create_directory(at("far"));
    put(at("far/real.txt"), "old");
    fs::create_symlink("far/real.txt", at("link.txt"));
    AtomicOutput output(at("link.txt").string(), options(Overwrite::replace));
    output.write("new");
    output.commit();
    EXPECT_TRUE(fs::is_symlink(at("link.txt")));
    EXPECT_EQ(read_file(at("far/real.txt")), "new");
}

TEST_P(AtomicOutputFile, CreatesMissingTargetOfLink) {
    fs::create_symlink("real.txt", at("link.txt"));
    AtomicOutput output(at("link.txt").string(), options());
    output.write("new");
    output.commit();
    EXPECT_EQ(read_file(at("real.txt")), "new");
    EXPECT_TRUE(fs::is_symlink(at("link.txt")));
}

TEST_P(AtomicOutputFile, RefusesLinkLoops) {
    fs::create_symlink("b", at("a"));
    fs::create_symlink("a", at("b"));
    EXPECT_EQ(outcome_of([&] { AtomicOutput(at("a").string(), options()); }), Outcome::usage);
}

TEST_P(AtomicOutputFile, RefusesNonFiles) {
    EXPECT_EQ(outcome_of([&] { AtomicOutput(dir_.string(), options(Overwrite::replace)); }),
              Outcome::usage);
    mkfifo(at("pipe").c_str(), 0600);
    EXPECT_EQ(outcome_of([&] { AtomicOutput(at("pipe").string(), options(Overwrite::replace)); }),
              Outcome::not_written);
    EXPECT_EQ(outcome_of([&] { AtomicOutput("/dev/full", options(Overwrite::replace)); }),
              Outcome::not_written);
}

TEST_P(AtomicOutputFile, NamesAMissingFolder) {
    std::string text;
    EXPECT_EQ(outcome_of([&] { AtomicOutput(at("no/out.txt").string(), options()); }, &text),
              Outcome::not_written);
    EXPECT_THAT(text, testing::HasSubstr("no/out.txt"));
    EXPECT_THAT(text, testing::HasSubstr("folder does not exist"));
}

TEST_P(AtomicOutputFile, AcceptsNamesOfMaximumLength) {
    const std::string name(255, 'n');
    AtomicOutput output(at(name).string(), options());
    output.write("x");
    output.commit();
    EXPECT_EQ(read_file(at(name)), "x");
}

TEST_P(AtomicOutputFile, WorksInTheCurrentFolder) {
    const fs::path before = fs::current_path();
    fs::current_path(dir_);
    {
        AtomicOutput output("plain.txt", options());
        output.write("x");
        output.commit();
    }
    fs::current_path(before);
    EXPECT_EQ(read_file(at("plain.txt")), "x");
}

// The exit status of a child that runs `act`, with errors mapped as in the program.
int exit_code_in_child(const std::function<void()>& act) {
    const pid_t child = fork();
    if (child == 0) _exit(static_cast<int>(outcome_of(act)));
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

constexpr uid_t kNobody = 65534;

TEST_P(AtomicOutputFile, RefusesAFolderWithoutRights) {
    fs::permissions(dir_, fs::perms(0755));
    fs::create_directory(at("locked"));
    fs::permissions(at("locked"), fs::perms(0555));
    const int outcome = exit_code_in_child([&] {
        if (geteuid() == 0 && setuid(kNobody) != 0) return;  // root may write everywhere
        AtomicOutput(at("locked/out").string(), options());
    });
    EXPECT_EQ(outcome, static_cast<int>(Outcome::not_written));
}

TEST_P(AtomicOutputFile, ReportsSizeLimitAndKeepsOldFile) {
    put(at("out.txt"), "old");
    const int outcome = exit_code_in_child([&] {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{4096, 4096};
        setrlimit(RLIMIT_FSIZE, &limit);
        AtomicOutput output(at("out.txt").string(), options(Overwrite::replace));
        output.write(std::string(10'000, 'x'));
        output.commit();
    });
    EXPECT_EQ(outcome, static_cast<int>(Outcome::not_written));
    EXPECT_EQ(read_file(at("out.txt")), "old");
    EXPECT_THAT(names_in(dir_), testing::ElementsAre("out.txt"));
}

TEST_P(AtomicOutputFile, KilledWriterKeepsOldFileAndTemporaryIsRemovedLater) {
    put(at("out.txt"), "old");
    const pid_t child = fork();
    if (child == 0) {
        AtomicOutput output(at("out.txt").string(), options(Overwrite::replace));
        output.write("half");
        raise(SIGKILL);
    }
    waitpid(child, nullptr, 0);
    EXPECT_EQ(read_file(at("out.txt")), "old");
    AtomicOutput next(at("other.txt").string(), options());
    next.commit();
    EXPECT_THAT(names_in(dir_), testing::ElementsAre("other.txt", "out.txt"));
}

TEST_P(AtomicOutputFile, KeepsTemporaryOfLiveWriter) {
    AtomicOutput first(at("a.txt").string(), options());
    first.write("a");
    AtomicOutput second(at("b.txt").string(), options());
    second.write("b");
    remove_stale_partials(dir_);
    second.commit();
    first.commit();
    EXPECT_THAT(names_in(dir_), testing::ElementsAre("a.txt", "b.txt"));
}

TEST(MediaPartialName, OnlyOurOwnFormIsStale) {
    EXPECT_TRUE(is_partial_name(partial_name("movie.mkv")));
    EXPECT_TRUE(is_partial_name(partial_name(std::string(255, 'x'))));
    EXPECT_LE(partial_name(std::string(255, 'x')).size(), 255U);
    EXPECT_TRUE(is_own_partial_name(partial_name("movie.mkv")));
    EXPECT_TRUE(is_partial_name(".movie.weft-0123456789abcdef-abc123.partial"));
    EXPECT_FALSE(is_own_partial_name(".movie.weft-0123456789abcdef-abc123.partial"));
    for (const char* name :
         {"movie.mkv", ".movie.mkv", ".movie.weft-0123456789abcdef-abc.partial",
          "movie.weft-0123456789abcdef-abc123.partial", ".movie.weft-abc123.partial",
          ".movie.weft-0123456789abcdef-abc12Z.partial",
          ".movie.weft-0123456789abcdeg-abc123.partial",
          ".movie.weft-0123456789abcdef-abc123.partial.mkv", ".partial"})
        EXPECT_FALSE(is_partial_name(name)) << name;
}

TEST(MediaPartialName, ClaimsOfLongNamesDiffer) {
    const std::string stem(250, 'x');
    EXPECT_NE(claim_name(stem + "1"), claim_name(stem + "2"));
    EXPECT_LE(claim_name(stem + "1").size(), 255U);
    EXPECT_FALSE(is_partial_name(claim_name("movie.mkv")));
}

TEST_P(AtomicOutputFile, OneClaimAtATime) {
    {
        const OutputClaim first(at("a.mkv").string());
        EXPECT_TRUE(first.held());
        EXPECT_FALSE(OutputClaim(at("a.mkv").string()).held());
        EXPECT_TRUE(OutputClaim(at("b.mkv").string()).held());
        remove_stale_partials(dir_);
        EXPECT_FALSE(OutputClaim(at("a.mkv").string()).held()) << "a live claim was removed";
    }
    EXPECT_THAT(names_in(dir_), testing::IsEmpty());
    EXPECT_TRUE(OutputClaim(at("a.mkv").string()).held());
}

// A run that ends in a fault marks its claim, if it holds no other.
TEST_P(AtomicOutputFile, AClaimRemembersHowItsRunEnded) {
    const fs::path file = dir_ / claim_name("a.mkv");
    const auto text_of_run = [&](bool alone, int signal) {
        fs::remove(file);
        const OutputClaim claim(at("a.mkv").string());
        const auto other = alone ? nullptr : std::make_unique<OutputClaim>(at("b.mkv").string());
        EXPECT_EQ(claim.ended(), "");
        if (signal != 0) mark_claims(signal);
        return read_file(file);
    };
    for (const bool alone : {true, false}) {
        put(file, text_of_run(alone, SIGSEGV));
        OutputClaim next(at("a.mkv").string());
        EXPECT_THAT(next.ended(), testing::HasSubstr("ended by signal 11"));
        EXPECT_EQ(next.will_end_again(), alone);
        next.leave();
    }
    EXPECT_THAT(OutputClaim(at("a.mkv").string()).ended(), testing::HasSubstr("signal 11"))
        << "a claim that was left is as it was";
    {
        put(file, text_of_run(true, SIGTERM));
        const OutputClaim after_notice(at("a.mkv").string());
        EXPECT_THAT(after_notice.ended(), testing::HasSubstr("ended by signal 15"));
        EXPECT_FALSE(after_notice.will_end_again());
    }
    put(file, text_of_run(true, 0));
    const OutputClaim after_kill(at("a.mkv").string());
    EXPECT_EQ(after_kill.ended(), "killed");
    EXPECT_FALSE(after_kill.will_end_again());
}

TEST_P(AtomicOutputFile, AClaimCanBeWaitedFor) {
    std::stop_source stop;
    auto first = std::make_unique<OutputClaim>(at("a.mkv").string());
    stop.request_stop();
    EXPECT_FALSE(OutputClaim(at("a.mkv").string(), stop.get_token()).held());
    bool held = false;
    std::jthread second([&] { held = OutputClaim(at("a.mkv").string(), {}).held(); });
    first.reset();
    second.join();
    EXPECT_TRUE(held);
    EXPECT_THAT(names_in(dir_), testing::IsEmpty());
}

// Its folder may go while another process holds it: creating the output reports that.
TEST_P(AtomicOutputFile, AClaimThatCannotBeOpenedIsNotWaitedFor) {
    fs::create_directory(at("folder"));
    const std::string output = (at("folder") / "a.mkv").string();
    const OutputClaim first(output);
    std::stop_source stop;
    bool held = false;
    std::jthread second([&] { held = OutputClaim(output, stop.get_token()).held(); });
    std::jthread patience([&](const std::stop_token& done) {
        for (int k = 0; k < 500 && !done.stop_requested(); ++k)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        stop.request_stop();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the other one waits by now
    fs::remove_all(at("folder"));
    second.join();
    EXPECT_TRUE(held);
}

// The claim of a killed run is taken over, or removed once its output exists.
TEST_P(AtomicOutputFile, RemovesStaleClaimWithItsOutput) {
    const fs::path claim = dir_ / claim_name("a.mkv");
    put(claim, "");
    remove_stale_partials(dir_);
    EXPECT_TRUE(fs::exists(claim));
    EXPECT_TRUE(OutputClaim(at("a.mkv").string()).held());
    EXPECT_FALSE(fs::exists(claim));
    put(claim, "");
    put(at("a.mkv"), "made");
    remove_stale_partials(dir_);
    EXPECT_FALSE(fs::exists(claim));
}

// Another machine's lock may not be visible here.
TEST_P(AtomicOutputFile, KeepsPartialOfAnotherMachine) {
    const fs::path foreign = at(".a.txt.weft-0123456789abcdef-abc123.partial");
    const fs::path staging = at(".a_%d.png.weft-0123456789abcdef-abc124.partial");
    put(foreign, "half");
    fs::create_directory(staging);
    const fs::path own = dir_ / partial_name("a.txt");
    put(own, "half");
    AtomicOutput(at("b.txt").string(), options()).commit();
    EXPECT_EQ(read_file(foreign), "half");
    EXPECT_TRUE(fs::exists(staging));
    EXPECT_FALSE(fs::exists(own));
}

TEST_P(AtomicOutputFile, RemovesPartialsByAge) {
    using std::chrono::hours;
    const auto now = fs::file_time_type::clock::now();
    const fs::path old = at(".a.weft-0123456789abcdef-abc123.partial");
    const fs::path fresh = at(".a.weft-0123456789abcdef-abc124.partial");
    const fs::path folder = at(".a_%d.png.weft-0123456789abcdef-abc125.partial");
    const fs::path worked_in = at(".b_%d.png.weft-0123456789abcdef-abc126.partial");
    for (const fs::path& path : {old, fresh, at("old.txt")}) put(path, "half");
    for (const fs::path& path : {folder, worked_in}) {
        fs::create_directory(path);
        put(path / "a_1.png", "one");
    }
    fs::last_write_time(folder / "a_1.png", now - hours(25));
    for (const fs::path& path : {old, folder, worked_in, at("old.txt")})
        fs::last_write_time(path, now - hours(25));
    AtomicOutput live(at("live.txt").string(), options());
    live.write("half");
    EXPECT_THAT(remove_old_partials(dir_, hours(24)), testing::ElementsAre(old, folder));
    for (const fs::path& path : {fresh, worked_in, at("old.txt")})
        EXPECT_TRUE(fs::exists(path)) << path;
    live.commit();
    EXPECT_EQ(read_file(at("live.txt")), "half");
}

class RunSources : public AtomicOutputFile {
 protected:
    static Outcome refused(const RunFiles& run, const fs::path& output) {
        return outcome_of([&] { run.refuse_taken(output.string()); });
    }
};
INSTANTIATE_TEST_SUITE_P(Media, RunSources, testing::Bool());

TEST_P(RunSources, AreRefusedByEveryName) {
    put(at("in.mp4"), "source");
    fs::create_symlink("in.mp4", at("link.mp4"));
    fs::create_hard_link(at("in.mp4"), at("hard.mp4"));
    fs::create_directory(at("sub"));
    const RunFiles run(at("in.mp4").string());
    for (const fs::path& output :
         {at("in.mp4"), at("link.mp4"), at("hard.mp4"), at("sub/../in.mp4"), at("./in.mp4")})
        EXPECT_EQ(refused(run, output), Outcome::usage) << output;
    EXPECT_EQ(refused(RunFiles(at("link.mp4").string()), at("in.mp4")), Outcome::usage);
    put(at("other.mp4"), "source");
    EXPECT_EQ(refused(run, at("other.mp4")), Outcome::ok);
    EXPECT_EQ(refused(run, at("new.mp4")), Outcome::ok);
}

TEST_P(RunSources, AreRefusedByEveryMember) {
    for (const char* name : {"i_1.png", "i_2.png", "j_2.png", "i_x.png"}) put(at(name), name);
    fs::create_directory(at("out"));
    fs::create_symlink(at("i_2.png"), at("out/o_7.png"));
    const RunFiles run(at("i_%d.png").string());
    for (const char* output : {"i_1.png", "i_%d.png", "i_%01d.png", "out/o_7.png", "out/o_%d.png"})
        EXPECT_EQ(refused(run, at(output)), Outcome::usage) << output;
    for (const char* output :
         {"i_x.png", "i_3.png", "j_%d.png", "i_%02d.png", "out/o_%02d.png", "none/i_%d.png"})
        EXPECT_EQ(refused(run, at(output)), Outcome::ok) << output;
    EXPECT_EQ(refused(RunFiles(at("i_2.png").string()), at("i_%d.png")), Outcome::usage);
}

// The name is checked again when the file is complete.
TEST_P(RunSources, AreRefusedInMidRun) {
    put(at("in.mp4"), "source");
    OutputOptions with_run = options(Overwrite::replace);
    with_run.run = std::make_shared<RunFiles>(at("in.mp4").string());
    AtomicOutput output(at("out.mp4").string(), with_run);
    AtomicSequence sequence(dir_, "o_%d.png", with_run);
    output.write("filtered");
    sequence.add("o_1.png", "filtered", 8);
    sequence.add("o_2.png", "filtered", 8);
    fs::create_hard_link(at("in.mp4"), at("out.mp4"));
    fs::create_symlink("in.mp4", at("o_2.png"));
    EXPECT_EQ(outcome_of([&] { output.commit(); }), Outcome::usage);
    EXPECT_EQ(outcome_of([&] { sequence.commit(); }), Outcome::usage);
    for (const char* name : {"in.mp4", "out.mp4", "o_2.png"})
        EXPECT_EQ(read_file(at(name)), "source") << name;
    EXPECT_FALSE(fs::exists(at("o_1.png")));
}

// On exFAT and others, A.mkv and a.mkv are one file, as two links are here.
TEST_P(RunSources, OutputsOfTheSameRunAreRefused) {
    OutputOptions with_run = options(Overwrite::replace);
    with_run.run = std::make_shared<RunFiles>();
    AtomicOutput late(at("late.mkv").string(), with_run);
    for (int k = 0; k < 2; ++k) {  // a receipt may be written twice
        AtomicOutput first(at("A.mkv").string(), with_run);
        first.write("first");
        first.commit();
    }
    fs::create_hard_link(at("A.mkv"), at("a.mkv"));
    fs::create_hard_link(at("A.mkv"), at("late.mkv"));
    EXPECT_EQ(refused(*with_run.run, at("a.mkv")), Outcome::usage);
    EXPECT_EQ(outcome_of([&] { const AtomicOutput second(at("a.mkv").string(), with_run); }),
              Outcome::usage);
    late.write("second");
    EXPECT_EQ(outcome_of([&] { late.commit(); }), Outcome::usage);
    EXPECT_EQ(read_file(at("A.mkv")), "first");
    EXPECT_EQ(refused(RunFiles(), at("a.mkv")), Outcome::ok);
    put(at("b.mkv"), "FIRST");
    fs::last_write_time(at("b.mkv"), fs::last_write_time(at("A.mkv")));
    EXPECT_EQ(refused(*with_run.run, at("b.mkv")), Outcome::ok) << "only its size and time are A's";
}

// A file server shows a file with another device and inode on each of its mounts, as an overlay
// does.
TEST_P(RunSources, AreRefusedThroughAnotherMount) {
    for (const char* folder : {"disk", "mirror"}) fs::create_directory(at(folder));
    const test::Mount disk(at("disk"), "tmpfs", 0, "size=1m");
    for (const char* folder : {"disk/real", "disk/work", "disk/low"})
        fs::create_directory(at(folder));
    put(at("disk/real/in.mp4"), "source");
    put(at("disk/real/other.mp4"), "SOURCE");
    fs::last_write_time(at("disk/real/other.mp4"), fs::last_write_time(at("disk/real/in.mp4")));
    const test::Mount mirror(
        at("mirror"), "overlay", 0,
        fmt::format("lowerdir={0}/low,upperdir={0}/real,workdir={0}/work", at("disk").string()));
    if (!disk.mounted() || !mirror.mounted()) GTEST_SKIP() << "nothing can be mounted here";
    fs::create_symlink("real/in.mp4", at("disk/link.mp4"));
    ASSERT_NE(file_id(at("disk/real/in.mp4")), file_id(at("mirror/in.mp4")));
    for (const char* source : {"disk/real/in.mp4", "disk/link.mp4"}) {
        const RunFiles run(at(source).string());
        EXPECT_EQ(refused(run, at("mirror/in.mp4")), Outcome::usage) << source;
        EXPECT_EQ(run.source_at(at("mirror/in.mp4")), at(source).string());
        EXPECT_EQ(refused(run, at("mirror/other.mp4")), Outcome::ok) << source;
    }
    EXPECT_EQ(refused(RunFiles(at("mirror/in.mp4").string()), at("disk/real/in.mp4")),
              Outcome::usage);
    put(at("in.mp4"), "source");
    fs::last_write_time(at("in.mp4"), fs::last_write_time(at("disk/real/in.mp4")));
    EXPECT_EQ(refused(RunFiles(at("disk/real/in.mp4").string()), at("in.mp4")), Outcome::ok);
}

// The input is a stale partial file that the user wants to rescue.
TEST_P(RunSources, AreNoStalePartials) {
    const fs::path source = dir_ / partial_name("old.mkv");
    put(source, "half");
    OutputOptions with_run = options();
    with_run.run = std::make_shared<RunFiles>(source.string());
    AtomicOutput(at("out.mkv").string(), with_run).commit();
    EXPECT_EQ(read_file(source), "half");
}

TEST_P(RunSources, FoldersAreClearedOncePerRun) {
    RunFiles run;
    fs::create_directory(at("sub"));
    EXPECT_TRUE(run.first_output_in(dir_));
    EXPECT_FALSE(run.first_output_in(at("sub/..")));
    EXPECT_TRUE(run.first_output_in(at("sub")));
}

// A rename needs no write permission on the file itself.
TEST_P(AtomicOutputFile, ReadOnlyFilesAreNotReplaced) {
    put(at("out_1.png"), "old");
    fs::permissions(at("out_1.png"), fs::perms(0444));
    std::string text;
    const auto single = [&] {
        AtomicOutput(at("out_1.png").string(), options(Overwrite::replace));
    };
    EXPECT_EQ(outcome_of(single, &text), Outcome::not_written);
    EXPECT_THAT(text, testing::HasSubstr("read-only (mode 0444)"));
    const auto sequence = [&] {
        AtomicSequence(dir_, "out_%d.png", options(Overwrite::replace)).add("out_1.png", "new", 3);
    };
    EXPECT_EQ(outcome_of(sequence), Outcome::not_written);
    EXPECT_EQ(read_file(at("out_1.png")), "old");
}

// A file system of 64 KiB; needs permission to mount.
TEST_P(AtomicOutputFile, ReportsFullDiskAndKeepsOldFile) {
    const std::string mount = "mount -t tmpfs -o size=64k tmpfs " + dir_.string() + " 2>/dev/null";
    if (geteuid() != 0 || std::system(mount.c_str()) != 0)
        GTEST_SKIP() << "no right to mount a small tmpfs";
    put(at("out.txt"), "old");
    std::string text;
    const Outcome outcome = outcome_of(
        [&] {
            AtomicOutput output(at("out.txt").string(), options(Overwrite::replace));
            output.write(std::string(100'000, 'x'));
            output.commit();
        },
        &text);
    EXPECT_EQ(outcome, Outcome::not_written);
    EXPECT_THAT(text, testing::HasSubstr("out.txt"));
    EXPECT_THAT(text, testing::HasSubstr("space"));
    EXPECT_EQ(read_file(at("out.txt")), "old");
    EXPECT_THAT(names_in(dir_), testing::ElementsAre("out.txt"));
    EXPECT_EQ(std::system(("umount " + dir_.string()).c_str()), 0);
}

}  // namespace
}  // namespace weft
