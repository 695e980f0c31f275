// R06: files that claim to be huge are refused before memory is allocated; large ones within the
// limit cost at most four frames.
#include <array>
#include <cstdint>
#include <filesystem>

#include <fmt/format.h>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"
#include "tests/support/few_cores.h"

namespace weft::cli {
namespace {

constexpr long kRefusedKib = 150L * 1024;

std::string big_endian(std::uint32_t value) {
    return cli::big_endian(value, 4);
}

std::string little_endian(int value) {
    return cli::little_endian(static_cast<std::uint32_t>(value), 4);
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

// A PNG that claims width × height RGB pixels and holds a handful of bytes.
std::string empty_png(std::uint32_t width, std::uint32_t height) {
    using namespace std::string_literals;
    const std::string header = big_endian(width) + big_endian(height) + "\x08\x02\x00\x00\x00"s;
    return "\x89PNG\r\n\x1a\n"s + chunk("IHDR", header) +
           chunk("IDAT", "\x78\x9c\x03\x00\x00\x00\x00\x01"s) + chunk("IEND", "");
}

// ---- few bytes that cost much memory or time ----

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int k = 0; k < times; ++k) all += text;
    return all;
}

// A small PNG with these chunks before its pixels.
std::string png_with(const std::string& chunks) {
    using namespace std::string_literals;
    const std::string header = big_endian(1) + big_endian(1) + "\x08\x00\x00\x00\x00"s;
    return "\x89PNG\r\n\x1a\n"s + chunk("IHDR", header) + chunks +
           chunk("IDAT", "\x78\x9c\x63\x60\x00\x00\x00\x02\x00\x01"s) + chunk("IEND", "");
}

std::string many_texts(int count) {
    std::string chunks;
    for (int k = 0; k < count; ++k)
        chunks += chunk("tEXt", fmt::format("k{}", k) + std::string(1, '\0') + "v");
    return chunks;
}

class BitWriter {
 public:
    void put(unsigned bits, int count) {  // the last bit first, as Huffman codes are
        for (int k = count - 1; k >= 0; --k) {
            byte_ |= (bits >> k & 1U) << used_;
            if (++used_ == 8) flush();
        }
    }
    std::string take() {
        if (used_ > 0) flush();
        return std::move(bytes_);
    }

 private:
    void flush() {
        bytes_ += static_cast<char>(byte_);
        byte_ = 0;
        used_ = 0;
    }
    unsigned byte_ = 0;
    int used_ = 0;
    std::string bytes_;
};

// A zlib stream (RFC 1950) of `matches` times 258 equal bytes, in 13 bits each.
std::string deflate_bomb(int matches) {
    BitWriter bits;
    bits.put(1, 1);     // the last block
    bits.put(0b10, 2);  // of fixed codes
    bits.put(0x30, 8);  // a byte 0
    for (int k = 0; k < matches; ++k) {
        bits.put(0b11000101, 8);  // length 258
        bits.put(0, 5);           // distance 1
    }
    bits.put(0, 7);  // the end
    const auto zeros = static_cast<std::uint32_t>(matches) * 258U + 1U;
    return "\x78\x9c" + bits.take() + big_endian((zeros % 65521U) << 16 | 1U);  // Adler-32
}

std::string little_endian16(int value) {
    return little_endian(value).substr(0, 2);
}

// 40-byte header, 32 bits per pixel, or 8 with runs.
std::string bmp(int side, bool runs) {
    using namespace std::string_literals;
    const int bits = runs ? 8 : 32;
    const int begin = 54 + (runs ? 1024 : 0);
    return "BM" + little_endian(begin + 100) + little_endian(0) + little_endian(begin) +
           little_endian(40) + little_endian(side) + little_endian(side) + little_endian16(1) +
           little_endian16(bits) + little_endian(runs ? 1 : 0) + std::string(12, '\0') +
           little_endian(runs ? 256 : 0) + little_endian(0) + std::string(runs ? 1024 : 0, '\0') +
           repeated("\x00\x01"s, 50);
}

std::string tga(int side) {
    using namespace std::string_literals;
    return "\0\0\x0a"s + std::string(9, '\0') + little_endian16(side) + little_endian16(side) +
           "\x20\0"s + repeated("\xff\0\0\0\0"s, 100);
}

// Frames of one pixel on a large screen.
std::string gif(int side, int frames) {
    using namespace std::string_literals;
    const std::string frame =
        "\x21\xf9\x04\x08\x0a\0\0\0\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0"s;
    return "GIF89a" + little_endian16(side) + little_endian16(side) +
           "\x80\0\0\0\0\0\xff\xff\xff"s + repeated(frame, frames) + "\x3b";
}

void replace_all(std::string& bytes, const std::string& from, const std::string& to) {
    for (std::size_t at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at + 1))
        bytes.replace(at, from.size(), to);
}

// An mp4 whose first track has `count` edits, each of one tick.
std::string mp4_with_edits(std::string bytes, std::uint32_t count) {
    const std::size_t list = bytes.find("elst");
    const std::string entry = big_endian(1) + big_endian(0) + big_endian(0x10000);
    const std::uint32_t before = static_cast<unsigned char>(bytes[list + 11]);
    std::string entries;
    for (std::uint32_t k = 0; k < count; ++k) entries += entry;
    for (const std::size_t type :
         {list, bytes.rfind("edts", list), bytes.rfind("trak", list), bytes.rfind("moov", list)}) {
        std::uint32_t size = 0;
        for (int k = 0; k < 4; ++k)
            size = size << 8 |
                   static_cast<unsigned char>(bytes[type - 4 + static_cast<std::size_t>(k)]);
        bytes.replace(type - 4, 4, big_endian(size + (count - before) * 12));
    }
    bytes.replace(list + 8, 4 + before * std::size_t{12}, big_endian(count) + entries);
    return bytes;
}

class CliR06Huge : public CliTest {
 protected:
    Result filter(const std::string& input, const std::string& stack = "box") {
        const std::string extension = std::filesystem::path(input).extension().string();
        const bool writable = extension != ".pgm" && extension != ".ppm" && extension != ".pam" &&
                              extension != ".pfm" && extension != ".bmp" && extension != ".tga";
        Command command = weft_command({"batch", "-vf", stack, "-y", "-o",
                                        path("out/out" + (writable ? extension : ".png")), input});
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

// A JPEG whose frame header claims 65500 × 65500.
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

TEST_F(CliR06Huge, FewBytesThatExpand) {
    using namespace std::string_literals;
    const std::string bomb = deflate_bomb(2'500'000);  // 4 MB, 645 MB
    const std::string numbers(90, '\0');
    expect_refused("texts.png", png_with(many_texts(200'000)));
    expect_refused("profile.png", png_with(chunk("iCCP", "p\0\0"s + bomb)));
    expect_refused("text.png", png_with(chunk("zTXt", "p\0\0"s + bomb)));
    expect_refused("unicode.png", png_with(chunk("iTXt", "p\0\1\0\0\0"s + bomb)));
    expect_refused("samples.pam",
                   "P7\nWIDTH 16000\nHEIGHT 16000\nDEPTH 4\nMAXVAL 65535\nTUPLTYPE RGB_ALPHA\n"
                   "ENDHDR\n" +
                       numbers);
    expect_refused("samples.pgm", "P5\n16000 16000\n65535\n" + numbers);
    expect_refused("digits.ppm", "P3\n16000 16000\n255\n1 2 3 4 5 6\n");
    expect_refused("floats.pfm", "PF\n16000 16000\n-1.0\n" + numbers);
    expect_refused("plain.bmp", bmp(16000, false));
    expect_refused("runs.bmp", bmp(16000, true));
    expect_refused("runs.tga", tga(16000));
    expect_refused("screen.gif", gif(16000, 30));
}

// The same through a pipe and as a numbered sequence.
TEST_F(CliR06Huge, FewBytesThatExpandInOtherWays) {
    make_folder("out");
    write_file(path("texts.png"), png_with(many_texts(200'000)));
    write_file(path("n_1.pgm"), "P5\n2 2\n255\nabcd");
    write_file(path("n_2.pgm"), "P5\n16000 16000\n65535\nabcd");
    Command piped = weft_command({"batch", "-vf", "box", "-o", path("out/o.png"), "-"});
    piped.input = path("texts.png");
    const Result sequence =
        weft({"batch", "-vf", "box", "-o", path("out/o_%d.png"), path("n_%d.pgm")});
    for (const Result& result : {run(piped), sequence}) {
        EXPECT_TRUE(exits_one_of(result, {1, 4}));
        EXPECT_LT(result.max_rss_kib, kRefusedKib);
        EXPECT_EQ(names_in(path("out")), std::vector<std::string>());
    }
}

// Files below the limits are accepted: texts, profiles, runs of one colour.
TEST_F(CliR06Huge, HealthyFilesThatExpandAreFiltered) {
    using namespace std::string_literals;
    make_folder("out");
    write_file(path("texts.png"), png_with(many_texts(1000)));
    write_file(path("profile.png"), png_with(chunk("iCCP", "p\0\0"s + deflate_bomb(10'000))));
    for (const std::string& input :
         {path("texts.png"), path("profile.png"),
          clip("one_colour.tga", "-f lavfi -i color=red:s=3000x3000 -frames:v 1 -rle 1"),
          clip("one_colour.gif", "-f lavfi -i color=red:s=3000x3000:d=0.3"),
          clip("one_colour.pfm",
               "-f lavfi -i color=red:s=3000x3000 -frames:v 1 -pix_fmt gbrpf32le"),
          clip("one_colour.bmp", "-f lavfi -i color=red:s=3000x3000 -frames:v 1")}) {
        const bool is_gif = input.ends_with(".gif");
        const Result result = weft(
            {"batch", "-vf", "box", "-y", "-o", path(is_gif ? "out/o.gif" : "out/o.png"), input});
        EXPECT_TRUE(exits(result, 0)) << input;
    }
}

TEST_F(CliR06Huge, Mp4WithManyEdits) {
    const std::string bytes = read_file(clip("edits.mp4", picture_input(2, "64x64") + kFastVideo));
    ASSERT_GT(bytes.find("elst"), bytes.find("moov"));
    ASSERT_GT(bytes.find("moov"), bytes.find("mdat")) << "offsets of samples would change";
    make_folder("out");
    write_file(path("some.mp4"), mp4_with_edits(bytes, 50));
    EXPECT_TRUE(exits(weft({"info", path("some.mp4")}), 0)) << "the list is well made";
    expect_refused("edits.mp4", mp4_with_edits(bytes, 200'000));
}

// The baseline is a run on a tiny picture. On more cores, the CPU kernel's strips of rows, one per
// core, would count as a frame.
TEST_F(CliR06Huge, MemoryBelowTheLimitIsFourFrames) {
    const test::FewCores two(2);
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
