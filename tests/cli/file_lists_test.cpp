// Lists of files: --input-list and --failed-list.
#include <csignal>
#include <filesystem>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

class CliFileLists : public BatchTest {};

TEST_F(CliFileLists, AListOfTheFailedIsAnInputList) {
    make_inputs();
    const Arguments words = {"-n", "-o", "out/", "--failed-list", "failed.txt", "in", "none.mkv"};
    EXPECT_TRUE(exits(run(batch(words)), 3));
    EXPECT_EQ(read_file(path("failed.txt")), "in/bad.mkv\nnone.mkv\n");
    fs::copy_file(short_clip(), path("in/bad.mkv"), fs::copy_options::overwrite_existing);
    fs::copy_file(short_clip(), path("none.mkv"));
    EXPECT_TRUE(exits(run(batch({"-o", "out/", "--input-list", "failed.txt"})), 0));
    EXPECT_EQ(frame_count(path("out/bad.mkv")), 15);
    EXPECT_EQ(frame_count(path("out/none.mkv")), 15);
    EXPECT_TRUE(exits(run(batch(words)), 0)) << "an old list is replaced";
    EXPECT_EQ(read_file(path("failed.txt")), "");
}

TEST_F(CliFileLists, AFailedListReplacesNothingElse) {
    make_inputs();
    for (const std::string text : {"in/bad.mkv\nnotes\n", "notes"}) {
        write_file(path("notes.txt"), text);
        const Result result =
            run(batch({"-n", "-o", "out/", "--failed-list", "notes.txt", "in", "none.mkv"}));
        EXPECT_TRUE(exits(result, 2));
        EXPECT_EQ(read_file(path("notes.txt")), text);
    }
    for (const char* name : {"in/bad.mkv", "out/good1.mkv", "-"})
        EXPECT_TRUE(exits(run(batch({"-y", "-o", "out/", "--failed-list", name, "in"})), 2));
    EXPECT_TRUE(exits(run(batch({"-y", "-o", "out/", "--json=x", "--failed-list=x", "in"})), 2));
    EXPECT_FALSE(fs::exists(path("out/good1.mkv"))) << "work had started";
}

TEST_F(CliFileLists, NamesWithLineBreaksAreNotListed) {
    write_file(path("a\nb.mkv"), "no video");
    write_file(path("c.mkv"), "no video");
    const Result result =
        run(batch({"-o", "out/", "--failed-list", "failed.txt", "a\nb.mkv", "c.mkv"}));
    EXPECT_TRUE(exits(result, 3));
    EXPECT_EQ(read_file(path("failed.txt")), "c.mkv\n");
    EXPECT_TRUE(contains(result.err, "failed.txt: left out 1 name with line breaks")) << result.err;
}

// Files that a signal left out are not failures, but the next run needs them.
TEST_F(CliFileLists, AStoppedRunListsWhatIsLeft) {
    make_inputs();
    fs::copy_file(clip("long.mkv", picture_input(30, "640x360") + kFastVideo),
                  path("in/a_long.mkv"));
    Process process(batch({"-n", "--jobs", "1", "-preset", "slow", "-o", "new/", "--failed-list",
                           "failed.txt", "in/a_long.mkv", "in/good1.mkv"}));
    process.wait_until_it_opens(path("in/a_long.mkv"));
    process.send(SIGINT);
    const Result result = process.wait();
    EXPECT_EQ(result.shell_code(), 130) << describe(result);
    if (contains(result.err, "stopped by signal")) GTEST_SKIP() << "this machine is too busy";
    EXPECT_TRUE(contains(result.err, "0 done, 2 not finished, in 0:")) << result.err;
    EXPECT_EQ(read_file(path("failed.txt")), "in/a_long.mkv\nin/good1.mkv\n");
}

struct List {
    std::string text;
    std::vector<std::string> outputs;
};

TEST_F(CliFileLists, InputListsOfEveryForm) {
    for (const char* name : {"a.mkv", "b c.mkv", "-d.mkv", "r.mkv", "s.mkv\r"})
        fs::copy_file(short_clip(), path(name));
    const std::vector<List> table = {
        {"a.mkv\nb c.mkv\n-d.mkv\n", {"-d.mkv", "a.mkv", "b c.mkv"}},
        {"a.mkv", {"a.mkv"}},
        {"\n\na.mkv\n\n", {"a.mkv"}},
        {std::string("a.mkv\0b c.mkv\0", 14), {"a.mkv", "b c.mkv"}},
        {"a.mkv\r\nb c.mkv\r\n\r\n", {"a.mkv", "b c.mkv"}},
        {"r.mkv\r\n", {"r.mkv"}},
        {"s.mkv\r\n", {"s.mkv"}},
    };
    for (const auto& [text, outputs] : table) {
        SCOPED_TRACE(testing::PrintToString(text));
        write_file(path("list"), text);
        EXPECT_TRUE(exits(run(batch({"-o", "out", "--input-list", "list"})), 0));
        EXPECT_EQ(names_in(path("out")), outputs);
        fs::remove_all(path("out"));
        Command piped = batch({"-o", "out", "--input-list", "-"});
        piped.input = path("list");
        EXPECT_TRUE(exits(run(piped), 0));
        EXPECT_EQ(names_in(path("out")), outputs);
        fs::remove_all(path("out"));
    }
}

TEST_F(CliFileLists, BadInputLists) {
    fs::copy_file(short_clip(), path("a.mkv"));
    make_folder("folder");
    write_file(path("empty"), "\n\n");
    for (const auto& [list, code] :
         {std::pair{"none", 1}, {"folder", 1}, {"/dev/zero", 1}, {"empty", 2}}) {
        const Result result = run(batch({"-o", "out/", "--input-list", list, "a.mkv"}));
        EXPECT_TRUE(exits(result, code)) << list;
        EXPECT_TRUE(contains(last_line(result.err), list)) << result.err;
    }
    EXPECT_TRUE(exits(run(batch({"-o", "out/", "--input-list", "-", "-"})), 2));
    write_file(path("list.mkv"), "a.mkv\n");
    EXPECT_TRUE(exits(run(batch({"-y", "-o", "./", "--input-list", "list.mkv"})), 2));
    EXPECT_EQ(read_file(path("list.mkv")), "a.mkv\n");
}

}  // namespace
}  // namespace weft::cli
