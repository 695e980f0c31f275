#include "app/viewer/edit/preset_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/libav/error.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using test::TemporaryFolder;

class ViewerPresetStore : public testing::Test {
 protected:
    TemporaryFolder folder_;
    std::filesystem::path own_ = folder_.path() / "config/warpweft/presets";
    std::filesystem::path shipped_ = folder_.path() / "shipped";
    PresetStore store_{own_, shipped_};

    std::string names() const {
        std::string out;
        for (const StoredPreset& preset : store_.list())
            out += (out.empty() ? "" : " ") + preset.name + (preset.own ? "*" : "") +
                   (preset.problem.empty() ? "" : "!");
        return out;
    }
};

// Stacks whose text needs care on its way through TOML.
constexpr std::string_view kStacks[]{
    "gaussian",
    "gaussian=sigma=3:border=constant:border_value=7,sobel=scale=1.5",
    "convolve=matrix='0 -1 0; -1 5 -1; 0 -1 0':planes=y,box=width=4",
    "convolve=matrix='1 | 2 | 3':border=wrap",
    "convolve=file='/a, b\\:c \"d\" \\\\e.txt'",
};

TEST_F(ViewerPresetStore, LoadsWhatWasSaved) {
    for (std::string_view text : kStacks) {
        SCOPED_TRACE(text);
        const Stack stack = parse_stack(text);
        store_.save("my preset", "with \"quotes\" and a \\", stack);
        const Preset loaded = store_.load("my preset");
        EXPECT_EQ(loaded.name, "my preset");
        EXPECT_EQ(loaded.description, "with \"quotes\" and a \\");
        EXPECT_EQ(print_stack(loaded.stack), print_stack(stack));
        // As `weft batch --preset FILE` reads it.
        EXPECT_TRUE(load_preset((own_ / "my preset.toml").string(), {}).stack == stack);
    }
    ASSERT_EQ(store_.list().size(), 1U);
    EXPECT_TRUE(store_.list()[0].own);
    EXPECT_EQ(store_.list()[0].stack, parse_stack(kStacks[4]));
}

TEST_F(ViewerPresetStore, FileNamesInStacksBecomeAbsolute) {
    store_.save("matrix", "", parse_stack("convolve=file=m.txt"));
    EXPECT_EQ(store_.load("matrix").stack[0].params.text("file"),
              (std::filesystem::current_path() / "m.txt").string());
}

TEST_F(ViewerPresetStore, ListsUserAndShippedPresets) {
    EXPECT_EQ(names(), "");
    folder_.write("shipped/edges.toml", "stack = 'sobel'\ndescription = 'lines'");
    folder_.write("shipped/blur.toml", "stack = 'box'");
    folder_.write("config/warpweft/presets/broken.toml", "stack = 'nothing'");
    EXPECT_EQ(names(), "blur broken*! edges");
    EXPECT_THAT(store_.list()[1].problem, testing::HasSubstr("unknown filter 'nothing'"));
    store_.save("edges", "", parse_stack("kirsch"));
    EXPECT_EQ(names(), "blur broken*! edges*");
    EXPECT_EQ(store_.list()[2].stack, parse_stack("kirsch"));
    store_.remove("edges");
    EXPECT_EQ(names(), "blur broken*! edges");
    EXPECT_EQ(store_.list()[2].description, "lines");
}

TEST_F(ViewerPresetStore, RenamesUserPresetsOnly) {
    folder_.write("shipped/edges.toml", "stack = 'sobel'");
    store_.save("a", "", parse_stack("box"));
    store_.save("b", "", parse_stack("disc"));
    store_.rename("a", "c");
    EXPECT_EQ(names(), "b* c* edges");
    EXPECT_EQ(store_.load("c").name, "c");
    store_.rename("c", "c");
    store_.rename("c", "edges");  // hides the shipped one
    EXPECT_EQ(print_stack(store_.load("edges").stack), "box");
    EXPECT_THROW(store_.rename("edges", "b"), Error);
    EXPECT_THROW(store_.rename("edges", "x/y"), Error);
    store_.remove("edges");
    for (const char* name : {"edges", "nothing", "../b"}) {
        EXPECT_THROW(store_.rename(name, "d"), Error) << name;
        EXPECT_THROW(store_.remove(name), Error) << name;
    }
    EXPECT_EQ(names(), "b* edges");
}

TEST_F(ViewerPresetStore, FailuresLeaveNoFiles) {
    EXPECT_THROW(store_.save("x", "", {}), Error);
    EXPECT_THROW(store_.save("../x", "", parse_stack("box")), Error);
    EXPECT_FALSE(std::filesystem::exists(own_));
    const PresetStore homeless("", shipped_);
    EXPECT_THROW(homeless.save("x", "", parse_stack("box")), Error);
    EXPECT_FALSE(homeless.has_own("x"));
    folder_.write("file", "");
    const PresetStore blocked(folder_.path() / "file/presets", shipped_);
    EXPECT_THROW(blocked.save("x", "", parse_stack("box")), Error);
}

struct Name {
    std::string name;
    std::string_view problem;  // "": none
};

const Name kNames[]{
    {"soft-focus", ""},         {"Größe 2 (neu)", ""},      {"", "needs a name"},
    {"a/b", "contain '/'"},     {"..", "begin with"},       {".hidden", "begin with"},
    {"-vf", "begin with"},      {" x", "a space"},          {"x ", "a space"},
    {"x.toml", "end in .toml"}, {"a\nb", "printable"},      {"a\x7f", "printable"},
    {"\xff\xfe", "printable"},  {std::string(64, 'x'), ""}, {std::string(65, 'x'), "at most 64"},
};

TEST_F(ViewerPresetStore, InvalidNamesAreRefused) {
    for (const Name& row : kNames) {
        SCOPED_TRACE(row.name);
        const std::string problem = preset_name_problem(row.name);
        if (row.problem.empty()) {
            EXPECT_EQ(problem, "");
            store_.save(row.name, "", parse_stack("box"));
            EXPECT_EQ(print_stack(store_.load(row.name).stack), "box");
        } else {
            EXPECT_THAT(problem, testing::HasSubstr(std::string(row.problem)));
            EXPECT_THROW(store_.save(row.name, "", parse_stack("box")), Error);
        }
    }
}

}  // namespace
}  // namespace weft
