#include "filters/preset.h"

#include <fstream>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/filters/frames.h"

namespace weft {
namespace {

const std::vector<std::filesystem::path>& shipped() {
    static const std::vector<std::filesystem::path> folders{WEFT_PRESETS};
    return folders;
}

struct Bad {
    std::string_view toml;
    std::string_view saying;
};

TEST(FiltersPreset, ShippedOnesWorkOnEveryFrame) {
    const std::vector<PresetFile> files = find_presets(shipped());
    EXPECT_GE(files.size(), 6U);
    for (const PresetFile& file : files) {
        SCOPED_TRACE(file.name);
        const Preset preset = load_preset(file.name, shipped());
        EXPECT_EQ(preset.name, file.name);
        EXPECT_FALSE(preset.description.empty());
        EXPECT_TRUE(parse_stack(print_stack(preset.stack)) == preset.stack);
        for (const auto& [name, info] : test::frames())
            for (const Step& step : preset.stack)
                EXPECT_NO_THROW(step.filter->make(step.params, info)) << name;
    }
}

TEST(FiltersPreset, TextAndTablesAddUp) {
    const Preset preset = parse_preset(
        "description = 'two ways'\n"
        "stack = '''gaussian=sigma=3,\n  sobel'''\n"
        "[[step]]\nfilter = 'convolve'\nmatrix = [[0, -1, 0], [-1, 5.5, -1], [0, -1, 0]]\n"
        "normalize = true\nplanes = 'y'\n"
        "[[step]]\nfilter = 'gblur'\nsigma = 4\n",
        "dir/both.toml");
    EXPECT_EQ(preset.name, "both");
    EXPECT_EQ(preset.description, "two ways");
    EXPECT_EQ(print_stack(preset.stack),
              "gaussian=sigma=3,sobel,convolve=matrix='0 -1 0; -1 5.5 -1; 0 -1 0':normalize=1:"
              "planes=y,gaussian=sigma=4");
}

TEST(FiltersPreset, MistakesNameFileLineAndColumn) {
    for (const Bad& bad : {
             Bad{"", "p.toml:1:1: the preset has no steps"},
             {"stack = ", "p.toml:1:"},
             {"stack = 5", "p.toml:1:9: stack must be a string"},
             {"stack = ''", "p.toml:1:9: the stack is empty"},
             {"name = 'x'\nstack = 'gausian'", "p.toml:2:9: unknown filter 'gausian'"},
             {"stak = 'sobel'", "p.toml:1:1: unknown key 'stak': did you mean 'stack'?"},
             {"name = 1", "p.toml:1:8: name must be a string"},
             {"needs_region = 'yes'", "p.toml:1:16: needs_region must be true or false"},
             {"[step]\nfilter = 'box'", "write steps as [[step]]"},
             {"step = [1]", "p.toml:1:9: write steps as [[step]]"},
             {"[[step]]\nsigma = 2", "p.toml:1:1: this step has no filter"},
             {"[[step]]\nfilter = 'gaussian'\nsgima = 2",
              "p.toml:3:1: gaussian has no parameter 'sgima'"},
             {"[[step]]\nfilter = 'gaussian'\nsigma = 1099",
              "p.toml:3:9: gaussian: sigma: 1099 is"},
             {"[[step]]\nfilter = 'gaussian'\nsigma = inf", "p.toml:3:9: a number is expected"},
             {"[[step]]\nfilter = 'gaussian'\nsigma = 1979-05-27", "p.toml:3:9: a number"},
             {"[[step]]\nfilter = 'boxblur'\nlr = 2\nradius = 3", "given twice"},
             {"[[step]]\nfilter = 'convolve'\nmatrix = [[1], 2]", "p.toml:3:16: rows and numbers"},
             {"[[step]]\nfilter = 'convolve'\nmatrix = [['a']]", "p.toml:3:12: a number"},
             {"[[step]]\nfilter = 'convolve'\nmatrix = []", "p.toml:3:10: convolve: matrix"},
             {"[[step]]\nfilter = 'convolve'\nmatrix = [[1, 2], [3]]", "row 2 has 1 numbers"},
             {"[[step]]\nfilter = 'box'\nborder = {a = 1}", "p.toml:3:10: a number is expected"},
             {"stack = 'sobel'\nstack = 'box'", "p.toml:2:"},
             {"\xff", "p.toml:1:"},
         }) {
        try {
            parse_preset(bad.toml, "p.toml");
            ADD_FAILURE() << "accepted " << bad.toml;
        } catch (const FilterError& error) {
            EXPECT_NE(std::string(error.what()).find(bad.saying), std::string::npos)
                << bad.toml << '\n'
                << error.with_caret();
        }
    }
}

// Dots and brackets count only in keys and values.
TEST(FiltersPreset, DepthIsCountedOutsideStringsAndComments) {
    const std::string dots(1000, '.');
    const std::string many = dots + std::string(1000, '[');
    for (const std::string& text :
         {"name = '" + many + "'\nstack = 'box'", "# " + many + "\nstack = 'box'",
          "name = \"\\\"" + many + "\"\nstack = 'box'",
          "name = \"\"\"\\\"\"\n" + many + "\"\"\"\"\"\nstack = 'box'",
          "name = '''" + dots + "\n" + many + "'''\nstack = 'box' # " + dots,
          std::string("[[step]]\nfilter = 'convolve'\nmatrix = [[1.5, 2.5], [3.5, 1.5]]")})
        EXPECT_NO_THROW(parse_preset(text, "p.toml")) << text;
    for (const auto& [text, saying] :
         {Bad{"\n a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q = 1", "p.toml:2:33: a key has at most 16"},
          {"a = [[[[[[[[[[[[[[[[[]", "p.toml:1:21: arrays and tables are nested at most 16"}}) {
        try {
            parse_preset(text, "p.toml");
            ADD_FAILURE() << "accepted " << text;
        } catch (const FilterError& error) {
            EXPECT_NE(std::string(error.what()).find(saying), std::string::npos) << error.what();
        }
    }
}

TEST(FiltersPreset, CaretsPointIntoTheFileOrTheStack) {
    try {
        parse_preset("# é\n[[step]]\nfilter = 'box'\nradius = 999\n", "p.toml");
        FAIL();
    } catch (const FilterError& error) {
        EXPECT_EQ(error.text(), "radius = 999");
        EXPECT_EQ(error.position(), 9U);
    }
    try {
        parse_preset("stack = 'sobel,box=x'\n", "p.toml");
        FAIL();
    } catch (const FilterError& error) {
        EXPECT_EQ(error.text(), "sobel,box=x");
        EXPECT_EQ(error.position(), 10U);
    }
}

class FiltersPresetFiles : public testing::Test {
 protected:
    void SetUp() override { std::filesystem::create_directories(folder_ / "a"); }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name, std::ios::binary) << text;
    }
    std::string error_of(const std::string& name) const {
        try {
            load_preset(name, folders());
        } catch (const FilterError& error) {
            return error.what();
        }
        return "accepted";
    }
    std::vector<std::filesystem::path> folders() const {
        return {folder_ / "missing", folder_ / "a", folder_};
    }
    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("weft-presets-" + std::to_string(getpid()));
};

TEST_F(FiltersPresetFiles, TheEarlierFolderWins) {
    write("mine.toml", "stack = 'sobel'");
    write("a/mine.toml", "stack = 'box'");
    write("a/other.toml", "stack = 'disc'");
    write("a/readme.txt", "no preset");
    EXPECT_EQ(find_presets(folders()).size(), 2U);
    EXPECT_EQ(print_stack(load_preset("mine", folders()).stack), "box");
    EXPECT_EQ(print_stack(load_preset((folder_ / "mine.toml").string(), {}).stack), "sobel");
    EXPECT_NE(error_of("othr").find("did you mean 'other'? valid are mine, other"),
              std::string::npos)
        << error_of("othr");
}

TEST_F(FiltersPresetFiles, OnlySmallRegularFilesAreRead) {
    ASSERT_EQ(mkfifo((folder_ / "fifo.toml").c_str(), 0600), 0);
    EXPECT_NE(error_of((folder_ / "fifo.toml").string()).find("regular"), std::string::npos);
    EXPECT_NE(error_of((folder_ / "none.toml").string()).find("no such file"), std::string::npos);
    write("big.toml", "#" + std::string(1 << 20, 'x'));
    EXPECT_NE(error_of("big").find("larger than 1 MiB"), std::string::npos);
}

TEST_F(FiltersPresetFiles, FileNamesAreRelativeToThePreset) {
    write("a/blur.txt", "1 2 1\n2 4 2\n1 2 1\n");
    write("a/text.toml", "stack = 'box,convolve=file=blur.txt:normalize=1'");
    write("a/table.toml", "[[step]]\nfilter = 'convolve'\nfile = 'blur.txt'");
    const std::string absolute = (folder_ / "a/blur.txt").string();
    write("absolute.toml", "stack = 'convolve=file=" + absolute + "'");
    for (const char* name : {"text", "table", "absolute"}) {
        const Step step = load_preset(name, folders()).stack.back();
        EXPECT_EQ(step.params.text("file"), absolute) << name;
        for (const auto& [format, info] : test::frames())
            EXPECT_NO_THROW(step.filter->make(step.params, info)) << name << ' ' << format;
    }
}

TEST_F(FiltersPresetFiles, AMissingFileIsReportedAtItsPosition) {
    write("a/lost.toml", "stack = 'convolve=file=none.txt'");
    const Step step = load_preset("lost", folders()).stack.front();
    try {
        step.filter->make(step.params, test::frames().front().info);
        FAIL();
    } catch (const FilterError& error) {
        EXPECT_NE(std::string(error.what()).find((folder_ / "a/none.txt").string()),
                  std::string::npos)
            << error.what();
        EXPECT_EQ(error.text(), "convolve=file=none.txt");
        EXPECT_EQ(error.position(), 14U);
    }
}

// ---- presets with parameters ----

std::string stack_of(const std::string& words) {
    return print_stack(preset_stack(words, shipped()));
}

TEST(FiltersPreset, ParametersAreThoseOfEveryStep) {
    EXPECT_EQ(stack_of("edges"), "gaussian=sigma=1,sobel");
    EXPECT_EQ(stack_of("edges:region=10x20+3+4"),
              "gaussian=sigma=1:region=10x20+3+4,sobel=region=10x20+3+4");
    EXPECT_EQ(stack_of("redact:boxes=a/b.boxes:ids=3|7:gap=hold:grow=10%"),
              "fill=boxes=a/b.boxes:ids=3|7:gap=hold:grow=10%");
    EXPECT_EQ(stack_of("redact:mask=m.png:invert=1"), "fill=mask=m.png:invert=1");
    // Quotes and backslashes have the meaning that a stack gives them.
    for (const std::string given :
         {"region=9x9+0+0:enable='between(t,2,5)'", R"(boxes='a\:b.txt')", "boxes='a,b c'"})
        EXPECT_TRUE(preset_stack("redact:" + given, shipped()) == parse_stack("fill=" + given))
            << given;
}

TEST(FiltersPreset, AParameterBeginsWithItsName) {
    for (const auto& [words, name] : {std::pair{"redact", "redact"},
                                      {"redact:boxes=a:b=c", "redact"},
                                      {"my: own:region=9x9+0+0", "my: own"},
                                      {"a/b:c.toml:enable=1", "a/b:c.toml"},
                                      {"a:b", "a:b"},
                                      {"redact:", "redact:"}})
        EXPECT_EQ(preset_name(words), name) << words;
}

TEST(FiltersPreset, MistakesInParametersHaveACaret) {
    struct Mistake {
        const char* words;
        const char* saying;
        std::size_t place;
    };
    for (const Mistake& bad : {
             Mistake{"redact", "the preset redact is for a part of the picture", 0},
             {"redact:enable=gte(t\\,2)", "redact:region=120x60+300+200, redact:boxes=FILE", 0},
             {"redact:boxs=a", "no parameter 'boxs': did you mean 'boxes'?", 7},
             {"redact:color=red", "for others, write its stack", 7},
             {"redact:region=9x9", "region", 17},
             {"redact:region=9x9+0+0:boxes", "a parameter is missing here", 22},
             {"redact:region=9x9+0+0:region=9x9+0+0", "region is given twice", 22},
             {"redact:region=9x9+0+0:boxes=a", "either those of region or those of boxes", 28},
             {"redact:boxes=a,sobel", "a preset stands alone", 14},
             {"redact:boxes='a", "this quote is not closed", 13},
             {"edges:ids=3", "needs boxes", 10},
         }) {
        try {
            preset_stack(bad.words, shipped());
            ADD_FAILURE() << bad.words;
        } catch (const FilterError& error) {
            EXPECT_NE(std::string(error.what()).find(bad.saying), std::string::npos)
                << error.what();
            EXPECT_EQ(error.position(), bad.place) << bad.words << ": " << error.what();
            EXPECT_EQ(error.text(), bad.words);
        }
    }
}

// Any words give a stack that round-trips, or a FilterError with a place in them.
TEST(FiltersPreset, RandomParametersAreParsedOrRefused) {
    const std::vector<std::string> parts = {
        "region=", "boxes=", "9x9+0+0", "a", "mask=", "ids=", "gap=", "enable", "=",
        ":",       "'",      "\\",      ",", ";",     "|",    " ",    "hold",   "1"};
    std::minstd_rand random(5);
    int parsed = 0;
    for (int k = 0; k < 5000; ++k) {
        std::string words = "redact:";
        for (auto count = 1 + random() % 8; count > 0; --count)
            words += parts[random() % parts.size()];
        try {
            const Stack stack = preset_stack(words, shipped());
            EXPECT_TRUE(parse_stack(print_stack(stack)) == stack) << words;
            ++parsed;
        } catch (const FilterError& error) {
            EXPECT_TRUE(words.starts_with(error.text())) << words << ": " << error.text();
            EXPECT_LE(error.position(), words.size()) << words;
        }
    }
    EXPECT_GT(parsed, 5);
}

TEST_F(FiltersPresetFiles, GivenFilesAreRelativeToTheWorkingFolderAndReplace) {
    write("a/hide.toml",
          "needs_region = true\nstack = 'fill=boxes=own.boxes:gap=hold,box=region=9x9+0+0'");
    const Stack own = preset_stack("hide", folders());
    EXPECT_EQ(own.front().params.text("boxes"), (folder_ / "a/own.boxes").string());
    const std::string file = (folder_ / "a/hide.toml").string();
    EXPECT_EQ(preset_stack(file + ":enable=1", {}).back().params.text("enable"), "1");
    write("b.toml", "needs_region = true\nstack = 'fill=boxes=own.boxes:gap=hold'");
    const Step given = preset_stack((folder_ / "b.toml").string() + ":boxes=new.boxes", {}).front();
    EXPECT_EQ(given.params.text("boxes"), "new.boxes");
    EXPECT_EQ(given.params.text("gap"), "hold");
}

TEST(FiltersPreset, WithoutFoldersNoPresetIsFound) {
    try {
        load_preset("edges", {});
        FAIL();
    } catch (const FilterError& error) {
        EXPECT_NE(std::string(error.what()).find("no presets were found"), std::string::npos);
    }
}

}  // namespace
}  // namespace weft
