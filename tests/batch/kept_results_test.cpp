// The results that a batch of many files keeps.
#include "app/batch/kept_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/pipeline/result_text.h"

namespace weft {
namespace {

FileResult filtered(int file, const char* kernel) {
    FileResult result;
    result.input = std::to_string(file);
    result.status = FileStatus::ok;
    result.outcome = Outcome::ok;
    StepReport& step = result.steps.emplace_back();
    step.filter = "gaussian";
    step.kernel = kernel;
    for (int k = 0; k <= file % 7; ++k) step.frames.add(0.001 * (k + 1));
    result.utilisation = {{1.0 + file, 2, 3}, {4, 5, 6}, {7, 8, 9}, 10};
    return result;
}

FileResult failed(int file) {
    FileResult result = filtered(file, "separable");
    result.status = FileStatus::failed;
    result.outcome = Outcome::failed;
    result.error = "broken";
    return result;
}

TEST(PipelineKeptResults, FilesThatWentWellAreAddedUp) {
    KeptResults kept(false);
    std::vector<FileResult> all;
    for (int file = 0; file < 1000; ++file) {
        all.push_back(file % 100 == 7 ? failed(file)
                                      : filtered(file, file % 3 == 0 ? "fft" : "separable"));
        kept.add(static_cast<std::size_t>(file), all.back());
    }
    EXPECT_EQ(kept.tally().done, 990U);
    EXPECT_EQ(kept.tally().failed, 10U);
    const std::vector<FileResult> results = kept.take();
    EXPECT_EQ(results.size(), 10U + 2U) << "failed files, and one per kernel";
    EXPECT_EQ(kernel_table(results), kernel_table(all));
    EXPECT_EQ(bound_line(results), bound_line(all));
    std::vector<std::string> inputs;
    for (const FileResult& result : results)
        if (result.status == FileStatus::failed) inputs.push_back(result.input);
    EXPECT_THAT(inputs, testing::ElementsAre("7", "107", "207", "307", "407", "507", "607", "707",
                                             "807", "907"));
}

// A report of each file needs each result.
TEST(PipelineKeptResults, AllAreKeptInTheOrderOfTheFiles) {
    KeptResults kept(true);
    for (const int file : {2, 0, 1})
        kept.add(static_cast<std::size_t>(file), filtered(file, "fft"));
    const std::vector<FileResult> results = kept.take();
    ASSERT_EQ(results.size(), 3U);
    for (int file = 0; file < 3; ++file)
        EXPECT_EQ(results[static_cast<std::size_t>(file)].input, std::to_string(file));
}

}  // namespace
}  // namespace weft
