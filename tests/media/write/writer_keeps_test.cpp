// Properties of a frame or a file besides pixels and packets are kept, or reported as lost.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/media/write/container_table.h"
#include "app/media/write/frame_clock.h"
#include "tests/media/write/picture_files.h"
#include "tests/media/write/writer_clips.h"
#include "tests/media/write/writer_support.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using namespace test;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class MediaWriterKeeps : public ClipTest {};

// The Writer's output for a clip, and its report.
struct Result {
    fs::path file;
    WriteReport report;
};

Result write_as(const std::string& name, const std::string& ending) {
    Result result{.file = fresh_output(ending), .report = {}};
    result.report = rewrite(clip(name), quick_options(result.file));
    return result;
}

const StreamOutcome& outcome_of(const WriteReport& report, const std::string& kind) {
    for (const StreamOutcome& stream : report.streams)
        if (stream.kind == kind) return stream;
    throw std::runtime_error("no " + kind);
}

nlohmann::json side_data(const nlohmann::json& stream, const std::string& type) {
    if (stream.contains("side_data_list"))
        for (const auto& data : stream.at("side_data_list"))
            if (data.at("side_data_type") == type) return data;
    return nullptr;
}

TEST_F(MediaWriterKeeps, NamesColorTagsThatAreLost) {
    const fs::path source =
        make_clip("tagged.mp4",
                  "-f lavfi -i testsrc2=s=64x48:d=0.2 -c:v libx264 -vf setparams=colorspace=bt709:"
                  "color_primaries=bt709:color_trc=bt709 -colorspace bt709 -color_primaries bt709 "
                  "-color_trc bt709");
    const auto warnings = [&](const char* ending, const std::string& codec) {
        WriterOptions options = quick_options(fresh_output(ending));
        options.video_codec = codec;
        options.preset = codec == "libx264" ? "ultrafast" : "";
        return rewrite(source, options).warnings;
    };
    for (const char* ending : {".avi", ".nut"}) {
        EXPECT_THAT(warnings(ending, "ffv1"),
                    Contains(HasSubstr("with ffv1 cannot store colour tags; lost: matrix "
                                       "bt709, primaries bt709, transfer curve bt709")));
        EXPECT_THAT(warnings(ending, "libx264"), IsEmpty());
    }
    EXPECT_THAT(warnings(".mkv", "ffv1"), IsEmpty());
}

TEST_F(MediaWriterKeeps, NamesThePrograms) {
    const fs::path source =
        make_clip("programs.ts",
                  "-f lavfi -i testsrc2=s=64x48:d=0.2 -f lavfi -i testsrc=s=64x48:d=0.2 -map 0 "
                  "-map 1 -c:v mpeg2video -program title=News:st=0 -program title=Sport:st=1");
    const WriteReport report = rewrite(source, quick_options(fresh_output(".mkv")));
    EXPECT_THAT(report.notes, Contains("the names of programs are not kept: News, Sport"));
    EXPECT_THAT(report.warnings, IsEmpty());
}

TEST_F(MediaWriterKeeps, PixelAspectWhereTheTableAllows) {
    for (const Container& row : containers()) {
        if (row.kind != OutputKind::video) continue;
        SCOPED_TRACE(row.name);
        const Result result = write_as("wide.mp4", "." + std::string(row.extensions.front()));
        const std::string text =
            stream_of(result.file, "video").value("sample_aspect_ratio", "1:1");
        const std::size_t colon = text.find(':');
        const double aspect = std::stod(text.substr(0, colon)) / std::stod(text.substr(colon + 1));
        // WebM stores it as a display size in whole pixels: 213x90 for 4:3 of 160x90.
        EXPECT_EQ(std::abs(aspect - 4.0 / 3.0) < 0.01, row.supports(kPixelAspect)) << text;
        if (!row.supports(kPixelAspect)) {
            EXPECT_THAT(result.report.warnings, Contains(HasSubstr("pixel aspect ratio")));
        }
    }
}

TEST_F(MediaWriterKeeps, WebmNotesARoundedPixelAspect) {
    EXPECT_THAT(write_as("wide.mp4", ".webm").report.notes, Contains(HasSubstr("becomes 213:160")));
    EXPECT_THAT(write_as("wide.mp4", ".mkv").report.notes, Not(Contains(HasSubstr("becomes"))));
}

bool has_type(const nlohmann::json& probed, const std::string& type) {
    return std::ranges::any_of(probed.at("streams"), [&](const nlohmann::json& stream) {
        return stream.value("codec_type", "") == type;
    });
}

bool has_cover(const nlohmann::json& probed) {
    return std::ranges::any_of(probed.at("streams"), [&](const nlohmann::json& stream) {
        return stream.at("disposition").value("attached_pic", 0) == 1;
    });
}

std::string tag(const nlohmann::json& object, const std::string& name) {
    const auto tags = object.find("tags");
    return tags == object.end() ? "" : tags->value(name, "");
}

// A row that promises too much would lose a part of the file without a word.
TEST_F(MediaWriterKeeps, WhatEachRowOfTheTablePromises) {
    const auto was = ffprobe(clip("rich.mkv"), "-show_format");
    for (const Container& row : containers()) {
        if (row.kind != OutputKind::video) continue;
        SCOPED_TRACE(row.name);
        const Result result = write_as("rich.mkv", "." + std::string(row.extensions.front()));
        const auto is = ffprobe(result.file, "-show_streams -show_chapters -show_format");
        EXPECT_EQ(!is.at("chapters").empty(), row.supports(kChapters));
        EXPECT_EQ(has_type(is, "attachment"), row.supports(kAttachments));
        EXPECT_EQ(has_cover(is), row.cover != CoverStorage::none);
        EXPECT_EQ(has_type(is, "audio"), !row.audio_codec.empty());
        EXPECT_EQ(has_type(is, "subtitle"), !row.subtitle_codec.empty());
        EXPECT_EQ(tag(is.at("format"), "title") == tag(was.at("format"), "title"),
                  row.supports(kGlobalTags));
        if (!row.audio_codec.empty()) {
            const std::string language = tag(stream_of(result.file, "audio"), "language");
            // mov spells French its own way.
            EXPECT_EQ(language == "fre" || language == "fra", row.supports(kLanguages)) << language;
        }
        const fs::path turned =
            write_as("turned.mp4", "." + std::string(row.extensions.front())).file;
        EXPECT_EQ(side_data(stream_of(turned, "video"), "Display Matrix").is_object(),
                  row.supports(kRotation));
    }
}

TEST_F(MediaWriterKeeps, Hdr10WhereTheTableAllows) {
    for (const Container& row : containers()) {
        if (row.kind != OutputKind::video) continue;
        SCOPED_TRACE(row.name);
        const Result result = write_as("hdr.mkv", "." + std::string(row.extensions.front()));
        const nlohmann::json stream = stream_of(result.file, "video");
        if (row.name == "apng") {  // in chunks that libav (5.1) does not read
            EXPECT_THAT(png_chunks(result.file, "mDCV"), SizeIs(1));
            EXPECT_THAT(png_chunks(result.file, "cLLI"), SizeIs(1));
            continue;
        }
        const bool promised = row.supports(kHdr10);
        EXPECT_EQ(side_data(stream, "Mastering display metadata").is_object(), promised);
        EXPECT_EQ(side_data(stream, "Content light level metadata").is_object(), promised);
        if (!promised) {
            EXPECT_THAT(result.report.warnings, Contains(HasSubstr("HDR10")));
        }
        if (!promised) continue;
        EXPECT_EQ(stream.value("color_transfer", ""), "smpte2084");
        EXPECT_EQ(stream.value("color_primaries", ""), "bt2020");
        EXPECT_EQ(stream.value("color_space", ""), "bt2020nc");
    }
}

TEST_F(MediaWriterKeeps, FullRange) {
    for (const char* ending : {".mkv", ".mp4", ".mov", ".webm"}) {
        SCOPED_TRACE(ending);
        EXPECT_EQ(stream_of(write_as("full444.mkv", ending).file, "video").value("color_range", ""),
                  "pc");
    }
}

TEST_F(MediaWriterKeeps, FieldOrder) {
    for (const char* ending : {".mkv", ".mp4", ".mov"}) {
        SCOPED_TRACE(ending);
        // "tt" or "tb" by the codec: the top field is shown first.
        EXPECT_EQ(stream_of(write_as("fields.mkv", ending).file, "video")
                      .value("field_order", "-")
                      .front(),
                  't');
    }
}

TEST_F(MediaWriterKeeps, TheDisplayMatrixWhereItCan) {
    for (const char* ending : {".mp4", ".mov"}) {
        SCOPED_TRACE(ending);
        const nlohmann::json stream = stream_of(write_as("turned.mp4", ending).file, "video");
        EXPECT_EQ(stream.at("width"), 160);
        EXPECT_EQ(side_data(stream, "Display Matrix").value("rotation", 0),
                  side_data(stream_of(clip("turned.mp4"), "video"), "Display Matrix")
                      .value("rotation", 1));
    }
}

// ffmpeg itself turns the pixels when decoding: the frames must be equal.
TEST_F(MediaWriterKeeps, RotationInThePixelsElsewhere) {
    const fs::path upright = make_clip(
        "upright.mkv", "-i @" + clip("turned.mp4").filename().string() + " -an -c:v ffv1");
    WriterOptions options = quick_options(fresh_output(".mkv"));
    options.lossless = true;
    options.preset.clear();
    const WriteReport report = rewrite(clip("turned.mp4"), options);
    const auto hashes = frame_hashes(options.path, "yuv420p");
    EXPECT_EQ(hashes.size(), 25U);
    EXPECT_EQ(hashes, frame_hashes(upright, "yuv420p"));
    EXPECT_THAT(report.notes, Contains(HasSubstr("turned 90 degrees")));
    EXPECT_THAT(report.warnings, IsEmpty());
}

TEST_F(MediaWriterKeeps, EverythingOfARichFileInMatroska) {
    const Result result = write_as("rich.mkv", ".mkv");
    EXPECT_THAT(result.report.warnings, IsEmpty());
    const auto was = ffprobe(clip("rich.mkv"), "-show_streams -show_chapters -show_format");
    const auto is = ffprobe(result.file, "-show_streams -show_chapters -show_format");
    ASSERT_EQ(is.at("streams").size(), was.at("streams").size());
    for (std::size_t i = 0; i < was.at("streams").size(); ++i) {
        SCOPED_TRACE(i);
        const auto& want = was.at("streams")[i];
        const auto& got = is.at("streams")[i];
        EXPECT_EQ(got.value("codec_name", ""), want.value("codec_name", ""));
        EXPECT_EQ(got.at("disposition"), want.at("disposition"));
        for (const char* tag : {"language", "filename", "mimetype", "title"})
            EXPECT_EQ(got.at("tags").value(tag, ""), want.at("tags").value(tag, "")) << tag;
    }
    EXPECT_EQ(is.at("chapters"), was.at("chapters"));
    for (const char* tag : {"title", "ARTIST", "CUSTOM_TAG"})
        EXPECT_EQ(is.at("format").at("tags").value(tag, "-"),
                  was.at("format").at("tags").value(tag, "+"));
}

TEST_F(MediaWriterKeeps, TheBytesOfAttachmentsAndCovers) {
    const fs::path out = write_as("rich.mkv", ".mkv").file;
    const fs::path font = clip_dir() / "font.out";
    run_command({"ffmpeg", "-nostdin", "-v", "error", "-y", "-dump_attachment:t:0", font.string(),
                 "-i", out.string()});
    EXPECT_EQ(read_bytes(font), read_bytes(clip_dir() / "font.ttf"));
    const fs::path from_mp4 = write_as("rich.mp4", ".mkv").file;
    for (const fs::path& file : {out, from_mp4, write_as("rich.mkv", ".mp4").file}) {
        SCOPED_TRACE(file);
        std::string cover;
        for (const StreamContents& stream : contents_of(file))
            if (stream.cover) cover = stream.packets.at(0);
        const Bytes bytes = read_bytes(clip("cover.jpg"));
        EXPECT_EQ(cover, std::string(bytes.begin(), bytes.end()));
    }
}

struct Conversion {
    const char* clip;
    const char* ending;
    const char* kind;
    const char* outcome;
    const char* codec;  // as ffprobe finds it; empty: the stream is gone
};

TEST_F(MediaWriterKeeps, StreamsInTheFormTheContainerTakes) {
    const std::vector<Conversion> table{
        {"rich.mkv", ".mp4", "subtitle", "converted subrip to mov_text", "mov_text"},
        {"rich.mkv", ".mov", "subtitle", "converted subrip to mov_text", "mov_text"},
        {"rich.mkv", ".webm", "subtitle", "converted subrip to webvtt", "webvtt"},
        {"rich.mkv", ".nut", "subtitle", "converted subrip to ass", "ass"},
        {"rich.mkv", ".avi", "subtitle", "dropped", ""},
        {"rich.mp4", ".mkv", "subtitle", "converted mov_text to subrip", "subrip"},
        {"rich.mp4", ".webm", "subtitle", "converted mov_text to webvtt", "webvtt"},
        {"rich.mp4", ".mp4", "subtitle", "copied", "mov_text"},
        {"base.mp4", ".webm", "audio", "converted aac to libopus", "opus"},
        {"flac.mkv", ".mov", "audio", "converted flac to alac", "alac"},
        {"flac.mkv", ".mp4", "audio", "copied", "flac"},
        {"opus.webm", ".mkv", "audio", "copied", "opus"},
        {"opus.webm", ".avi", "audio", "converted opus to libmp3lame", "mp3"},
        {"base.mp4", ".gif", "audio", "dropped", ""},
    };
    for (const Conversion& row : table) {
        SCOPED_TRACE(std::string(row.clip) + " to " + row.ending + ", " + row.kind);
        const Result result = write_as(row.clip, row.ending);
        const StreamOutcome& outcome = outcome_of(result.report, row.kind);
        EXPECT_EQ(outcome.outcome, row.outcome);
        EXPECT_EQ(outcome.reason.empty(), std::string(row.outcome) == "copied");
        const nlohmann::json stream = stream_of(result.file, row.kind);
        EXPECT_EQ(stream.is_null() ? "" : stream.value("codec_name", ""), row.codec);
        if (std::string(row.outcome) != "copied") {
            EXPECT_THAT(result.report.warnings, Contains(HasSubstr(row.kind)));
        }
    }
}

TEST_F(MediaWriterKeeps, TextAndTimesOfConvertedSubtitles) {
    for (const char* ending : {".mp4", ".webm", ".mkv"}) {
        SCOPED_TRACE(ending);
        const fs::path out = write_as("rich.mkv", ending).file;
        const std::string text = run_command({"ffmpeg", "-nostdin", "-v", "error", "-i",
                                              out.string(), "-map", "0:s:0", "-f", "srt", "-"})
                                     .out;
        EXPECT_THAT(text, HasSubstr("Hello <i>world</i>"));
        EXPECT_THAT(text, HasSubstr("Second line"));
        const auto texts = of_type(contents_of(out), AVMEDIA_TYPE_SUBTITLE).at(0);
        std::vector<double> times;
        for (std::size_t i = 0; i < texts.times.size(); ++i)
            if (texts.packets[i].size() > 2) times.push_back(texts.times[i]);  // mp4 fills gaps
        // The clip's frame starts at 0.023 s, and so do its texts.
        EXPECT_THAT(times, testing::ElementsAre(testing::DoubleNear(0.123, 0.0011),
                                                testing::DoubleNear(0.623, 0.0011)));
    }
}

TEST_F(MediaWriterKeeps, SoundInStepWhenItIsConverted) {
    // 3 s of sound without the middle second: silence takes its place.
    const Result result = write_as("silence.mkv", ".webm");
    const auto sound = of_type(contents_of(result.file), AVMEDIA_TYPE_AUDIO).at(0);
    EXPECT_NEAR(sound.times.front(), 0.0, 0.02);
    EXPECT_NEAR(sound.times.back(), 3.0, 0.05);
    for (std::size_t i = 1; i < sound.times.size(); ++i)
        EXPECT_NEAR(sound.times[i] - sound.times[i - 1], 0.02, 0.002) << i;
}

TEST_F(MediaWriterKeeps, TheTimeCode) {
    const fs::path out = write_as("timecode.mov", ".mov").file;
    EXPECT_EQ(stream_of(out, "video").at("tags").value("timecode", ""), "01:00:00:00");
    EXPECT_EQ(stream_of(out, "data").value("codec_tag_string", ""), "tmcd");
    const Result mp4 = write_as("timecode.mov", ".mp4");
    EXPECT_EQ(stream_of(mp4.file, "video").at("tags").value("timecode", ""), "01:00:00:00");
    const Result mkv = write_as("timecode.mov", ".mkv");
    EXPECT_EQ(outcome_of(mkv.report, "data").outcome, "dropped");
    EXPECT_EQ(stream_of(mkv.file, "video").at("tags").value("TIMECODE", ""), "01:00:00:00");
}

struct Holding {
    const char* clip;
    const char* ending;
    const char* format;
    const char* warning;  // part of it; empty: none
};

TEST_F(MediaWriterKeeps, DepthChromaAlphaAndGrayOrReportsLoss) {
    const std::vector<Holding> table{
        {"ten.mp4", ".mp4", "yuv420p10le", ""},
        {"ten.mp4", ".webm", "yuv420p10le", ""},
        {"ten422.mkv", ".mp4", "yuv422p10le", ""},
        {"ten.mp4", ".gif", "pal8", "256 colours"},
        {"twelve.mkv", ".mp4", "yuv420p10le", "12 bits become 10"},
        {"twelve.mkv", ".webm", "yuv420p12le", ""},
        {"gray.mkv", ".mp4", "yuv420p", "gray is stored as yuv420p"},
        {"gray.mkv", ".nut", "gray", ""},
        {"alpha.mov", ".webm", "yuva420p", "RGB is converted to YUV"},
        {"alpha.mov", ".mp4", "bgr0", "transparency is lost"},
        {"alpha.mov", ".nut", "bgra", ""},
        {"rgb.mkv", ".mp4", "rgb24", ""},
        {"odd.mkv", ".mp4", "yuv444p", ""},
        {"odd422.mkv", ".mkv", "yuv444p", ""},
        {"odd.mkv", ".webm", "yuv420p", ""},
        {"full444.mkv", ".mp4", "yuv444p", ""},
    };
    for (const Holding& row : table) {
        SCOPED_TRACE(std::string(row.clip) + " to " + row.ending);
        const WriteReport report = write_as(row.clip, row.ending).report;
        EXPECT_EQ(report.pixel_format, row.format);
        if (std::string(row.warning).empty()) {
            EXPECT_THAT(report.warnings, IsEmpty());
        } else {
            EXPECT_THAT(report.warnings, Contains(HasSubstr(row.warning)));
        }
    }
}

TEST_F(MediaWriterKeeps, OddSizes) {
    for (const char* ending : {".mp4", ".mkv", ".webm", ".avi", ".mov", ".gif"}) {
        SCOPED_TRACE(ending);
        const nlohmann::json stream = stream_of(write_as("odd.mkv", ending).file, "video");
        EXPECT_EQ(stream.at("width"), 161);
        EXPECT_EQ(stream.at("height"), 91);
    }
}

TEST_F(MediaWriterKeeps, TheWantedPartStartingAtZero) {
    ReaderOptions from;
    from.path = clip("rich.mkv").string();
    from.start_us = 423'000;  // the clip starts at 0.023 s
    WriterOptions to = quick_options(fresh_output(".mkv"));
    to.shift_us = *from.start_us;
    const WriteReport report = rewrite(from, to);
    const auto picture = of_type(contents_of(to.path), AVMEDIA_TYPE_VIDEO).at(0);
    EXPECT_EQ(report.frames, 15);
    EXPECT_NEAR(picture.times.front(), 0, 0.0011);
    const auto chapters = ffprobe(to.path, "-show_chapters").at("chapters");
    ASSERT_EQ(chapters.size(), 1U);
    EXPECT_EQ(chapters[0].at("tags").at("title"), "Second");
}

// The gaps between frames of an avi are empty chunks, also before the first frame, if the sound
// starts earlier. `slot` is in seconds: a frame's where the input claims a constant rate, as
// Matroska does, else at most 1/250.
TEST_F(MediaWriterKeeps, VariableRatesInAvi) {
    struct Row {
        const char* clip;
        double slot;
    };
    for (const auto& [name, slot] :
         {Row{"vfr.mkv", 1.0 / 30}, Row{"vfrsound.mp4", 1.0 / 250}, Row{"jitter.mp4", 1.0 / 250},
          Row{"slides.mp4", 1.0 / 250}, Row{"late.mkv", 1.0 / 29}}) {
        SCOPED_TRACE(name);
        const Result result = write_as(name, ".avi");
        EXPECT_THAT(result.report.warnings, IsEmpty());
        const auto from = of_type(contents_of(clip(name)), AVMEDIA_TYPE_VIDEO).at(0);
        const auto to = of_type(contents_of(result.file), AVMEDIA_TYPE_VIDEO).at(0);
        EXPECT_EQ(to.decoded, from.decoded);
        ASSERT_EQ(to.times.size(), from.times.size());
        for (std::size_t i = 0; i < from.times.size(); ++i)
            EXPECT_NEAR(to.times[i], from.times[i], slot / 2 + 0.001) << "frame " << i;
    }
}

// Ticks of 5 ns, and delays of 2 s between decoding and display: ultrafast has none.
TEST_F(MediaWriterKeeps, TimesInTicksTooShortForMovies) {
    const auto from = of_type(contents_of(clip("fine.nut")), AVMEDIA_TYPE_VIDEO).at(0);
    for (const char* ending : {".mp4", ".mov"}) {
        SCOPED_TRACE(ending);
        WriterOptions options = quick_options(fresh_output(ending));
        options.preset = "veryfast";
        rewrite(clip("fine.nut"), options);
        const auto to = of_type(contents_of(options.path), AVMEDIA_TYPE_VIDEO).at(0);
        ASSERT_EQ(to.times.size(), from.times.size());
        for (std::size_t i = 0; i < from.times.size(); ++i)
            EXPECT_NEAR(to.times[i], from.times[i], 1e-6) << "frame " << i;
    }
}

TEST(MediaFrameClock, RoundsTicksTooShortForMovies) {
    FrameClock clock(Clock::movie, {1, 1'000'000'000}, {25, 1}, {});
    EXPECT_EQ(clock.time_base().den, 1'000'000);
    std::vector<std::int64_t> times;
    for (const std::int64_t ns : {0, 1'499, 1'501, 1'600, 40'000'000})
        times.push_back(clock.next(ns, 40'000).pts);
    EXPECT_THAT(times, testing::ElementsAre(0, 1, 2, 3, 40'000));
    EXPECT_EQ(FrameClock(Clock::movie, {1001, 24'000}, {24, 1}, {}).time_base().num, 1001);
}

// Thirty frames per second, then sixty: each gets a slot of its own, and the delay is reported once
// it is more than one slot.
TEST(MediaFrameClock, ReportsFramesTooFastForTheirSlots) {
    FrameClock clock(Clock::slots, {1, 1000}, {30, 1}, {});
    std::vector<std::int64_t> slots;
    for (const std::int64_t ms : {0, 33, 67, 100, 117, 133, 150}) {
        slots.push_back(clock.next(ms, 0).pts);
        EXPECT_FALSE(clock.complaint()) << ms;
    }
    slots.push_back(clock.next(167, 0).pts);
    EXPECT_THAT(slots, testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
    ASSERT_TRUE(clock.complaint());
    EXPECT_THAT(*clock.complaint(),
                HasSubstr("faster than the 30 per second chosen at the start: from 0.167 s"));
}

// mov's reader returns 1024 samples or less, and less at the end of each piece of the file: other
// packets than in the source, but the same samples.
TEST_F(MediaWriterKeeps, SamplesOfAMovieInPiecesOfAnotherSize) {
    const auto source =
        make_clip("pieces.mov",
                  "-f lavfi -i testsrc2=s=64x48:r=25:d=0.6 -f lavfi -i "
                  "sine=d=0.6:sample_rate=44100 -af asetnsamples=4608:p=0 -c:v qtrle -c:a "
                  "pcm_s16le");
    const auto out = fresh_output(".mov");
    rewrite(source, quick_options(out));
    const auto samples = [](const std::filesystem::path& file) {
        const StreamContents sound = of_type(contents_of(file), AVMEDIA_TYPE_AUDIO).front();
        return fmt::format("{}", fmt::join(sound.packets, ""));
    };
    EXPECT_EQ(samples(out), samples(source));
}

// A segment of a Blu-ray's subtitle as .sup files have it.
std::string subtitle_segment(char type, const std::string& data) {
    const std::string times("\0\0\x23\x28\0\0\0\0", 8);  // shown at 0.1 s
    return "PG" + times + type + '\0' + static_cast<char>(data.size()) + data;
}

// libav's muxer joins the segments.
TEST_F(MediaWriterKeeps, SubtitlesOfBluRaysInMatroska) {
    const std::string composition("\0\x40\0\x30\x10\0\0\x80\0\0\1\0\0\0\0\0\0\0\0", 19);
    const fs::path sup = write_bytes(
        "subtitle.sup", text_bytes(subtitle_segment(0x16, composition) +
                                   subtitle_segment(0x17, std::string("\1\0\0\0\0\0\0\2\0\2", 10)) +
                                   subtitle_segment('\x80', "")));
    const fs::path source =
        make_clip("blu_ray.m2ts", "-f lavfi -i testsrc2=s=64x48:r=24:d=1 -i " + sup.string() +
                                      " -map 0 -map 1 -c:v libx264 -c:s copy");
    const fs::path output = fresh_output(".mkv");
    const WriteReport report = rewrite(source, quick_options(output));
    EXPECT_EQ(outcome_of(report, "subtitle").outcome, "copied");
    const auto bytes_of = [](const fs::path& file) {
        std::string bytes;
        for (const StreamContents& stream : of_type(contents_of(file), AVMEDIA_TYPE_SUBTITLE))
            for (const std::string& packet : stream.packets) bytes += packet;
        return bytes;
    };
    EXPECT_EQ(bytes_of(output), bytes_of(source));
    EXPECT_EQ(bytes_of(output).size(), 3U * 3 + 19 + 10);
}

TEST_F(MediaWriterKeeps, ReportsLossOfVariableRates) {
    EXPECT_THAT(write_as("vfr.mkv", ".y4m").report.warnings,
                Contains(HasSubstr("frame rate varies")));
    for (const char* ending : {".avi", ".y4m"})
        EXPECT_THAT(write_as("ntsc.mp4", ending).report.warnings, IsEmpty()) << ending;
    EXPECT_THAT(write_as("fast.mp4", ".gif").report.warnings,
                Contains(HasSubstr("at most 50 frames per second")));
}

}  // namespace
}  // namespace weft
