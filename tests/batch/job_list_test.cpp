// Output names and everything that is refused before work starts, on small trees of files.
#include "app/batch/job_list.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/demux/image_sequence.h"
#include "app/media/libav/error.h"
#include "app/media/write/container_table.h"
#include "app/pipeline/media_names.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class CliParseJobs : public testing::Test {
 protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "weft-jobs-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        root_ = fs::canonical(name);
    }
    void TearDown() override { fs::remove_all(root_); }

    std::string at(const std::string& name) const { return (root_ / name).string(); }
    std::string touch(const std::string& name) const {
        fs::create_directories((root_ / name).parent_path());
        std::ofstream(root_ / name) << name;
        return at(name);
    }
    static std::vector<JobFile> jobs_of(const JobRequest& request) {
        RunFiles run;
        ExtensionCounts others;
        return list_jobs(request, run, others);
    }
    // "input > output", relative to the root.
    std::vector<std::string> list(const JobRequest& request) const {
        std::vector<std::string> lines;
        for (const JobFile& job : jobs_of(request))
            lines.push_back(fs::path(job.input).lexically_relative(root_).string() + " > " +
                            fs::path(job.output).lexically_relative(root_).string());
        return lines;
    }
    static std::string error_of(const JobRequest& request, Outcome outcome = Outcome::usage) {
        try {
            jobs_of(request);
            return "";
        } catch (const Error& error) {
            EXPECT_EQ(error.outcome(), outcome) << error.what();
            return error.what();
        }
    }

    fs::path root_;
};

TEST_F(CliParseJobs, OneFileToOneName) {
    const std::string in = touch("in.mp4");
    EXPECT_THAT(list({{in}, at("out.mkv")}), ElementsAre("in.mp4 > out.mkv"));
}

TEST_F(CliParseJobs, SlashOrExistingFolderOrSeveralInputsMeanAFolder) {
    const std::string a = touch("a.mp4");
    const std::string b = touch("b.png");
    fs::create_directory(at("there"));
    EXPECT_THAT(list({{a}, at("new/")}), ElementsAre("a.mp4 > new/a.mp4"));
    EXPECT_THAT(list({{a}, at("there")}), ElementsAre("a.mp4 > there/a.mp4"));
    EXPECT_THAT(list({{a, b}, at("out")}), ElementsAre("a.mp4 > out/a.mp4", "b.png > out/b.png"));
}

TEST_F(CliParseJobs, FoldersAreMirroredInTheOrderOfTheirNames) {
    touch("in/b.mp4");
    touch("in/a.MKV");
    touch("in/notes.txt");
    touch("in/.hidden.mp4");
    touch("in/deep/er/c.png");
    EXPECT_THAT(list({{at("in")}, at("out")}),
                ElementsAre("in/a.MKV > out/a.MKV", "in/b.mp4 > out/b.mp4"));
    EXPECT_THAT(list({.inputs = {at("in")}, .output = at("out"), .format = "", .recursive = true}),
                ElementsAre("in/a.MKV > out/a.MKV", "in/b.mp4 > out/b.mp4",
                            "in/deep/er/c.png > out/deep/er/c.png"));
}

TEST_F(CliParseJobs, OutputsInsideTheInputFolderAreNoInputs) {
    touch("in/a.mp4");
    touch("in/out/a.mp4");
    EXPECT_THAT(list({.inputs = {at("in")},
                      .output = at("in/out"),
                      .format = "",
                      .recursive = true,
                      .overwrite = Overwrite::replace}),
                ElementsAre("in/a.mp4 > in/out/a.mp4"));
}

TEST_F(CliParseJobs, LinkedFoldersAreNotFollowed) {
    touch("in/a.mp4");
    fs::create_directory_symlink(at("in"), at("in/loop"));
    EXPECT_THAT(list({.inputs = {at("in")}, .output = at("out"), .format = "", .recursive = true}),
                ElementsAre("in/a.mp4 > out/a.mp4"));
}

TEST_F(CliParseJobs, AnEmptyFolderIsReported) {
    fs::create_directory(at("in"));
    EXPECT_THAT(error_of({{at("in")}, at("out")}, Outcome::failed),
                HasSubstr("no videos or images"));
}

TEST_F(CliParseJobs, ExistingOutputs) {
    const std::string in = touch("in.mp4");
    const std::string out = touch("out.mp4");
    EXPECT_THAT(error_of({{in}, out}), HasSubstr("already exists"));
    JobRequest request{{in}, out};
    request.overwrite = Overwrite::replace;
    EXPECT_FALSE(jobs_of(request).front().skip);
    request.overwrite = Overwrite::skip;
    EXPECT_TRUE(jobs_of(request).front().skip);
}

TEST_F(CliParseJobs, DanglingLinkIsAnExistingOutput) {
    const std::string in = touch("in.mp4");
    fs::create_symlink(at("nowhere.mp4"), at("out.mp4"));
    EXPECT_THAT(error_of({{in}, at("out.mp4")}), HasSubstr("already exists"));
}

TEST_F(CliParseJobs, OutputIsInput) {
    const std::string in = touch("in.mp4");
    touch("sub/x");
    fs::create_symlink(in, at("soft.mp4"));
    fs::create_hard_link(in, at("hard.mp4"));
    for (const std::string& out :
         {in, at("soft.mp4"), at("hard.mp4"), at("sub/../in.mp4"), at("./in.mp4")}) {
        JobRequest request{{in}, out};
        for (Overwrite overwrite : {Overwrite::refuse, Overwrite::replace, Overwrite::skip}) {
            request.overwrite = overwrite;
            EXPECT_THAT(error_of(request), HasSubstr("the output is the input")) << out;
        }
    }
}

TEST_F(CliParseJobs, OutputIsAnotherInput) {
    const std::string a = touch("a.mp4");
    const std::string b = touch("out/a.mp4");
    EXPECT_THAT(error_of({.inputs = {a, b},
                          .output = at("out/"),
                          .format = "",
                          .recursive = false,
                          .overwrite = Overwrite::replace}),
                HasSubstr("the output is the input"));
}

TEST_F(CliParseJobs, TwoInputsForOneOutput) {
    const std::string a = touch("one/clip.mp4");
    const std::string b = touch("two/clip.mp4");
    EXPECT_THAT(error_of({{a, b}, at("out/")}), HasSubstr("would both be written to"));
    EXPECT_THAT(error_of({{a, a}, at("out/")}), HasSubstr("would both be written to"));
    touch("clip.ts");
    touch("clip.mkv");
    EXPECT_THAT(error_of({{at("clip.ts"), at("clip.mkv")}, at("out/")}),
                HasSubstr("would both be written to"));
}

TEST_F(CliParseJobs, AllConflictsAreInOneError) {
    std::vector<std::string> inputs;
    for (int k = 1; k <= 3; ++k)
        for (const char* folder : {"one", "two"})
            inputs.push_back(touch(fmt::format("{}/clip{}.mp4", folder, k)));
    const auto conflict = [&](int k) {
        return fmt::format(
            "{} and {} would both be written to {}", at(fmt::format("one/clip{}.mp4", k)),
            at(fmt::format("two/clip{}.mp4", k)), at(fmt::format("out/clip{}.mp4", k)));
    };
    EXPECT_EQ(error_of({inputs, at("out/")}),
              fmt::format("{}; {}; {} (3 conflicts)", conflict(1), conflict(2), conflict(3)));
    for (int k = 4; k <= 9; ++k)
        for (const char* folder : {"one", "two"})
            inputs.push_back(touch(fmt::format("{}/clip{}.mp4", folder, k)));
    const std::string nine = error_of({inputs, at("out/")});
    EXPECT_THAT(nine, testing::EndsWith(conflict(5) + "; and 4 more (9 conflicts)"));
    EXPECT_THAT(nine, testing::Not(HasSubstr("clip6")));
}

TEST_F(CliParseJobs, TwoOutputsThatAreOneFileByLinks) {
    const std::string a = touch("a.mp4");
    const std::string b = touch("b.mp4");
    touch("out/a.mp4");
    fs::create_hard_link(at("out/a.mp4"), at("out/b.mp4"));
    EXPECT_THAT(error_of({.inputs = {a, b},
                          .output = at("out"),
                          .format = "",
                          .recursive = false,
                          .overwrite = Overwrite::replace}),
                HasSubstr("would both be written to"));
}

TEST_F(CliParseJobs, ImpossibleFolderRequests) {
    const std::string a = touch("a.mp4");
    const std::string b = touch("b.mp4");
    EXPECT_THAT(error_of({{a, b}, "-", "nut"}), HasSubstr("standard output"));
    EXPECT_THAT(error_of({{a, b}, touch("file.mkv")}), HasSubstr("this is a file"));
    for (const char* name : {"o.mp4", "o.PNG", "o_%d.png"})
        EXPECT_THAT(error_of({{a, b}, at(name)}), HasSubstr(at(name) + "/ makes a folder"));
    EXPECT_THAT(error_of({{root_.string()}, at("o.mp4")}), HasSubstr("o.mp4/ makes a folder"));
    EXPECT_THAT(list({{a}, at("o.mp4/")}), ElementsAre("a.mp4 > o.mp4/a.mp4"));
    EXPECT_THAT(list({{a, b}, at("v1.2")}), testing::SizeIs(2));
    EXPECT_NE(error_of({{a}, at("out.xyz")}), "");
    EXPECT_NE(error_of({{a}, "-"}), "");  // standard output needs -f
    EXPECT_THAT(error_of({{a}, "-", "avi"}), HasSubstr("-f takes mp4"));
}

TEST_F(CliParseJobs, FormatNamesTheExtensionInAFolder) {
    const std::string a = touch("a.mp4");
    EXPECT_THAT(list({{a}, at("out/"), "matroska"}), ElementsAre("a.mp4 > out/a.mkv"));
}

// Hidden files and the outputs' folder are not looked at.
TEST_F(CliParseJobs, CountsWhatIsNoVideoOrImage) {
    for (const char* name : {"in/a.mp4", "in/b.HEIC", "in/a.XMP", "in/deep/b.xmp", "in/deep/notes",
                             "in/.hidden", "in/out/old.txt"})
        touch(name);
    RunFiles run;
    ExtensionCounts others;
    const std::vector<JobFile> jobs =
        list_jobs({.inputs = {at("in")}, .output = at("in/out"), .recursive = true}, run, others);
    EXPECT_EQ(jobs.size(), 2U);
    EXPECT_EQ(others, (ExtensionCounts{{"", 1}, {"xmp", 2}}));
    RunFiles flat_run;
    ExtensionCounts flat;
    list_jobs({.inputs = {at("in")}, .output = at("in/out")}, flat_run, flat);
    EXPECT_EQ(flat, (ExtensionCounts{{"/", 1}, {"xmp", 1}}));
}

TEST_F(CliParseJobs, EmptyNamesAreRefused) {
    EXPECT_THAT(error_of({{""}, at("out.mp4")}), HasSubstr("empty"));
}

TEST_F(CliParseJobs, ReportOverAnInputOrOutput) {
    const std::string in = touch("in.mp4");
    fs::create_symlink(in, at("link.json"));
    RunFiles run;
    ExtensionCounts others;
    const std::vector<JobFile> jobs = list_jobs({{in}, at("out.mp4")}, run, others);
    for (const std::string& report : {in, at("link.json"), at("out.mp4"), at("./out.mp4")})
        EXPECT_THROW(check_report_path("--json", report, jobs, run), Error) << report;
    EXPECT_NO_THROW(check_report_path("--json", at("r.json"), jobs, run));
    EXPECT_NO_THROW(check_report_path("--json", "-", jobs, run));
}

// The folder must be there, or be one that an output makes.
TEST_F(CliParseJobs, ReportWithoutAFolder) {
    fs::create_directories(at("in/deep"));
    touch("in/a.mp4");
    touch("in/deep/b.mp4");
    RunFiles run;
    ExtensionCounts others;
    std::vector<JobFile> jobs =
        list_jobs({.inputs = {at("in")}, .output = at("new/out"), .recursive = true}, run, others);
    ASSERT_EQ(jobs.size(), 2U);
    for (const char* const made : {"r.json", "new/r.json", "new/out/r.json", "new/out/deep/r.json",
                                   "new/out/../out/./r.json"})
        EXPECT_NO_THROW(check_report_path("--json", at(made), jobs, run)) << made;
    for (const char* const lost : {"gone/r.json", "new/out/deep/er/r.json", "new/ou/r.json"}) try {
            check_report_path("--json", at(lost), jobs, run);
            ADD_FAILURE() << lost;
        } catch (const Error& error) {
            EXPECT_EQ(error.outcome(), Outcome::not_written);
            EXPECT_THAT(error.what(), HasSubstr("there is no folder"));
            EXPECT_THAT(error.what(), HasSubstr("create it first"));
        }
    for (JobFile& job : jobs) job.skip = true;  // nothing is made
    EXPECT_THROW(check_report_path("--json", at("new/r.json"), jobs, run), Error);
}

TEST_F(CliParseJobs, ReportsMustDiffer) {
    EXPECT_NO_THROW(check_reports_differ({{"--json", "-"}, {"--trace", at("t")}}));
    EXPECT_NO_THROW(
        check_reports_differ({{"--json", at("j")}, {"--trace", at("t")}, {"--list", at("l")}}));
    EXPECT_THROW(
        check_reports_differ({{"--json", at("j")}, {"--trace", at("t")}, {"--list", at("./j")}}),
        Error);
}

// A list of one file asks for a folder, as a list of several does.
TEST_F(CliParseJobs, AListGoesIntoAFolder) {
    JobRequest request{.inputs = {touch("a.mp4")}, .output = at("out")};
    request.into_folder = true;
    EXPECT_THAT(list(request), ElementsAre("a.mp4 > out/a.mp4"));
}

TEST_F(CliParseJobs, Sequences) {
    touch("shot_0001.png");
    const std::string in = at("shot_%04d.png");
    EXPECT_THAT(list({{in}, at("out_%04d.png")}), ElementsAre("shot_%04d.png > out_%04d.png"));
    EXPECT_THAT(error_of({{in}, in}), HasSubstr("the output is the input"));
    touch("old_17.png");
    EXPECT_THAT(error_of({{in}, at("old_%02d.png")}), HasSubstr("already exists"));
}

// ---- shards ------------------------------------------------------------------------------------

TEST_F(CliParseJobs, EveryFileIsInOneShard) {
    for (int k = 0; k < 20; ++k)
        touch("in/" + std::to_string(k % 3) + "/" + std::to_string(k) + ".mp4");
    for (const int count : {1, 2, 7, 50}) {
        std::vector<int> tasks(20);  // that filter the file
        for (int index = 1; index <= count; ++index) {
            const std::vector<JobFile> jobs = jobs_of({.inputs = {at("in")},
                                                       .output = at("out"),
                                                       .recursive = true,
                                                       .shard = Shard{index, count}});
            ASSERT_EQ(jobs.size(), tasks.size());
            for (std::size_t k = 0; k < jobs.size(); ++k) tasks[k] += jobs[k].elsewhere ? 0 : 1;
        }
        EXPECT_THAT(tasks, testing::Each(1)) << count << " shards";
    }
}

// The folder may be mounted elsewhere on other machines.
TEST_F(CliParseJobs, ShardsDependOnThePathBelowTheInput) {
    for (const char* root : {"in", "elsewhere/in"})
        for (int k = 0; k < 9; ++k) touch(root + std::string("/sub/") + std::to_string(k) + ".mp4");
    const auto shard_of = [&](const std::string& folder) {
        std::vector<bool> elsewhere;
        for (const JobFile& job : jobs_of({.inputs = {folder},
                                  .output = at("out"),
                                  .recursive = true,
                                  .shard = Shard{1, 2}}))
            elsewhere.push_back(job.elsewhere);
        return elsewhere;
    };
    const std::vector<bool> want = shard_of(at("in"));
    EXPECT_THAT(want, testing::AllOf(testing::Contains(true), testing::Contains(false)));
    for (const std::string& folder : {at("elsewhere/in"), at("in/"), at("in/."), at("./in")})
        EXPECT_EQ(shard_of(folder), want) << folder;
}

TEST_F(CliParseJobs, EveryShardFindsTwoInputsForOneOutput) {
    const std::string a = touch("one/clip.mp4");
    const std::string b = touch("two/clip.mp4");
    touch("in/clip.ts");
    touch("in/clip.mkv");
    for (int index = 1; index <= 5; ++index)
        for (const std::vector<std::string>& inputs :
             {std::vector<std::string>{a, b}, std::vector<std::string>{at("in")}})
            EXPECT_THAT(
                error_of({.inputs = inputs, .output = at("out/"), .shard = Shard{index, 5}}),
                HasSubstr("would both be written to"));
}

// Another task wrote it while this one started.
TEST_F(CliParseJobs, OutputsOfOtherShardsMayExist) {
    touch("in/a.mp4");
    touch("out/a.mp4");
    int refusals = 0;
    for (int index = 1; index <= 4; ++index) {
        const JobRequest request{
            .inputs = {at("in")}, .output = at("out"), .shard = Shard{index, 4}};
        refusals += error_of(request).empty() ? 0 : 1;
    }
    EXPECT_EQ(refusals, 1);
}

TEST(CliParseNames, OutputKeepsWhatCanBeWritten) {
    EXPECT_EQ(output_name("dir/a.mp4"), "a.mp4");
    EXPECT_EQ(output_name("a.MOV"), "a.MOV");
    EXPECT_EQ(output_name("a.ts"), "a.mkv");
    EXPECT_EQ(output_name("a.b.wmv"), "a.b.mkv");
    EXPECT_EQ(output_name("a.exr"), "a.exr");
    EXPECT_EQ(output_name("a.psd"), "a.png");
    EXPECT_EQ(output_name("noext"), "noext.mkv");
    EXPECT_EQ(output_name("-"), "stdin.mkv");
}

TEST(CliParseNames, MediaByExtensionInAnyCase) {
    for (const char* name : {"a.mp4", "a.MKV", "x/y.Jpeg", "a.tif", "a.ts", "a.h265", "a.HEIC"})
        EXPECT_TRUE(is_media_name(name)) << name;
    for (const std::string& written : output_extensions())
        EXPECT_TRUE(is_media_name("a." + written)) << written;
    for (const char* name : {"a.txt", "mp4", ".mp4", "a.mp4.part", "a", "a.plan"})
        EXPECT_FALSE(is_media_name(name)) << name;
}

TEST(CliParseNames, SequencePatterns) {
    EXPECT_TRUE(is_sequence("a_%d.png"));
    EXPECT_TRUE(is_sequence("%04d.png"));
    for (const char* name : {"a.png", "100%.png", "a_%s.png", "a_%04", "%"})
        EXPECT_FALSE(is_sequence(name)) << name;
}

}  // namespace
}  // namespace weft
