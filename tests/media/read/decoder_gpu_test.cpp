// GPU and software decoding are interchangeable: the frames are equal, bit for bit.
#include <cstring>

#include <gtest/gtest.h>

#include "app/media/read/gpu_surfaces.h"
#include "app/media/read/reader.h"
#include "tests/kernels/device/gpu.h"
#include "tests/media/read/reader_support.h"
#include "tests/support/clips.h"

namespace weft::test {
namespace {

ReaderOptions options_for(const std::filesystem::path& file, Hwaccel hwaccel, const Device& gpu) {
    ReaderOptions options;
    options.path = file.string();
    options.hwaccel = hwaccel;
    options.gpu = gpu;
    return options;
}

std::optional<Frame> next_frame(Reader& reader) {
    for (;;) {
        MediaItem item = reader.next();
        if (std::holds_alternative<EndOfInput>(item)) return std::nullopt;
        if (auto* frame = std::get_if<Frame>(&item)) return std::move(*frame);
    }
}

// Odd sizes are cropped; B-frames are delivered in another order than they are decoded.
struct Clip {
    const char* name;
    const char* encoder;
    const char* size = "322x182";
    bool every_gpu = true;
};
constexpr Clip kClips[] = {
    {"h264.mp4", "-c:v libx264 -pix_fmt yuv420p -bf 3 -g 12"},
    {"h264-odd.mkv", "-c:v libx264 -pix_fmt yuv420p -bf 2", "354x198"},
    {"h264-interlaced.mp4", "-c:v libx264 -pix_fmt yuv420p -flags +ildct+ilme", "320x192"},
    {"h264-full.mp4", "-c:v libx264 -pix_fmt yuvj420p"},
    {"hevc.mp4", "-c:v libx265 -pix_fmt yuv420p -x265-params log-level=error"},
    {"hevc10.mkv", "-c:v libx265 -pix_fmt yuv420p10le -x265-params log-level=error"},
    {"hevc12.mkv", "-c:v libx265 -pix_fmt yuv420p12le -x265-params log-level=error"},
    {"hevc444.mkv", "-c:v libx265 -pix_fmt yuv444p -x265-params log-level=error"},
    {"hevc444-10.mkv", "-c:v libx265 -pix_fmt yuv444p10le -x265-params log-level=error"},
    {"vp8.webm", "-c:v libvpx -pix_fmt yuv420p"},
    {"vp9.webm", "-c:v libvpx-vp9 -pix_fmt yuv420p -cpu-used 8"},
    {"vp9-10.webm", "-c:v libvpx-vp9 -pix_fmt yuv420p10le -profile:v 2 -cpu-used 8"},
    {"av1.mkv", "-c:v libaom-av1 -pix_fmt yuv420p -cpu-used 8 -frames:v 12", "320x192", false},
    {"av1-10.mp4", "-c:v libsvtav1 -pix_fmt yuv420p10le -preset 12", "320x192", false},
    {"av1-gray.mkv", "-c:v libaom-av1 -pix_fmt gray -cpu-used 8 -frames:v 12", "320x192", false},
};
// Profiles that no NVDEC supports, and a codec whose standard is not bit-exact.
constexpr Clip kSoftwareClips[] = {
    {"h264-444.mp4", "-c:v libx264 -pix_fmt yuv444p"},
    {"h264-10.mp4", "-c:v libx264 -pix_fmt yuv420p10le"},
    {"h264-gray.mp4", "-c:v libx264 -pix_fmt gray"},
    {"h264-gray.ts", "-c:v libx264 -pix_fmt gray"},
    {"mpeg2.mpg", "-c:v mpeg2video -pix_fmt yuv420p", "320x192"},
    {"ffv1.mkv", "-c:v ffv1 -pix_fmt yuv420p"},
};

std::filesystem::path made(const Clip& clip) {
    return make_clip(clip.name, std::string("-f lavfi -i testsrc2=s=") + clip.size + ":r=30:d=1 " +
                                    clip.encoder);
}

void expect_same_frames(Reader& reader, Reader& expected, const std::string& name) {
    std::int64_t frames = 0;
    while (const std::optional<Frame> want = next_frame(expected)) {
        const std::optional<Frame> got = next_frame(reader);
        ASSERT_TRUE(got) << name << ": ends after " << frames << " frames";
        ASSERT_EQ(got->format(), want->format()) << name;
        ASSERT_EQ(got->pts, want->pts) << name;
        ASSERT_EQ(got->av->width, want->av->width) << name;
        ASSERT_EQ(got->av->color_range, want->av->color_range) << name;
        ASSERT_TRUE(samples_of(*got->av) == samples_of(*want->av)) << name << ": frame " << frames;
        ++frames;
    }
    EXPECT_FALSE(next_frame(reader)) << name;
    EXPECT_GE(frames, 12) << name;
    EXPECT_FALSE(reader.damage().damaged) << name << ": " << reader.damage().reason;
}

std::string why_refused(const ReaderOptions& options, Outcome& outcome) {
    try {
        const Reader reader(options);
    } catch (const Error& error) {
        outcome = error.outcome();
        return error.what();
    }
    return "accepted";
}

}  // namespace

class MediaDecoder : public ClipTest {};
class GpuDecoder : public NeedsGpu<ClipTest> {};

TEST_F(MediaDecoder, DecodesInSoftwareWithoutGpu) {
    const auto file = made(kClips[0]);
    Reader reader(options_for(file, Hwaccel::automatic, cpu_device()));
    EXPECT_FALSE(reader.decoding().on_gpu);
    EXPECT_EQ(reader.decoding().why_not, "no GPU is used");
    Reader expected(options_for(file, Hwaccel::none, cpu_device()));
    EXPECT_EQ(expected.decoding().why_not, "");
    expect_same_frames(reader, expected, kClips[0].name);
}

// FFmpeg prefers libdav1d for AV1, and has wrappers of the driver's own parser for all of them.
TEST_F(MediaDecoder, FfmpegsOwnDecodersUseTheGpu) {
    for (const auto& [id, name] : {std::pair{AV_CODEC_ID_H264, "h264"},
                                   {AV_CODEC_ID_HEVC, "hevc"},
                                   {AV_CODEC_ID_VP8, "vp8"},
                                   {AV_CODEC_ID_VP9, "vp9"},
                                   {AV_CODEC_ID_AV1, "av1"}}) {
        std::string why_not;
        const AVCodec* const decoder = find_gpu_decoder(id, why_not);
        ASSERT_TRUE(decoder) << why_not;
        EXPECT_STREQ(decoder->name, name);
    }
}

TEST_F(MediaDecoder, MissingRequiredGpuIsAnError) {
    const auto file = made(kClips[0]);
    Outcome outcome = Outcome::ok;
    EXPECT_EQ(why_refused(options_for(file, Hwaccel::cuda, cpu_device()), outcome),
              file.string() + ": -hwaccel cuda: no GPU is used");
    EXPECT_EQ(outcome, Outcome::no_gpu);
}

TEST_F(GpuDecoder, DecodesTheSameFrames) {
    for (const Clip& clip : kClips) {
        const auto file = made(clip);
        Reader reader(options_for(file, Hwaccel::automatic, first_gpu()));
        EXPECT_TRUE(reader.decoding().on_gpu || !clip.every_gpu)
            << clip.name << ": " << reader.decoding().why_not;
        Reader expected(options_for(file, Hwaccel::none, first_gpu()));
        expect_same_frames(reader, expected, clip.name);
    }
}

TEST_F(GpuDecoder, UnsupportedStreamsAreDecodedInSoftware) {
    for (const Clip& clip : kSoftwareClips) {
        const auto file = made(clip);
        Reader reader(options_for(file, Hwaccel::automatic, first_gpu()));
        EXPECT_FALSE(reader.decoding().on_gpu) << clip.name;
        EXPECT_NE(reader.decoding().why_not, "") << clip.name;
        Reader expected(options_for(file, Hwaccel::none, first_gpu()));
        expect_same_frames(reader, expected, clip.name);
        Outcome outcome = Outcome::ok;
        EXPECT_NE(why_refused(options_for(file, Hwaccel::cuda, first_gpu()), outcome), "accepted");
        EXPECT_EQ(outcome, Outcome::no_gpu) << clip.name;
    }
}

// NVDEC takes H.264 in 8-bit 4:2:0, and HEVC also in 10 bits.
struct Pair {
    const char* name;
    const char* first;
    const char* second;
    bool gpu_takes_all;
};
constexpr const char* kH264 = " -c:v libx264 -g 15 -bf 2 ";
constexpr const char* kHevc = " -c:v libx265 -x265-params log-level=error:keyint=15 ";
constexpr Pair kPairs[] = {
    {"size-up", "s=320x180 -pix_fmt yuv420p", "s=640x360 -pix_fmt yuv420p", true},
    {"size-down", "s=640x360 -pix_fmt yuv420p", "s=322x182 -pix_fmt yuv420p", true},
    {"range", "s=320x180 -pix_fmt yuv420p", "s=320x180 -pix_fmt yuvj420p", true},
    {"chroma", "s=320x180 -pix_fmt yuv420p", "s=320x180 -pix_fmt yuv422p", false},
    {"depth", "s=320x180 -pix_fmt yuv420p", "s=320x180 -pix_fmt yuv420p10le", false},
    {"depth-hevc", "s=320x180 -pix_fmt yuv420p", "s=320x180 -pix_fmt yuv420p10le", true},
    {"depth-and-size-hevc", "s=322x182 -pix_fmt yuv420p10le", "s=640x360 -pix_fmt yuv420p", true},
};

std::filesystem::path made(const Pair& pair) {
    const std::string name = pair.name;
    const std::string encoder = name.ends_with("hevc") ? kHevc : kH264;
    const auto half = [&](std::string_view words) {
        const std::size_t blank = words.find(' ');
        return "-f lavfi -i testsrc2=r=30:d=1:" + std::string(words.substr(0, blank)) + encoder +
               std::string(words.substr(blank + 1));
    };
    return make_joined_clip(name, half(pair.first), half(pair.second));
}

TEST_F(GpuDecoder, FollowsChangesInMidStream) {
    for (const Pair& pair : kPairs) {
        const auto file = made(pair);
        Reader reader(options_for(file, Hwaccel::automatic, first_gpu()));
        EXPECT_TRUE(reader.decoding().on_gpu) << pair.name;
        Reader expected(options_for(file, Hwaccel::none, first_gpu()));
        expect_same_frames(reader, expected, pair.name);
    }
}

// If the GPU is required, the run fails at the first frame that needs software.
TEST_F(GpuDecoder, RequiredGpuThatFailsMidStreamIsAnError) {
    for (const Pair& pair : kPairs) {
        Reader reader(options_for(made(pair), Hwaccel::cuda, first_gpu()));
        int frames = 0;
        Outcome outcome = Outcome::ok;
        try {
            while (next_frame(reader)) ++frames;
        } catch (const Error& error) {
            outcome = error.outcome();
        }
        EXPECT_EQ(outcome, pair.gpu_takes_all ? Outcome::ok : Outcome::no_gpu) << pair.name;
        EXPECT_EQ(frames, pair.gpu_takes_all ? 60 : 30) << pair.name;
    }
}

// A decoder that hands out its own surfaces stalls if more are kept than it has.
TEST_F(GpuDecoder, FramesMayBeKept) {
    const auto file =
        make_clip("long.mp4", "-f lavfi -i testsrc2=s=320x180:r=30:d=10 -c:v libx264 -bf 3");
    Reader reader(options_for(file, Hwaccel::cuda, first_gpu()));
    std::vector<Frame> kept;
    while (std::optional<Frame> frame = next_frame(reader)) kept.push_back(std::move(*frame));
    Reader expected(options_for(file, Hwaccel::none, first_gpu()));
    ASSERT_EQ(kept.size(), 300U);
    for (const Frame& frame : kept)
        ASSERT_TRUE(samples_of(*frame.av) == samples_of(*next_frame(expected)->av)) << frame.pts;
}

TEST_F(GpuDecoder, ARangeIsExact) {
    const auto file = made(kClips[0]);
    ReaderOptions options = options_for(file, Hwaccel::cuda, first_gpu());
    options.start_us = 500'000;
    Reader reader(options);
    options.hwaccel = Hwaccel::none;
    Reader expected(options);
    std::optional<Frame> got = next_frame(reader);
    const std::optional<Frame> want = next_frame(expected);
    ASSERT_TRUE(got && want);
    EXPECT_EQ(got->pts, want->pts);
    EXPECT_TRUE(samples_of(*got->av) == samples_of(*want->av));
}

}  // namespace weft::test
