// Frames whose filtering fails halfway because a kernel throws: the caller then frees the planes,
// so nothing may read or write them any more.
#include <cstring>
#include <optional>

#include <gtest/gtest.h>

#include "app/media/libav/error.h"
#include "app/pipeline/stack/stack_runner.h"
#include "filters/stack.h"
#include "kernels/device/image_buffer.h"
#include "kernels/device/stream.h"
#include "kernels/device/timer.h"
#include "kernels/pixels/pixel_ops.h"
#include "tests/kernels/device/gpu.h"
#include "tests/pipeline/test_frames.h"

namespace weft::test {
namespace {

constexpr int kWidth = 64;
constexpr int kHeight = 48;

// Work in flight when a launch throws: `late` is copied to `arrived` after a tenth of a second.
struct SlowCopy {
    ImageBuffer late{kWidth, 1, 1, PixelType::u8, Allocation::device};
    ImageBuffer arrived{kWidth, 1, 1, PixelType::u8, Allocation::pinned};
    std::optional<StreamBlocker> blocker;

    void begin(StreamView stream) {
        std::memset(arrived.view().data, 0, kWidth);
        fill_channels(late.view(), 7.0F, 1, stream);
        blocker.emplace(stream);
        copy_image(late.view(), arrived.view(), stream);
    }
    bool has_arrived() const { return *static_cast<const std::uint8_t*>(arrived.view().data) == 7; }
};

// Makes the kernel below fail at a given launch.
struct Fault {
    int launches = 0;
    int fails_at = 0;  // counted from 1
    SlowCopy* copy = nullptr;
};
// Kernels of the registry are functions without state.
Fault& fault() {
    static Fault the_fault;
    return the_fault;
}

class FaultyConv : public PreparedConv {
 public:
    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        if (++fault().launches == fault().fails_at) {
            if (fault().copy != nullptr) fault().copy->begin(stream);
            throw std::runtime_error("the launch fails");
        }
        copy_image(src, dst, stream);
    }
};

ConvKernel faulty_kernel(MemorySpace space) {
    return {.name = "faulty",
            .summary = {},
            .source = {},
            .limits = {},
            .space = space,
            .prepare = [](const ConvProblem&, const Device&) -> std::unique_ptr<PreparedConv> {
                return std::make_unique<FaultyConv>();
            }};
}

std::vector<StackPlan> plans_with(const ConvKernel& kernel, const FrameInfo& info,
                                  const Device& device, Fields fields) {
    std::vector<StackPlan> plans =
        plan_frames(parse_stack("box=radius=1"), info, device, {}, fields);
    for (StackPlan& plan : plans)
        for (StepPlan& step : plan.steps)
            for (Plan& p : step.plans)
                if (p.kernel != nullptr) p.kernel = &kernel;
    return plans;
}

FrameInfo gray() {
    FrameInfo info;
    info.width = kWidth;
    info.height = kHeight;
    info.planes = {{.width = kWidth, .height = kHeight, .components = {Component::y}}};
    return info;
}

ImageBuffer picture(std::uint8_t value, Allocation where) {
    ImageBuffer buffer(kWidth, kHeight, 1, PixelType::u8, where);
    for (int y = 0; y < kHeight; ++y) std::memset(buffer.view().row(y), value, kWidth);
    return buffer;
}

bool filters_a_frame(StackRunner& filter, std::uint8_t value, Allocation where) {
    const ImageBuffer in = picture(value, where);
    const ImageBuffer out = picture(0, where);
    filter.run({&in.view(), 1}, {&out.view(), 1});
    for (int y = 0; y < kHeight; ++y)
        if (std::memcmp(in.view().row(y), out.view().row(y), kWidth) != 0) return false;
    return true;
}

// Whole frames and fields; the first launch of a frame fails, and with fields also the second.
void check_failures(MemorySpace space, const Device& device, Allocation where, SlowCopy* copy) {
    const ConvKernel kernel = faulty_kernel(space);
    for (const Fields fields : {Fields::together, Fields::split}) {
        for (int launch = 1; launch <= (fields == Fields::split ? 2 : 1); ++launch) {
            StackRunner filter(plans_with(kernel, gray(), device, fields));
            fault() = {.launches = 0, .fails_at = launch, .copy = copy};
            bool reported = false;
            {
                const ImageBuffer in = picture(1, where);
                const ImageBuffer out = picture(0, where);
                EXPECT_THROW(filter.submit({&in.view(), 1}, {&out.view(), 1},
                                           [&reported] { reported = true; }),
                             Error);
                EXPECT_TRUE(copy == nullptr || copy->has_arrived())
                    << "submit() left work behind that uses the frame";
            }
            const bool reported_before = reported;
            for (std::uint8_t value = 2; value < 8; ++value)
                EXPECT_TRUE(filters_a_frame(filter, value, where)) << int{value};
            EXPECT_EQ(reported, reported_before) << "a frame that failed is reported as read later";
        }
    }
}

}  // namespace

TEST(PipelineFailedFrame, IsForgotten) {
    check_failures(MemorySpace::host, cpu_device(), Allocation::host, nullptr);
}

class GpuFailedFrame : public NeedsGpu<testing::Test> {};

TEST_F(GpuFailedFrame, IsWaitedFor) {
    use_device(first_gpu());
    SlowCopy copy;
    check_failures(MemorySpace::device, first_gpu(), Allocation::pinned, &copy);
}

// Frames in flight when a later one fails are also waited for, newest first.
TEST_F(GpuFailedFrame, FramesBeforeItAreGivenUp) {
    use_device(first_gpu());
    const ConvKernel kernel = faulty_kernel(MemorySpace::device);
    StackRunner filter(plans_with(kernel, gray(), first_gpu(), Fields::split));
    fault() = {.launches = 0, .fails_at = 0, .copy = nullptr};
    {
        const ImageBuffer in = picture(1, Allocation::pinned);
        const ImageBuffer out = picture(0, Allocation::pinned);
        filter.submit({&in.view(), 1}, {&out.view(), 1});
        filter.submit({&in.view(), 1}, {&out.view(), 1});
        filter.give_up();
        filter.give_up();
        EXPECT_EQ(std::memcmp(in.view().data, out.view().data, kWidth), 0);
    }
    for (std::uint8_t value = 2; value < 8; ++value)
        EXPECT_TRUE(filters_a_frame(filter, value, Allocation::pinned)) << int{value};
}

}  // namespace weft::test
