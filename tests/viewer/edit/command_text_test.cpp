#include "app/viewer/edit/command_text.h"

#include <array>
#include <cstdio>
#include <memory>

#include <gtest/gtest.h>

namespace weft {
namespace {

// The words of a command as the shell splits them, each in angle brackets.
std::string words_in_shell(const std::string& command) {
    const std::string line = "set -- " + command + "; for word; do printf '<%s>' \"$word\"; done";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(line.c_str(), "r"), pclose);
    std::array<char, 4096> text{};
    const std::size_t size = fread(text.data(), 1, text.size(), pipe.get());
    return {text.data(), size};
}

struct Row {
    std::string_view stack;
    CommandFiles files;
    std::string_view command;
    std::string_view words;
};

const Row kRows[]{
    {"gaussian=sigma=3,sobel",
     {},
     "weft batch -vf 'gaussian=sigma=3,sobel' -o OUT IN",
     "<weft><batch><-vf><gaussian=sigma=3,sobel><-o><OUT><IN>"},
    {"convolve=matrix='0 -1 0; -1 5 -1; 0 -1 0'",
     {.input = "my clip.mkv", .output = "out/"},
     "weft batch -vf 'convolve=matrix='\\''0 -1 0; -1 5 -1; 0 -1 0'\\''' -o out/ 'my clip.mkv'",
     "<weft><batch><-vf><convolve=matrix='0 -1 0; -1 5 -1; 0 -1 0'><-o><out/><my clip.mkv>"},
    {"sobel",
     {.input = "-it's $HOME.mp4", .output = "-"},
     "weft batch -vf 'sobel' -o - './-it'\\''s $HOME.mp4'",
     "<weft><batch><-vf><sobel><-o><-><./-it's $HOME.mp4>"},
    {"sobel",
     {.input = "f_%03d.png", .frame_rate = 12.5},
     "weft batch -vf 'sobel' -framerate 12.5 -o OUT f_%03d.png",
     "<weft><batch><-vf><sobel><-framerate><12.5><-o><OUT><f_%03d.png>"},
    {"sobel",
     {.input = "a\nb*.mkv", .output = ""},
     "weft batch -vf 'sobel' -o '' 'a\nb*.mkv'",
     "<weft><batch><-vf><sobel><-o><><a\nb*.mkv>"},
};

struct KernelRow {
    std::vector<std::string> kernels;
    std::string_view words;
};

TEST(ViewerCommandText, IncludesManuallyChosenKernels) {
    for (const auto& [kernels, words] :
         {KernelRow{{"", ""}, ""}, KernelRow{{"direct", "direct"}, " --kernel direct,direct"},
          KernelRow{{"", "direct"}, " --kernel ,direct"},
          KernelRow{{"direct", ""}, " --kernel direct,"}})
        EXPECT_EQ(weft_command({parse_stack("box,sobel", Names::typed), kernels}, {}),
                  "weft batch -vf 'box,sobel'" + std::string(words) + " -o OUT IN");
}

TEST(ViewerCommandText, IsOneShellWordPerArgument) {
    for (const Row& row : kRows) {
        const std::string command =
            weft_command({parse_stack(row.stack, Names::typed), {}}, row.files);
        EXPECT_EQ(command, row.command);
        EXPECT_EQ(words_in_shell(command), row.words);
    }
    EXPECT_EQ(words_in_shell(ffmpeg_option("convolution=0m='1 2 1':0mode=row")),
              "<-vf><convolution=0m='1 2 1':0mode=row>");
}

}  // namespace
}  // namespace weft
