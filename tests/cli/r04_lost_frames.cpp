// R04: faults after which FFmpeg delivers fewer or wrong pictures, mostly without an error: the run
// ends with exit 4 and keeps no output.
#include <algorithm>
#include <functional>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

struct Fault {
    std::string name;  // clip name, with the extension that chooses its container
    std::string args;  // ffmpeg's
    std::string what;
    std::function<void(std::string&)> harm;
};

std::uint8_t byte_at(const std::string& bytes, std::size_t at) {
    return static_cast<std::uint8_t>(bytes.at(at));
}

void zero_moof(std::string& bytes, std::size_t number) {
    const std::size_t box = places_of(bytes, "moof").at(number) - 4;
    const std::size_t size = big32(bytes, box);
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(box), size, '\0');
}

void rename_moof(std::string& bytes) {
    bytes.replace(places_of(bytes, "moof").at(1), 4, "mooe");
}

void harm_segment(std::string& bytes) {
    bytes.at(places_of(bytes, "\x18\x53\x80\x67").front() + 2) = '\x81';
}

void lose_index(std::string& bytes) {
    bytes.replace(places_of(bytes, "idx1").back(), 4, "JUNK");
}

void rename_chunks(std::string& bytes) {
    lose_index(bytes);
    for (std::size_t n = 10; n < 20; ++n) bytes.replace(places_of(bytes, "00dc").at(10), 4, "01dc");
}

// Makes a chunk extend past the end of the list.
void lengthen_chunk(std::string& bytes) {
    bytes.at(places_of(bytes, "00dc").at(20) + 6) = '\x7f';
    lose_index(bytes);
}

// Clears the key flags of the first track's blocks (0xA3, size, track, time, flags) and damages
// every fifth picture.
void harm_without_key_flags(std::string& bytes) {
    int n = 0;
    for (std::size_t at = 4; at + 400 < bytes.size(); ++at) {
        const bool block = byte_at(bytes, at) == 0x81 && byte_at(bytes, at + 3) == 0x80 &&
                           (byte_at(bytes, at - 3) == 0xA3 || byte_at(bytes, at - 4) == 0xA3);
        if (!block) continue;
        bytes.at(at + 3) = '\0';
        if (n++ % 5 != 3) continue;
        for (std::size_t k = 100; k < 400; ++k)
            bytes.at(at + k) = static_cast<char>(byte_at(bytes, at + k) ^ 0x55U);
    }
    ASSERT_EQ(n, 40);
}

// Overwrites the first bytes of a frame's header, after the first syncpoint.
void harm_nut_frame(std::string& bytes) {
    const std::size_t syncpoint = places_of(bytes, "NK\xe4\xad\xee\xca\x45\x69").at(1);
    bytes.replace(syncpoint + 16, 2, "\x7f\x7f");
    const std::size_t later = places_of(bytes, "NK\xe4\xad\xee\xca\x45\x69").at(2);
    bytes.replace(later - 40, 8, "\x11\x22\x33\x44\x55\x66\x77\x78");
}

// Replaces a frame's separator by the trailer of a GIF.
void end_gif_early(std::string& bytes) {
    const auto frames = places_of(bytes, std::string("\x21\xf9\x04", 3));
    bytes.at(frames.at(frames.size() / 2)) = ';';
}

// Damages the stream number of a picture's part, a byte that also holds the key flag.
void harm_asf_number(std::string& bytes) {
    constexpr std::size_t kPacket = 3200;  // of ffmpeg's
    const std::string data = "\x36\x26\xb2\x75\x8e\x66\xcf\x11";
    const std::size_t packet = places_of(bytes, data).front() + 50 + 4 * kPacket;
    // Error correction (3), flags (2), padding (1 or 2), time and duration (6), count (1), stream.
    for (std::size_t at = packet + 11; at < packet + 16; ++at)
        if ((byte_at(bytes, at) & 0x7FU) == 1) {
            bytes.at(at) = '\x1f';
            return;
        }
    FAIL() << "no part of the first stream in this packet";
}

// Cuts a RealMedia file: its last packet is gone, with everything after it.
void cut_real_media(std::string& bytes) {
    bytes.resize(bytes.size() * 3 / 4);
}

// Writes zeros into the middle of the file, where pictures are.
std::function<void(std::string&)> zeros(double place, std::size_t count) {
    return [=](std::string& bytes) {
        const auto at = static_cast<std::ptrdiff_t>(static_cast<double>(bytes.size()) * place);
        std::fill_n(bytes.begin() + at, count, '\0');
    };
}

std::vector<Fault> faults() {
    const std::string video = "-f lavfi -i testsrc2=s=160x96:r=25:d=1.6 ";
    const std::string h264 = video + "-c:v libx264 -preset ultrafast -g 10 ";
    const std::string fragments = h264 + "-movflags frag_keyframe";
    const auto second_moof = [](std::string& bytes) { zero_moof(bytes, 1); };
    const auto first_moof = [](std::string& bytes) { zero_moof(bytes, 0); };
    return {
        {"fragments.mp4", fragments, "moof of zeros", second_moof},
        {"empty_moov.mp4", fragments + "+empty_moov", "first moof of zeros", first_moof},
        {"fragments.mp4", fragments, "moof renamed", rename_moof},
        {"segment.mkv", video + "-c:v mpeg4 -g 12", "one wrong byte in the Segment", harm_segment},
        {"chunks.avi", video + "-c:v mpeg4 -g 12", "chunks renamed, no index", rename_chunks},
        {"chunks.avi", video + "-c:v mpeg4 -g 12", "chunk too long, no index", lengthen_chunk},
        {"png.mkv", video + "-c:v png -write_crc32 0", "no key flags", harm_without_key_flags},
        {"ffv1.mkv", video + "-c:v ffv1 -level 3 -g 1 -slicecrc 1 -write_crc32 0", "no key flags",
         harm_without_key_flags},
        {"theora.mkv", video + "-c:v libtheora -g 12 -write_crc32 0", "zeros", zeros(0.5, 200)},
        {"msmpeg4.avi", video + "-c:v msmpeg4 -g 12", "zeros", zeros(0.5, 200)},
        {"frames.nut", h264, "frame headers", harm_nut_frame},
        {"frames.gif", video, "early end", end_gif_early},
        {"parts.wmv", video + "-c:v wmv2 -g 12", "part of a picture for no stream",
         harm_asf_number},
        {"packets.rm", video + "-c:v rv20 -s 176x144", "cut", cut_real_media},
        {"first.ts", h264, "zeros in the first picture", zeros(0.02, 200)},
        {"first.h264", h264, "zeros in the first picture", zeros(0.02, 200)},
        {"first.m2v", video + "-c:v mpeg2video", "zeros in the first picture", zeros(0.02, 100)},
    };
}

class CliR04LostFrames : public CliTest, public testing::WithParamInterface<Fault> {};

TEST_P(CliR04LostFrames, Refused) {
    make_folder("out");
    const Fault& fault = GetParam();
    const std::string source = clip("lost_" + fault.name, fault.args);
    std::string bytes = read_file(source);
    fault.harm(bytes);
    const std::string input = path("harmed_" + fault.name);
    write_file(input, bytes);
    const Arguments arguments = {"batch", "-vf", "box=radius=1", "-o", path("out/out.mkv")};
    const auto run_on = [&](const std::string& file) {
        Arguments all = arguments;
        all.push_back(file);
        return weft(all);
    };
    const Result refused = run_on(input);
    EXPECT_TRUE(exits(refused, 4)) << fault.what;
    EXPECT_TRUE(contains(refused.err, input)) << "no file name: " << refused.err;
    EXPECT_EQ(names_in(path("out")), std::vector<std::string>());
    EXPECT_TRUE(exits(run_on(source), 0)) << "a false alarm on the healthy clip";
}

INSTANTIATE_TEST_SUITE_P(Faults, CliR04LostFrames, testing::ValuesIn(faults()),
                         [](const testing::TestParamInfo<Fault>& tested) {
                             return test_name(tested.param.name + "_" + tested.param.what);
                         });

}  // namespace
}  // namespace weft::cli
