// Inputs that are written to while they are read.
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/demux/input_file.h"
#include "app/media/read/reader.h"
#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Into the file that is there, if one is.
void write_file(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

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
    // As a file server or a mapping does: no write is seen, and the time is as before.
    void change_unseen(std::size_t at) const {
        struct stat old {};
        ASSERT_EQ(stat(path_.c_str(), &old), 0);
        const auto size = static_cast<std::size_t>(old.st_size);
        const int file = open(path_.c_str(), O_RDWR | O_CLOEXEC);
        void* const mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        ASSERT_NE(mapped, MAP_FAILED);
        static_cast<char*>(mapped)[at] ^= 1;
        munmap(mapped, size);
        close(file);
        // Setting the modification time alone counts as a write.
        const timespec times[2] = {old.st_atim, old.st_mtim};
        ASSERT_EQ(utimensat(AT_FDCWD, path_.c_str(), times, 0), 0);
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

// The first frames have been read by then.
TEST_F(MediaReaderChange, OverwrittenAtTheBeginning) {
    wait_for_a_tick();
    const DamageReport report = damage_after([&] {
        const auto time = fs::last_write_time(path_);
        std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(500);
        file << 'x';
        file.close();
        fs::last_write_time(path_, time);
    });
    EXPECT_TRUE(report.damaged);
}

// Links, renames and attributes set the change time of a file, and some the modification time.
TEST_F(MediaReaderChange, EventsThatChangeNoByteAreNoDamage) {
    const fs::path other = folder_.path() / "other.y4m";
    const std::string bytes = read_file(path_);
    const std::vector<std::pair<const char*, std::function<void()>>> events = {
        {"link", [&] { fs::create_hard_link(path_, other); }},
        {"chmod", [&] { fs::permissions(path_, fs::perms::owner_read); }},
        {"chown", [&] { ASSERT_EQ(chown(path_.c_str(), getuid(), getgid()), 0); }},
        {"xattr", [&] { (void)setxattr(path_.c_str(), "user.weft", "1", 1, 0); }},
        {"touch", [&] { ASSERT_EQ(utimensat(AT_FDCWD, path_.c_str(), nullptr, 0), 0); }},
        {"rename", [&] { fs::rename(path_, other); }},
        {"removal", [&] { fs::remove(path_); }},
        {"replacement",
         [&] {
             write_file(other, "another film");
             fs::rename(other, path_);
         }},
    };
    for (const auto& [name, event] : events) {
        fs::remove(other);
        fs::remove(path_);
        write_file(path_, bytes);
        wait_for_a_tick();
        const DamageReport report = damage_after(event);
        EXPECT_FALSE(report.damaged) << name << ": " << report.reason;
    }
}

// libav seeks between the index, the pictures and the sound, and reads some parts twice.
TEST_F(MediaReaderChange, EveryPieceOfASeekedFileIsCompared) {
    path_ = folder_.path() / "in.mp4";
    fs::copy_file(
        test::make_clip("touched.mp4", "-f lavfi -i testsrc2=s=64x48:d=4 -f lavfi -i sine=d=4"),
        path_);
    const std::string bytes = read_file(path_);
    const auto damaged = [&](std::size_t at) {
        write_file(path_, bytes);
        wait_for_a_tick();
        return damage_after([&] { change_unseen(at); }).damaged;
    };
    for (std::size_t at = 7; at < bytes.size(); at += bytes.size() / 9)
        EXPECT_TRUE(damaged(at)) << "byte " << at;
}

TEST_F(MediaReaderChange, APieceThatWasReadByOffsetIsCompared) {
    const InputFile file(path_.string());
    std::vector<std::uint8_t> bytes(100);
    wait_for_a_tick();
    ASSERT_EQ(file.read_at(300, bytes), bytes.size());
    change_unseen(500);
    EXPECT_EQ(file.change(), "");
    wait_for_a_tick();
    change_unseen(350);
    EXPECT_THAT(file.change(), testing::HasSubstr("holds other bytes now"));
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
