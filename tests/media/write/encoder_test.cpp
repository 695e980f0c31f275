#include "app/media/write/encoder.h"

#include <random>

#include <gtest/gtest.h>

#include "app/media/write/encoder_traits.h"
#include "app/media/write/frame_hashes.h"
#include "tests/support/blank_frame.h"
#include "tests/support/frame_hash.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

namespace weft {
namespace {

using namespace test;

// An encoder's thread count for frames of this size; the pixels are never read.
int threads_for(const char* encoder, int side, int wanted) {
    EncoderSettings settings;
    settings.choice.encoder = avcodec_find_encoder_by_name(encoder);
    settings.threads = wanted;
    const AVFramePtr sample = make_frame();
    sample->width = sample->height = side;
    sample->format = AV_PIX_FMT_RGB24;
    return VideoEncoder(settings, *sample).context().thread_count;
}

// Every frame thread holds a frame.
TEST(MediaEncoder, FewThreadsForGiantFrames) {
    EXPECT_EQ(threads_for("png", 64, 8), 8);
    EXPECT_EQ(threads_for("png", 64, 100), 64);  // libav takes no more
    EXPECT_EQ(threads_for("png", 4000, 8), 5);   // of 48 MB
    EXPECT_EQ(threads_for("png", 12000, 8), 1);
}

// Each preset slower than the one before looks ahead further.
TEST(MediaEncoder, SlowerPresetsHoldMoreFrames) {
    const EncoderTraits& x264 = encoder_traits("libx264");
    EXPECT_EQ(frames_held(x264, ""), x264.frames_held);
    EXPECT_EQ(frames_held(x264, "medium"), x264.frames_held);
    EXPECT_EQ(frames_held(x264, "ultrafast"), 0);
    int before = -1;
    for (const char* preset : {"ultrafast", "superfast", "veryfast", "faster", "fast", "medium",
                               "slow", "slower", "veryslow"}) {
        EXPECT_GT(frames_held(x264, preset), before) << preset;
        before = frames_held(x264, preset);
    }
    const EncoderTraits& ffv1 = encoder_traits("ffv1");
    EXPECT_EQ(frames_held(ffv1, "medium"), ffv1.frames_held) << "it has no presets";
}

// Unused bits of a format are zero, as decoders leave them.
AVFramePtr random_frame(AVPixelFormat format, int width, int height) {
    static std::mt19937 dice(1);
    const AVPixFmtDescriptor& pixel = *av_pix_fmt_desc_get(format);
    const int depth = pixel.comp[0].depth;
    AVFramePtr frame = blank_frame(format, width, height);
    for (int plane = 0; plane < av_pix_fmt_count_planes(format); ++plane) {
        const bool chroma = plane == 1 || plane == 2;
        const int rows = chroma ? AV_CEIL_RSHIFT(height, pixel.log2_chroma_h) : height;
        const int bytes = av_image_get_linesize(format, width, plane);
        for (int y = 0; y < rows; ++y) {
            std::uint8_t* row = frame->data[plane] + y * frame->linesize[plane];
            for (int x = 0; x < bytes; ++x) {
                const bool high = depth > 8 && x % 2 == 1;
                const bool unused = format == AV_PIX_FMT_BGR0 && x % 4 == 3;
                const unsigned mask = high ? 0xFFU >> (16 - depth) : 0xFFU;
                row[x] = static_cast<std::uint8_t>(unused ? 0 : dice() & mask);
            }
        }
    }
    return frame;
}

EncoderSettings ffv1_settings(AVPixelFormat format) {
    EncoderSettings settings;
    settings.choice.encoder = avcodec_find_encoder_by_name("ffv1");
    settings.choice.format = format;
    settings.lossless = true;
    settings.threads = 1;
    settings.path = "ffv1";
    return settings;
}

AVFramePtr decode(const AVCodecContext& encoder, const AVPacket& packet) {
    const AVCodec* codec = avcodec_find_decoder(encoder.codec_id);
    const CodecContextPtr decoder(avcodec_alloc_context3(codec));
    decoder->width = encoder.width;
    decoder->height = encoder.height;
    decoder->thread_count = 1;
    // libav requires zero padding after the bytes that it parses.
    decoder->extradata = static_cast<std::uint8_t*>(av_mallocz(
        static_cast<std::size_t>(encoder.extradata_size) + AV_INPUT_BUFFER_PADDING_SIZE));
    std::copy_n(encoder.extradata, encoder.extradata_size, decoder->extradata);
    decoder->extradata_size = encoder.extradata_size;
    av_check(avcodec_open2(decoder.get(), codec, nullptr), "opening the decoder", "ffv1");
    av_check(avcodec_send_packet(decoder.get(), &packet), "decoding", "ffv1");
    AVFramePtr frame = make_frame();
    av_check(avcodec_receive_frame(decoder.get(), frame.get()), "decoding", "ffv1");
    return frame;
}

// libav's encoder cannot: it has them made black, also in the frame that it is given.
TEST(MediaEncoder, LosslessWebpKeepsColorsUnderTransparentPixels) {
    constexpr int kWidth = 37, kHeight = 21;
    EncoderSettings settings = ffv1_settings(AV_PIX_FMT_BGRA);
    settings.choice.encoder = avcodec_find_encoder_by_name("libwebp");
    if (settings.choice.encoder == nullptr) GTEST_SKIP() << "FFmpeg has no libwebp";
    const AVFramePtr frame = random_frame(AV_PIX_FMT_BGRA, kWidth, kHeight);
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; x += 2) frame->data[0][y * frame->linesize[0] + 4 * x + 3] = 0;
    FrameHashes wanted(AV_PIX_FMT_BGRA);
    wanted.add(*frame);
    VideoEncoder encoder(settings, *frame);
    AVPacketPtr packet;
    try {
        encoder.encode(AVFramePtr(av_frame_clone(frame.get())), {7, 1},
                       [&](AVPacketPtr made) { packet = std::move(made); });
    } catch (const Error& error) {
        const std::string what = error.what();
        if (what.find("install libwebp-dev") != std::string::npos) GTEST_SKIP() << what;
        throw;
    }
    ASSERT_NE(packet, nullptr);
    EXPECT_EQ(packet->pts, 7);
    EXPECT_TRUE(wanted.matches(0, *frame)) << "the given frame has changed";
    EXPECT_TRUE(wanted.matches(0, *decode(encoder.context(), *packet)));
}

struct Size {
    int width = 0;
    int height = 0;
};

// Sizes at which slices contain one row or one column, or split a sample of chroma.
std::vector<Size> small_sizes() {
    std::vector<Size> sizes;
    for (int height = 1; height <= 8; ++height)
        for (int width = 1; width <= 8; ++width) sizes.push_back({width, height});
    for (const int side : {9, 13, 64, 357})
        for (const int other : {1, 2, 3, 5, 7}) {
            sizes.push_back({side, other});
            sizes.push_back({other, side});
        }
    return sizes;
}

bool comes_back(AVPixelFormat format, Size size) {
    const AVFramePtr wanted = random_frame(format, size.width, size.height);
    VideoEncoder encoder(ffv1_settings(format), *wanted);
    std::vector<AVPacketPtr> packets;
    const PacketSink sink = [&](AVPacketPtr packet) { packets.push_back(std::move(packet)); };
    encoder.encode(AVFramePtr(av_frame_clone(wanted.get())), {0, 1}, sink);
    encoder.flush(sink);
    const AVFramePtr got = decode(encoder.context(), *packets.at(0));
    return got->format == format && frame_hash(*got) == frame_hash(*wanted);
}

// RGB of 16 bits is decoded as planes; the test of every format in `weft` covers it.
bool comes_back_as_it_is(AVPixelFormat format) {
    return format != AV_PIX_FMT_RGB48 && format != AV_PIX_FMT_RGBA64;
}

TEST(MediaEncoder, Ffv1KeepsSmallAndNarrowFramesOfEveryFormat) {
    const std::vector<Size> sizes = small_sizes();
    const AVCodec* ffv1 = avcodec_find_encoder_by_name("ffv1");
    for (const AVPixelFormat* at = ffv1->pix_fmts; *at != AV_PIX_FMT_NONE; ++at) {
        if (!comes_back_as_it_is(*at)) continue;
        for (const Size size : sizes)
            EXPECT_TRUE(comes_back(*at, size))
                << av_get_pix_fmt_name(*at) << " " << size.width << "x" << size.height;
    }
}

// The requested slice count must be one that FFV1 supports.
TEST(MediaEncoder, Ffv1TakesLargeFramesOfEveryFormat) {
    const AVCodec* ffv1 = avcodec_find_encoder_by_name("ffv1");
    for (const AVPixelFormat* at = ffv1->pix_fmts; *at != AV_PIX_FMT_NONE; ++at)
        for (const Size size : {Size{1921, 1081}, Size{3840, 2160}, Size{7681, 4321},
                                Size{16000, 16000}, Size{65535, 3}, Size{7, 65535}}) {
            const AVFramePtr sample = make_frame();
            sample->format = *at;
            sample->width = size.width;
            sample->height = size.height;
            EXPECT_NO_THROW(VideoEncoder(ffv1_settings(*at), *sample))
                << av_get_pix_fmt_name(*at) << " " << size.width << "x" << size.height;
        }
}

}  // namespace
}  // namespace weft
