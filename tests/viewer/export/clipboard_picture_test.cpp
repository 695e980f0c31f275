#include "app/viewer/export/clipboard_picture.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/libav/error.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using test::TemporaryFolder;

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The program's folder is all of PATH, so that no real clipboard is touched.
class ViewerClipboardPicture : public testing::Test {
 protected:
    void SetUp() override {
        for (const char* name : {"PATH", "WAYLAND_DISPLAY"}) {
            const char* const value = std::getenv(name);
            before_.emplace_back(name, value == nullptr ? "" : value);
        }
        setenv("PATH", folder_.path().c_str(), 1);
        unsetenv("WAYLAND_DISPLAY");
        write(picture(), "pixels");
    }
    void TearDown() override {
        for (const auto& [name, value] : before_)
            if (value.empty())
                unsetenv(name);
            else
                setenv(name, value.c_str(), 1);
    }
    void install(const std::string& name, int exit_code) const {
        const fs::path program = folder_.path() / name;
        write(program, "#!/bin/sh\necho \"$*\" >" + (folder_.path() / "words").string() +
                           "\n/bin/cat >" + (folder_.path() / "copied").string() + "\nexit " +
                           std::to_string(exit_code) + "\n");
        fs::permissions(program, fs::perms::owner_all);
    }
    fs::path picture() const { return folder_.path() / "frame.png"; }

    const TemporaryFolder folder_;
    std::vector<std::pair<const char*, std::string>> before_;
};

TEST_F(ViewerClipboardPicture, TheDesktopsProgramGetsTheFile) {
    install("xclip", 0);
    install("wl-copy", 0);
    copy_picture(picture());
    EXPECT_EQ(read(folder_.path() / "copied"), "pixels");
    EXPECT_EQ(read(folder_.path() / "words"), "-selection clipboard -target image/png -in\n");
    setenv("WAYLAND_DISPLAY", "wayland-0", 1);
    copy_picture(picture());
    EXPECT_EQ(read(folder_.path() / "words"), "--type image/png\n");
}

std::string failure(const fs::path& picture) {
    try {
        copy_picture(picture);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST_F(ViewerClipboardPicture, FailuresNameTheRemedy) {
    EXPECT_EQ(failure(picture()), "xclip: copying a picture needs it: install xclip");
    setenv("WAYLAND_DISPLAY", "wayland-0", 1);
    EXPECT_THAT(failure(picture()), testing::HasSubstr("install wl-clipboard"));
    install("wl-copy", 1);
    EXPECT_THAT(failure(picture()), testing::HasSubstr("wl-copy: it could not copy"));
}

}  // namespace
}  // namespace weft
