// The progress line of a batch on a terminal.
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/ioctl.h>
#include <termios.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/batch/console_events.h"

namespace weft {
namespace {

using testing::HasSubstr;
using testing::Not;

// Standard error as a terminal while in scope.
class FakeTerminal {
 public:
    explicit FakeTerminal(unsigned short columns) {
        master_ = posix_openpt(O_RDWR | O_NOCTTY);
        if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0) return;
        const int slave = open(ptsname(master_), O_RDWR | O_NOCTTY);
        winsize size{};
        size.ws_col = columns;
        size.ws_row = 24;
        ioctl(slave, TIOCSWINSZ, &size);
        before_ = dup(STDERR_FILENO);
        dup2(slave, STDERR_FILENO);
        close(slave);
        setenv("TERM", "xterm", 1);
        setenv("NO_COLOR", "1", 1);
    }
    ~FakeTerminal() {
        if (before_ >= 0) dup2(before_, STDERR_FILENO);
        close(before_);
        close(master_);
    }
    FakeTerminal(const FakeTerminal&) = delete;
    FakeTerminal& operator=(const FakeTerminal&) = delete;

    bool works() const { return before_ >= 0; }
    std::string shown() const {
        std::string text(4096, '\0');
        const ssize_t size = read(master_, text.data(), text.size());
        text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
        return text;
    }

 private:
    int master_ = -1;
    int before_ = -1;
};

std::string progress_line(unsigned short columns, const std::string& input) {
    const FakeTerminal terminal(columns);
    if (!terminal.works()) return "";
    const auto events = make_batch_events(ProgressMode::automatic);
    events->begin(3);
    events->file_begin(0, input, "out.mkv");
    std::this_thread::sleep_for(std::chrono::milliseconds(150));  // ten lines per second at most
    events->file_progress(0, {.frames = 50, .frames_estimated = 100, .media_seconds = 2});
    return terminal.shown();
}

TEST(CliProgressLine, ShowsTheNameOfTheFileWithoutItsFolders) {
    const std::string line = progress_line(120, "/some/very/long/path/to/holiday_0007.mp4");
    if (line.empty()) GTEST_SKIP() << "there are no terminals here";
    EXPECT_THAT(line, HasSubstr("0/3 files  50 frames"));
    EXPECT_THAT(line, HasSubstr("  holiday_0007.mp4"));
    EXPECT_THAT(line, Not(HasSubstr("path")));
}

TEST(CliProgressLine, ShortensTheNameInTheMiddle) {
    const std::string line = progress_line(120, "in/" + std::string(60, 'x') + "_0007.mp4");
    if (line.empty()) GTEST_SKIP() << "there are no terminals here";
    EXPECT_THAT(line, HasSubstr("  xx"));
    EXPECT_THAT(line, HasSubstr("…"));
    EXPECT_THAT(line, HasSubstr("_0007.mp4"));
}

TEST(CliProgressLine, NarrowTerminalsShowThePaceOnly) {
    const std::string line = progress_line(40, "in/holiday.mp4");
    if (line.empty()) GTEST_SKIP() << "there are no terminals here";
    EXPECT_EQ(line.size(), 40U) << "a carriage return and 39 columns";
    EXPECT_THAT(line, Not(HasSubstr("holiday")));
}

}  // namespace
}  // namespace weft
