// Which steps are recorded, and for how many frames.
#include "app/pipeline/stack/step_graphs.h"

#include <gtest/gtest.h>

#include "tests/pipeline/test_frames.h"

namespace weft {

void PrintTo(const StepSegment& s, std::ostream* out) {
    *out << s.first << "-" << s.last << " cycle " << s.cycle << " settled " << s.settled;
}

}  // namespace weft

namespace weft::test {
namespace {

constexpr std::size_t kFlights = 3;
constexpr FrameKind kNone{};
constexpr FrameKind kSource{.source = 7};
constexpr FrameKind kBoth{.source = 7, .target = 7};

StackPlan plan_of(const std::string& stack, AVPixelFormat format) {
    const AVFramePtr frame = random_frame(format_row(format), 32, 16, 0);
    return plan_stack(parse_stack(stack), frame_info(*frame, 0), cpu_device());
}

struct SegmentCase {
    const char* stack;
    FrameKind kind;
    std::vector<StepSegment> want;  // first, last, cycle, settled
    AVPixelFormat format = AV_PIX_FMT_YUV420P;
};

TEST(PipelineSegments, PlanesOfTheCallerAndHistoriesCutTheStack) {
    const SegmentCase cases[] = {
        {"box", kNone, {{0, 1, 3, 1}}},
        {"box", kSource, {{0, 1, 0, 0}}},
        {"box,box", kSource, {{0, 1, 0, 0}, {1, 2, 3, 1}}},
        {"box,box", kBoth, {{0, 2, 0, 0}}},
        {"box,box,box,box", kNone, {{0, 4, 3, 1}}},
        {"box,box,box,box", kBoth, {{0, 1, 0, 0}, {1, 3, 3, 1}, {3, 4, 0, 0}}},
        // Chroma is first read by the third step, and luma by the first.
        {"box=planes=y,box=planes=y,box,box", kBoth, {{0, 1, 0, 0}, {1, 2, 3, 1}, {2, 4, 0, 0}}},
        {"box=planes=y,box=planes=y,box,box", {.source = 1}, {{0, 1, 0, 0}, {1, 4, 3, 1}}},
        {"box=planes=y,box=planes=u", {.target = 1}, {{0, 1, 0, 0}, {1, 2, 3, 1}}},
        // A plane of the caller that no step writes does not cut the stack.
        {"box=planes=y,box=planes=y", {.source = 6, .target = 6}, {{0, 2, 3, 1}}},
        // The gray detour reads and writes r, g and b.
        {"sobel,sobel,sobel",
         {.source = 1, .target = 1},
         {{0, 1, 0, 0}, {1, 2, 3, 1}, {2, 3, 0, 0}},
         AV_PIX_FMT_RGB24},
        // Two earlier frames and three flights repeat after six frames.
        {"box,tmix=frames=3,box", kNone, {{0, 3, 6, 3}}},
        {"tmix=frames=4", kNone, {{0, 1, 3, 4}}},
        {"frame_difference", kNone, {{0, 1, 3, 2}}},
        // 3 and 11 repeat after 33.
        {"tmix=frames=12", kNone, {{0, 1, 0, 0}}},
        {"box,tmix=frames=12,box", kNone, {{0, 1, 3, 1}, {1, 2, 0, 0}, {2, 3, 3, 1}}},
        // 3, 7 and 5 repeat after 105.
        {"tmix=frames=8,tmix=frames=6,box", kNone, {{0, 1, 21, 8}, {1, 3, 15, 6}}},
        {"tmix=frames=3,tmix=frames=4,box", kSource, {{0, 1, 0, 0}, {1, 3, 3, 4}}},
    };
    for (const SegmentCase& c : cases)
        EXPECT_EQ(segments_of(plan_of(c.stack, c.format), c.kind, kFlights), c.want)
            << c.stack << ", planes of the caller " << c.kind.source << " " << c.kind.target;
}

TEST(PipelineSegments, PlanesInDeviceMemoryAreUsedInPlace) {
    const ImageView host;
    ImageView device;
    device.space = MemorySpace::device;
    EXPECT_EQ(planes_on_device(std::vector{host, host, host}), 0U);
    EXPECT_EQ(planes_on_device(std::vector{device, host, device}), 5U);
}

// Nothing can be recorded without a GPU, nor on CUDA's default stream.
TEST(PipelineStepGraphs, UsesOrdinaryLaunchesIfRecordingFails) {
    const StackPlan plan = plan_of("box,box", AV_PIX_FMT_YUV420P);
    StepGraphs graphs(plan, kFlights);
    int enqueued = 0;
    for (std::size_t past = 0; past < 9; ++past) {
        ASSERT_EQ(graphs.begin_frame(kNone).size(), 1U);
        EXPECT_FALSE(graphs.replay(0, past, nullptr, [&] { ++enqueued; })) << past;
    }
    EXPECT_EQ(enqueued, 0);
}

}  // namespace
}  // namespace weft::test
