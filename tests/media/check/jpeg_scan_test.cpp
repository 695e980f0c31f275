// JPEGs of several encoders are whole, and no longer so once anything is cut, added or exchanged.
#include "app/media/check/jpeg_scan.h"

#include <algorithm>
#include <fcntl.h>
#include <fstream>
#include <random>
#include <unistd.h>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/libav/error.h"
#include "app/media/libav/ffmpeg.h"
#include "app/media/write/output_verifier.h"
#include "tests/support/clips.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

struct Kind {
    const char* name;
    const char* words;  // of ffmpeg
    int unit_width;
    int unit_height;
};

constexpr const char* kNoise =
    "-f lavfi -i testsrc2=s=324x182,format=yuv444p,noise=alls=20,crop=323:181 -frames:v 1 -q:v 3 ";
constexpr Kind kKinds[] = {
    {"420.jpg", "-pix_fmt yuvj420p -huffman optimal -threads 1", 16, 16},
    {"422.jpg", "-pix_fmt yuvj422p -huffman default -threads 1", 16, 16},
    {"444.jpg", "-pix_fmt yuvj444p -huffman optimal -threads 1", 8, 16},
    {"restarts.jpg", "-pix_fmt yuvj420p -huffman default -threads 4 -slices 4", 16, 16},
};

Bytes made(const Kind& kind) {
    return read_bytes(make_clip(kind.name, std::string(kNoise) + kind.words));
}

// By ImageMagick, whose JPEGs libjpeg writes; empty where it is not installed.
Bytes converted(const std::string& name, std::vector<std::string> words) {
    const auto from = make_clip(kKinds[2].name, std::string(kNoise) + kKinds[2].words);
    const auto to = clip_dir() / name;
    words.insert(words.begin(), {"convert", from.string()});
    words.push_back(to.string());
    return succeeds(words) ? read_bytes(to) : Bytes();
}

// Codes by length, and their symbols.
struct Coding {
    Bytes counts;
    Bytes symbols;
};

// A gray picture of blocks, from the bits of its data as text.
Bytes gray(int columns, int rows, const Coding& dc, const Coding& ac, const std::string& bits) {
    const auto high = [](int pixels) { return static_cast<std::uint8_t>(pixels >> 8); };
    const auto low = [](int pixels) { return static_cast<std::uint8_t>(pixels & 255); };
    Bytes jpeg{0xFF, 0xD8};
    for (const auto& [kind, coding] : {std::pair{0x00, dc}, std::pair{0x10, ac}}) {
        const auto size = static_cast<std::uint8_t>(19 + coding.symbols.size());
        jpeg.insert(jpeg.end(), {0xFF, 0xC4, 0, size, static_cast<std::uint8_t>(kind)});
        jpeg.insert(jpeg.end(), coding.counts.begin(), coding.counts.end());
        jpeg.insert(jpeg.end(), 16 - coding.counts.size(), 0);
        jpeg.insert(jpeg.end(), coding.symbols.begin(), coding.symbols.end());
    }
    jpeg.insert(jpeg.end(), {0xFF, 0xC0, 0, 11, 8, high(8 * rows), low(8 * rows), high(8 * columns),
                             low(8 * columns), 1, 1, 0x11, 0});
    jpeg.insert(jpeg.end(), {0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0});
    for (std::size_t at = 0; at < bits.size(); at += 8) {
        std::string byte = bits.substr(at, 8);
        byte.resize(8, '1');
        jpeg.push_back(static_cast<std::uint8_t>(std::stoi(byte, nullptr, 2)));
        if (jpeg.back() == 0xFF) jpeg.push_back(0);
    }
    jpeg.insert(jpeg.end(), {0xFF, 0xD9});
    return jpeg;
}

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int k = 0; k < times; ++k) all += text;
    return all;
}

// -1: it is no scan of the supported kind.
int wholeness(const Bytes& jpeg) {
    const auto scan = find_jpeg_scan(jpeg);
    return scan ? static_cast<int>(is_whole(*scan, jpeg)) : -1;
}

Bytes cut(const Bytes& jpeg, std::size_t size) {
    Bytes result(jpeg.begin(), jpeg.begin() + static_cast<std::ptrdiff_t>(size));
    result.insert(result.end(), {0xFF, 0xD9});
    return result;
}

std::size_t find_marker(const Bytes& jpeg, std::uint8_t marker, std::size_t from) {
    for (std::size_t k = from; k + 1 < jpeg.size(); ++k)
        if (jpeg[k] == 0xFF && jpeg[k + 1] == marker) return k;
    return jpeg.size();
}

AVFramePtr decoded(const Bytes& jpeg) {
    const AVCodec* codec = avcodec_find_decoder(AV_CODEC_ID_MJPEG);
    CodecContextPtr context(avcodec_alloc_context3(codec));
    AVFramePtr frame = make_frame();
    const AVPacketPtr packet = make_packet();
    if (avcodec_open2(context.get(), codec, nullptr) < 0 ||
        av_new_packet(packet.get(), static_cast<int>(jpeg.size())) < 0)
        return nullptr;
    std::ranges::copy(jpeg, packet->data);
    if (avcodec_send_packet(context.get(), packet.get()) < 0 ||
        avcodec_receive_frame(context.get(), frame.get()) < 0)
        return nullptr;
    return frame;
}

class MediaJpegScan : public ClipTest {};

TEST_F(MediaJpegScan, WholePicturesAreWhole) {
    for (const Kind& kind : kKinds) {
        const Bytes jpeg = made(kind);
        const auto scan = find_jpeg_scan(jpeg);
        ASSERT_TRUE(scan) << kind.name;
        EXPECT_EQ(scan->width, 323) << kind.name;
        EXPECT_EQ(scan->height, 181) << kind.name;
        EXPECT_EQ(scan->unit_width(), kind.unit_width) << kind.name;
        EXPECT_EQ(scan->unit_height(), kind.unit_height) << kind.name;
        EXPECT_TRUE(is_whole(*scan, jpeg)) << kind.name;
    }
    const Bytes restarts = made(kKinds[3]);
    EXPECT_GT(find_jpeg_scan(restarts)->restart_units, 0);
}

TEST_F(MediaJpegScan, TakesLibjpegsPicturesOfOneScan) {
    if (converted("gray.jpg", {}).empty()) GTEST_SKIP() << "ImageMagick is not installed";
    const Bytes gray = converted("gray.jpg", {"-colorspace", "Gray"});
    EXPECT_EQ(wholeness(gray), 1);
    EXPECT_EQ(find_jpeg_scan(gray)->components.size(), 1);
    EXPECT_EQ(wholeness(converted("440.jpg", {"-sampling-factor", "1x2"})), 1);
    EXPECT_EQ(wholeness(converted("411.jpg", {"-sampling-factor", "4x1"})), 1);
    EXPECT_EQ(wholeness(converted("progressive.jpg", {"-interlace", "JPEG"})), -1);
    EXPECT_EQ(wholeness(converted("cmyk.jpg", {"-colorspace", "CMYK"})), -1);
}

// libav decodes most of these without an error, and nvJPEG all of them.
TEST_F(MediaJpegScan, FindsWhatIsMissingOrTooMuch) {
    for (const Kind& kind : kKinds) {
        const Bytes jpeg = made(kind);
        const std::size_t data = find_jpeg_scan(jpeg)->data_at;
        for (std::size_t k = 0; k < 50; ++k) {
            const std::size_t size = data + (jpeg.size() - 3 - data) * k / 50;
            EXPECT_EQ(wholeness(cut(jpeg, size)), 0) << kind.name << " cut at " << size;
        }
        Bytes endless = jpeg;
        endless.resize(jpeg.size() - 2);
        EXPECT_EQ(wholeness(endless), 0) << kind.name;
        Bytes longer = jpeg;
        longer.insert(longer.end() - 2, {0x12, 0x34});
        EXPECT_EQ(wholeness(longer), 0) << kind.name;
        Bytes with_more = jpeg;  // another picture, as of a panorama's preview
        with_more.insert(with_more.end(), jpeg.begin(), jpeg.end());
        EXPECT_EQ(wholeness(with_more), 1) << kind.name;
    }
}

TEST_F(MediaJpegScan, FindsRestartsOutOfOrder) {
    Bytes jpeg = made(kKinds[3]);
    const std::size_t data = find_jpeg_scan(jpeg)->data_at;
    const std::size_t first = find_marker(jpeg, 0xD0, data);
    const std::size_t second = find_marker(jpeg, 0xD1, data);
    ASSERT_LT(second, jpeg.size());
    std::swap(jpeg[first + 1], jpeg[second + 1]);
    EXPECT_EQ(wholeness(jpeg), 0);
}

// A wrong bit mostly makes the codes end elsewhere; one in a coefficient's number does not.
TEST_F(MediaJpegScan, FindsMostWrongBits) {
    for (const Kind& kind : kKinds) {
        const Bytes jpeg = made(kind);
        const std::size_t data = find_jpeg_scan(jpeg)->data_at;
        std::mt19937 random(7);
        int found = 0;
        constexpr int kPictures = 100;
        for (int k = 0; k < kPictures; ++k) {
            Bytes wrong = jpeg;
            for (int bit = 0; bit < 16; ++bit)
                wrong[data + random() % (jpeg.size() - 2 - data)] ^=
                    static_cast<std::uint8_t>(1U << random() % 8);
            found += static_cast<int>(wholeness(wrong) == 0);
        }
        EXPECT_GE(found, 90) << kind.name;
    }
}

// The walk reads the data in chunks of 32 KiB, and several codes at once.
TEST_F(MediaJpegScan, DataMayEndAnywhereInAChunk) {
    const Coding empty_blocks{{2}, {0, 0}};  // two bits each
    for (const std::string bit : {"0", "1"})
        for (int columns = 40; columns < 60; ++columns) {
            const int rows = 4 * 32'768 / columns;
            const std::string bits = repeated(bit, 2 * columns * rows);
            EXPECT_EQ(wholeness(gray(columns, rows, empty_blocks, empty_blocks, bits)), 1);
            const std::string short_bits = bits.substr(0, bits.size() - 8);
            EXPECT_EQ(wholeness(gray(columns, rows, empty_blocks, empty_blocks, short_bits)), 0);
            const std::string long_bits = bits + repeated(bit, 8);
            EXPECT_EQ(wholeness(gray(columns, rows, empty_blocks, empty_blocks, long_bits)), 0);
        }
}

TEST_F(MediaJpegScan, BlocksEndWithTheirLastCoefficient) {
    const Coding dc{{1}, {0}};                    // 0
    const Coding ac{{1, 2}, {0xF0, 0xE1, 0x00}};  // 0: 16 zeros; 10 and a bit: 14 and a number; 11
    const std::string full =
        "0"
        "000"
        "101";
    const std::string ended =
        "0"
        "000"
        "11";
    const std::string beyond =
        "0"
        "0000";
    const std::string beyond_later =
        "0"
        "101"
        "000"
        "101";
    EXPECT_EQ(wholeness(gray(1, 40, dc, ac, repeated(full, 40))), 1);
    EXPECT_EQ(wholeness(gray(1, 40, dc, ac, repeated(full + ended, 20))), 1);
    EXPECT_EQ(wholeness(gray(1, 40, dc, ac, repeated(ended, 40))), 1);
    for (const std::string& wrong : {beyond, beyond_later}) {
        EXPECT_EQ(wholeness(gray(1, 41, dc, ac, repeated(ended, 40) + wrong)), 0) << wrong;
        EXPECT_EQ(wholeness(gray(1, 41, dc, ac, wrong + repeated(ended, 40))), 0) << wrong;
    }
}

// No table of the walk has them.
TEST_F(MediaJpegScan, TakesCodesOfSixteenBits) {
    Bytes one_of_each(16, 1);
    const Coding dc{one_of_each, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 0, 0, 0, 11}};
    const Coding ac{one_of_each, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 1, 1, 1, 1, 10}};
    const std::string code = repeated("1", 15) + "0";
    const std::string block = code + repeated("0", 11) + repeated(code + repeated("1", 10), 63);
    EXPECT_EQ(wholeness(gray(1, 100, dc, ac, repeated(block, 100))), 1);
    EXPECT_EQ(wholeness(gray(1, 100, dc, ac, repeated(block, 99) + block.substr(0, 1600))), 0);
    const std::string no_code = repeated("1", 16);
    EXPECT_EQ(wholeness(gray(1, 101, dc, ac, repeated(block, 100) + no_code)), 0);
    EXPECT_EQ(wholeness(gray(1, 101, dc, ac, repeated(block, 100) + "00" + no_code)), 0);
}

TEST_F(MediaJpegScan, TheFirstUnitHasThePicturesTagsAndFormat) {
    for (const Kind& kind : kKinds) {
        const Bytes jpeg = made(kind);
        const AVFramePtr whole = decoded(jpeg);
        const AVFramePtr unit = decoded(first_unit(*find_jpeg_scan(jpeg), jpeg));
        ASSERT_TRUE(whole && unit) << kind.name;
        EXPECT_EQ(unit->width, kind.unit_width) << kind.name;
        EXPECT_EQ(unit->height, kind.unit_height) << kind.name;
        EXPECT_EQ(unit->format, whole->format) << kind.name;
        EXPECT_EQ(unit->color_range, whole->color_range) << kind.name;
        EXPECT_EQ(unit->sample_aspect_ratio.num, whole->sample_aspect_ratio.num) << kind.name;
        for (int x = 0; x < kind.unit_width; ++x)
            EXPECT_EQ(unit->data[0][x], whole->data[0][x]) << kind.name << ", sample " << x;
    }
}

std::string read_back(const std::string& name, const Bytes& jpeg, int width = 323) {
    const auto path = clip_dir() / name;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(jpeg.data()),
               static_cast<std::streamsize>(jpeg.size()));
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    std::string problem;
    try {
        verify_still({.fd = fd,
                      .path = path.string(),
                      .codec = AV_CODEC_ID_MJPEG,
                      .width = width,
                      .height = 181});
    } catch (const MediaError& error) {
        problem = error.what();
    }
    close(fd);
    return problem;
}

// libav decodes the cut ones without an error.
TEST_F(MediaJpegScan, WrittenPicturesAreReadBackByTheirCodes) {
    for (const Kind& kind : kKinds) {
        const Bytes jpeg = made(kind);
        EXPECT_EQ(read_back("back.jpg", jpeg), "") << kind.name;
        EXPECT_THAT(read_back("back.jpg", cut(jpeg, jpeg.size() / 2)),
                    HasSubstr("a JPEG with damaged data"))
            << kind.name;
        EXPECT_THAT(read_back("back.jpg", jpeg, 322), HasSubstr("a picture of another size"))
            << kind.name;
    }
}

}  // namespace
}  // namespace weft::test
