// The filter stage, one frame at a time.
#include <gtest/gtest.h>

#include "app/pipeline/stages.h"
#include "tests/pipeline/test_frames.h"
#include "tests/support/clips.h"

namespace weft::test {
namespace {

class PipelineFilterStage : public ClipTest {};

// A frame that failed is discarded: it is not returned in place of the next one.
TEST_F(PipelineFilterStage, ContinuesAfterARefusedFrame) {
    ReaderOptions options;
    options.path = make_clip("stage.nut",
                             "-f lavfi -i testsrc2=s=64x48:r=5:d=1 -c:v rawvideo "
                             "-pix_fmt yuv420p")
                       .string();
    Reader reader(std::move(options));
    const FrameInfo info = frame_info(*reader.first_frame().av, 0);
    StackRunner filter(plan_frames(parse_stack("sobel"), info, cpu_device(), {}, {}));
    FilterStage stage(filter, reader, {.path = "stage.nut"});
    const auto frame = [](int width, std::int64_t pts) {
        return Frame{random_frame(format_row(AV_PIX_FMT_YUV420P), width, 48, 7), pts, 1, pts};
    };
    EXPECT_EQ(stage.filter(frame(64, 1)).pts, 1);
    EXPECT_THROW((void)stage.filter(frame(32, 2)), Error);
    EXPECT_EQ(stage.filter(frame(64, 3)).pts, 3);
    EXPECT_EQ(stage.filter(frame(64, 4)).pts, 4);
}

}  // namespace
}  // namespace weft::test
