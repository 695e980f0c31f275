// Output equals input in every container: frames, times, packets, everything else.
#include "app/media/write/writer.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "app/media/picture/gpu_jpegs.h"
#include "app/media/write/container_table.h"
#include "tests/media/write/writer_clips.h"
#include "tests/media/write/writer_support.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using namespace test;

double tolerance(Clock clock) {
    switch (clock) {
        case Clock::source:
        case Clock::movie:
            return 2.1e-6;  // ffprobe prints microseconds
        case Clock::delays:
            return 0.0005;  // its reader adds up 25 rounded delays
        case Clock::milliseconds:
            return 0.00051;
        case Clock::centiseconds:
            return 0.0051;
        case Clock::slots:
            return 0.002 + 2.1e-6;  // half of 1/250 s
        case Clock::constant_rate:
        case Clock::none:
            return 1e9;
    }
    return 0;
}

// All times are moved by `shift`; containers that number or lift their frames start at zero.
void expect_times(const std::vector<double>& got, const std::vector<double>& want, double shift,
                  double tolerance) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i)
        EXPECT_LE(std::abs(got[i] - want[i] - shift), tolerance)
            << "number " << i << ": " << got[i] << " instead of " << want[i] + shift;
}

const Container& row(const std::string& name) {
    return find_container("", name);
}

class MediaWriter : public ClipTest {};

struct Pair {
    std::string clip;
    std::string container;
};

void PrintTo(const Pair& pair, std::ostream* out) {
    *out << pair.clip << " to " << pair.container;
}

std::string pair_name(const testing::TestParamInfo<Pair>& info) {
    std::string name = info.param.clip + "_to_" + info.param.container;
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
}

std::vector<Pair> every_pair() {
    std::vector<Pair> pairs;
    for (const std::string& name : clip_names())
        for (const Container& container : containers())
            if (container.kind == OutputKind::video)
                pairs.push_back({name, std::string(container.name)});
    return pairs;
}

class EveryPair : public ClipTest, public testing::WithParamInterface<Pair> {};
INSTANTIATE_TEST_SUITE_P(Media, EveryPair, testing::ValuesIn(every_pair()), pair_name);

// Copied packets are equal and keep their distance from the frame.
void expect_copied(const StreamContents& got, const StreamContents& want,
                   const Container& container, double shift) {
    EXPECT_EQ(got.packets, want.packets);
    if (container.clock == Clock::constant_rate) return;
    constexpr double kSample = 1.0 / 32'000;  // NUT and MP4 count audio in samples
    // Sound in AVI starts at zero, with the 1024 samples that AAC decoders start with.
    constexpr double kPriming = 0.0235;
    const double slack = container.clock == Clock::slots ? kPriming : kSample;
    expect_times(got.times, want.times, shift, std::max(tolerance(container.clock), slack));
}

TEST_P(EveryPair, KeepsFramesTimesAndPackets) {
    const fs::path in = clip(GetParam().clip);
    const Container& container = row(GetParam().container);
    const fs::path out = fresh_output("." + std::string(container.extensions.front()));
    const WriteReport report = rewrite(in, quick_options(out));
    const auto from = contents_of(in);
    const auto to = contents_of(out);
    const StreamContents source = of_type(from, AVMEDIA_TYPE_VIDEO).at(0);
    const StreamContents picture = of_type(to, AVMEDIA_TYPE_VIDEO).at(0);
    EXPECT_EQ(report.frames, source.decoded);
    EXPECT_EQ(picture.decoded, source.decoded);
    EXPECT_EQ(report.bytes, static_cast<std::int64_t>(fs::file_size(out)));
    const bool relative = container.negative_start == NegativeStart::none;
    const double shift = relative ? picture.times.at(0) - source.times.at(0) : 0;
    expect_times(picture.times, source.times, shift, tolerance(container.clock));
    ASSERT_EQ(report.streams.size(), from.size());
    const auto sounds = of_type(to, AVMEDIA_TYPE_AUDIO);
    std::size_t kept = 0;
    for (const StreamOutcome& stream : report.streams) {
        if (stream.kind != "audio" || stream.outcome == "dropped") continue;
        ASSERT_LT(kept, sounds.size());
        if (stream.outcome == "copied")
            expect_copied(sounds[kept], from[static_cast<std::size_t>(stream.source_index)],
                          container, shift);
        ++kept;
    }
    EXPECT_EQ(kept, sounds.size());
}

// The file itself, or the first of a sequence.
fs::path first_file(std::string name) {
    const std::size_t number = name.find("%03d");
    return number == std::string::npos ? name : name.replace(number, 4, "001");
}

// A file with a missing frame, or one too many, never gets its name.
TEST(MediaWriterCount, WrongCountPutsNothingInPlace) {
    const SyntheticSource source(AV_PIX_FMT_RGB24, 18, 16, 3);
    for (const char* ending : {".mkv", ".mp4", ".gif", ".apng", "_%03d.png"}) {
        SCOPED_TRACE(ending);
        const fs::path out = fresh_output(ending);
        for (const std::int64_t expected : {2, 4}) {
            try {
                source.write(quick_options(out), expected);
                ADD_FAILURE() << "kept with " << expected << " pictures expected";
            } catch (const Error& error) {
                EXPECT_EQ(error.outcome(), Outcome::failed);
                EXPECT_THAT(error.what(), testing::HasSubstr(" frames went in, 3 came out"));
            }
            EXPECT_FALSE(fs::exists(first_file(out)));
        }
        EXPECT_EQ(source.write(quick_options(out), 3).frames, 3);
        EXPECT_TRUE(fs::exists(first_file(out)));
    }
}

// No machine has this GPU.
TEST_F(MediaWriter, NotesThatSoftwareEncodedForAGpuThatFailed) {
    const SyntheticSource source(AV_PIX_FMT_YUVJ420P, 64, 48, 3);
    WriterOptions options = quick_options(clip_dir() / "cpu%02d.jpg");
    EXPECT_THAT(source.write(options).notes, testing::IsEmpty());
    options.path = (clip_dir() / "gpu%02d.jpg").string();
    options.gpu.ordinal = 1000;
    options.gpu_jpegs = std::make_shared<GpuJpegs>(StartPolicy::wait);
    EXPECT_THAT(
        source.write(options).notes,
        testing::ElementsAre(testing::StartsWith("encoded in software because the GPU failed: ")));
    for (const char* number : {"01", "02", "03"})
        EXPECT_EQ(read_bytes(clip_dir() / fmt::format("gpu{}.jpg", number)),
                  read_bytes(clip_dir() / fmt::format("cpu{}.jpg", number)));
}

}  // namespace
}  // namespace weft
