// Inputs that are written to while they are read.
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/read/reader.h"
#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

class MediaReaderChange : public testing::Test {
 protected:
    void SetUp() override {
        if (const std::string reason = test::why_no_ffmpeg(); !reason.empty())
            GTEST_SKIP() << reason;
        path_ = folder_.path() / "in.y4m";
        fs::copy_file(test::make_clip("change.y4m", "-f lavfi -i testsrc2=s=64x48:d=4"), path_);
    }
    // Reads two frames, calls `change`, and reads to the end.
    template <class Change>
    DamageReport damage_after(const Change& change) const {
        ReaderOptions options;
        options.path = path_.string();
        Reader reader(options);
        (void)reader.next();
        (void)reader.next();
        change();
        while (!std::holds_alternative<EndOfInput>(reader.next())) {
        }
        return reader.damage();
    }
    // Overwrites the last frames without changing the size of the file.
    void overwrite_end() const {
        std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(-1000, std::ios::end);
        file << std::string(1000, 'x');
    }
    // Waits for a tick of the kernel's clock that stamps files: 4 ms at most.
    static void wait_for_a_tick() { usleep(20'000); }

    test::TemporaryFolder folder_;
    fs::path path_;
};

TEST_F(MediaReaderChange, NothingChanged) {
    EXPECT_FALSE(damage_after([] {}).damaged);
}

TEST_F(MediaReaderChange, Overwritten) {
    wait_for_a_tick();
    const DamageReport report = damage_after([&] { overwrite_end(); });
    EXPECT_TRUE(report.damaged);
    EXPECT_THAT(report.reason, testing::HasSubstr("in.y4m changed while it was being read"));
}

TEST_F(MediaReaderChange, OverwrittenAndGivenItsOldTime) {
    wait_for_a_tick();
    const DamageReport report = damage_after([&] {
        const auto time = fs::last_write_time(path_);
        overwrite_end();
        fs::last_write_time(path_, time);
    });
    EXPECT_TRUE(report.damaged);
    EXPECT_THAT(report.reason, testing::HasSubstr("changed while it was being read"));
}

TEST_F(MediaReaderChange, Grown) {
    const DamageReport report =
        damage_after([&] { std::ofstream(path_, std::ios::app) << "FRAME"; });
    EXPECT_TRUE(report.damaged);
    EXPECT_THAT(report.reason, testing::HasSubstr("bytes at first"));
}

// The opened file is still read.
TEST_F(MediaReaderChange, ReplacedFileIsNoChange) {
    const fs::path link = folder_.path() / "link.y4m";
    fs::create_symlink(path_, link);
    const fs::path other = folder_.path() / "other.y4m";
    fs::copy_file(path_, other);
    ReaderOptions options;
    options.path = link.string();
    Reader reader(options);
    fs::remove(link);
    fs::create_symlink(other, link);
    while (!std::holds_alternative<EndOfInput>(reader.next())) {
    }
    EXPECT_FALSE(reader.damage().damaged) << reader.damage().reason;
}

}  // namespace
}  // namespace weft
