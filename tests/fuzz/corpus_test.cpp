// Every file of every target's corpus, without a fuzzer, so that past findings stay fixed.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/fuzz/targets.h"
#include "tests/support/temporary_folder.h"

namespace weft::fuzz {
namespace {

namespace fs = std::filesystem;

class FuzzCorpus : public testing::TestWithParam<Target> {};

TEST_P(FuzzCorpus, HasNoFinding) {
    const fs::path folder = fs::path(WEFT_FUZZ_CORPUS) / GetParam().name;
    int files = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        SCOPED_TRACE(entry.path());
        const std::string bytes = test::content(entry.path());
        EXPECT_NO_THROW(
            GetParam().run({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}));
        ++files;
    }
    EXPECT_GE(files, 3) << "a corpus needs a few whole files to begin with";
}

// The empty input, and each single byte.
TEST_P(FuzzCorpus, AcceptsTheShortestInputs) {
    EXPECT_NO_THROW(GetParam().run({}));
    for (int value = 0; value < 256; ++value) {
        const auto byte = static_cast<std::uint8_t>(value);
        EXPECT_NO_THROW(GetParam().run({&byte, 1})) << value;
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzCorpus, testing::ValuesIn(targets()),
                         [](const testing::TestParamInfo<Target>& tested) {
                             return std::string(tested.param.name);
                         });

TEST(FuzzCorpora, BelongToTargets) {
    for (const fs::directory_entry& entry : fs::directory_iterator(WEFT_FUZZ_CORPUS))
        EXPECT_TRUE(std::ranges::any_of(targets(), [&](const Target& target) {
            return entry.path().filename() == target.name;
        })) << entry.path();
}

}  // namespace
}  // namespace weft::fuzz
