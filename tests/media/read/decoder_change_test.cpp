// One decoder takes over from another in mid-stream: no frame is lost or repeated, and all bits
// are those of a single decoder.
#include <algorithm>
#include <cstdio>

#include <gtest/gtest.h>

#include "app/media/check/packet_check.h"
#include "app/media/demux/demuxer.h"
#include "app/media/demux/video_stream.h"
#include "app/media/picture/frame.h"
#include "app/media/read/decoder.h"
#include "tests/kernels/device/gpu.h"
#include "tests/media/read/reader_support.h"
#include "tests/support/clips.h"

namespace weft::test {
namespace {

struct Decoded {
    std::vector<std::pair<std::int64_t, Bytes>> pictures;  // time and samples
    int changes = 0;
    int on_gpu = 0;  // frames
    std::int64_t errors = 0;
};

void take_all(Decoder& decoder, Decoded& all) {
    while (const AVFramePtr frame = decoder.receive()) {
        all.on_gpu += in_gpu_memory(*frame) ? 1 : 0;
        all.pictures.emplace_back(frame->best_effort_timestamp, samples_of(*frame));
    }
}

// Applied at each key frame that allows a change.
enum class Change { never, renew, to_and_from_the_gpu };

Decoded decode(const std::filesystem::path& file, Change change,
               const Device& device = cpu_device()) {
    ReaderOptions options;
    options.path = file.string();
    options.gpu = device;
    options.hwaccel = change == Change::to_and_from_the_gpu ? Hwaccel::cuda : Hwaccel::none;
    options.decoder_threads = 3;
    Demuxer demuxer(options);
    const int index = find_video_stream(demuxer.context(), options.path);
    const AVStream& stream = *demuxer.context().streams[index];
    Decoder decoder(stream, false, options);
    Decoded all;
    for (AVPacketPtr packet = make_packet(); demuxer.read(*packet) >= 0; packet = make_packet()) {
        if (packet->stream_index != index) continue;
        if (change != Change::never && is_closed_key(*packet, *stream.codecpar)) {
            const bool gpu = change == Change::to_and_from_the_gpu && all.changes % 2 == 0;
            // The first frame shows whether the GPU takes the stream.
            if (change == Change::renew || decoder.decoding().on_gpu)
                decoder.change_to(gpu ? DecoderKind::gpu : DecoderKind::software);
            ++all.changes;
        }
        decoder.send(*packet);
        take_all(decoder, all);
    }
    decoder.send_end();
    take_all(decoder, all);
    all.errors = decoder.errors();
    return all;
}

// 60 frames. Key frames of open GOPs, and those of an intra refresh, do not allow a change.
struct Clip {
    const char* name;
    const char* encoder;
    int closed_keys;
};
constexpr Clip kClips[] = {
    {"change.mp4", "-c:v libx264 -bf 3 -g 12", 5},
    {"change.ts", "-c:v libx264 -bf 3 -g 12", 5},
    {"change-open.mkv", "-c:v libx264 -bf 3 -g 12 -x264-params open-gop=1", 1},
    {"change-refresh.mkv", "-c:v libx264 -g 12 -x264-params intra-refresh=1", 1},
    {"change-hevc.mkv",
     "-c:v libx265 -x265-params log-level=error:keyint=12:min-keyint=12:open-gop=0:scenecut=0", 5},
    {"change-hevc-open.mkv",
     "-c:v libx265 -x265-params log-level=error:keyint=12:min-keyint=12:open-gop=1:scenecut=0", 1},
    {"change-vp9.webm", "-c:v libvpx-vp9 -cpu-used 8 -g 12 -keyint_min 12", 5},
    {"change-vp8.webm", "-c:v libvpx -cpu-used 8 -g 12 -keyint_min 12", 5},
    {"change-mpeg2.mkv", "-c:v mpeg2video -g 12", 0},
};

std::filesystem::path made(const Clip& clip) {
    return make_clip(clip.name, std::string("-f lavfi -i testsrc2=s=256x160:r=30:d=2 "
                                            "-pix_fmt yuv420p ") +
                                    clip.encoder);
}

void expect_same(const Decoded& got, const Decoded& want) {
    EXPECT_EQ(got.errors, 0);
    EXPECT_EQ(want.pictures.size(), 60U);
    ASSERT_EQ(got.pictures.size(), want.pictures.size());
    for (std::size_t k = 0; k < want.pictures.size(); ++k) {
        EXPECT_EQ(got.pictures[k].first, want.pictures[k].first) << k;
        EXPECT_TRUE(got.pictures[k].second == want.pictures[k].second) << k;
    }
}

class MediaDecoderChange : public ClipTest, public testing::WithParamInterface<Clip> {};

TEST_P(MediaDecoderChange, KeepsEveryFrame) {
    const Clip& clip = GetParam();
    const auto file = made(clip);
    const Decoded want = decode(file, Change::never);
    const Decoded got = decode(file, Change::renew);
    EXPECT_EQ(got.changes, clip.closed_keys);
    expect_same(got, want);
}

INSTANTIATE_TEST_SUITE_P(Files, MediaDecoderChange, testing::ValuesIn(kClips), [](const auto& row) {
    std::string name = row.param.name;
    for (char& c : name)
        if (c == '.' || c == '-') c = '_';
    return name;
});

class GpuDecoderChange : public NeedsGpu<ClipTest> {};

TEST_F(GpuDecoderChange, KeepsEveryFrame) {
    for (const Clip& clip : kClips) {
        if (clip.closed_keys < 5) continue;
        SCOPED_TRACE(clip.name);
        const auto file = made(clip);
        const Decoded got = decode(file, Change::to_and_from_the_gpu, first_gpu());
        expect_same(got, decode(file, Change::never));
        EXPECT_EQ(got.on_gpu, 36) << "the first, third and fifth dozen";
    }
}

// The outcome of the comparison depends on timing; all frames must arrive either way.
TEST_F(GpuDecoderChange, ComparedDecodersKeepEveryFrame) {
    const auto file = make_clip("compared.mp4",
                                "-f lavfi -i testsrc2=s=1280x720:r=30:d=8 -c:v libx264 -preset "
                                "ultrafast -bf 2 -g 30");
    ReaderOptions options;
    options.path = file.string();
    options.gpu = first_gpu();
    options.hwaccel = Hwaccel::automatic;
    options.compare_decoders = true;
    Reader reader(options);
    std::vector<std::int64_t> times;
    for (MediaItem item = reader.next(); !std::holds_alternative<EndOfInput>(item);
         item = reader.next())
        if (const auto* frame = std::get_if<Frame>(&item)) times.push_back(frame->pts);
    EXPECT_EQ(times.size(), 240U);
    EXPECT_TRUE(std::ranges::is_sorted(times));
    EXPECT_FALSE(reader.damage().damaged) << reader.damage().reason;
    RecordProperty("compared", reader.decoding().compared);
    std::printf("decoded %s\n", reader.decoding().compared.c_str());
}

}  // namespace
}  // namespace weft::test
