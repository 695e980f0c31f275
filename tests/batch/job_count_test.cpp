#include <sys/resource.h>
#include <utility>

#include <gtest/gtest.h>

#include "app/batch/batch_runner.h"
#include "kernels/device/cgroup.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

constexpr std::size_t kGiB = std::size_t{1} << 30;

struct Row {
    const char* name = "";
    JobRoom room;
    int jobs = 0;
};

TEST(CliParseJobCount, RoomGivesJobs) {
    const Row rows[] = {
        {"one file", {.files = 1, .cores = 64, .memory_bytes = 99 * kGiB}, 1},
        {"none", {.files = 0, .cores = 64, .memory_bytes = 99 * kGiB}, 1},
        {"videos on two cores", {.files = 9, .cores = 2, .memory_bytes = 99 * kGiB}, 1},
        {"videos on seven cores", {.files = 9, .cores = 7, .memory_bytes = 99 * kGiB}, 1},
        {"videos on 16 cores", {.files = 9, .cores = 16, .memory_bytes = 99 * kGiB}, 4},
        {"fewer files", {.files = 3, .cores = 16, .memory_bytes = 99 * kGiB}, 3},
        {"little memory", {.files = 9, .cores = 16, .memory_bytes = 2 * kGiB + 9}, 2},
        {"hardly any", {.files = 9, .cores = 16, .memory_bytes = 9}, 1},
        {"memory unknown", {.files = 9, .cores = 16, .memory_bytes = 0}, 4},
        {"stills", {.files = 99, .stills = true, .cores = 16, .memory_bytes = 99 * kGiB}, 16},
        {"GPU, software decoder",
         {.files = 99, .gpus = 1, .cores = 16, .memory_bytes = 99 * kGiB},
         4},
        {"a file a GPU", {.files = 99, .gpus = 2, .cores = 2, .memory_bytes = 99 * kGiB}, 2},
        {"GPU decodes, x264 writes",
         {.files = 99, .gpus = 1, .gpu_decodes = true, .cores = 96, .memory_bytes = 99 * kGiB},
         16},
        {"GPU decodes, x264 writes, fewer cores",
         {.files = 99, .gpus = 1, .gpu_decodes = true, .cores = 16, .memory_bytes = 99 * kGiB},
         4},
        {"GPU does all",
         {.files = 99,
          .encodes = false,
          .gpus = 1,
          .gpu_decodes = true,
          .cores = 20,
          .memory_bytes = 99 * kGiB},
         16},
        {"GPU does all, fewer cores",
         {.files = 99,
          .encodes = false,
          .gpus = 1,
          .gpu_decodes = true,
          .cores = 12,
          .memory_bytes = 99 * kGiB},
         12},
        {"GPU does all, with little memory",
         {.files = 99,
          .encodes = false,
          .gpus = 1,
          .gpu_decodes = true,
          .gpu_memory_bytes = 6 * kGiB + 9,
          .cores = 20,
          .memory_bytes = 99 * kGiB},
         6},
        {"two GPUs do all",
         {.files = 99,
          .encodes = false,
          .gpus = 2,
          .gpu_decodes = true,
          .cores = 64,
          .memory_bytes = 99 * kGiB},
         32},
        {"stills on a GPU",
         {.files = 99,
          .stills = true,
          .gpus = 1,
          .gpu_decodes = true,
          .cores = 16,
          .memory_bytes = 99 * kGiB},
         16},
    };
    for (const Row& row : rows) EXPECT_EQ(jobs_for(row.room), row.jobs) << row.name;
}

// Each of them has open files.
TEST(CliParseJobCount, OnlyPicturesWaitForTheDiskWhileOthersAreFiltered) {
    const auto syncing = [](const std::string& output, rlim_t descriptors) {
        rlimit limit{};
        EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
        const rlim_t before = std::exchange(limit.rlim_cur, descriptors);
        EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
        BatchOptions options;
        options.jobs = 2;
        const int count = batch_room({{"a", output}}, options, {cpu_device()}).syncing;
        limit.rlim_cur = before;
        EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
        return count;
    };
    EXPECT_GT(syncing("a.jpg", 1024), 0);
    EXPECT_LE(syncing("a.jpg", 1024), 64);
    EXPECT_LE(syncing("a.jpg", 80), 8);
    EXPECT_EQ(syncing("a.jpg", 16), 0);
    EXPECT_EQ(syncing("a.mp4", 1024), 0);
}

TEST(CliParseJobCount, AvailableMemoryIsKnown) {
    EXPECT_GT(available_memory_bytes(), std::size_t{1} << 20);
}

// ---- control groups, as a tree of files ----

class CliJobCountCgroup : public testing::Test {
 protected:
    void write(const std::string& name, const std::string& text) const {
        folder_.write(name, text);
    }
    CgroupLimits limits(const char* membership = "0::/slice/job\n") const {
        return cgroup_limits(folder_.path(), membership);
    }
    test::TemporaryFolder folder_;
};

TEST_F(CliJobCountCgroup, NoLimitWhereNoneIsSet) {
    write("slice/job/cpu.max", "max 100000\n");
    write("slice/job/memory.max", "max\n");
    EXPECT_EQ(limits().cores, std::nullopt);
    EXPECT_EQ(limits().memory_bytes, std::nullopt);
}

TEST_F(CliJobCountCgroup, TheSmallestLimitOfAllParentGroupsHolds) {
    write("cpu.max", "1600000 100000\n");
    write("slice/cpu.max", "250000 100000\n");  // 2.5 cores
    write("slice/job/cpu.max", "800000 100000\n");
    write("slice/memory.max", "3000\n");
    write("slice/memory.current", "1000\n");
    write("slice/memory.stat", "anon 400\ninactive_file 600\n");
    write("slice/job/memory.max", "9000\n");
    EXPECT_EQ(limits().cores, 3);
    EXPECT_EQ(limits().memory_bytes, 2600U);
    EXPECT_EQ(limits("1:cpu:/\n0::/slice/job\n").cores, 3);
    EXPECT_EQ(limits("1:cpu:/\n0::/\n").cores, 16);
    EXPECT_EQ(limits("0::/../other\n").cores, 16);
    EXPECT_EQ(limits("").cores, 16);
}

TEST_F(CliJobCountCgroup, QuotasOfVersion1) {
    const char* const membership = "5:cpu,cpuacct:/slice/job\n4:memory:/\n";
    write("cpu/cpu.cfs_quota_us", "-1\n");
    write("cpu/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(limits(membership).cores, std::nullopt);
    write("cpu/slice/job/cpu.cfs_quota_us", "250000\n");
    EXPECT_EQ(limits(membership).cores, std::nullopt) << "a quota has a period";
    write("cpu/slice/job/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(limits(membership).cores, 3);
    EXPECT_EQ(limits("5:cpuset:/slice/job\n").cores, std::nullopt);
}

// Without a limit, version 1 has a number that is larger than any memory.
TEST_F(CliJobCountCgroup, MemoryOfVersion1) {
    const char* const membership = "5:cpu:/slice\n4:memory:/slice/job\n";
    write("memory/memory.limit_in_bytes", "9223372036854771712\n");
    write("memory/slice/job/memory.limit_in_bytes", "3000\n");
    write("memory/slice/job/memory.usage_in_bytes", "1000\n");
    write("memory/slice/job/memory.stat", "cache 700\ntotal_inactive_file 600\n");
    EXPECT_EQ(limits(membership).memory_bytes, 2600U);
    EXPECT_GT(limits("").memory_bytes, 1'000'000'000U);
}

TEST_F(CliJobCountCgroup, UsedUpAndBrokenFiles) {
    write("slice/memory.max", "3000\n");
    write("slice/memory.current", "9000\n");
    EXPECT_EQ(limits().memory_bytes, 0U);
    for (const char* text : {"", "0 100000", "-1 100000", "100 0", "100", "x y"}) {
        write("slice/cpu.max", text);
        EXPECT_EQ(limits().cores, std::nullopt) << text;
    }
    write("slice/cpu.max", "1 100000");
    EXPECT_EQ(limits().cores, 1);
}

}  // namespace
}  // namespace weft
