// R13: arguments that cannot be parsed are refused with exit 2 before anything is opened or
// written, and a stack's error shows its position.
#include <filesystem>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

class CliR13BadOptions : public CliTest {
 protected:
    void expect_usage_error(const Result& result) {
        EXPECT_TRUE(exits(result, 2));
        EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>());
        for (const std::string& name : names_in(folder_.path()))
            std::filesystem::remove_all(path(name));  // the next row starts empty
        EXPECT_EQ(result.out, "") << "errors belong on stderr";
    }
    // One bad filter argument between good options.
    Result filter(const Arguments& change) {
        Arguments arguments = {"batch"};
        arguments.insert(arguments.end(), change.begin(), change.end());
        arguments.insert(arguments.end(), {"-o", path("out.mkv"), short_clip()});
        return weft(arguments);
    }
};

// A stack and its faulty text: the caret points there or at its parameter's name.
struct BadStack {
    const char* stack;
    const char* at;
};

// nullptr if the error has no single position (a missing matrix): any caret will do.
constexpr BadStack kBadStacks[] = {
    {"", nullptr},
    {" ", nullptr},
    {",", nullptr},
    {"gaussian,", nullptr},
    {",gaussian", nullptr},
    {"gaussian,,sobel", nullptr},
    {"gausian", "gausian"},
    {"nothing", "nothing"},
    {"sobel,gausian=sigma=2", "gausian"},
    {"GAUSSIAN", "GAUSSIAN"},
    {"gaussian=sigma", nullptr},
    {"gaussian=sigma=", nullptr},
    {"gaussian=sigma=abc", "abc"},
    {"gaussian=sigma=2x", "2x"},
    {"gaussian=sigma=1e", "1e"},
    {"gaussian=sigma=--2", "--2"},
    {"gaussian=sigma=1,5", nullptr},
    {"gaussian=sigma=nan", "nan"},
    {"gaussian=sigma=inf", "inf"},
    {"gaussian=sigma=-1", "-1"},
    {"gaussian=sigma=1025", "1025"},
    {"gaussian=sigma=1e30", "1e30"},
    {"gaussian=sigma=1e400", "1e400"},
    {"gaussian=sigmma=2", "sigmma"},
    {"gaussian=:sigma=2", nullptr},
    {"gaussian=sigma=2:planes=q", "q"},
    {"gaussian=sigma=2:planes=", nullptr},
    {"gaussian=sigma=2:planes=y+", nullptr},
    {"gaussian=sigma=2:planes=9999", "9999"},
    {"gaussian=sigma=2:border=mirrored", "mirrored"},
    {"gaussian=1:2:3:4:5:6:7:8:9:10:11:12", nullptr},
    {"gaussian=radius=2.5", "2.5"},
    {"gaussian=radius=-1", "-1"},
    {"gaussian sigma=2", nullptr},
    {"gaussian:sigma=2", nullptr},
    {"gaussian=sigma='2", nullptr},
    {"gaussian=sigma=2\\", nullptr},
    {"gaussian;sobel", nullptr},
    {"[in]gaussian[out", nullptr},
    {"gaussian=sigma=2 # comment", nullptr},
    {"box=radius=256", "256"},
    {"box=radius=-3", "-3"},
    {"box=radius=100000", "100000"},
    {"box=radius=3.5", "3.5"},
    {"box=radius=three", "three"},
    {"boxx", "boxx"},
    {"motion=angle=abc", "abc"},
    {"motion=length=0", "0"},
    {"motion=length=-5", "-5"},
    {"motion=lenght=5", "lenght"},
    {"disc=radius=-2", "-2"},
    {"disc=radius=1e9", "1e9"},
    {"sobel=scale=abc", "abc"},
    {"sobel=scale=nan", "nan"},
    {"sobel=skale=2", "skale"},
    {"unsharp=amount=much", "much"},
    {"emboss=angle=north", "north"},
    {"log=sigma=-3", "-3"},
    {"dog=sigma1=x", nullptr},
    {"kirsch=scale=", nullptr},
    {"frame_difference=gain=loud", "loud"},
    {"frame_difference=mode=sideways", "sideways"},
    {"frame_difference=threshold=-1", "-1"},
    {"temporal_average=frames=0", "0"},
    {"temporal_average=frames=1e6", "1e6"},
    {"bank", nullptr},
    {"bank=file=", nullptr},
    {"bank=file=a.txt:combine=min", "min"},
    {"convolve", nullptr},
    {"convolve=", nullptr},
    {"convolve=matrix=", nullptr},
    {"convolve=matrix=''", nullptr},
    {"convolve=matrix='a b c'", nullptr},
    {"convolve=matrix='1 2 3 4 5 6 7 8'", nullptr},
    {"convolve=matrix='1 2 3; 4 5'", nullptr},
    {"convolve=matrix='1 2 3; ; 4 5 6'", nullptr},
    {"convolve=matrix='1 2 3; 4 5 x'", nullptr},
    {"convolve=matrix='1 2 3; 4 5 nan'", nullptr},
    {"convolve=matrix='1 2 3; 4 5 inf'", nullptr},
    {"convolve=matrix='1 2 3; 4 5 1e39'", nullptr},
    {"convolve=matrix='1 2 3; 4 5 6", nullptr},
    {"convolve=matrix=1:scale=abc", "abc"},
    {"convolve=matrix=1:scale=nan", "nan"},
    {"convolve=matrix=1:bias=1e400", nullptr},
    {"convolve=matrix=1:normalize=perhaps", "perhaps"},
    {"convolve=file=/nonexistent/matrix.txt", nullptr},
    {"convolve=file=/dev/zero", nullptr},
    {"convolve=file=/tmp", nullptr},
    {"convolve=matrix='1 0 0 0 0 0 0 0 1':planes=yy+", nullptr},
};

// The column of the caret in its line; npos without a caret.
std::size_t caret_column(const std::string& text) {
    std::size_t begin = 0;
    while (begin < text.size()) {
        std::size_t end = text.find('\n', begin);
        if (end == std::string::npos) end = text.size();
        const std::string line = text.substr(begin, end - begin);
        if (!line.empty() && line.find_first_not_of(" ^~") == std::string::npos &&
            line.find('^') != std::string::npos)
            return line.find('^');
        begin = end + 1;
    }
    return std::string::npos;
}

// Expects the caret in the parameter or filter that contains `at`.
void expect_caret_at(const std::string& text, const std::string& stack, const std::string& at) {
    const std::size_t shown = text.rfind(stack, text.rfind('^'));
    ASSERT_NE(shown, std::string::npos) << "the stack is not shown: " << text;
    const std::size_t column = shown - (text.rfind('\n', shown) + 1);  // npos + 1 is 0
    const std::size_t place = stack.find(at);
    const std::size_t begin = stack.find_last_of(":,", place) + 1;
    EXPECT_GE(caret_column(text), column + begin) << text;
    EXPECT_LE(caret_column(text), column + place + at.size()) << text;
}

TEST_F(CliR13BadOptions, BadStacks) {
    for (const auto& [stack, at] : kBadStacks) {
        SCOPED_TRACE(testing::Message() << "-vf \"" << stack << '"');
        const Result result = filter({"-vf", stack});
        expect_usage_error(result);
        if (std::string(stack).find_first_not_of(' ') == std::string::npos) continue;
        EXPECT_NE(caret_column(result.err), std::string::npos) << "no caret: " << result.err;
        if (at != nullptr) expect_caret_at(result.err, stack, at);
    }
}

// A huge matrix is refused for its size, not by running out of something.
TEST_F(CliR13BadOptions, MatricesBeyondTheLimit) {
    std::string numbers;
    for (int i = 0; i < 65 * 65; ++i) numbers += "1 ";
    expect_usage_error(filter({"-vf", "convolve=matrix='" + numbers + "'"}));
    expect_usage_error(filter({"-vf", "convolve=matrix='" + std::string(100000, '1') + "'"}));
    expect_usage_error(filter({"-vf", std::string(100000, 'g')}));
    std::string many = "gaussian";
    for (int i = 0; i < 12000; ++i) many += ",gausian";
    expect_usage_error(filter({"-vf", many}));
}

TEST_F(CliR13BadOptions, SuggestsTheNearestName) {
    EXPECT_TRUE(contains(filter({"-vf", "gausian=sigma=2"}).err, "gaussian"));
    EXPECT_TRUE(contains(filter({"-vf", "gaussian=sigmma=2"}).err, "sigma"));
    EXPECT_TRUE(contains(filter({"-vf", "kirch"}).err, "kirsch"));
    EXPECT_TRUE(contains(filter({"-vf", "box=border=refletc"}).err, "reflect"));
    const std::string all = filter({"-vf", "zzzzzz"}).err;
    for (const char* name : {"box", "gaussian", "sobel", "convolve"})
        EXPECT_TRUE(contains(all, name)) << "valid choices are not named: " << all;
}

TEST_F(CliR13BadOptions, BadOptions) {
    const std::vector<Arguments> table = {
        {"-vf", "box", "--no-such-option"},
        {"-vf", "box", "-zz", "1"},
        {"-vf", "box", "-ss", "abc"},
        {"-vf", "box", "-ss", "1:2:3:4"},
        {"-vf", "box", "-ss", "-"},
        {"-vf", "box", "-t", "-5"},
        {"-vf", "box", "-t", "five"},
        {"-vf", "box", "-to", "nan"},
        {"-vf", "box", "-ss", "5", "-to", "2"},
        {"-vf", "box", "-crf", "abc"},
        {"-vf", "box", "-crf", "-5"},
        {"-vf", "box", "-threads", "65"},
        {"-vf", "box", "-threads", "-1"},
        {"-vf", "box", "-threads", "many"},
        {"-vf", "box", "-b:v", "lots"},
        {"-vf", "box", "-b:v", "-1M"},
        {"-vf", "box", "-c:v", "no_such_codec"},
        {"-vf", "box", "-c:v", "aac"},
        {"-vf", "box", "-c:v", "copy"},
        {"-vf", "box", "-c:a", "no_such_codec"},
        {"-vf", "box", "-c:a", "libx264"},
        {"-vf", "box", "-preset", "warp9"},
        {"-vf", "box", "-pix_fmt", "yuv999p"},
        {"-vf", "box", "-f", "no_such_format"},
        {"-vf", "box", "--gpu", "maybe"},
        {"-vf", "box", "--gpu", "-1"},
        {"-vf", "box", "--gpu", "0,0"},
        {"-vf", "box", "--gpu", "0,"},
        {"-vf", "box", "--gpu", "all,0"},
        {"-vf", "box", "--jobs", "0"},
        {"-vf", "box", "--jobs", "-1"},
        {"-vf", "box", "--jobs", "two"},
        {"-vf", "box", "--kernel", "no_such_kernel"},
        {"-vf", "box", "--kernel", ",no_such_kernel"},
        {"-vf", "box", "--kernel", "opencv_cpu,opencv_cpu"},
        {"-vf", "box", "--progress=xml"},
        {"-vf", "box", "--verify", "perhaps"},
        {"-vf", "box", "-y", "-n"},
        {"-vf", "box", "-vf", "sobel", "--preset", "soft"},
        {"-vf", "box", "--preset", "soft"},
        {"--preset", "no_such_preset"},
        {"--preset", "/nonexistent/preset.toml"},
        {"--preset", "/dev/zero"},
        {},
    };
    for (const Arguments& arguments : table) {
        SCOPED_TRACE(testing::PrintToString(arguments));
        expect_usage_error(filter(arguments));
    }
}

TEST_F(CliR13BadOptions, BadCommandLines) {
    const std::string input = short_clip();
    const std::vector<Arguments> table = {
        {},
        {"no_such_command"},
        {"--no-such-option"},
        {"batch"},
        {"batch", "-vf", "box"},
        {"batch", "-vf", "box", input},
        {"batch", "-vf", "box", "-o", path("out.mkv")},
        {"batch", "-vf"},
        {"batch", input, "-o", path("out.mkv"), "-vf"},
        {"batch", "-vf", "box", input, "-o"},
        {"batch", "-vf", "box", "-o", path("out.xyz"), input},
        {"batch", "-vf", "box", "-o", path("out.mp3"), input},
        {"batch", "-vf", "box", "-o", path("out"), input},
        {"batch", "-vf", "box", "-o", "", input},
        {"batch", "-vf", "box", "-o", "-", input},
        {"info"},
        {"info", "--no-such-option", input},
        {"list"},
        {"list", "nothing"},
        {"list", "filters", "no_such_filter"},
        {"list", "presets", "no_such_preset"},
        {"list", "kernels", "no_such_kernel"},
    };
    for (const Arguments& arguments : table) {
        SCOPED_TRACE(testing::PrintToString(arguments));
        expect_usage_error(weft(arguments));
    }
}

TEST_F(CliR13BadOptions, HabitsOfFfmpegGetTheirRemedy) {
    const std::string input = short_clip();
    const auto error_of = [&](const Arguments& arguments) {
        const Result result = weft(arguments);
        expect_usage_error(result);
        return result.err;
    };
    EXPECT_TRUE(contains(error_of({"batch", "-i", input, "-vf", "box", "q1.mp4"}), "-o q1.mp4"));
    for (const char* word : {"-map", "-r", "-frames:v", "-b:a", "-c", "-af", "-s", "-aspect",
                             "-sseof", "-version", "-pass", "-strict", "-shortest"})
        EXPECT_TRUE(contains(error_of({"batch", "-vf", "box", word, "1", input}),
                             std::string("weft has no option ") + word + ": "));
    EXPECT_TRUE(contains(error_of({"compare", "-vf", "box", input, "--json", "x.txt"}),
                         "--json takes a file name that ends in .json"));
    EXPECT_TRUE(contains(
        error_of({"batch", "-vf", "box", "-o", path("out.mkv"), "https://example.invalid/a.mp4"}),
        "opens local files only"));
}

TEST_F(CliR13BadOptions, SpellingsOfFfmpegAreUnderstood) {
    const std::string output = path("out.mkv");
    for (const Arguments& video : {Arguments{"-vf=box"}, Arguments{"-filter:v", "box"}})
        for (const char* codec : {"-codec:v", "-vcodec", "-c:v"}) {
            Arguments arguments = {"batch",     "-y", codec,  "libx264",   "-preset:v",
                                   "ultrafast", "-o", output, short_clip()};
            arguments.insert(arguments.end(), video.begin(), video.end());
            EXPECT_TRUE(exits(weft(arguments), 0)) << video.front() << " " << codec;
        }
}

TEST_F(CliR13BadOptions, PresetFilesNeedNoExtension) {
    write_file(path("mine.preset"), "stack = \"box\"\n");
    Command command =
        weft_command({"batch", "--preset", "mine.preset", "-o", "out.mkv", short_clip()});
    command.folder = folder_.path();
    EXPECT_TRUE(exits(run(command), 0));
}

TEST_F(CliR13BadOptions, BadPresetFiles) {
    const std::vector<std::string> contents = {"",
                                               "stack = ",
                                               "stack = 5\n",
                                               "stack = \"gausian\"\n",
                                               "[stack\n",
                                               "other = \"box\"\n",
                                               "stack = \"box\"\nstack = \"box\"\n",
                                               std::string("stack = \"b\0x\"", 13),
                                               std::string("\xff\xfe\0", 3)};
    for (const std::string& content : contents) {
        SCOPED_TRACE(content);
        const std::string preset = (test::clip_dir() / "bad_preset.toml").string();
        write_file(preset, content);
        const Result result = filter({"--preset", preset});
        expect_usage_error(result);
        EXPECT_TRUE(contains(result.err, "bad_preset.toml")) << result.err;
    }
}

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int k = 0; k < times; ++k) all += text;
    return all;
}

// Presets that crash a recursive parser, or the destructor of its result.
struct DeepPreset {
    const char* name;
    std::string text;
};

std::vector<DeepPreset> deep_presets() {
    constexpr int kMany = 100000;
    const std::string arrays = repeated("[", kMany) + repeated("]", kMany);
    return {{"key", "a" + repeated(".a", kMany) + " = 1\n"},
            {"spaced", "a" + repeated(" . \"a\"", kMany) + " = 1\n"},
            {"table", "[a" + repeated(".a", kMany) + "]\nb = 1\n"},
            {"tables", "[[a" + repeated(".a", kMany) + "]]\nb = 1\n"},
            {"inline_key", "step = [{a" + repeated(".a", kMany) + " = 1}]\n"},
            {"arrays", "stack = " + arrays + "\n"},
            {"inline_tables", "a = " + repeated("{a = ", kMany) + "1" + repeated("}", kMany)},
            {"unclosed", "a = " + repeated("[", kMany)},
            {"after_strings", "name = '''a'''''\n# '\nb" + repeated(".'.'", kMany) + " = 1\n"}};
}

TEST_F(CliR13BadOptions, DeepPresetFiles) {
    for (const DeepPreset& deep : deep_presets()) {
        SCOPED_TRACE(deep.name);
        const std::string preset = (test::clip_dir() / "deep_preset.toml").string();
        write_file(preset, deep.text);
        const Result result = filter({"--preset", preset});
        expect_usage_error(result);
        EXPECT_TRUE(contains(result.err, "deep_preset.toml:")) << result.err;
        EXPECT_TRUE(contains(result.err, "at most")) << result.err;
        EXPECT_LT(result.err.size(), 1000U) << "the whole line is shown";
    }
}

// A bad file in the user's folder is reported in its row.
TEST_F(CliR13BadOptions, DeepPresetFilesAreListed) {
    const std::filesystem::path folder = path("config/warpweft/presets");
    std::filesystem::create_directories(folder);
    for (const DeepPreset& deep : deep_presets())
        write_file(folder / (std::string(deep.name) + ".toml"), deep.text);
    write_file(folder / "good.toml", "stack = 'box=radius=7'\n");
    Command command = weft_command({"list", "presets"});
    command.env["XDG_CONFIG_HOME"] = path("config");
    const Result result = run(command);
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.out, "box=radius=7")) << result.out;
    for (const DeepPreset& deep : deep_presets())
        EXPECT_TRUE(contains(result.out, std::string(deep.name) + ".toml:")) << deep.name;
}

TEST_F(CliR13BadOptions, BadMatrixFiles) {
    for (const std::string& content : {std::string(), std::string("1 2 x"), std::string("1 2\n3"),
                                       std::string(2000000, '1'), std::string("\0\1\2", 3)}) {
        const std::string file = (test::clip_dir() / "bad_matrix.txt").string();
        write_file(file, content);
        expect_usage_error(filter({"-vf", "convolve=file=" + file}));
    }
}

// With errors in the options AND the input, the options are checked first and nothing is opened.
TEST_F(CliR13BadOptions, FoundBeforeTheInputIsOpened) {
    const Result result =
        weft({"batch", "-vf", "gausian", "-o", path("out.mkv"), path("does_not_exist.mkv")});
    expect_usage_error(result);
}

}  // namespace
}  // namespace weft::cli
