#include "app/cli/job_count.h"

#include <gtest/gtest.h>

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

TEST(CliParseJobCount, TheMachineIsAsked) {
    EXPECT_GT(available_memory_bytes(), std::size_t{1} << 20);
}

}  // namespace
}  // namespace weft
