// R22: fsync of the file, then its name, then fsync of the folder, as the kernel sees it.
#include <filesystem>
#include <sstream>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

constexpr const char* kTraced =
    "trace=fsync,fdatasync,syncfs,rename,renameat,renameat2,link,linkat";

class CliR22SyncOrder : public CliTest {
 protected:
    std::vector<std::string> trace(const std::string& output) {
        Command command =
            weft_command({"batch", "-vf", "box=radius=1", "-y", "-o", path(output), short_clip()});
        const Arguments strace = {"strace", "-f",          "-y", "-s",   "4096",
                                  "-o",     path("trace"), "-e", kTraced};
        command.argv.insert(command.argv.begin(), strace.begin(), strace.end());
        EXPECT_TRUE(exits(run(command), 0));
        std::vector<std::string> lines;
        std::istringstream text(read_file(path("trace")));
        for (std::string line; std::getline(text, line);) lines.push_back(line);
        return lines;
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
    void check(const std::vector<std::string>& lines, const std::string& output) {
        const std::string all = testing::PrintToString(lines);
        const std::size_t synced = find(lines, 0, {"fsync(", "fdatasync("}, "");
        const std::size_t named = find(lines, 0, {"rename", "link"}, "/" + output + "\"");
        const std::size_t folder =
            find(lines, named, {"fsync("}, "<" + folder_.path().string() + ">");
        EXPECT_LT(synced, named) << "the file is not synced before it gets its name" << all;
        EXPECT_LT(named, lines.size()) << "the file is not moved to its name" << all;
        EXPECT_LT(folder, lines.size()) << "the folder is not synced afterwards" << all;
    }
};

TEST_F(CliR22SyncOrder, FileThenNameThenFolder) {
    if (run({"strace", "-f", "-o", "/dev/null", "true"}).exit_code != 0)
        GTEST_SKIP() << "strace is missing or may not trace here";
    check(trace("new.mkv"), "new.mkv");
    check(trace("new.mkv"), "new.mkv");  // over an old output
    check(trace("new.mp4"), "new.mp4");
}

}  // namespace
}  // namespace weft::cli
