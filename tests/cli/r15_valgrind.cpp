// R15: the program that users get, under valgrind's memcheck: no wrong read or write, no use of
// memory without a value, no leak. Sanitizers see the code that they compiled; this sees libav's,
// too.
#include <sstream>

#include <fmt/format.h>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

struct Row {
    std::string name;
    std::string words;  // @NAME is a file of the test's folder
    int exit_code = 0;
};

const std::vector<Row> kRows = {
    {"Video", "batch -vf gaussian=sigma=1,sobel --gpu off -o @out.mkv @av.mkv"},
    {"Lossless", "batch -vf box --lossless --gpu off -o @out.mkv @av.mkv"},
    {"Temporal", "batch -vf temporal_average=frames=3 -c:a aac --gpu off -o @out.mp4 @av.mkv"},
    {"Resume", "batch -vf box --resume --gpu off -o @out.mkv @av.mkv"},
    {"Picture", "batch -vf unsharp --gpu off -o @out.jpg @image.png"},
    {"Several", "batch -vf sobel --jobs 2 --gpu off -o @out/ @av.mkv @image.png"},
    {"Damaged", "batch -vf box --gpu off -o @out.mkv @cut.mkv", 4},
    {"WrongFilter", "batch -vf boxx -o @out.mkv @av.mkv", 2},
    {"Info", "info @av.mkv"},
    {"Compare", "compare -vf box --frames 2 --gpu off @av.mkv"},
    {"List", "list filters"},
};

class CliR15Valgrind : public CliTest, public testing::WithParamInterface<Row> {
 protected:
    void SetUp() override {
        CliTest::SetUp();
        if (IsSkipped()) return;
        if (kSanitized) GTEST_SKIP() << "valgrind does not run sanitized programs";
        if (run({"valgrind", "--version"}).exit_code != 0)
            GTEST_SKIP() << "the program valgrind is missing";
    }

    Arguments words() const {
        Arguments words;
        std::string word;
        for (std::istringstream text(GetParam().words); text >> word;)
            words.push_back(word.starts_with("@") ? path(word.substr(1)) : word);
        return words;
    }
};

TEST_P(CliR15Valgrind, FindsNothing) {
    const std::string video = read_file(clip(
        "r15.mkv", picture_input(0.3, "160x90") + tone_input(0.3) + kFastVideo + " -c:a libopus"));
    write_file(path("av.mkv"), video);
    write_file(path("cut.mkv"), video.substr(0, video.size() / 2));
    write_file(path("image.png"), read_file(image_clip()));
    constexpr int kFound = 99;
    Command command = weft_command(words());
    const Arguments valgrind = {"valgrind",
                                "--quiet",
                                fmt::format("--error-exitcode={}", kFound),
                                "--leak-check=full",
                                "--errors-for-leak-kinds=definite",
                                "--show-leak-kinds=definite",
                                fmt::format("--suppressions={}/valgrind.supp", WEFT_SUPPORT)};
    command.argv.insert(command.argv.begin(), valgrind.begin(), valgrind.end());
    const Result result = run(command);
    EXPECT_EQ(result.exit_code, GetParam().exit_code) << result.err;
    EXPECT_FALSE(contains(result.err, "==")) << result.err;
}

INSTANTIATE_TEST_SUITE_P(Commands, CliR15Valgrind, testing::ValuesIn(kRows),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace weft::cli
