// Frames filtered into GPU memory for an encoder hold the same samples as frames downloaded to the
// host. Needs no NVENC.
#include <cstring>
#include <set>

extern "C" {
#include <libavutil/hwcontext.h>
}

#include <gtest/gtest.h>

#include "app/media/picture/pixel_traits.h"
#include "app/media/write/gpu_encoder.h"
#include "app/pipeline/stages.h"
#include "tests/kernels/device/gpu.h"
#include "tests/pipeline/test_frames.h"
#include "tests/support/clips.h"

namespace weft::test {
namespace {

class GpuEncoderSurfaces : public NeedsGpu<ClipTest> {};

struct Row {
    const char* name = "";
    const char* encoder = "";
    Hwaccel hwaccel = Hwaccel::none;
    Fields fields = Fields::together;
    const char* size = "322x182";
    const char* stack = "gaussian=sigma=2,tmix=frames=3,sobel";
};
constexpr Row kRows[] = {
    {"s-nvdec.mp4", "-c:v libx264 -pix_fmt yuv420p", Hwaccel::cuda},
    {"s-full.mp4", "-c:v libx264 -pix_fmt yuvj420p", Hwaccel::cuda},
    {"s-444.mkv", "-c:v libx265 -pix_fmt yuv444p -x265-params log-level=error", Hwaccel::cuda},
    {"s-software.mp4", "-c:v libx264 -pix_fmt yuv420p", Hwaccel::none},
    {"s-nv12.nut", "-c:v rawvideo -pix_fmt nv12", Hwaccel::none},
    {"s-444.nut", "-c:v rawvideo -pix_fmt yuv444p", Hwaccel::none},
    {"s-fields.mp4", "-c:v libx264 -pix_fmt yuv420p -flags +ildct+ilme", Hwaccel::none,
     Fields::split, "320x192"},
    {"s-nvdec.mp4", "-c:v libx264 -pix_fmt yuv420p", Hwaccel::cuda, Fields::together, "322x182",
     "gaussian=sigma=2:planes=y"},
    {"s-software.mp4", "-c:v libx264 -pix_fmt yuv420p", Hwaccel::none, Fields::together, "322x182",
     "gaussian=sigma=2:planes=y"},
};

ReaderOptions options_for(const Row& row) {
    ReaderOptions options;
    options.path = make_clip(row.name, std::string("-f lavfi -i testsrc2=s=") + row.size +
                                           ":r=30:d=1 " + row.encoder)
                       .string();
    options.hwaccel = row.hwaccel;
    options.gpu = first_gpu();
    return options;
}

std::shared_ptr<EncoderSurfaces> surfaces_for(const Frame& first) {
    return std::make_shared<EncoderSurfaces>(first_gpu(), without_range(first.format()),
                                             first.av->width, first.av->height);
}

// Filters all frames, with several in flight; each is passed to `look` and then released.
template <class Look>
std::size_t filter_all(const Row& row, bool on_gpu, const Look& look) {
    Reader reader(options_for(row));
    const FrameInfo info = frame_info(*reader.first_frame().av, 0);
    StackRunner filter(plan_frames(parse_stack(row.stack), info, first_gpu(), {}, row.fields));
    FilterStage stage(
        filter, reader,
        {.path = row.name, .surfaces = on_gpu ? surfaces_for(reader.first_frame()) : nullptr});
    constexpr std::size_t kRoom = std::size_t{1} << 30;
    MediaQueue decoded(kRoom);
    MediaQueue filtered(kRoom);
    Durations times;
    StageSeconds use;
    StageClock clock(use);
    (void)read_stage(reader, decoded, {times, clock}, {});
    stage.run(decoded, filtered, clock, {});
    std::size_t frames = 0;
    while (auto item = filtered.try_pop())
        if (const auto* frame = std::get_if<Frame>(&*item)) {
            look(*frame);
            ++frames;
        }
    return frames;
}

AVFramePtr fetched(const AVFrame& frame) {
    AVFramePtr host = make_frame();
    av_check(av_hwframe_transfer_data(host.get(), &frame, 0), "fetching a frame", "test");
    return host;
}

struct Seen {
    std::int64_t pts;
    AVColorRange range;
    std::vector<std::byte> samples;
    bool operator==(const Seen&) const = default;
};

TEST_F(GpuEncoderSurfaces, HoldTheSamplesOfDownloadedFrames) {
    for (const Row& row : kRows) {
        std::vector<Seen> want;
        filter_all(row, false, [&](const Frame& frame) {
            ASSERT_FALSE(in_gpu_memory(*frame.av)) << row.name;
            want.push_back({frame.pts, frame.av->color_range, bytes_of(*frame.av)});
        });
        EXPECT_EQ(want.size(), 30U) << row.name;
        std::size_t k = 0;
        const std::size_t frames = filter_all(row, true, [&](const Frame& frame) {
            ASSERT_TRUE(in_gpu_memory(*frame.av)) << row.name;
            ASSERT_LT(k, want.size()) << row.name;
            const Seen got{frame.pts, frame.av->color_range, bytes_of(*fetched(*frame.av))};
            EXPECT_TRUE(got == want[k]) << row.name << ": frame " << k;
            ++k;
        });
        EXPECT_EQ(frames, want.size()) << row.name;
    }
}

// NVENC gets only the address of a frame and the pitch of its luma, and derives the chroma planes.
TEST_F(GpuEncoderSurfaces, AreContiguousAsNvencReadsThem) {
    filter_all(kRows[0], true, [](const Frame& frame) {
        const AVFrame& av = *frame.av;
        const std::ptrdiff_t pitch = av.linesize[0];
        EXPECT_EQ(av.linesize[1], pitch / 2);
        EXPECT_EQ(av.linesize[2], pitch / 2);
        EXPECT_EQ(av.data[2], av.data[0] + pitch * av.height);
        EXPECT_EQ(av.data[1], av.data[2] + pitch / 2 * (av.height / 2));
    });
}

// The encoder registers every address that it sees, at most 64.
TEST_F(GpuEncoderSurfaces, AreReused) {
    Reader reader(options_for(kRows[0]));
    const auto surfaces = surfaces_for(reader.first_frame());
    std::set<const std::uint8_t*> addresses;
    for (int k = 0; k < 100; ++k) {
        const AVFramePtr a = surfaces->get(*reader.first_frame().av);
        const AVFramePtr b = surfaces->get(*reader.first_frame().av);
        addresses.insert({a->data[0], b->data[0]});
    }
    EXPECT_EQ(addresses.size(), 2U);
}

}  // namespace
}  // namespace weft::test
