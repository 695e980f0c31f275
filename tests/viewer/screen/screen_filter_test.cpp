// The window shows a frame as a batch run of the same stack writes it.
#include "app/viewer/screen/screen_filter.h"

#include <cstring>

#include <gtest/gtest.h>

#include "app/media/libav/error.h"
#include "tests/support/blank_frame.h"

namespace weft {
namespace {

AVFramePtr noise(AVPixelFormat format, int width, int height, unsigned seed) {
    AVFramePtr frame = test::blank_frame(format, width, height);
    for (const ImageView& plane : plane_views(*frame))
        for (int y = 0; y < plane.height; ++y)
            for (std::size_t x = 0; x < plane.row_bytes(); ++x) {
                seed = seed * 1664525U + 1013904223U;
                plane.row(y)[x] = static_cast<std::byte>(seed >> 24);
            }
    return frame;
}

PlayedFrame played(AVFramePtr av, std::uint64_t serial = 1) {
    Frame frame;
    frame.av = std::move(av);
    PlayedFrame out;
    out.frame = std::make_shared<const Frame>(std::move(frame));
    out.serial = serial;
    return out;
}

StackRequest request(const char* stack) {
    return {parse_stack(stack), {}};
}

bool same_pixels(const Picture& picture, const AVFrame& frame) {
    const PlaneViews planes = plane_views(frame);
    for (std::size_t p = 0; p < planes.size(); ++p)
        for (int y = 0; y < planes[p].height; ++y)
            if (std::memcmp(picture.planes[p].row(y), planes[p].row(y), planes[p].row_bytes()) != 0)
                return false;
    return picture.planes.size() == planes.size();
}

AVFramePtr chained(const char* stack, const AVFrame& frame) {
    StackRunner chain(plan_stack(parse_stack(stack), frame_info(frame, 0), cpu_device()));
    AVFramePtr out = new_frame_like(frame);
    chain.run(plane_views(frame), plane_views(*out));
    return out;
}

TEST(ViewerScreenFilter, ShowsEachStackAndTheOriginal) {
    ScreenFilter filter(cpu_device());
    filter.set_stacks({request("gaussian=sigma=2"), request("kirsch,box")});
    const PlayedFrame frame = played(noise(AV_PIX_FMT_YUV420P, 67, 35, 1));
    const ShownFrame shown = filter.filter(frame, 0);
    const AVFrame& av = *frame.frame->av;
    ASSERT_EQ(shown.filtered.size(), 2U);
    EXPECT_TRUE(same_pixels(shown.original, av));
    EXPECT_TRUE(same_pixels(shown.filtered[0], *chained("gaussian=sigma=2", av)));
    EXPECT_TRUE(same_pixels(shown.filtered[1], *chained("kirsch,box", av)));
    EXPECT_EQ(filter.status().stacks[1].size(), 2U);
    EXPECT_EQ(filter.status().stacks[1][0].filter, "kirsch");
}

TEST(ViewerScreenFilter, AnEmptyStackIsTheOriginalItself) {
    ScreenFilter filter(cpu_device());
    filter.set_stacks({StackRequest{}});
    const ShownFrame shown = filter.filter(played(noise(AV_PIX_FMT_GRAY8, 9, 7, 2)), 0);
    EXPECT_EQ(shown.filtered[0].planes[0].data, shown.original.planes[0].data);
}

TEST(ViewerScreenFilter, FramesWithoutStepsHaveNoTimesOfKernels) {
    StageTimes times;
    ScreenFilter filter(cpu_device(), nullptr, &times);
    const auto kernels = [&] { return times.table()[static_cast<int>(Stage::kernels)].count(); };
    const PlayedFrame frame = played(noise(AV_PIX_FMT_GRAY8, 9, 7, 2));
    filter.set_stacks({StackRequest{}});
    (void)filter.filter(frame, 0);
    EXPECT_EQ(kernels(), 0);
    filter.set_stacks({StackRequest{}, request("box")});
    (void)filter.filter(frame, 0);
    EXPECT_EQ(kernels(), 1);
}

TEST(ViewerScreenFilter, FollowsAChangeOfFormat) {
    ScreenFilter filter(cpu_device());
    filter.set_stacks({request("box=radius=2")});
    unsigned seed = 3;
    for (const AVPixelFormat format : {AV_PIX_FMT_YUV420P, AV_PIX_FMT_RGB24, AV_PIX_FMT_YUV422P10})
        for (const int width : {32, 31}) {
            const PlayedFrame frame = played(noise(format, width, 20, ++seed));
            if (format == AV_PIX_FMT_YUV422P10)  // the format does not use the upper six bits
                for (const ImageView& plane : plane_views(*frame.frame->av))
                    for (int y = 0; y < plane.height; ++y)
                        for (std::size_t x = 1; x < plane.row_bytes(); x += 2)
                            plane.row(y)[x] &= std::byte{3};
            const ShownFrame shown = filter.filter(frame, 0);
            EXPECT_TRUE(same_pixels(shown.filtered[0], *chained("box=radius=2", *frame.frame->av)));
        }
}

TEST(ViewerScreenFilter, AFrameIsShownIfItsStackFails) {
    ScreenFilter filter(cpu_device());
    filter.set_stacks({StackRequest{parse_stack("box"), {"column_row_reuse"}}});
    const PlayedFrame frame = played(noise(AV_PIX_FMT_YUV420P, 16, 16, 5));
    EXPECT_THROW((void)filter.filter(frame, 0), Error);
    EXPECT_TRUE(same_pixels(filter.unfiltered(frame, 0).filtered[0], *frame.frame->av));
    filter.set_stacks({request("box")});
    EXPECT_TRUE(
        same_pixels(filter.filter(frame, 0).filtered[0], *chained("box", *frame.frame->av)));
}

// Filters frames in order, as one run.
std::vector<AVFramePtr> chained(const char* stack, const std::vector<PlayedFrame>& frames) {
    const FrameInfo info = frame_info(*frames.front().frame->av, 0);
    StackRunner chain(plan_stack(parse_stack(stack), info, cpu_device()));
    std::vector<AVFramePtr> results;
    for (const PlayedFrame& frame : frames) {
        results.push_back(new_frame_like(*frame.frame->av));
        chain.run(plane_views(*frame.frame->av), plane_views(*results.back()));
    }
    return results;
}

struct TimeRow {
    const char* stack;
    int past;
};

// With the past frames that it requests, a filter gives the results of an unbroken run.
TEST(ViewerScreenFilter, TemporalStepsGetEarlierFrames) {
    std::vector<PlayedFrame> frames;
    for (unsigned k = 0; k < 12; ++k) frames.push_back(played(noise(AV_PIX_FMT_GBRP, 24, 8, k), k));
    for (const auto& [stack, past] :
         {TimeRow{"temporal_average=frames=3", 2}, TimeRow{"frame_difference", 1},
          TimeRow{"box,temporal_average=frames=4,frame_difference,sobel", 4},
          TimeRow{"gaussian", 0}}) {
        const std::vector<AVFramePtr> unbroken = chained(stack, frames);
        ScreenFilter filter(cpu_device());
        filter.set_stacks({request(stack), request("box")});
        for (const std::size_t k : {7U, 8U, 2U, 0U, 11U, 7U}) {
            ASSERT_EQ(filter.earlier_frames_needed(frames[k], 0), past) << stack;
            const std::size_t first = k - std::min<std::size_t>(k, static_cast<std::size_t>(past));
            EarlierFrames before;
            for (std::size_t p = first; p < k; ++p) before.push_back(frames[p].frame);
            const ShownFrame shown = filter.filter(frames[k], 0, before);
            EXPECT_TRUE(same_pixels(shown.filtered[0], *unbroken[k])) << stack << " at " << k;
        }
    }
}

TEST(ViewerScreenFilter, ANewStackRequestsEarlierFrames) {
    ScreenFilter filter(cpu_device());
    const PlayedFrame frame = played(noise(AV_PIX_FMT_GRAY8, 24, 8, 6));
    filter.set_stacks({request("frame_difference")});
    EXPECT_EQ(filter.earlier_frames_needed(frame, 0), 1);
    (void)filter.filter(frame, 0);
    EXPECT_EQ(filter.earlier_frames_needed(frame, 0), 0);
    filter.set_stacks({request("temporal_average=frames=3")});
    EXPECT_EQ(filter.earlier_frames_needed(frame, 0), 2);
}

// Without past frames, a temporal step knows only the first frame.
TEST(ViewerScreenFilter, TemporalStepsForgetAcrossSeeks) {
    ScreenFilter filter(cpu_device());
    filter.set_stacks({request("temporal_average=frames=3")});
    const PlayedFrame first = played(noise(AV_PIX_FMT_GRAY8, 24, 8, 6), 1);
    const PlayedFrame next = played(noise(AV_PIX_FMT_GRAY8, 24, 8, 7), 1);
    const PlayedFrame elsewhere = played(noise(AV_PIX_FMT_GRAY8, 24, 8, 8), 2);
    (void)filter.filter(first, 0);
    EXPECT_FALSE(same_pixels(filter.filter(next, 0).filtered[0], *next.frame->av));
    EXPECT_TRUE(same_pixels(filter.filter(elsewhere, 0).filtered[0], *elsewhere.frame->av));
}

}  // namespace
}  // namespace weft
