#include "app/viewer/shell/settings.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/libav/error.h"
#include "app/pipeline/folders.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using test::content;
using test::TemporaryFolder;

TEST(ViewerSettings, EverySettingIsRestored) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "a/b/settings.toml";
    Settings settings{.ui_scale = 1.25,
                      .theme = Theme::light,
                      .volume_percent = 73.5,
                      .muted = true,
                      .loop_below_seconds = 12,
                      .frame_cache_mib = 512,
                      .wipe = WipeOrientation::horizontal,
                      .difference_gain = 32,
                      .pixel_grid = false,
                      .show_stack = false,
                      .show_kernels = true,
                      .section = "Inspector",
                      .panel_width = 420,
                      .kernels_height = 250,
                      .window_width = 1920,
                      .window_height = 1080,
                      .window_maximised = true,
                      .last_folder = "/home/me/\"odd\" \\ näme\n"};
    save_settings(settings, path);
    const LoadedSettings loaded = load_settings(path);
    EXPECT_EQ(loaded.problem, "");
    EXPECT_TRUE(loaded.settings == settings);
}

TEST(ViewerSettings, NoFileMeansDefaults) {
    const TemporaryFolder folder;
    for (const std::filesystem::path& path :
         {folder.path() / "none.toml", std::filesystem::path()}) {
        const LoadedSettings loaded = load_settings(path);
        EXPECT_EQ(loaded.problem, "");
        EXPECT_TRUE(loaded.settings == Settings{});
    }
    save_settings({}, "");  // no path: nothing is saved
}

TEST(ViewerSettings, BrokenFilesAreRenamed) {
    const TemporaryFolder folder;
    const std::string deep(100000, '[');
    for (const std::string& text :
         {std::string("ui_scale = = 2"), std::string("\xff"), std::string("[["), "a = " + deep}) {
        const std::filesystem::path path = folder.write("settings.toml", text);
        const LoadedSettings loaded = load_settings(path);
        EXPECT_TRUE(loaded.settings == Settings{});
        EXPECT_THAT(loaded.problem, testing::HasSubstr("settings.toml.bad"));
        EXPECT_FALSE(std::filesystem::exists(path));
        EXPECT_EQ(content(path.string() + ".bad"), text);
    }
}

struct Wrong {
    const char* line;
    const char* problem;
};

constexpr Wrong kWrong[]{
    {"ui_scale = 'large'", "ui_scale must be a number from 0 to 8"},
    {"ui_scale = -1", "ui_scale must be a number"},
    {"ui_scale = nan", "ui_scale must be a number"},
    {"volume_percent = 151", "volume_percent must be a number from 0 to 150"},
    {"frame_cache_mib = 1", "frame_cache_mib must be a number from 64"},
    {"window_width = 1.5", "window_width must be a number"},
    {"theme = 'blue'", "theme must be system, dark, light"},
    {"theme = 1", "theme must be system, dark, light"},
    {"muted = 1", "muted must be true or false"},
    {"last_folder = 1", "last_folder must be a string"},
};

TEST(ViewerSettings, WrongValuesKeepTheirDefault) {
    const TemporaryFolder folder;
    for (const Wrong& row : kWrong) {
        SCOPED_TRACE(row.line);
        const std::filesystem::path path = folder.write(
            "settings.toml", std::string("difference_gain = 2\nfuture = 1\n") + row.line + "\n");
        const LoadedSettings loaded = load_settings(path);
        EXPECT_TRUE(loaded.settings == Settings{.difference_gain = 2});
        EXPECT_THAT(loaded.problem, testing::HasSubstr(row.problem));
        EXPECT_TRUE(std::filesystem::exists(path.string() + ".bad"));
    }
}

TEST(ViewerSettings, UnwritableFilesAreAnError) {
    const TemporaryFolder folder;
    folder.write("file", "");
    EXPECT_THROW(save_settings({}, folder.path() / "file/settings.toml"), Error);
}

struct Variables {
    const char* base;  // XDG_CONFIG_HOME; null: not set
    const char* home;
    const char* want;
};

constexpr Variables kVariables[]{
    {"/conf", "/home/me", "/conf/warpweft"},
    {nullptr, "/home/me", "/home/me/.config/warpweft"},
    {"", "/home/me", "/home/me/.config/warpweft"},
    {"relative", "/home/me", "/home/me/.config/warpweft"},
    {"/conf", nullptr, "/conf/warpweft"},
    {nullptr, nullptr, ""},
};

void set_variable(const char* name, const char* value) {
    if (value == nullptr)
        unsetenv(name);
    else
        setenv(name, value, 1);
}

// Restores an environment variable.
class Kept {
 public:
    explicit Kept(const char* name) : name_(name) {
        const char* const value = std::getenv(name);
        set_ = value != nullptr;
        value_ = set_ ? value : "";
    }
    ~Kept() { set_variable(name_, set_ ? value_.c_str() : nullptr); }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;

 private:
    const char* name_;
    bool set_;
    std::string value_;
};

TEST(ViewerSettings, FollowTheXdgFolders) {
    const Kept config("XDG_CONFIG_HOME");
    const Kept home("HOME");
    for (const Variables& row : kVariables) {
        set_variable("XDG_CONFIG_HOME", row.base);
        set_variable("HOME", row.home);
        EXPECT_EQ(config_folder(), row.want);
        EXPECT_EQ(settings_path(),
                  *row.want == '\0' ? "" : std::string(row.want) + "/settings.toml");
    }
}

}  // namespace
}  // namespace weft
