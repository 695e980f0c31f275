// Runs the tests, then prints the reasons of the skips and one plain line of counts, skips
// included: ./dev test reads both.
#include <cstdio>
#include <map>
#include <string>

#include <gtest/gtest.h>

namespace {

// Counts skipped tests by their GTEST_SKIP message.
class SkipReasons : public testing::EmptyTestEventListener {
 public:
    void OnTestPartResult(const testing::TestPartResult& result) override {
        if (result.skipped()) ++counts_[first_line(result.message())];
    }

    void OnTestProgramEnd(const testing::UnitTest& /*all*/) override {
        for (const auto& [reason, count] : counts_)
            std::printf("  skipped %d: %s\n", count, reason.c_str());
    }

 private:
    static std::string first_line(const std::string& message) {
        const std::string text = message.starts_with("Skipped\n") ? message.substr(8) : message;
        return text.substr(0, text.find('\n'));
    }

    std::map<std::string, int> counts_;
};

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    testing::UnitTest& all = *testing::UnitTest::GetInstance();
    all.listeners().Append(new SkipReasons);  // owned by gtest
    const int result = RUN_ALL_TESTS();
    if (GTEST_FLAG_GET(list_tests)) return result;
    std::printf("%d passed, %d failed, %d skipped\n", all.successful_test_count(),
                all.failed_test_count(), all.skipped_test_count());
    return result;
}
