#include "app/viewer/shell/file_dialog.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/libav/error.h"
#include "tests/support/clips.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

DialogRequest open_request() {
    return {.title = "Open",
            .start = "/videos/",
            .several = true,
            .filters = {{"Media", {"*.mp4", "*.mkv"}}, {"All files", {"*"}}}};
}

TEST(ViewerDialogCommand, MatchesEachProgram) {
    EXPECT_THAT(dialog_command("/usr/bin/zenity", open_request()),
                ElementsAre("/usr/bin/zenity", "--file-selection", "--separator=\n", "--title=Open",
                            "--filename=/videos/", "--multiple",
                            "--file-filter=Media | *.mp4 *.mkv", "--file-filter=All files | *"));
    EXPECT_THAT(
        dialog_command("/usr/bin/kdialog", open_request()),
        ElementsAre("/usr/bin/kdialog", "--title", "Open", "--multiple", "--separate-output",
                    "--getopenfilename", "/videos/", "Media (*.mp4 *.mkv) | All files (*)"));
    const DialogRequest save{.kind = DialogRequest::Kind::save, .start = "/videos/out.mkv"};
    EXPECT_THAT(dialog_command("/bin/zenity", save),
                ElementsAre("/bin/zenity", "--file-selection", "--separator=\n",
                            "--filename=/videos/out.mkv", "--save"));
    EXPECT_THAT(dialog_command("/bin/kdialog", save),
                ElementsAre("/bin/kdialog", "--getsavefilename", "/videos/out.mkv"));
}

TEST(ViewerDialogOutput, KeepsUnusualNames) {
    EXPECT_THAT(parse_dialog_output(""), ElementsAre());
    EXPECT_THAT(parse_dialog_output("\n"), ElementsAre());
    EXPECT_THAT(parse_dialog_output("/a b/c.mkv\n"), ElementsAre("/a b/c.mkv"));
    EXPECT_THAT(parse_dialog_output("/a\n/b c\n/d"), ElementsAre("/a", "/b c", "/d"));
    EXPECT_THAT(parse_dialog_output("/new\nline.mkv\n/b\n"), ElementsAre("/new\nline.mkv", "/b"));
    EXPECT_THAT(parse_dialog_output("/b\xff.mkv\n"), ElementsAre("/b\xff.mkv"));
}

// A script in place of the real program.
class ViewerDialog : public testing::Test {
 protected:
    static std::string script(const std::string& name, const std::string& body) {
        const fs::path folder = clip_dir() / "dialog" / name;
        fs::create_directories(folder);
        const fs::path path = folder / "zenity";
        std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
        fs::permissions(path, fs::perms::owner_all);
        return path.string();
    }

    static DialogAnswer wait(FileDialog& dialog) {
        while (true) {
            if (auto answer = dialog.poll()) return *answer;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

    static DialogAnswer run(const std::string& name, const std::string& body) {
        FileDialog dialog;
        dialog.open(script(name, body), open_request());
        return wait(dialog);
    }
};

TEST_F(ViewerDialog, ReturnsTheChosenNames) {
    const DialogAnswer answer = run("several", R"(printf '/a b.mkv\n/c.mp4\n')");
    EXPECT_THAT(answer.paths, ElementsAre("/a b.mkv", "/c.mp4"));
    EXPECT_EQ(answer.error, "");
}

TEST_F(ViewerDialog, PassesArgumentsWithoutAShell) {
    FileDialog dialog;
    DialogRequest request = open_request();
    request.title = "it's \"$HOME\"; rm -rf *";
    dialog.open(script("words", R"(printf '/%s' "$3")"), request);
    EXPECT_THAT(wait(dialog).paths, ElementsAre("/--title=it's \"$HOME\"; rm -rf *"));
}

TEST_F(ViewerDialog, CancellingIsNoError) {
    const DialogAnswer answer = run("cancel", "exit 1");
    EXPECT_TRUE(answer.paths.empty());
    EXPECT_EQ(answer.error, "");
}

TEST_F(ViewerDialog, FailuresAreReported) {
    EXPECT_THAT(run("fails", "exit 5").error, testing::HasSubstr("code 5"));
    EXPECT_THAT(run("killed", "kill -9 $$").error, testing::HasSubstr("code 137"));
    FileDialog dialog;
    EXPECT_THROW(dialog.open("/no/such/zenity", open_request()), Error);
    EXPECT_FALSE(dialog.is_open());
    EXPECT_FALSE(dialog.poll());
    dialog.open(script("again", "echo /x"), open_request());
    EXPECT_THAT(wait(dialog).paths, ElementsAre("/x"));
}

// The child never exits by itself: open() and poll() do not block, and the destructor kills it.
TEST_F(ViewerDialog, NeverBlocksAndIsKilledAtTheEnd) {
    const fs::path pid_file = clip_dir() / "dialog.pid";
    pid_t pid = 0;
    {
        FileDialog dialog;
        dialog.open(
            script("waits", "echo $$ > '" + pid_file.string() + ".new'; mv '" + pid_file.string() +
                                ".new' '" + pid_file.string() + "'; exec sleep 1000"),
            open_request());
        while (!fs::exists(pid_file)) {
            EXPECT_FALSE(dialog.poll());
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        std::ifstream(pid_file) >> pid;
        EXPECT_TRUE(dialog.is_open());
        EXPECT_EQ(kill(pid, 0), 0);
    }
    EXPECT_NE(kill(pid, 0), 0);
}

TEST_F(ViewerDialog, IsFoundOnThePath) {
    const char* const path = std::getenv("PATH");
    ASSERT_NE(path, nullptr);
    const std::string old = path;
    const std::string zenity = script("found", "exit 0");
    const fs::path folder = fs::path(zenity).parent_path();
    setenv("PATH", ("/nowhere::" + folder.string()).c_str(), 1);
    EXPECT_EQ(find_dialog_program(), zenity);
    fs::copy_file(zenity, folder / "kdialog", fs::copy_options::overwrite_existing);
    EXPECT_EQ(find_dialog_program(), zenity);
    setenv("XDG_CURRENT_DESKTOP", "KDE", 1);
    EXPECT_EQ(find_dialog_program(), (folder / "kdialog").string());
    unsetenv("XDG_CURRENT_DESKTOP");
    setenv("PATH", "/nowhere", 1);
    EXPECT_EQ(find_dialog_program(), "");
    setenv("PATH", old.c_str(), 1);
}

}  // namespace
}  // namespace weft::test
