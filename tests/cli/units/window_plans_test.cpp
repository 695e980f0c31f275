#include "app/cli/view/window_plans.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/libav/error.h"
#include "tests/cli/harness.h"
#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

class CliWindowPlans : public testing::Test {
 protected:
    void SetUp() override {
        fs::create_directories(folder_.path() / "in");
        fs::create_directories(folder_.path() / "out");
    }
    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
    void write(const std::string& name, const std::string& bytes) const {
        std::ofstream(path(name), std::ios::binary | std::ios::trunc) << bytes;
    }
    void make_picture(const std::string& name) const {
        write("in/" + name, "P6 4 4 255\n" + std::string(48, 'x'));
    }
    static std::string cut_film() {
        std::ifstream file(test::make_clip("window_plan_cut.mkv",
                                           "-f lavfi -i testsrc2=s=32x32:r=25:d=2 -c:v libx264 "
                                           "-preset ultrafast"),
                           std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        return bytes.substr(0, bytes.size() / 2);
    }
    static cli::Result run(cli::Arguments words) {
        words.insert(words.begin(), "batch");
        return cli::run(cli::weft_command(words));
    }
    void make_plan() const {
        EXPECT_TRUE(cli::exits(run({"-vf", "box", "-o", path("out/"), path("in"), "--plan",
                                    path("films.plan"), "--shards", "2"}),
                               0));
    }
    cli::Result run_plan(const cli::Arguments& more = {}) const {
        cli::Arguments words = {"--gpu", "off", "--run", path("films.plan")};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    }
    static std::map<std::string, std::string> states(const PlanProgress& progress) {
        std::map<std::string, std::string> words;
        for (const PlanFile& file : progress.files) words[file.name] = state_words(file);
        return words;
    }

    static int count_of(const std::string& text, const std::string& part) {
        int count = 0;
        for (std::size_t at = text.find(part); at != std::string::npos;
             at = text.find(part, at + part.size()))
            ++count;
        return count;
    }

    test::TemporaryFolder folder_;
};

TEST_F(CliWindowPlans, ShowsEveryStateAndFollowsTheReceipts) {
    for (const char* name : {"done.ppm", "lost.ppm", "new.ppm"}) make_picture(name);
    write("in/cut.mkv", cut_film());
    write("in/bad.mkv", "this is no video\x01");
    make_plan();
    const std::unique_ptr<PlanSource> plan = window_plans().open(path("films.plan"));
    const PlanProgress before = plan->read({});
    EXPECT_EQ(before.open, 5U);
    EXPECT_EQ(before.summary, "0 of 5 files done, 5 missing in 2 of 2 shards");
    EXPECT_EQ(before.pace, "0 frames");
    EXPECT_FALSE(before.final);
    EXPECT_EQ(before.shards.size(), 2U);
    EXPECT_EQ(states(before)["in/done.ppm"], "missing: the output does not exist yet");

    EXPECT_TRUE(cli::exits(run_plan(), 3));
    fs::remove(path("out/lost.ppm"));
    fs::remove(path("out/.new.ppm.weft.json"));
    const PlanProgress progress = plan->read({});
    std::map<std::string, std::string> found = states(progress);
    EXPECT_EQ(found["in/done.ppm"], "done");
    EXPECT_EQ(found["in/lost.ppm"], "missing: the output is missing");
    EXPECT_THAT(found["in/new.ppm"],
                StartsWith("missing: the output exists, but nothing proves that it is complete: "));
    EXPECT_THAT(found["in/cut.mkv"], StartsWith("damaged: the file "));
    EXPECT_THAT(found["in/bad.mkv"], StartsWith("failed: cannot be opened as Matroska / WebM: "));
    EXPECT_THAT(found["in/bad.mkv"],
                HasSubstr("cut short, damaged or of another kind (attempt 1 of "));
    EXPECT_EQ(progress.open, 3U);
    EXPECT_THAT(progress.summary,
                StartsWith("1 of 5 files done, 1 damaged or not decodable, 3 missing in "));
    // The command prints the same.
    const cli::Result check = run_plan({"--check"});
    EXPECT_TRUE(cli::exits(check, 3));
    EXPECT_THAT(check.out, HasSubstr(progress.summary + "\n"));
    EXPECT_THAT(check.out, HasSubstr(": the output is missing\n"));
    for (const char* name : {"in/bad.mkv", "in/cut.mkv"})
        EXPECT_EQ(count_of(check.out, name), 1) << check.out;
}

TEST_F(CliWindowPlans, AFinishedPlanIsFinal) {
    make_picture("a.ppm");
    make_plan();
    const std::unique_ptr<PlanSource> plan = window_plans().open(path("films.plan"));
    EXPECT_FALSE(plan->read({}).final);
    EXPECT_TRUE(cli::exits(run_plan(), 0));
    EXPECT_TRUE(plan->read({}).final);
    EXPECT_THAT(plan->read({}).pace, AnyOf("1 frame", StartsWith("1 frame, ")));
}

TEST_F(CliWindowPlans, PartsOfAVideoHaveNames) {
    fs::copy_file(test::make_clip("window_plan.mkv",
                                  "-f lavfi -i testsrc2=s=32x32:r=25 -frames:v "
                                  "600 -c:v libx264 -preset ultrafast"),
                  path("in/film.mkv"));
    EXPECT_TRUE(cli::exits(run({"-vf", "box", "-o", path("out/"), path("in"), "--plan",
                                path("films.plan"), "--split", "2"}),
                           0));
    const std::unique_ptr<PlanSource> plan = window_plans().open(path("films.plan"));
    EXPECT_TRUE(cli::exits(run_plan({"--shard", "1/2"}), 0));
    std::map<std::string, std::string> found = states(plan->read({}));
    EXPECT_EQ(found["in/film.mkv, part 1 of 2"], "missing: the output does not exist yet");
    EXPECT_EQ(found["in/film.mkv, part 2 of 2"],
              "waits for --join: part 2 of 2 is not joined to the others yet");
}

// In the words of the command.
TEST_F(CliWindowPlans, RefusesWhatTheCommandRefuses) {
    make_picture("a.ppm");
    make_plan();
    std::string text;
    std::getline(std::ifstream(path("films.plan")), text, '\0');
    for (const std::string& bad :
         {text + "{}\n", text.substr(0, text.find('\n') + 1),
          std::string("{\"weft_plan\":2,\"sha256\":\"\"}\n"), std::string("{\"weft_plan\"")}) {
        write("films.plan", bad);
        EXPECT_TRUE(window_plans().is_plan(path("films.plan"))) << bad;
        std::string sentence;
        try {
            (void)window_plans().open(path("films.plan"));
        } catch (const Error& error) {
            sentence = error.what();
        }
        const cli::Result check = run_plan({"--check"});
        EXPECT_TRUE(cli::exits(check, 2)) << bad;
        EXPECT_EQ(check.err, "weft: error: " + sentence + "\n");
    }
}

TEST_F(CliWindowPlans, OtherFilesAreNoPlans) {
    write("empty", "");
    write("text", "weft_plan\n");
    write("json", "{\"other\": 1}\n{\"weft_plan\": 1}\n");
    ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
    for (const char* name : {"empty", "text", "json", "fifo", "in", "none"})
        EXPECT_FALSE(window_plans().is_plan(path(name))) << name;
    EXPECT_FALSE(window_plans().is_plan("-"));
}

}  // namespace
}  // namespace weft
