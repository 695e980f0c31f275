// Samples above their format's largest value: cut 10-bit H.264 and raw video produce them.
#include <algorithm>
#include <cstdint>
#include <variant>

#include <gtest/gtest.h>

#include "app/media/picture/samples.h"
#include "app/media/read/reader.h"
#include "tests/media/read/reader_support.h"
#include "tests/support/blank_frame.h"

namespace weft::test {
namespace {

AVFramePtr filled(AVPixelFormat format, std::uint16_t value) {
    AVFramePtr frame = blank_frame(format, 6, 4);
    for (int plane = 0; plane < 3; ++plane) {
        const bool chroma = plane > 0 && format == AV_PIX_FMT_YUV420P10LE;
        for (int y = 0; y < (chroma ? 2 : 4); ++y)
            std::fill_n(
                reinterpret_cast<std::uint16_t*>(frame->data[plane] + y * frame->linesize[plane]),
                chroma ? 3 : 6, value);
    }
    return frame;
}

std::uint16_t largest(const AVFrame& frame) {
    std::uint16_t most = 0;
    const Bytes bytes = samples_of(frame);
    for (std::size_t k = 0; k + 1 < bytes.size(); k += 2)
        most = std::max(most, static_cast<std::uint16_t>(bytes[k] | bytes[k + 1] << 8));
    return most;
}

TEST(MediaSampleRange, LimitsSamplesOfFewerBitsThanTheirBytes) {
    for (const auto& [format, most] :
         {std::pair{AV_PIX_FMT_YUV420P10LE, 1023}, std::pair{AV_PIX_FMT_GBRP12LE, 4095},
          std::pair{AV_PIX_FMT_YUV444P16LE, 10804}}) {
        const AVFramePtr frame = filled(format, 10804);
        limit_samples(*frame);
        EXPECT_EQ(largest(*frame), most);
    }
}

// The decoder predicts later frames from the delivered one.
TEST(MediaSampleRange, LeavesTheDecodersBufferAlone) {
    const AVFramePtr decoders = filled(AV_PIX_FMT_YUV420P10LE, 1500);
    const AVFramePtr ours(av_frame_clone(decoders.get()));
    limit_samples(*ours);
    EXPECT_EQ(largest(*ours), 1023);
    EXPECT_EQ(largest(*decoders), 1500);
}

class MediaSampleRangeRead : public ClipTest {
 protected:
    // Reads all frames of a 10-bit clip.
    static void expect_in_range(const std::filesystem::path& clip) {
        ReaderOptions options;
        options.path = clip.string();
        Reader reader(options);
        int frames = 0;
        for (MediaItem item = reader.next(); !std::holds_alternative<EndOfInput>(item);
             item = reader.next())
            if (const Frame* frame = std::get_if<Frame>(&item)) {
                EXPECT_LE(largest(*frame->av), 1023) << "frame " << frames;
                ++frames;
            }
        EXPECT_GT(frames, 0);
    }
};

TEST_F(MediaSampleRangeRead, RawVideoWithOtherBitsSet) {
    expect_in_range(make_clip("stray_bits.nut",
                              "-f lavfi -i color=white:s=64x48:r=25:d=0.2 -c:v rawvideo -pix_fmt "
                              "yuv420p10le -bsf:v noise=amount=1"));
}

TEST_F(MediaSampleRangeRead, CutH264OfTenBits) {
    const std::filesystem::path clip = make_clip(
        "ten_bits.ts",
        "-f lavfi -i testsrc2=s=64x48:r=25:d=0.4,noise=alls=20:allf=t -threads 1 -c:v libx264 "
        "-preset veryfast -bf 2 -b_strategy 0 -g 5 -pix_fmt yuv420p10le");
    for (const int percent : {20, 50, 60, 70, 80})
        expect_in_range(mutate(clip, "cut_ten_bits.ts", cut_to_percent(percent)));
}

}  // namespace
}  // namespace weft::test
