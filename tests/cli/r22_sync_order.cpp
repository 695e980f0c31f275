// R22: fsync of the file, then its name, then fsync of the folder, as the kernel sees it.
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

constexpr const char* kTraced =
    "trace=fsync,fdatasync,syncfs,rename,renameat,renameat2,link,linkat";

class CliR22SyncOrder : public CliTest {
 protected:
    void SetUp() override {
        CliTest::SetUp();
        if (run({"strace", "-f", "-o", "/dev/null", "true"}).exit_code != 0)
            GTEST_SKIP() << "strace is missing or may not trace here";
    }
    // Leaves a list of the calls of each thread.
    void trace(const Arguments& arguments) {
        const std::string traces = make_folder("traces");
        Command command = weft_command(arguments);
        const Arguments strace = {"strace", "-ff",           "-y", "-s",   "4096",
                                  "-o",     traces + "/all", "-e", kTraced};
        command.argv.insert(command.argv.begin(), strace.begin(), strace.end());
        EXPECT_TRUE(exits(run(command), 0));
    }
    // The first line from `begin` on with a call of `kind` that mentions `what`; size() if none.
    static std::size_t find(const std::vector<std::string>& lines, std::size_t begin,
                            const std::vector<std::string>& kinds, const std::string& what) {
        for (std::size_t i = begin; i < lines.size(); ++i)
            for (const std::string& kind : kinds)
                if (contains(lines[i], kind) && contains(lines[i], what) &&
                    !contains(lines[i], "= -1"))
                    return i;
        return lines.size();
    }
    static std::size_t naming_of(const std::vector<std::string>& lines, std::size_t begin,
                                 const std::string& name) {
        return find(lines, begin, {"rename", "link"}, "/" + name + "\"");
    }
    // The calls of the thread that gave the file its name, which writes no other output.
    std::vector<std::string> calls_for(const std::string& name) const {
        for (const std::string& file : names_in(path("traces"))) {
            std::vector<std::string> lines;
            std::istringstream text(read_file(path("traces/" + file)));
            for (std::string line; std::getline(text, line);) lines.push_back(line);
            if (naming_of(lines, 0, name) < lines.size()) return lines;
        }
        ADD_FAILURE() << name << " is not moved to its name";
        return {};
    }
    // The line in which the folder of `output` is synced, after all else.
    std::size_t check(const std::vector<std::string>& lines, std::size_t begin,
                      const std::filesystem::path& output) {
        const std::string all = output.string() + testing::PrintToString(lines);
        const std::size_t synced = find(lines, begin, {"fsync(", "fdatasync("}, "");
        const std::size_t named = naming_of(lines, begin, output.filename());
        const std::size_t folder =
            find(lines, named, {"fsync("}, "<" + output.parent_path().string() + ">");
        EXPECT_LT(synced, named) << "the file is not synced before it gets its name" << all;
        EXPECT_LT(named, lines.size()) << "the file is not moved to its name" << all;
        EXPECT_LT(folder, lines.size()) << "the folder is not synced afterwards" << all;
        return folder;
    }
};

TEST_F(CliR22SyncOrder, FileThenNameThenFolder) {
    for (const char* name : {"new.mkv", "new.mkv", "new.mp4"}) {  // also over an old output
        trace({"batch", "-vf", "box=radius=1", "-y", "-o", path(name), short_clip()});
        check(calls_for(name), 0, path(name));
        std::filesystem::remove_all(path("traces"));
    }
}

// Many wait for the disk while others are filtered.
TEST_F(CliR22SyncOrder, EachPictureThenItsReceipt) {
    const std::string in = make_folder("in");
    for (int k = 0; k < 9; ++k)
        std::filesystem::copy_file(image_clip(), fmt::format("{}/{}.png", in, k));
    trace({"batch", "--receipts", "-vf", "box=radius=1", "-o", path("out/"), in});
    for (int k = 0; k < 9; ++k) {
        const std::string name = fmt::format("{}.png", k);
        const std::vector<std::string> lines = calls_for(name);
        const std::size_t on_disk = check(lines, 0, path("out/" + name));
        const std::string receipt = fmt::format(".{}.weft.json", name);
        EXPECT_EQ(naming_of(std::vector(lines.begin(), lines.begin() + on_disk), 0, receipt),
                  on_disk)
            << "a receipt gets its name before its output is on the disk";
        check(lines, on_disk + 1, path("out/" + receipt));
    }
}

}  // namespace
}  // namespace weft::cli
