// Runs below a batch engine: the limits of its control groups, large folders, shards.
#include <algorithm>
#include <filesystem>
#include <regex>

#include <fmt/format.h>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

class CliCluster : public CliTest {
 protected:
    static bool has_strace() {
        return run({"strace", "-f", "-qq", "-o", "/dev/null", "true"}).exit_code == 0;
    }
    // Runs `command`, with `prefix` before it, and counts the traced lines that match `pattern`.
    std::ptrdiff_t count_calls(const Command& command, const Arguments& prefix,
                               const std::string& calls, const std::string& pattern) const {
        const std::string log = path("trace");
        Command traced = command;
        Arguments argv = {"strace", "-f", "-qq", "-o", log, "-e", "trace=" + calls};
        argv.insert(argv.begin(), prefix.begin(), prefix.end());
        traced.argv.insert(traced.argv.begin(), argv.begin(), argv.end());
        EXPECT_TRUE(exits(run(traced), 0));
        const std::string text = read_file(log);
        const std::regex regex(pattern);
        return std::distance(std::sregex_iterator(text.begin(), text.end(), regex), {});
    }
};

// ---- the limits of the engine ------------------------------------------------------------------

// A prefix for commands that see a tree of control groups whose root allows one core.
Arguments with_one_core_of_quota(const fs::path& groups) {
    fs::create_directories(groups);
    write_file(groups / "cgroup.controllers", "cpu memory\n");
    write_file(groups / "cpu.max", "100000 100000\n");
    const std::string mount = "mount --bind " + groups.string() + " /sys/fs/cgroup && exec \"$@\"";
    return {"unshare", "--map-root-user", "--mount", "sh", "-c", mount, "sh"};
}

// Decoder, filter, encoder and the check of the output: none starts threads for the other cores.
TEST_F(CliCluster, AQuotaOfOneCoreStartsThreadsForOneCore) {
    const Arguments quota = with_one_core_of_quota(path("groups"));
    Arguments probe = quota;
    probe.emplace_back("true");
    if (!has_strace() || run(probe).exit_code != 0)
        GTEST_SKIP() << "strace or mount namespaces cannot be used here";
    const std::string input = clip("quota.mkv", picture_input(1, "1280x720") + kFastVideo);
    const auto threads = [&](const Arguments& prefix, const std::string& codec) {
        const Command command =
            weft_command({"batch", "-vf", "gaussian=sigma=4", "--gpu", "off", "-y", "-c:v", codec,
                          "--verify", "decode", "-o", path("out.mkv"), input});
        return count_calls(command, prefix, "clone,clone3", "clone3?\\(.*CLONE_THREAD");
    };
    for (const char* codec : {"libx264", "ffv1"})
        EXPECT_EQ(threads(quota, codec), threads({"taskset", "-c", "0"}, codec)) << codec;
}

// Listing the folder again for each output would read 400 times 400 entries.
TEST_F(CliCluster, AFolderIsListedOncePerRun) {
    if (!has_strace()) GTEST_SKIP() << "strace cannot be used here";
    const std::string picture = read_file(image_clip("small.ppm"));
    make_folder("out");
    const auto lists = [&](int files) {
        const std::string folder = make_folder(fmt::format("in{}", files));
        for (int k = 0; k < files; ++k) write_file(fmt::format("{}/{}.ppm", folder, k), picture);
        const Command command =
            weft_command({"batch", "-vf", "box", "--gpu", "off", "-y", "-o", path("out/"), folder});
        return count_calls(command, {}, "getdents64", "getdents64\\(");
    };
    EXPECT_EQ(lists(400), lists(4));
}

}  // namespace
}  // namespace weft::cli
