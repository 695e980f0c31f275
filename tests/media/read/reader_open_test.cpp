// Inputs that are opened or refused: names, kinds of files, sizes, sequences, playlists.
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <gtest/gtest.h>

extern "C" {
#include <libavutil/crc.h>
}

#include "tests/media/read/reader_recipes.h"
#include "tests/media/read/reader_support.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;

Bytes text_bytes(std::string_view text) {
    return {text.begin(), text.end()};
}

std::string path_of(const std::string& name) {
    return (clip_dir() / name).string();
}

void make_socket(const std::string& path) {
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    ASSERT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    close(fd);
}

struct RefusalRow {
    std::string path;
    std::string says;  // part of the message
    Outcome outcome = Outcome::failed;
};

TEST(MediaReaderOpen, RefusesNonVideoFiles) {
    ASSERT_EQ(mkfifo(path_of("fifo.mp4").c_str(), 0600), 0);
    make_socket(path_of("socket.mp4"));
    write_bytes("empty.mp4", {});
    write_bytes("text.txt", text_bytes("these are words\nand no picture\n"));
    Bytes noise(50000);
    std::uint32_t state = 1;
    for (std::uint8_t& byte : noise)
        byte = static_cast<std::uint8_t>((state = state * 1664525U + 1013904223U) >> 24U);
    for (const char* name : {"noise.mp4", "noise.png", "noise.jpg", "noise.tga"})
        write_bytes(name, noise);
    fs::create_symlink("/dev/zero", path_of("link.mp4"));
    const std::vector<RefusalRow> rows = {
        {clip_dir().string(), "folder"},
        {path_of("fifo.mp4"), "FIFO"},
        {path_of("socket.mp4"), "socket"},
        {"/dev/zero", "device"},
        {path_of("link.mp4"), "device"},
        {"/proc/self/maps", "empty"},
        {path_of("empty.mp4"), "empty"},
        {path_of("missing.mp4"), "No such file"},
        {path_of("noise.mp4"), "noise.mp4"},
        {path_of("noise.png"), "not an image"},
        {path_of("noise.jpg"), "not an image"},
        {path_of("noise.tga"), "noise.tga"},
        {recipe("animated.webp").string(), "animated WebP"},
        {path_of("text.txt"), "text.txt"},
        {path_of("no%03d.png"), "no file"},
        {"", "No such file"},
        {"http://127.0.0.1/a.mp4", "local files only", Outcome::usage},
        {"concat:a.mp4|b.mp4", "No such file"},
    };
    for (const RefusalRow& row : rows) {
        const ReadResult got = read_all(fs::path(row.path));
        EXPECT_EQ(got.outcome, row.outcome) << row.path << ": " << got.error;
        EXPECT_NE(got.error.find(row.says), std::string::npos) << got.error;
    }
}

class MediaReaderNames : public ClipTest {};

TEST_F(MediaReaderNames, AnyBytesMakeAName) {
    const Bytes clip = read_bytes(recipe("plain.mkv"));
    for (const char* name :
         {"new\nline.mkv", "bad\xff\xfeutf8.mkv", "-dash.mkv", "100%.mkv", "%03d.mkv",
          "a b'c\"d.mkv", "no_extension", "wrong.png", "star*[0-9]?.mkv", "file:colon.mkv"}) {
        const ReadResult got = read_all(write_bytes(name, clip));
        EXPECT_EQ(got.outcome, Outcome::ok) << name << ": " << got.error;
        EXPECT_EQ(got.pts.size(), 60U) << name;
        EXPECT_FALSE(got.damage.damaged) << name << ": " << got.damage.reason;
    }
    const ReadResult picture =
        read_all(write_bytes("%d picture%03d.png", read_bytes(recipe("still.png"))));
    EXPECT_EQ(picture.pts.size(), 1U) << picture.error;
}

TEST_F(MediaReaderNames, LinksToRegularFilesAreFollowed) {
    const fs::path link = clip_dir() / "symbolic.mkv";
    fs::create_symlink(recipe("plain.mkv"), link);
    EXPECT_EQ(read_all(link).pts.size(), 60U);
}

// Playlists name other files, none of which may be opened.
TEST_F(MediaReaderNames, PlaylistsAreRefused) {
    const std::string clip = recipe("plain.ts").string();
    const std::vector<std::pair<std::string, std::string>> lists = {
        {"list.m3u8",
         "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n" + clip + "\n#EXT-X-ENDLIST\n"},
        {"list.ffconcat", "ffconcat version 1.0\nfile '" + clip + "'\n"},
        {"list.sdp",
         "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\n"
         "m=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n"},
    };
    for (const auto& [name, text] : lists) {
        const ReadResult got = read_all(write_bytes(name, text_bytes(text)));
        EXPECT_EQ(got.outcome, Outcome::failed) << name;
        EXPECT_TRUE(got.pts.empty()) << name;
        ReaderOptions forced;
        forced.path = path_of(name);
        forced.format = name == "list.m3u8" ? "hls" : name == "list.sdp" ? "sdp" : "concat";
        EXPECT_NE(read_all(forced).outcome, Outcome::ok) << name;
    }
}

TEST_F(MediaReaderNames, FormatsByName) {
    ReaderOptions options;
    options.path = recipe("plain.mkv").string();
    options.format = "matroska";
    EXPECT_EQ(read_all(options).pts.size(), 60U);
    options.format = "no-such-format";
    EXPECT_EQ(read_all(options).outcome, Outcome::usage);
}

TEST_F(MediaReaderNames, OnlySoundHasNoVideo) {
    for (const char* name : {"tone.wav", "coveronly.mp3"}) {
        const ReadResult got = read_all(recipe(name));
        EXPECT_EQ(got.outcome, Outcome::failed) << name;
        EXPECT_NE(got.error.find("no video stream"), std::string::npos) << got.error;
    }
}

class MediaReaderSequence : public ClipTest {
 protected:
    static fs::path pictures(const std::string& folder, const std::vector<int>& numbers) {
        const Bytes picture = read_bytes(recipe("still.png"));
        fs::create_directories(clip_dir() / folder);
        for (int n : numbers)
            write_bytes(
                folder + "/shot_" + std::string(n < 10 ? "00" : "0") + std::to_string(n) + ".png",
                picture);
        return clip_dir() / folder / "shot_%03d.png";
    }
};

TEST_F(MediaReaderSequence, NumbersAreTimes) {
    ReaderOptions options;
    options.path = pictures("whole", {8, 9, 10, 11}).string();
    options.frame_rate = 24;
    Reader reader(options);
    EXPECT_EQ(reader.time_base().num, 1);
    EXPECT_EQ(reader.time_base().den, 24);
    EXPECT_EQ(reader.estimated_frames(), 4);
    EXPECT_FALSE(reader.is_still_image());
    const ReadResult got = read_all(options);
    EXPECT_EQ(got.pts, (std::vector<std::int64_t>{0, 1, 2, 3}));
    EXPECT_FALSE(got.damage.damaged) << got.damage.reason;
    options.start_us = 1'000'000 / 24 + 1;
    EXPECT_EQ(read_all(options).pts, (std::vector<std::int64_t>{2, 3}));
}

TEST_F(MediaReaderSequence, GapsAreDamage) {
    write_bytes("unrelated.png", read_bytes(recipe("still.png")));
    const ReadResult got = read_all(pictures("gap", {1, 2, 5}));
    EXPECT_EQ(got.pts, (std::vector<std::int64_t>{0, 1, 4}));
    EXPECT_TRUE(got.damage.damaged);
    EXPECT_NE(got.damage.reason.find("shot_003.png"), std::string::npos) << got.damage.reason;
}

TEST_F(MediaReaderSequence, ABrokenPictureIsDamage) {
    const fs::path pattern = pictures("broken", {1, 2, 3});
    mutate(clip_dir() / "broken/shot_002.png", "broken/shot_002.png", cut_to_percent(40));
    const ReadResult got = read_all(pattern);
    EXPECT_TRUE(got.damage.damaged);
    EXPECT_GE(got.pts.size(), 2U);
    ASSERT_TRUE(got.damage.first_bad_seconds);
    EXPECT_NEAR(*got.damage.first_bad_seconds, 1 / 25.0, 1e-6);
}

// A PNG header with a correct checksum and no picture after it.
Bytes lying_png(std::uint32_t width, std::uint32_t height) {
    Bytes png = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R'};
    const auto put = [&](std::uint32_t value) {
        for (int shift = 24; shift >= 0; shift -= 8)
            png.push_back(static_cast<std::uint8_t>(value >> static_cast<unsigned>(shift)));
    };
    const auto close_chunk = [&](std::size_t type_at) {
        const AVCRC* table = av_crc_get_table(AV_CRC_32_IEEE_LE);
        put(~av_crc(table, ~0U, png.data() + type_at, png.size() - type_at));
    };
    put(width);
    put(height);
    png.insert(png.end(), {8, 2, 0, 0, 0});
    close_chunk(12);
    put(8);
    const std::size_t idat = png.size();
    for (char c : {'I', 'D', 'A', 'T'}) png.push_back(static_cast<std::uint8_t>(c));
    png.insert(png.end(), {0x78, 0x9C, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01});
    close_chunk(idat);
    put(0);
    const std::size_t iend = png.size();
    for (char c : {'I', 'E', 'N', 'D'}) png.push_back(static_cast<std::uint8_t>(c));
    close_chunk(iend);
    return png;
}

std::int64_t peak_memory_kib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

TEST(MediaReaderLimits, FalseHeadersAreRefusedBeforeAllocation) {
    const std::int64_t before = peak_memory_kib();
    const ReadResult lie = read_all(write_bytes("lie.png", lying_png(15000, 15000)));
    EXPECT_EQ(lie.outcome, Outcome::damaged) << lie.error;
    const ReadResult huge = read_all(write_bytes("huge.png", lying_png(60000, 60000)));
    EXPECT_EQ(huge.outcome, Outcome::failed) << huge.error;
    EXPECT_NE(huge.error.find("--max-pixels"), std::string::npos) << huge.error;
    const ReadResult wide = read_all(write_bytes("wide.png", lying_png(1000000, 1)));
    EXPECT_EQ(wide.outcome, Outcome::failed) << wide.error;
    EXPECT_NE(wide.error.find("--max-side"), std::string::npos) << wide.error;
    // 15000x15000 RGB is 675 MB; the limit of the scorecard is 150 MB.
    EXPECT_LT(peak_memory_kib() - before, 100 * 1024);
}

class MediaReaderLimitsOn : public ClipTest {};

TEST_F(MediaReaderLimitsOn, PixelsSidesAndStreams) {
    ReaderOptions options;
    options.path = recipe("plain.mkv").string();
    options.limits.max_pixels = 320 * 180 - 1;
    EXPECT_EQ(read_all(options).outcome, Outcome::failed);
    options.limits = {};
    options.limits.max_side = 319;
    EXPECT_EQ(read_all(options).outcome, Outcome::failed);
    options.limits = {};
    options.limits.max_streams = 1;
    const ReadResult got = read_all(options);
    EXPECT_EQ(got.outcome, Outcome::failed);
    EXPECT_NE(got.error.find("at most 1 are read"), std::string::npos) << got.error;
    options.limits.max_streams = 2;
    EXPECT_EQ(read_all(options).outcome, Outcome::ok);
}

}  // namespace
}  // namespace weft::test
