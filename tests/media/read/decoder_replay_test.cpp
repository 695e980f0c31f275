// Software continues where the GPU's decoder has no surface left for a picture: no frame is lost or
// repeated, and all bits are those of a single decoder.
#include <cerrno>
#include <dlfcn.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/demux/demuxer.h"
#include "app/media/demux/video_stream.h"
#include "app/media/libav/log_watch.h"
#include "app/media/picture/frame.h"
#include "app/media/read/decoder.h"
#include "app/media/read/replay.h"
#include "tests/kernels/device/gpu.h"
#include "tests/media/read/reader_recipes.h"
#include "tests/media/read/reader_support.h"
#include "tests/media/read/reordered_clip.h"
#include "tests/support/clips.h"

namespace {
int g_packets_until_shortage = -1;  // negative: none
}

// Takes the place of libav's: reports a shortage instead of decoding a chosen packet.
extern "C" int avcodec_send_packet(AVCodecContext* codec, const AVPacket* packet) {
    using Send = int (*)(AVCodecContext*, const AVPacket*);
    static const auto real = reinterpret_cast<Send>(dlsym(RTLD_NEXT, "avcodec_send_packet"));
    if (g_packets_until_shortage >= 0 && g_packets_until_shortage-- == 0) return AVERROR(ENOMEM);
    return real(codec, packet);
}

namespace weft::test {
namespace {

// Frames of software, of which one has no memory.
class FakeSurfaces : public Surfaces {
 public:
    explicit FakeSurfaces(int failing) : failing_(failing) {}
    AVBufferRef* hardware() const override { return nullptr; }
    bool holds(const AVFrame&) const override { return true; }
    AVFramePtr take(const AVFrame& surface, AVPixelFormat) override {
        return taken_++ == failing_ ? nullptr : AVFramePtr(av_frame_clone(&surface));
    }

 private:
    int failing_;
    int taken_ = 0;
};

enum class Shortage { at_output, at_decoding };

struct Decoded {
    std::vector<std::pair<std::int64_t, Bytes>> pictures;  // time and samples
    std::int64_t errors = 0;
    bool changed = false;  // the decoder
    std::vector<std::string> notes;
};

ReaderOptions options_for(const std::filesystem::path& file, Hwaccel hwaccel,
                          const Device& device = cpu_device()) {
    ReaderOptions options;
    options.path = file.string();
    options.hwaccel = hwaccel;
    options.gpu = device;
    options.decoder_threads = 3;
    return options;
}

void take_all(Decoder& decoder, Decoded& all) {
    while (const AVFramePtr frame = decoder.receive())
        all.pictures.emplace_back(frame->best_effort_timestamp, samples_of(*frame));
}

template <class MakeDecoder>
Decoded decode(const ReaderOptions& options, int short_packet, const MakeDecoder& make_decoder) {
    Demuxer demuxer(options);
    const int index = find_video_stream(demuxer.context(), options.path);
    Decoder decoder = make_decoder(*demuxer.context().streams[index]);
    Decoded all;
    const bool on_gpu = decoder.kind() == DecoderKind::gpu;
    for (AVPacketPtr packet = make_packet(); demuxer.read(*packet) >= 0; packet = make_packet()) {
        if (packet->stream_index != index) continue;
        if (short_packet-- == 0) g_packets_until_shortage = 0;
        decoder.send(*packet);
        take_all(decoder, all);
    }
    decoder.send_end();
    take_all(decoder, all);
    g_packets_until_shortage = -1;
    all.errors = decoder.errors();
    all.changed = on_gpu && decoder.kind() == DecoderKind::software;
    all.notes = decoder.notes();
    return all;
}

Decoded decode_in_software(const std::filesystem::path& file) {
    const ReaderOptions options = options_for(file, Hwaccel::none);
    return decode(options, -1,
                  [&](const AVStream& stream) { return Decoder(stream, false, options); });
}

Decoded decode_short(const std::filesystem::path& file, Shortage shortage, int number,
                     Hwaccel hwaccel = Hwaccel::automatic) {
    const ReaderOptions options = options_for(file, hwaccel);
    const bool late = shortage == Shortage::at_output;
    return decode(options, late ? -1 : number, [&](const AVStream& stream) {
        return Decoder(stream, options, std::make_unique<FakeSurfaces>(late ? number : -1));
    });
}

void expect_same(const Decoded& got, const Decoded& want) {
    EXPECT_EQ(got.errors, 0);
    ASSERT_EQ(got.pictures.size(), want.pictures.size());
    for (std::size_t k = 0; k < want.pictures.size(); ++k) {
        ASSERT_EQ(got.pictures[k].first, want.pictures[k].first) << "frame " << k;
        ASSERT_TRUE(got.pictures[k].second == want.pictures[k].second) << "frame " << k;
    }
}

// Open GOPs and intra refreshes have one closed key frame, at the beginning.
struct Clip {
    const char* name;
    const char* encoder;
};
constexpr Clip kClips[] = {
    {"replay.mp4", "-c:v libx264 -bf 3 -g 12"},
    {"replay.ts", "-c:v libx264 -bf 3 -g 12"},
    {"replay_open.mkv", "-c:v libx264 -bf 3 -g 12 -x264-params open-gop=1"},
    {"replay_refresh.mkv", "-c:v libx264 -g 12 -x264-params intra-refresh=1"},
    {"replay_interlaced.mp4", "-c:v libx264 -bf 2 -g 12 -flags +ildct+ilme"},
    {"replay_hevc.mkv",
     "-c:v libx265 -x265-params log-level=error:keyint=12:min-keyint=12:open-gop=0:scenecut=0"},
    {"replay_radl.mkv",
     "-c:v libx265 -x265-params "
     "log-level=error:keyint=12:min-keyint=12:open-gop=0:scenecut=0:radl=2:bframes=3"},
    {"replay_vp9.webm", "-c:v libvpx-vp9 -cpu-used 8 -g 12 -keyint_min 12"},
    {"replay_vp8.webm", "-c:v libvpx -cpu-used 8 -g 12 -auto-alt-ref 1 -lag-in-frames 8"},
};

std::filesystem::path made(const Clip& clip) {
    return make_clip(clip.name, std::string("-f lavfi -i testsrc2=s=128x96:r=30:d=1.5 "
                                            "-pix_fmt yuv420p ") +
                                    clip.encoder);
}

class MediaDecoderReplay : public ClipTest, public testing::WithParamInterface<Clip> {};

TEST_P(MediaDecoderReplay, KeepsEveryFrame) {
    const auto file = made(GetParam());
    const Decoded want = decode_in_software(file);
    ASSERT_EQ(want.pictures.size(), 45U);
    for (const Shortage shortage : {Shortage::at_output, Shortage::at_decoding})
        for (int number = 0; number < 45; ++number) {
            SCOPED_TRACE(number);
            const Decoded got = decode_short(file, shortage, number);
            EXPECT_TRUE(got.changed);
            expect_same(got, want);
        }
}

INSTANTIATE_TEST_SUITE_P(Files, MediaDecoderReplay, testing::ValuesIn(kClips),
                         [](const auto& row) { return test_name(row.param.name); });

class MediaDecoderShortage : public ClipTest {};

TEST_F(MediaDecoderShortage, IsNoted) {
    EXPECT_THAT(decode_short(made(kClips[0]), Shortage::at_output, 20).notes,
                testing::ElementsAre("the GPU's decoder has no memory left for a picture: software "
                                     "continues"));
}

// Exit 6 would blame the GPU, and no other file would be given to it.
TEST_F(MediaDecoderShortage, IsAFailureWhereTheGpuIsRequired) {
    const auto file = made(kClips[0]);
    for (const Shortage shortage : {Shortage::at_output, Shortage::at_decoding})
        for (const int number : {0, 20}) {
            try {
                decode_short(file, shortage, number, Hwaccel::cuda);
                ADD_FAILURE() << "no error";
            } catch (const Error& error) {
                g_packets_until_shortage = -1;
                EXPECT_EQ(error.outcome(), Outcome::failed);
                EXPECT_EQ(error.cause(), Cause::file);
                EXPECT_EQ(error.what(), file.string() +
                                            ": -hwaccel cuda: the GPU's decoder has no memory left "
                                            "for a picture; use -hwaccel auto, which continues in "
                                            "software, or none");
            }
        }
}

TEST_F(MediaDecoderShortage, ReorderedFramesAreKept) {
    const auto file = make_reordered_clip("replay-reordered", 15);
    const Decoded want = decode_in_software(file);
    ASSERT_EQ(want.pictures.size(), 64U);
    expect_same(want, decode_in_software(clip_dir() / "replay-reordered-plain.mp4"));
    for (int number = 0; number < 64; number += 7)
        expect_same(decode_short(file, Shortage::at_decoding, number), want);
}

// Only the first packet contains the version of x264, which libav needs.
TEST_F(MediaDecoderShortage, TheEncoderStaysKnown) {
    const auto file = mutate(recipe("direct444.mp4"), "replay-444.mp4", x264_version("033"));
    const Decoded want = decode_in_software(file);
    for (const int number : {10, 30, 50})
        expect_same(decode_short(file, Shortage::at_decoding, number), want);
}

// NVDEC would leave the chroma unset.
TEST_F(MediaDecoderShortage, GrayIsDecodedInSoftware) {
    const std::string size = "-f lavfi -i testsrc2=s=128x96:r=30:d=1 -c:v libx264 -g 15 -pix_fmt ";
    const auto gray = make_joined_clip("replay-gray", size + "yuv420p", size + "gray");
    const Decoded got = decode_short(gray, Shortage::at_output, -1);
    EXPECT_TRUE(got.changed);
    expect_same(got, decode_in_software(gray));
    const auto colour = make_joined_clip("replay-colour", size + "yuv420p", size + "yuv420p");
    EXPECT_FALSE(decode_short(colour, Shortage::at_output, -1).changed);
}

TEST(MediaLogWatch, NoticesMissingSurfaces) {
    const CodecContextPtr codec(avcodec_alloc_context3(nullptr));
    const LogWatch watch(*codec);
    EXPECT_FALSE(watch.lacks_surfaces());
    const int level = av_log_get_level();
    av_log_set_level(AV_LOG_QUIET);
    av_log(codec.get(), AV_LOG_ERROR, "No decoder surfaces left\n");
    av_log_set_level(level);
    EXPECT_TRUE(watch.lacks_surfaces());
}

AVPacketPtr packet_at(std::int64_t pts, int bytes) {
    AVPacketPtr packet = make_packet();
    av_check(av_new_packet(packet.get(), bytes), "making a packet", "memory");
    packet->pts = pts;
    return packet;
}

AVFramePtr frame_at(std::int64_t pts, AVPictureType type) {
    AVFramePtr frame = make_frame();
    frame->pts = pts;
    frame->pict_type = type;
    return frame;
}

TEST(MediaReplay, BeginsAtTheLastKeyFrameThatWasDelivered) {
    Replay replay;
    for (int k = 0; k < 10; ++k) replay.sent(*packet_at(k, 10), k % 4 == 0, k);
    for (int k = 0; k < 4; ++k) replay.delivered(*frame_at(k, AV_PICTURE_TYPE_P));
    EXPECT_EQ(replay.packets().size(), 10U);
    EXPECT_EQ(replay.frames(), 4);
    EXPECT_FALSE(replay.begins_later());
    replay.delivered(*frame_at(4, AV_PICTURE_TYPE_P));  // another frame of that time
    EXPECT_EQ(replay.packets().size(), 10U);
    replay.delivered(*frame_at(4, AV_PICTURE_TYPE_I));
    EXPECT_EQ(replay.packets().front()->pts, 4);
    EXPECT_EQ(replay.packets().size(), 6U);
    EXPECT_EQ(replay.frames(), 1);
    EXPECT_EQ(replay.errors(), 4);
    EXPECT_TRUE(replay.begins_later());
}

TEST(MediaReplay, IsImpossibleFromTheLimitToTheNextKeyFrame) {
    Replay replay(100);
    for (int k = 0; k < 30; ++k) replay.sent(*packet_at(k, 10), k == 0, 0);
    EXPECT_TRUE(replay.possible()) << "nothing has been delivered";
    EXPECT_EQ(replay.packets().size(), 30U);
    replay.delivered(*frame_at(0, AV_PICTURE_TYPE_I));
    replay.sent(*packet_at(30, 10), false, 0);
    EXPECT_FALSE(replay.possible());
    EXPECT_TRUE(replay.packets().empty());
    replay.sent(*packet_at(31, 10), true, 0);
    replay.sent(*packet_at(32, 10), false, 0);
    EXPECT_FALSE(replay.possible());
    replay.delivered(*frame_at(30, AV_PICTURE_TYPE_P));
    EXPECT_FALSE(replay.possible()) << "frames before the key frame would be missing";
    replay.delivered(*frame_at(31, AV_PICTURE_TYPE_I));
    EXPECT_TRUE(replay.possible());
    EXPECT_EQ(replay.packets().size(), 2U);
    EXPECT_EQ(replay.frames(), 1);
}

// A key frame that is never delivered does not keep packets for ever.
TEST(MediaReplay, LimitsThePacketsOfALostKeyFrame) {
    Replay replay(100);
    replay.sent(*packet_at(0, 10), true, 0);
    replay.delivered(*frame_at(0, AV_PICTURE_TYPE_I));
    for (int k = 1; k < 100; ++k) replay.sent(*packet_at(k, 10), k == 5, 0);
    EXPECT_FALSE(replay.possible());
    EXPECT_LE(replay.packets().size(), 10U);
}

// The headers' promises would give libav's decoder 7 surfaces, of which this clip needs 17.
class GpuDecoderReplay : public NeedsGpu<ClipTest> {};

TEST_F(GpuDecoderReplay, ReorderedFramesHaveSurfaces) {
    const auto file = make_reordered_clip("gpu-reordered", 15);
    const ReaderOptions options = options_for(file, Hwaccel::cuda, first_gpu());
    const Decoded got = decode(
        options, -1, [&](const AVStream& stream) { return Decoder(stream, false, options); });
    EXPECT_FALSE(got.changed);
    expect_same(got, decode_in_software(file));
}

TEST_F(GpuDecoderReplay, KeepsEveryFrame) {
    for (const Clip& clip : kClips) {
        SCOPED_TRACE(clip.name);
        const auto file = made(clip);
        const Decoded want = decode_in_software(file);
        const ReaderOptions options = options_for(file, Hwaccel::automatic, first_gpu());
        for (const int number : {0, 7, 20, 44}) {
            const Decoded got = decode(options, number, [&](const AVStream& stream) {
                return Decoder(stream, false, options);
            });
            EXPECT_TRUE(got.changed) << number;
            expect_same(got, want);
        }
    }
}

}  // namespace
}  // namespace weft::test
