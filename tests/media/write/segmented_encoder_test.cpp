// Streams of new and of reused segments, for encoders of every kind.
#include "app/media/write/segmented_encoder.h"

#include <cmath>

#include <gmock/gmock.h>

#include "app/media/picture/pixel_traits.h"
#include "tests/support/blank_frame.h"
#include "tests/support/clips.h"

namespace weft {
namespace {

using namespace test;

constexpr int kSide = 64;
constexpr int kAll = 2 * static_cast<int>(kSegmentFrames) + 100;

struct Coder {
    std::string name;
    AVPixelFormat format = AV_PIX_FMT_YUV420P;
    std::string preset = {};
    bool uneven = false;  // a variable frame rate
};

void PrintTo(const Coder& coder, std::ostream* out) {
    *out << coder.name;
}

// A bright square that moves over a slope.
AVFramePtr picture(AVPixelFormat format, int number) {
    AVFramePtr frame = blank_frame(format, kSide, kSide);
    const bool deep = format == AV_PIX_FMT_YUV422P10;  // the high byte of a sample holds two bits
    for (int plane = 0; plane < av_pix_fmt_count_planes(format); ++plane) {
        const int rows = plane > 0 ? kSide >> pixel_traits(format).log2_chroma_h : kSide;
        for (int y = 0; y < rows; ++y)
            for (int x = 0; x < av_image_get_linesize(format, kSide, plane); ++x)
                frame->data[plane][y * frame->linesize[plane] + x] = static_cast<std::uint8_t>(
                    deep && x % 2 == 1 ? 1
                    : std::abs(x - number % 50) < 6 && std::abs(y - number % 37) < 6
                        ? 235
                        : 40 + x + y / 2);
    }
    return frame;
}

class MediaSegments : public testing::TestWithParam<Coder> {
 protected:
    using Packets = std::vector<AVPacketPtr>;

    void SetUp() override {
        const Coder& coder = GetParam();
        settings_.choice.encoder = avcodec_find_encoder_by_name(coder.name.c_str());
        if (settings_.choice.encoder == nullptr) GTEST_SKIP() << "FFmpeg has no " << coder.name;
        settings_.choice.format = coder.format;
        settings_.time_base = {1, 1000};
        settings_.global_header = true;
        settings_.preset = coder.preset;
        settings_.threads = 2;
        settings_.path = "segments";
        request_ = {.output = (clip_dir() / (coder.name + "_segments.mkv")).string(),
                    .encoder_threads = 2};
        remove_segment_file(request_.output);
        av_log_set_level(AV_LOG_ERROR);
    }
    FrameTime time_of(int frame) const {
        const bool slow = GetParam().uneven && frame / 7 % 2 == 0;
        return {40 * frame + (slow ? 5 * (frame % 7) : 0), 40};
    }
    static Hash128 hash_of(int frame) { return weft::hash_of(&frame, sizeof frame); }
    // The packets of a run that is abandoned before frame `stop`, or ends with the last.
    Packets run(int stop = kAll) {
        SegmentStore store(request_);
        SegmentedEncoder encoder(settings_, *picture(GetParam().format, 0), &store);
        Packets packets;
        const PacketSink sink = [&](AVPacketPtr packet) { packets.push_back(std::move(packet)); };
        for (int k = 0; k < stop; ++k)
            if (encoder.takes_over()) {
                EXPECT_EQ(encoder.stored_hash(), hash_of(k)) << k;
                encoder.take_over(time_of(k), sink);
            } else {
                encoder.encode(picture(GetParam().format, k), time_of(k), hash_of(k), sink);
            }
        if (stop == kAll) encoder.flush(sink);
        counts_ = encoder.counts();
        return packets;
    }
    // Decodes one segment by itself and returns the number of frames.
    int decoded(SegmentStore& store, const StoredSegment& segment) {
        const VideoEncoder encoder(settings_, *picture(GetParam().format, 0));
        const CodecContextPtr decoder(
            avcodec_alloc_context3(avcodec_find_decoder(settings_.choice.encoder->id)));
        std::unique_ptr<AVCodecParameters, CDelete<avcodec_parameters_free>> par(
            avcodec_parameters_alloc());
        EXPECT_GE(avcodec_parameters_from_context(par.get(), &encoder.context()), 0);
        EXPECT_GE(avcodec_parameters_to_context(decoder.get(), par.get()), 0);
        decoder->err_recognition = AV_EF_EXPLODE;
        EXPECT_GE(avcodec_open2(decoder.get(), nullptr, nullptr), 0);
        int pictures = 0;
        const AVFramePtr frame = make_frame();
        const auto receive = [&] {
            while (avcodec_receive_frame(decoder.get(), frame.get()) >= 0)
                pictures += frame->decode_error_flags == 0 ? 1 : 0;
        };
        store.replay(segment, [&](const AVPacketPtr& packet) {
            EXPECT_GE(avcodec_send_packet(decoder.get(), packet.get()), 0);
            receive();
        });
        avcodec_send_packet(decoder.get(), nullptr);
        receive();
        return pictures;
    }
    static void expect_equal(const Packets& got, const Packets& want) {
        ASSERT_EQ(got.size(), want.size());
        for (std::size_t k = 0; k < got.size(); ++k) {
            EXPECT_EQ(got[k]->pts, want[k]->pts) << k;
            EXPECT_EQ(got[k]->dts, want[k]->dts) << k;
            EXPECT_EQ(got[k]->duration, want[k]->duration) << k;
            EXPECT_EQ(got[k]->flags, want[k]->flags) << k;
            ASSERT_EQ(std::string(got[k]->data, got[k]->data + got[k]->size),
                      std::string(want[k]->data, want[k]->data + want[k]->size))
                << k;
        }
    }

    EncoderSettings settings_;
    SegmentRequest request_;
    SegmentCounts counts_;
};

TEST_P(MediaSegments, AreOneStream) {
    const Packets packets = run();
    ASSERT_EQ(packets.size(), static_cast<std::size_t>(kAll));
    std::vector<std::int64_t> times;
    std::int64_t last = packets.front()->dts - 1;
    for (std::size_t k = 0; k < packets.size(); ++k) {
        const AVPacket& packet = *packets[k];
        times.push_back(packet.pts);
        // A segment's first decoding times precede its first frame by the distance to its
        // neighbours. If that is large, they also precede the last ones of the previous segment.
        // The Muxer raises them.
        if (!GetParam().uneven) {
            EXPECT_GT(packet.dts, last) << k;
        }
        last = std::max(packet.dts, last + 1);
        EXPECT_LE(last, packet.pts) << k;
        if (k % kSegmentFrames == 0) {
            EXPECT_TRUE(packet.flags & AV_PKT_FLAG_KEY) << k;
        }
    }
    std::ranges::sort(times);
    for (int k = 0; k < kAll; ++k) EXPECT_EQ(times[static_cast<std::size_t>(k)], time_of(k).pts);
    EXPECT_EQ(counts_.done, 3);
    EXPECT_EQ(counts_.frames_finished, kAll);
}

TEST_P(MediaSegments, EachDecodesAlone) {
    run();
    SegmentStore store(request_);
    ASSERT_EQ(store.segments().size(), 3U);
    for (const StoredSegment& segment : store.segments())
        EXPECT_EQ(decoded(store, segment), segment.frames);
}

// The packets are equal, bit by bit, whenever the first run ended.
TEST_P(MediaSegments, TakenOverAreTheSame) {
    const Packets whole = run();
    for (const int stop : {0, 249, 250, 251, 500, kAll - 1, kAll}) {
        SCOPED_TRACE(stop);
        remove_segment_file(request_.output);
        run(stop);
        const Packets resumed = run();
        expect_equal(resumed, whole);
        const int finished = stop == kAll ? 3 : stop / static_cast<int>(kSegmentFrames);
        EXPECT_EQ(counts_.taken_over, finished);
        EXPECT_EQ(counts_.done, 3 - finished);
        EXPECT_EQ(counts_.frames_taken_over,
                  std::min<std::int64_t>(finished * kSegmentFrames, kAll));
        if (GetParam().name != "libx264") break;  // slower ones
    }
}

TEST_P(MediaSegments, DetectsOtherTimes) {
    run(300);
    SegmentStore store(request_);
    SegmentedEncoder encoder(settings_, *picture(GetParam().format, 0), &store);
    const auto take_all = [&] {
        for (int k = 0; k < kSegmentFrames; ++k)
            encoder.take_over({time_of(k).pts + (k == 100 ? 1 : 0), 40}, [](AVPacketPtr) {});
    };
    EXPECT_THROW(take_all(), Error);
}

TEST_P(MediaSegments, DetectsFewerFrames) {
    run(300);
    SegmentStore store(request_);
    SegmentedEncoder encoder(settings_, *picture(GetParam().format, 0), &store);
    encoder.take_over(time_of(0), [](AVPacketPtr) {});
    EXPECT_THROW(encoder.flush([](AVPacketPtr) {}), Error);
}

std::vector<Coder> coders() {
    std::vector<Coder> all{{.name = "libx264", .preset = "veryfast"},
                           {.name = "libx264", .preset = "veryfast", .uneven = true},
                           {.name = "libx265", .preset = "superfast"},
                           {.name = "libvpx-vp9"},
                           {.name = "ffv1"},
                           {.name = "mpeg4"},
                           {.name = "mpeg4", .uneven = true},
                           {.name = "mpeg2video"},
                           {.name = "prores_ks", .format = AV_PIX_FMT_YUV422P10},
                           {.name = "mjpeg", .format = AV_PIX_FMT_YUVJ420P},
                           {.name = "png", .format = AV_PIX_FMT_RGB24},
                           {.name = "rawvideo", .format = AV_PIX_FMT_RGB24},
                           {.name = "utvideo", .format = AV_PIX_FMT_YUV422P}};
    return all;
}

INSTANTIATE_TEST_SUITE_P(Encoders, MediaSegments, testing::ValuesIn(coders()),
                         [](const testing::TestParamInfo<Coder>& coder) {
                             std::string name = coder.param.name;
                             std::ranges::replace(name, '-', '_');
                             return name + (coder.param.uneven ? "_vfr" : "");
                         });

TEST(MediaSegmentedEncoder, RefusesPacketsThatPointToFrames) {
    EncoderSettings settings;
    settings.choice.encoder = avcodec_find_encoder_by_name("wrapped_avframe");
    SegmentStore store({.output = (clip_dir() / "wrapped.mkv").string()});
    EXPECT_THROW(SegmentedEncoder(settings, *picture(AV_PIX_FMT_YUV420P, 0), &store), Error);
}

}  // namespace
}  // namespace weft
