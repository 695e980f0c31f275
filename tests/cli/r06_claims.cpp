// R06: headers that claim absurd durations, rates, frame counts and stream counts. Each run
// terminates in little memory, with an error or with every frame.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <ostream>

#include <fmt/format.h>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

constexpr long kLimitKib = 150L * 1024;
constexpr int kFrames = 10;
constexpr int kStreams = 10'000;

std::string of_double(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return big_endian(bits, 8);
}

std::size_t place_of(const std::string& bytes, const std::string& marker) {
    return places_of(bytes, marker).front();
}

// Overwrites the bytes at `offset` from the start of `marker` with `value`.
void put(std::string& bytes, const std::string& marker, std::size_t offset,
         const std::string& value) {
    bytes.replace(place_of(bytes, marker) + offset, value.size(), value);
}

std::size_t little32(const std::string& bytes, std::size_t at) {
    const std::string field = bytes.substr(at, 4);
    return big32({field.rbegin(), field.rend()}, 0);
}

// ---- ten thousand streams ----

// Each is a copy of an MP4's only track.
void repeat_tracks(std::string& bytes) {
    const std::size_t movie = place_of(bytes, "moov") - 4;
    const std::size_t track = place_of(bytes, "trak") - 4;
    const std::string box = bytes.substr(track, big32(bytes, track));
    std::string copies;
    for (int k = 1; k < kStreams; ++k) copies += box;
    bytes.replace(movie, 4, big_endian(big32(bytes, movie) + copies.size(), 4));
    bytes.insert(track, copies);
}

std::string riff(const std::string& name, const std::string& body) {
    return name + little_endian(body.size(), 4) + body;
}

// Each is a copy of an AVI's only stream, without the room for an index.
void repeat_avi_streams(std::string& bytes) {
    const std::size_t header = place_of(bytes, "strh");
    const std::size_t picture = place_of(bytes, "strf");
    const std::size_t list = header - 12;  // "LIST", size, "strl"
    const std::string stream =
        riff("LIST", "strl" + bytes.substr(header, 8 + little32(bytes, header + 4)) +
                         bytes.substr(picture, 8 + little32(bytes, picture + 4)));
    std::string copies;
    for (int k = 1; k < kStreams; ++k) copies += stream;
    const std::size_t headers = place_of(bytes, "hdrl") - 4;
    for (const std::size_t size : {headers, std::size_t{4}})
        bytes.replace(size, 4, little_endian(little32(bytes, size) + copies.size(), 4));
    bytes.insert(list + 8 + little32(bytes, list + 4), copies);
}

std::string element(const std::string& id, const std::string& body) {
    return id + big_endian(0x10000000U | body.size(), 4) + body;
}

// A Matroska file of raw 16×16 pictures and nothing else, in which the first track has one.
std::string matroska_of_tracks() {
    using namespace std::string_literals;
    std::string tracks;
    for (std::uint64_t k = 1; k <= kStreams; ++k) {
        const std::string number =
            element("\xD7"s, big_endian(k, 2)) + element("\x73\xC5"s, big_endian(k, 2));
        const std::string kind = element("\x83"s, "\x01"s) + element("\x86"s, "V_UNCOMPRESSED"s);
        const std::string size = element("\xB0"s, "\x10"s) + element("\xBA"s, "\x10"s) +
                                 element("\x2E\xB5\x24"s, "I420"s);
        tracks += element("\xAE"s, number + kind + element("\xE0"s, size));
    }
    const std::string block = "\x81\0\0\x80"s + std::string(16 * 16 * 3 / 2, '\x40');
    const std::string cluster = element("\xE7"s, "\0"s) + element("\xA3"s, block);
    const std::string segment =
        element("\x15\x49\xA9\x66"s, element("\x2A\xD7\xB1"s, big_endian(1000000, 3))) +
        element("\x16\x54\xAE\x6B"s, tracks) + element("\x1F\x43\xB6\x75"s, cluster);
    return element("\x1A\x45\xDF\xA3"s, element("\x42\x82"s, "matroska"s)) +
           element("\x18\x53\x80\x67"s, segment);
}

// ---- the test ----

struct Claim {
    std::string name;  // clip name, with the extension that chooses its container
    std::string what;
    std::function<void(std::string&)> harm;
    std::string args = "-c:v mpeg4";  // ffmpeg's
    int frames = kFrames;             // in the output
};

void PrintTo(const Claim& made, std::ostream* out) {
    *out << made.name << ": " << made.what;
}

Claim claim(const std::string& name, const std::string& what, const std::string& marker,
            std::size_t offset, const std::string& value) {
    return {name, what, [=](std::string& bytes) { put(bytes, marker, offset, value); }};
}

// The edit list keeps the first 0.4 s.
Claim of_one_frame(Claim made) {
    made.frames = 1;
    return made;
}

// The second frame's time, in 1/25 s.
Claim ivf_time(const std::string& what, std::int64_t time) {
    const auto harm = [time](std::string& bytes) {
        constexpr std::size_t kHeader = 32;
        const std::size_t second = kHeader + 12 + little32(bytes, kHeader);
        bytes.replace(second + 4, 8, little_endian(static_cast<std::uint64_t>(time), 8));
    };
    return {"c.ivf", what, harm, "-c:v libvpx -deadline realtime"};
}

// ffmpeg writes the file like this.
Claim healthy(const std::string& name, const std::string& what, const std::string& args) {
    return {name, what, [](std::string&) {}, args};
}

std::vector<Claim> claims() {
    using namespace std::string_literals;
    const std::string most = big_endian(0xFFFFFFFFU, 4);
    const std::string many = big_endian(0x7FFFFFFFU, 4);
    const std::string without_sums = "-c:v mpeg4 -write_crc32 0";
    const auto in_matroska = [&](const std::string& what, const std::string& id,
                                 const std::string& value) {
        Claim made = claim("c.mkv", what, id, id.size(), value);
        made.args = without_sums;
        return made;
    };
    return {
        claim("c.mp4", "movie lasts for ages", "mvhd", 20, most),
        claim("c.mp4", "movie counts 4e9 ticks per second", "mvhd", 16, most),
        claim("c.mp4", "track lasts for ages", "tkhd", 24, most),
        claim("c.mp4", "media lasts for ages", "mdhd", 20, most),
        claim("c.mp4", "media counts 4e9 ticks per second", "mdhd", 16, most),
        claim("c.mp4", "media counts no ticks", "mdhd", 16, big_endian(0, 4)),
        claim("c.mp4", "edit lasts for ages", "elst", 12, most),
        of_one_frame(claim("c.mp4", "each sample lasts for days", "stts", 16, many)),
        claim("c.mp4", "2e9 samples of a duration", "stts", 12, many),
        claim("c.mp4", "2e9 durations", "stts", 8, many),
        claim("c.mp4", "2e9 sizes", "stsz", 12, many),
        claim("c.mp4", "2e9 chunks", "stco", 8, many),
        claim("c.mp4", "2e9 samples per chunk", "stsc", 16, many),
        in_matroska("file lasts for ages", "\x44\x89\x88"s, of_double(1e18)),
        in_matroska("file lasts infinitely", "\x44\x89\x88"s, of_double(1.0 / 0.0)),
        in_matroska("file lasts a negative time", "\x44\x89\x88"s, of_double(-1e18)),
        in_matroska("frame lasts a nanosecond", "\x23\xE3\x83\x84"s, big_endian(1, 4)),
        in_matroska("frame lasts four seconds", "\x23\xE3\x83\x84"s, most),
        in_matroska("tick of 16 milliseconds", "\x2A\xD7\xB1\x83"s, big_endian(0xFFFFFF, 3)),
        claim("c.avi", "frame lasts a microsecond", "avih", 8, little_endian(1, 4)),
        claim("c.avi", "file has 4e9 frames", "avih", 24, most),
        claim("c.avi", "4e9 frames per second", "strh", 32, most),
        claim("c.avi", "frame lasts 4e9 ticks", "strh", 28, most),
        claim("c.avi", "stream has 4e9 frames", "strh", 40, most),
        healthy("r.nut", "1e6 frames per second", "-r 1000000 -frames:v 10 -c:v ffv1"),
        healthy("r.mp4", "1e6 frames per second", "-r 1000000 -frames:v 10 -c:v libx264"),
        healthy("r.avi", "1e6 frames per second", "-r 1000000 -frames:v 10 -c:v ffv1"),
        healthy("g.nut", "gap of 1e9 seconds",
                "-vf setpts=PTS+gt(N\\,4)*1000000000/TB -fps_mode passthrough -c:v ffv1"),
        healthy("g.mkv", "gap of 1e9 seconds",
                "-vf setpts=PTS+gt(N\\,4)*1000000000/TB -fps_mode passthrough -c:v ffv1"),
        ivf_time("a frame of the last tick", std::numeric_limits<std::int64_t>::max()),
        ivf_time("a frame in a billion years", 25LL * 31'557'600 * 1'000'000'000),
        ivf_time("a frame in a million years", 25LL * 31'557'600 * 1'000'000),
        ivf_time("a frame before time began", std::numeric_limits<std::int64_t>::min() + 2),
        {"c.mp4", "10,000 streams", repeat_tracks, "-c:v mpeg4 -use_editlist 0"},
        {"c.avi", "10,000 streams", repeat_avi_streams},
        {"c.mkv", "10,000 streams", [](std::string& bytes) { bytes = matroska_of_tracks(); },
         without_sums},
    };
}

class CliR06HugeClaims : public CliTest, public testing::WithParamInterface<Claim> {};

TEST_P(CliR06HugeClaims, AnErrorOrEveryFrame) {
    const Claim& made = GetParam();
    const std::string extension = std::filesystem::path(made.name).extension().string();
    const std::string source =
        clip(fmt::format("claims{}{}", std::hash<std::string>()(made.args), extension),
             "-f lavfi -i testsrc2=s=64x64:r=25:d=0.4 " + made.args);
    std::string bytes = read_file(source);
    made.harm(bytes);
    make_folder("out");
    write_file(path(made.name), bytes);
    for (const std::string& output : {path("out/o.mkv"), path("out/o.mp4")}) {
        Command command = weft_command({"batch", "-vf", "box", "-o", output, path(made.name)});
        command.hang_guard = std::chrono::seconds(120);
        const Result result = run(command);
        EXPECT_TRUE(exits_one_of(result, {0, 1, 4})) << output;
        EXPECT_LT(result.max_rss_kib, kLimitKib) << output;
        // A Matroska tick of 16 ms still ends so in mp4: its times are read back 80 ticks early.
        EXPECT_TRUE(made.name != "c.ivf" || !contains(result.err, "please report")) << result.err;
        if (result.exit_code == 0) {
            EXPECT_EQ(frame_count(output), made.frames) << output;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Claims, CliR06HugeClaims, testing::ValuesIn(claims()),
                         [](const testing::TestParamInfo<Claim>& tested) {
                             return test_name(tested.param.name + "_" + tested.param.what);
                         });

}  // namespace
}  // namespace weft::cli
