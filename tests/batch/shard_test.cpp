// --shard: the variables of every batch engine, and the distribution of files.
#include "app/batch/shard.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/libav/error.h"

namespace weft {
namespace {

using testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

Shard parse(const std::string& text, const Variables& variables = {}) {
    return parse_shard(text, [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    });
}

std::string text_of(const std::string& text, const Variables& variables = {}) {
    return shard_text(parse(text, variables));
}

std::string error_of(const std::string& text, const Variables& variables = {}) {
    try {
        return "no error: " + text_of(text, variables);
    } catch (const Error& error) {
        EXPECT_EQ(error.outcome(), Outcome::usage) << error.what();
        return error.what();
    }
}

TEST(PipelineBatchShard, IsGivenByItsNumber) {
    EXPECT_EQ(text_of("1/1"), "shard 1 of 1");
    EXPECT_EQ(text_of("100/100"), "shard 100 of 100");
    // Without "auto" no variable counts.
    EXPECT_EQ(text_of("3/7", {{"WEFT_SHARD", "1/2"}, {"SLURM_ARRAY_TASK_ID", "5"}}),
              "shard 3 of 7");
}

TEST(PipelineBatchShard, WrongTextsAreRefused) {
    for (const char* text :
         {"0/3",    "4/3",    "1/0",   "0/0", "-1/3",          "1/-3",  "1",       "/",     "1/",
          "/3",     "1/3/5",  "1.5/3", "a/b", "1/99999999999", "slurm", "slurm/3", "auto3", "auto/",
          "auto/0", "auto/x", " 1/3",  ""})
        EXPECT_THAT(error_of(text, {{"SLURM_ARRAY_TASK_ID", "0"}}),
                    HasSubstr(fmt::format("--shard {}: ", text)));
    EXPECT_THAT(error_of("0/3"), HasSubstr("numbered from 1 to 3"));
    EXPECT_THAT(error_of("4/3"), HasSubstr("numbered from 1 to 3"));
    EXPECT_THAT(error_of("1/0"), HasSubstr("number of shards"));
    EXPECT_THAT(error_of("slurm"), HasSubstr("I/N"));
}

TEST(PipelineBatchShard, WithoutAnEngineTheErrorNamesTheVariables) {
    const std::string error = error_of("auto");
    for (const char* name : {"WEFT_SHARD=I/N", "HQ_TASK_ID", "SLURM_ARRAY_TASK_ID",
                             "AWS_BATCH_JOB_ARRAY_INDEX", "BATCH_TASK_INDEX", "SGE_TASK_ID",
                             "PBS_ARRAY_INDEX", "LSB_JOBINDEX", "JOB_COMPLETION_INDEX"})
        EXPECT_THAT(error, HasSubstr(name));
}

// ---- one row for each engine -------------------------------------------------------------------

struct Row {
    const char* text;
    Variables variables;
    const char* shard;  // or a part of the error
};

Variables slurm(const char* task, const char* min, const char* max, const char* count) {
    return {{"SLURM_ARRAY_JOB_ID", "4711"},
            {"SLURM_ARRAY_TASK_ID", task},
            {"SLURM_ARRAY_TASK_MIN", min},
            {"SLURM_ARRAY_TASK_MAX", max},
            {"SLURM_ARRAY_TASK_COUNT", count}};
}

Variables with(Variables variables, const char* name, const char* value) {
    variables[name] = value;
    return variables;
}

const Variables kAws = {{"AWS_BATCH_JOB_ARRAY_INDEX", "3"},
                        {"AWS_BATCH_JOB_ARRAY_SIZE", "100"},
                        {"AWS_BATCH_JOB_ID", "ab:3"},
                        {"AWS_BATCH_JOB_ATTEMPT", "1"}};
const Variables kGoogle = {{"BATCH_TASK_INDEX", "3"},
                           {"BATCH_TASK_COUNT", "100"},
                           {"BATCH_JOB_UID", "j-1"},
                           {"BATCH_TASK_RETRY_ATTEMPT", "0"}};
const Variables kGridEngine = {{"SGE_TASK_ID", "4"},
                               {"SGE_TASK_FIRST", "1"},
                               {"SGE_TASK_LAST", "100"},
                               {"SGE_TASK_STEPSIZE", "1"},
                               {"JOB_ID", "12"}};
const Variables kPbs = {{"PBS_ARRAY_INDEX", "4"}, {"PBS_ARRAY_ID", "12[].host"}};
const Variables kLsf = {{"LSB_JOBINDEX", "4"}, {"LSB_JOBINDEX_END", "100"}, {"LSB_JOBID", "12"}};
const Variables kHyperQueue = {{"HQ_TASK_ID", "4"}, {"HQ_JOB_ID", "7"}, {"HQ_INSTANCE_ID", "0"}};
const Variables kKubernetes = {{"JOB_COMPLETION_INDEX", "3"}};

TEST(PipelineBatchShard, EveryEngineNamesItsShard) {
    for (const Row& row : std::vector<Row>{
             {"auto", {{"WEFT_SHARD", "4/100"}}, "shard 4 of 100 (WEFT_SHARD)"},
             {"auto/100", {{"WEFT_SHARD", "4/100"}}, "shard 4 of 100 (WEFT_SHARD)"},
             {"auto", slurm("3", "0", "99", "100"), "shard 4 of 100 (Slurm array 4711, task 3)"},
             {"auto", with(slurm("3", "0", "99", "100"), "SLURM_RESTART_COUNT", "1"),
              "shard 4 of 100 (Slurm array 4711, task 3, attempt 2)"},
             {"auto", with(slurm("3", "0", "99", "100"), "SLURM_RESTART_COUNT", "0"),
              "shard 4 of 100 (Slurm array 4711, task 3)"},
             {"auto/100", slurm("17", "3", "17", "2"),
              "shard 18 of 100 (Slurm array 4711, task 17)"},
             {"auto", kAws, "shard 4 of 100 (AWS Batch job ab:3, task 3)"},
             {"auto", with(kAws, "AWS_BATCH_JOB_ATTEMPT", "3"),
              "shard 4 of 100 (AWS Batch job ab:3, task 3, attempt 3)"},
             {"auto", kGoogle, "shard 4 of 100 (Google Batch job j-1, task 3)"},
             {"auto", with(kGoogle, "BATCH_TASK_RETRY_ATTEMPT", "1"),
              "shard 4 of 100 (Google Batch job j-1, task 3, attempt 2)"},
             {"auto", kGridEngine, "shard 4 of 100 (Grid Engine array 12, task 4)"},
             {"auto/50", kGridEngine, "shard 4 of 50 (Grid Engine array 12, task 4)"},
             {"auto", with(with(kGridEngine, "SGE_TASK_STEPSIZE", "10"), "SGE_TASK_ID", "21"),
              "shard 3 of 10 (Grid Engine array 12, task 21)"},
             {"auto/100", kPbs, "shard 4 of 100 (PBS array 12[].host, task 4)"},
             {"auto/100", kLsf, "shard 4 of 100 (LSF array 12, task 4)"},
             {"auto/100", kHyperQueue, "shard 4 of 100 (HyperQueue job 7, task 4)"},
             {"auto/100", with(kHyperQueue, "HQ_INSTANCE_ID", "2"),
              "shard 4 of 100 (HyperQueue job 7, task 4, attempt 3)"},
             {"auto/100", kKubernetes, "shard 4 of 100 (Kubernetes job, task 3)"},
         })
        EXPECT_EQ(text_of(row.text, row.variables), row.shard);
}

// A shard that is only probably right would leave files out without an error.
TEST(PipelineBatchShard, WhatCannotBeKnownIsRefused) {
    for (const Row& row : std::vector<Row>{
             {"auto/7", {{"WEFT_SHARD", "4/100"}}, "two different numbers of shards"},
             {"auto", {{"WEFT_SHARD", "0/100"}}, "WEFT_SHARD=0/100"},
             {"auto", {{"WEFT_SHARD", "4"}}, "expected I/N"},
             {"auto", slurm("17", "3", "17", "2"), "auto/N"},
             {"auto", slurm("4", "0", "99", "3"), "auto/N"},
             {"auto", slurm("4", "4", "4", "1"), "auto/N"},
             {"auto", slurm("1", "1", "100", "100"), "begins at 0"},
             {"auto", slurm("2", "0", "6", "4"), "auto/N"},  // 0,2,4,6
             {"auto/100", slurm("100", "1", "100", "100"), "from 0 to 99"},
             {"auto", {{"SLURM_ARRAY_TASK_ID", "3"}}, "SLURM_ARRAY_TASK_MIN is not set"},
             {"auto", with(slurm("3", "0", "99", "100"), "SLURM_ARRAY_TASK_COUNT", "x"),
              "SLURM_ARRAY_TASK_COUNT is x"},
             {"auto/50", kAws, "100 tasks"},
             {"auto/50", kGoogle, "100 tasks"},
             {"auto", with(kGoogle, "BATCH_TASK_INDEX", "100"), "from 0 to 99"},
             {"auto", with(with(kGridEngine, "SGE_TASK_FIRST", "4"), "SGE_TASK_LAST", "4"),
              "auto/N"},
             {"auto", with(kGridEngine, "SGE_TASK_ID", "undefined"), "not a task"},
             {"auto", kPbs, "auto/N"},
             {"auto/100", with(kPbs, "PBS_ARRAY_INDEX", "0"), "from 1 to 100"},
             {"auto", with(kLsf, "LSB_JOBINDEX", "0"), "not a task"},
             {"auto", kLsf, "does not report how many tasks"},
             {"auto", kHyperQueue, "auto/N"},
             {"auto/100", with(kHyperQueue, "HQ_TASK_ID", "0"), "from 1 to 100"},
             {"auto", kKubernetes, "auto/N"},
             {"auto/3", kKubernetes, "from 0 to 2"},
             {"auto/100", {{"JOB_COMPLETION_INDEX", "-1"}}, "JOB_COMPLETION_INDEX is -1"},
         })
        EXPECT_THAT(error_of(row.text, row.variables), HasSubstr(row.shard));
}

TEST(PipelineBatchShard, TheInnermostEngineWins) {
    Variables both = slurm("3", "0", "99", "100");
    both.insert(kHyperQueue.begin(), kHyperQueue.end());
    EXPECT_THAT(text_of("auto/100", both), HasSubstr("HyperQueue"));
    EXPECT_THAT(error_of("auto", both), HasSubstr("HyperQueue"));
    both["WEFT_SHARD"] = "9/9";
    EXPECT_EQ(text_of("auto", both), "shard 9 of 9 (WEFT_SHARD)");
}

// ---- the distribution --------------------------------------------------------------------------

std::vector<std::string> random_paths(std::mt19937& random) {
    std::vector<std::string> paths(std::uniform_int_distribution<std::size_t>(0, 200)(random));
    for (std::string& path : paths) {
        path.resize(std::uniform_int_distribution<std::size_t>(1, 40)(random));
        for (char& c : path)
            c = static_cast<char>(std::uniform_int_distribution<int>(1, 255)(random));
    }
    return paths;
}

TEST(PipelineBatchShard, EveryPathIsInOneShard) {
    std::mt19937 random(20261125);
    for (int round = 0; round < 50; ++round) {
        const std::vector<std::string> paths = random_paths(random);
        const int count = std::uniform_int_distribution<int>(1, 300)(random);
        for (const std::string& path : paths) {
            int shards = 0;
            for (int k = 1; k <= count; ++k)
                shards += is_in_shard({.index = k, .count = count}, path) ? 1 : 0;
            ASSERT_EQ(shards, 1) << testing::PrintToString(path) << " of " << count;
        }
    }
}

// Machines of one array may run different builds. python3: zlib.crc32(b"a/b.mkv") % 100 + 1
TEST(PipelineBatchShard, TheHashNeverChanges) {
    for (const auto& [path, index] : std::map<std::string, int>{
             {"a.mkv", 72}, {"a/b.mkv", 27}, {"film 1.mp4", 63}, {"\xc3\xa9t\xc3\xa9.mov", 27}})
        EXPECT_TRUE(is_in_shard({.index = index, .count = 100}, path)) << path;
}

// Numbered names differ in one or two digits only.
TEST(PipelineBatchShard, NumberedNamesAreSpreadEvenly) {
    for (const int count : {2, 3, 7, 8, 10, 64, 100}) {
        std::vector<int> files(static_cast<std::size_t>(count));
        for (int name = 0; name < 10000; ++name)
            for (int k = 0; k < count; ++k)
                files[static_cast<std::size_t>(k)] +=
                    is_in_shard({.index = k + 1, .count = count},
                                fmt::format("shot_{:04}.mp4", name))
                        ? 1
                        : 0;
        const auto [least, most] = std::ranges::minmax(files);
        EXPECT_GT(least, 10000 / count / 2) << count;
        EXPECT_LT(most, 10000 / count * 2) << count;
    }
}

}  // namespace
}  // namespace weft
