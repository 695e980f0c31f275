#include <gtest/gtest.h>

#include "app/pipeline/stack/stack_runner.h"
#include "tests/pipeline/test_frames.h"

namespace weft::test {
namespace {

// Every second line of a component, from `field` on.
oracle::Image lines_of(const oracle::Image& image, int field) {
    oracle::Image lines{image.width, 0, 1, {}};
    for (int y = field; y < image.height; y += 2) {
        for (int x = 0; x < image.width; ++x)
            lines.samples.push_back(image.samples[image.index(x, y, 0)]);
        ++lines.height;
    }
    return lines;
}

// Field by field against the oracle, which treats each field as a separate image.
TEST(PipelineFields, EachFieldIsItsOwnPicture) {
    const char* stack = "convolve=matrix='1 2 3; 4 -5 6; 7 8 9':scale=1/16";
    for (int height : {16, 17, 18, 19}) {
        const FormatRow& row = format_row(AV_PIX_FMT_YUV420P);
        const AVFramePtr source = random_frame(row, 21, height, 5);
        const FrameInfo info = frame_info(*source, 0);
        const Stack steps = parse_stack(stack);
        const Operation operation = steps[0].filter->make(steps[0].params, info);
        StackRunner filter(plan_frames(steps, info, cpu_device(), {}, Fields::split));
        const AVFramePtr out = new_frame_like(*source);
        filter.run(plane_views(*source), plane_views(*out));
        for (Component c : {Component::y, Component::u, Component::v})
            for (int field : {0, 1})
                EXPECT_EQ(
                    first_difference(expected(lines_of(component_image(*source, row, c), field),
                                              std::get<Convolution>(operation.compute), 0, 8),
                                     lines_of(component_image(*out, row, c), field)),
                    "")
                    << "height " << height << ", field " << field;
        EXPECT_EQ(filter.times().kernels.count(), 2);
        EXPECT_EQ(filter.times().steps[0].launches, 6);
    }
}

TEST(PipelineFields, HistoryIsKeptByField) {
    const FormatRow& row = format_row(AV_PIX_FMT_GRAY8);
    const AVFramePtr like = random_frame(row, 9, 8, 0);
    const Stack stack = parse_stack("temporal_average=frames=2");
    const FrameInfo info = frame_info(*like, 0);
    StackRunner split(plan_frames(stack, info, cpu_device(), {}, Fields::split));
    StackRunner whole(plan_frames(stack, info, cpu_device(), {}, Fields::together));
    for (std::uint32_t t = 0; t < 4; ++t) {
        const AVFramePtr source = random_frame(row, 9, 8, t);
        const AVFramePtr a = new_frame_like(*source);
        const AVFramePtr b = new_frame_like(*source);
        split.run(plane_views(*source), plane_views(*a));
        whole.run(plane_views(*source), plane_views(*b));
        // A temporal mean does not mix lines: both ways give the same.
        EXPECT_EQ(component_image(*a, row, Component::y).samples,
                  component_image(*b, row, Component::y).samples);
    }
}

TEST(PipelineFields, ASingleLineIsFilteredWhole) {
    const FormatRow& row = format_row(AV_PIX_FMT_GRAY8);
    const AVFramePtr source = random_frame(row, 9, 1, 0);
    EXPECT_EQ(
        plan_frames(parse_stack("box"), frame_info(*source, 0), cpu_device(), {}, Fields::split)
            .size(),
        1U);
}

}  // namespace
}  // namespace weft::test
