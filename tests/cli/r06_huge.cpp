// R06: files that claim to be huge are refused before memory is taken; large ones within the
// limit cost at most four frames.
#include <array>
#include <cstdint>
#include <filesystem>
#include <sched.h>

#include <fmt/format.h>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

constexpr long kRefusedKib = 150L * 1024;

std::string big_endian(std::uint32_t value) {
    std::string bytes;
    for (int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift);
    return bytes;
}

std::string little_endian(int value) {
    const std::string bytes = big_endian(static_cast<std::uint32_t>(value));
    return {bytes.rbegin(), bytes.rend()};
}

// CRC-32 as PNG defines it.
std::uint32_t crc(const std::string& bytes) {
    std::uint32_t sum = 0xFFFFFFFFU;
    for (unsigned char byte : bytes) {
        sum ^= byte;
        for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1U) != 0 ? 0xEDB88320U : 0U);
    }
    return ~sum;
}

std::string chunk(const std::string& type, const std::string& data) {
    return big_endian(static_cast<std::uint32_t>(data.size())) + type + data +
           big_endian(crc(type + data));
}

// A PNG that promises width × height RGB pixels and holds a handful of bytes.
std::string empty_png(std::uint32_t width, std::uint32_t height) {
    using namespace std::string_literals;
    const std::string header = big_endian(width) + big_endian(height) + "\x08\x02\x00\x00\x00"s;
    return "\x89PNG\r\n\x1a\n"s + chunk("IHDR", header) +
           chunk("IDAT", "\x78\x9c\x03\x00\x00\x00\x00\x01"s) + chunk("IEND", "");
}

void replace_all(std::string& bytes, const std::string& from, const std::string& to) {
    for (std::size_t at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at + 1))
        bytes.replace(at, from.size(), to);
}

// While it lives, programs that this thread starts run on two cores at most. The CPU kernel has a
// strip of rows for every core: that is no frame, and would count as one on a large machine.
class OnTwoCores {
 public:
    OnTwoCores() {
        if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
        cpu_set_t two;
        CPU_ZERO(&two);
        for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++cpu)
            if (CPU_ISSET(cpu, &before_)) CPU_SET(cpu, &two);
        changed_ = sched_setaffinity(0, sizeof two, &two) == 0;
    }
    ~OnTwoCores() {
        if (changed_) sched_setaffinity(0, sizeof before_, &before_);
    }
    OnTwoCores(const OnTwoCores&) = delete;
    OnTwoCores& operator=(const OnTwoCores&) = delete;

 private:
    cpu_set_t before_{};
    bool changed_ = false;
};

class CliR06Huge : public CliTest {
 protected:
    Result filter(const std::string& input, const std::string& stack = "box") {
        Command command = weft_command(
            {"batch", "-vf", stack, "-y", "-o",
             path("out/out" + std::filesystem::path(input).extension().string()), input});
        command.hang_guard = std::chrono::seconds(120);
        return run(command);
    }
    void expect_refused(const std::string& name, const std::string& bytes) {
        SCOPED_TRACE(name);
        make_folder("out");
        write_file(path(name), bytes);
        const Result result = filter(path(name));
        EXPECT_TRUE(exits_one_of(result, {1, 4}));
        EXPECT_LT(result.max_rss_kib, kRefusedKib);
        EXPECT_TRUE(contains(result.err, name)) << "no file name: " << result.err;
        EXPECT_EQ(names_in(path("out")), std::vector<std::string>());
    }
};

TEST_F(CliR06Huge, PngHeaders) {
    constexpr std::array<std::array<std::uint32_t, 2>, 6> kSizes = {{{60000, 60000},
                                                                     {1000000, 1000000},
                                                                     {1000000, 1},
                                                                     {1, 1000000},
                                                                     {15000, 15000},
                                                                     {0x7FFFFFFF, 0x7FFFFFFF}}};
    for (const auto& [width, height] : kSizes)
        expect_refused(fmt::format("{}x{}.png", width, height), empty_png(width, height));
}

// The BITMAPINFOHEADER of raw video decides the size of every frame; top-down pictures have a
// negative height.
TEST_F(CliR06Huge, AviThatLies) {
    const std::string bytes =
        read_file(clip("raw.avi", picture_input(0.2, "322x182") + " -c:v rawvideo -pix_fmt bgr24"));
    const std::string size = little_endian(322) + little_endian(-182);
    ASSERT_TRUE(contains(bytes, size));
    for (const int side : {60000, 15000}) {
        std::string lies = bytes;
        replace_all(lies, size, little_endian(side) + little_endian(-side));
        expect_refused(fmt::format("lies_{}.avi", side), lies);
    }
}

TEST_F(CliR06Huge, MatroskaThatLies) {
    using namespace std::string_literals;
    std::string bytes =
        read_file(clip("raw.mkv", picture_input(0.2, "322x322") +
                                      " -c:v rawvideo -pix_fmt yuv420p -allow_raw_vfw 1"));
    replace_all(bytes, "\xB0\x82\x01\x42"s, "\xB0\x82\xFF\xFF"s);
    replace_all(bytes, "\xBA\x82\x01\x42"s, "\xBA\x82\xFF\xFF"s);
    ASSERT_TRUE(contains(bytes, "\xB0\x82\xFF\xFF"s));
    replace_all(bytes, little_endian(322) + little_endian(322),
                little_endian(65535) + little_endian(65535));
    expect_refused("lies.mkv", bytes);
}

// A JPEG whose frame header says 65500 × 65500.
TEST_F(CliR06Huge, JpegThatLies) {
    using namespace std::string_literals;
    std::string bytes = read_file(image_clip("image.jpg"));
    const std::size_t header = bytes.find("\xFF\xC0"s);
    ASSERT_NE(header, std::string::npos);
    bytes.replace(header + 5, 4, "\xFF\xDC\xFF\xDC"s);
    expect_refused("lies.jpg", bytes);
}

TEST_F(CliR06Huge, ManyStreams) {
    std::string args = "-f lavfi -i sine=d=0.1 " + picture_input(0.1) + kFastVideo;
    args = args + " -map 1:v";
    for (int i = 0; i < 80; ++i) args += " -map 0:a";
    const std::string input = clip("many.mkv", args + " -c:a pcm_s16le");
    const Result result = weft({"batch", "-vf", "box=radius=1", "-o", path("out.mkv"), input});
    EXPECT_TRUE(exits(result, 1)) << "81 streams, the limit is 64";
    EXPECT_TRUE(contains(result.err, "64")) << result.err;
    EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>());
}

// A named option raises a limit; the message that refuses names it.
TEST_F(CliR06Huge, TheMessageNamesTheOption) {
    write_file(path("huge.png"), empty_png(60000, 60000));
    const Result result = filter(path("huge.png"));
    EXPECT_TRUE(contains(result.err, "--max-")) << result.err;
}

// Compared with a run on a tiny picture.
TEST_F(CliR06Huge, MemoryBelowTheLimitIsFourFrames) {
    const OnTwoCores few;
    constexpr double kFrameKib = 4000.0 * 4000 * 3 / 1024;
    const std::string rgb = " -frames:v 1 -update 1 -pix_fmt rgb24";
    const std::string small = clip("small_rgb.png", picture_input(1, "64x64") + rgb);
    const std::string large = clip("large_rgb.png", picture_input(1, "4000x4000") + rgb);
    for (const char* stack : {"box", "sobel", "gaussian,sharpen", "box,gaussian,sobel"}) {
        const Result base = filter(small, stack);
        const Result result = filter(large, stack);
        ASSERT_TRUE(exits(base, 0));
        ASSERT_TRUE(exits(result, 0));
        EXPECT_LE(static_cast<double>(result.max_rss_kib - base.max_rss_kib) / kFrameKib, 4.0)
            << stack;
    }
}

}  // namespace
}  // namespace weft::cli
