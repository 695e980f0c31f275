// Filters lent from file to file: equal to new ones in every picture and every number.
#include "app/pipeline/kept_filters.h"

#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/pipeline/opened_input.h"
#include "kernels/device/stream.h"
#include "tests/kernels/device/gpu.h"
#include "tests/pipeline/test_frames.h"
#include "tests/support/clips.h"

namespace weft::test {
namespace {

// Remembers frames, and sums in whole numbers.
constexpr const char* kStack = "convolve=matrix='0 1 0; 1 2 1; 0 1 0':scale=1/6,tmix=frames=3";

struct Shape {
    AVPixelFormat format = AV_PIX_FMT_YUV420P;
    int width = 96;
    int height = 64;
};

AVFramePtr frame_of(const Shape& shape, std::uint32_t seed) {
    return random_frame(format_row(shape.format), shape.width, shape.height, seed);
}

FilterOrder order_of(const Device& device, const Shape& shape = {}, const char* stack = kStack,
                     Fields fields = Fields::together, const ForcedKernels& forced = {}) {
    const FrameInfo info = frame_info(*frame_of(shape, 0), 0);
    return {print_stack(parse_stack(stack)),
            plan_frames(parse_stack(stack), info, device, forced, fields), true,
            device.is_gpu() ? Allocation::pinned : Allocation::host};
}

std::vector<std::vector<std::byte>> results_of(ReadyFilter& filter, const Shape& shape,
                                               std::uint32_t seed) {
    std::vector<std::vector<std::byte>> results;
    for (std::uint32_t t = 0; t < 8; ++t) {
        const AVFramePtr source = frame_of(shape, seed + t);
        const AVFramePtr result = filter.results.get(*source);
        filter.runner.run(plane_views(*source), plane_views(*result));
        results.push_back(bytes_of(*result));
    }
    return results;
}

// One kept filter after a file of other pictures, against a new one.
void expect_no_trace_of_the_file_before(const Device& device, Fields fields) {
    const Shape shape;
    const FilterOrder order = order_of(device, shape, kStack, fields);
    KeptFilters filters(2);
    auto used = filters.take(order);
    const ReadyFilter* const first = used.get();
    (void)results_of(*used, shape, 1000);
    filters.give_back(std::move(used));
    const auto again = filters.take(order);
    ASSERT_EQ(again.get(), first);
    EXPECT_EQ(again->runner.times().kernels.count(), 0);
    const auto fresh = filters.take(order);
    ASSERT_NE(fresh.get(), first);
    EXPECT_EQ(results_of(*again, shape, 7), results_of(*fresh, shape, 7));
    const StackTimes& a = again->runner.times();
    const StackTimes& b = fresh->runner.times();
    EXPECT_EQ(a.kernels.count(), b.kernels.count());
    for (std::size_t s = 0; s < a.steps.size(); ++s) {
        EXPECT_EQ(a.steps[s].frames.count(), b.steps[s].frames.count());
        EXPECT_EQ(a.steps[s].launches, b.steps[s].launches);
    }
}

TEST(PipelineKeptFilters, LeaveNoTraceOfTheFileBefore) {
    for (const Fields fields : {Fields::together, Fields::split})
        expect_no_trace_of_the_file_before(cpu_device(), fields);
}

class GpuPipelineKeptFilters : public NeedsGpu<testing::Test> {};

TEST_F(GpuPipelineKeptFilters, LeaveNoTraceOfTheFileBefore) {
    use_device(first_gpu());
    for (const Fields fields : {Fields::together, Fields::split})
        expect_no_trace_of_the_file_before(first_gpu(), fields);
}

// Whether a filter made for one order is lent to the other.
bool shared(const FilterOrder& one, const FilterOrder& other) {
    KeptFilters filters(4);
    auto lent = filters.take(one);
    const ReadyFilter* const first = lent.get();
    filters.give_back(std::move(lent));
    return filters.take(other).get() == first;
}

TEST(PipelineKeptFilters, AreLentToEqualOrdersAlone) {
    const Device cpu = cpu_device();
    const FilterOrder order = order_of(cpu);
    FilterOrder launches = order;
    launches.graphs = false;
    FilterOrder limited = order;
    limited.plans.front().info.full_range = !limited.plans.front().info.full_range;
    EXPECT_TRUE(shared(order, order_of(cpu)));
    EXPECT_FALSE(shared(order, launches));
    EXPECT_FALSE(shared(order, limited));
    EXPECT_FALSE(shared(order, order_of(cpu, {}, "sobel")));
    EXPECT_FALSE(shared(order, order_of(cpu, {}, kStack, Fields::split)));
    for (const Shape& shape :
         {Shape{.width = 98}, Shape{.height = 66}, Shape{.format = AV_PIX_FMT_GRAY8},
          Shape{.format = AV_PIX_FMT_NV12}, Shape{.format = AV_PIX_FMT_YUVA444P}})
        EXPECT_FALSE(shared(order, order_of(cpu, shape))) << shape.format << " " << shape.width;
}

TEST_F(GpuPipelineKeptFilters, AreLentForTheSameKernelsAlone) {
    use_device(first_gpu());
    const ForcedKernels direct{.every_step = {}, .by_step = {"direct"}};
    const FilterOrder order = order_of(first_gpu());
    EXPECT_TRUE(shared(order, order_of(first_gpu())));
    EXPECT_FALSE(shared(order, order_of(first_gpu(), {}, kStack, Fields::together, direct)));
    EXPECT_FALSE(shared(order, order_of(cpu_device())));
}

// Ends with the filter.
std::weak_ptr<int> mark(ReadyFilter& filter) {
    const auto token = std::make_shared<int>();
    filter.runner.observe([token](std::size_t, std::span<const ImageView>, StreamView) {});
    return token;
}

// A filter that failed is not lent again, and frees its place.
TEST(PipelineKeptFilters, AreNoMoreThanTheFilesAtWork) {
    const FilterOrder portrait = order_of(cpu_device(), {.width = 64, .height = 96});
    const FilterOrder landscape = order_of(cpu_device());
    KeptFilters filters(2);
    auto a = filters.take(portrait);
    auto b = filters.take(landscape);
    const std::weak_ptr<int> first = mark(*a);
    const std::weak_ptr<int> second = mark(*b);
    filters.give_back(std::move(a));
    EXPECT_FALSE(first.expired());
    auto c = filters.take(landscape);  // two are lent now
    EXPECT_TRUE(first.expired());
    c.reset();
    filters.give_back(nullptr);
    filters.give_back(std::move(b));
    EXPECT_FALSE(second.expired());
    auto d = filters.take(portrait);
    EXPECT_FALSE(second.expired());
    filters.give_back(std::move(d));
    auto e = filters.take(portrait);
    auto f = filters.take(portrait);
    EXPECT_TRUE(second.expired());
}

// ---- masks of one picture ----

StepMasks masks_of(const FileJob& job) {
    return open_input(job).masks;
}

// They are decoded once for each shape of the films, and again if their file has changed.
TEST(PipelineKeptFilters, KeepMasksForOtherFiles) {
    const std::string mask =
        make_clip("kept_mask.png", "-f lavfi -i color=white:s=20x10 -frames:v 1 -update 1")
            .string();
    const std::string changed = (clip_dir() / "kept_mask_changed.png").string();
    std::filesystem::copy_file(mask, changed, std::filesystem::copy_options::overwrite_existing);
    const auto film = [](const char* name, const char* size) {
        return make_clip(name, fmt::format("-f lavfi -i testsrc2=s={} -frames:v 1 -update 1", size))
            .string();
    };
    FileJob job;
    job.stack = parse_stack("fill=mask='" + changed + "'");
    job.device = cpu_device();
    job.filters = std::make_shared<KeptFilters>(2);
    const auto first_of = [&](const std::string& path) {
        job.reader.path = path;
        return masks_of(job).front();
    };
    const std::string a = film("kept_mask_a.png", "64x48");
    const std::string b = film("kept_mask_b.png", "64x48");
    const std::string other = film("kept_mask_other.png", "48x64");
    const auto first = first_of(a);
    EXPECT_EQ(first_of(b), first);
    EXPECT_NE(first_of(other), first);
    EXPECT_EQ(first_of(other)->weights().size(), std::size_t{48} * 64);
    EXPECT_EQ(first_of(a), first);
    make_clip("kept_mask_black.png", "-f lavfi -i color=black:s=20x10 -frames:v 1 -update 1");
    std::filesystem::copy_file(clip_dir() / "kept_mask_black.png", changed,
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_NE(first_of(a), first);
    EXPECT_EQ(first_of(a)->weights().front(), 0);
    EXPECT_EQ(first->weights().front(), kFullWeight);
    // Without kept filters nothing is shared.
    job.filters.reset();
    EXPECT_NE(first_of(a), first_of(a));
}

TEST(PipelineKeptFilters, AreFreedWithTheirDevice) {
    KeptFilters filters(2);
    auto lent = filters.take(order_of(cpu_device()));
    const std::weak_ptr<int> token = mark(*lent);
    filters.give_back(std::move(lent));
    Device other = cpu_device();
    other.ordinal = 3;
    filters.clear(other);
    EXPECT_FALSE(token.expired());
    filters.clear(cpu_device());
    EXPECT_TRUE(token.expired());
}

}  // namespace
}  // namespace weft::test
