// R10: everything except the filtered picture arrives unchanged: packets bit by bit, order,
// languages, dispositions, chapters, attachments, cover and tags.
#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

using Json = nlohmann::json;

constexpr const char* kSubtitles =
    "1\n00:00:00,100 --> 00:00:00,900\nWarp\n\n2\n00:00:01,000 --> 00:00:01,800\nand weft\n\n";
constexpr const char* kChapters =
    ";FFMETADATA1\ntitle=Cloth\nartist=Loom\nMYTAG=custom value\n"
    "[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=700\ntitle=Warp\n"
    "[CHAPTER]\nTIMEBASE=1/1000\nSTART=700\nEND=2000\ntitle=Weft \xC3\xA4\n";

// Writes the clips' text inputs into the folder of the clips.
void make_inputs() {
    write_file(test::clip_dir() / "cli_texts.srt", kSubtitles);
    write_file(test::clip_dir() / "cli_chapters.txt", kChapters);
    write_file(test::clip_dir() / "cli_font.ttf", "not really a font, but an attachment");
    image_clip("cover.jpg");
}

std::string inputs() {
    return picture_input(2) + tone_input(2) + tone_input(2, 880) +
           " -i @texts.srt -i @texts.srt -f ffmetadata -i @chapters.txt";
}

constexpr const char* kMaps =
    " -map 0:v -map 1:a -map 2:a -map 3:s -map 4:s -map_metadata 5 -map_chapters 5"
    " -metadata:s:v:0 title=Picture -metadata:s:a:0 language=eng -metadata:s:a:1 language=deu"
    " -metadata:s:a:1 title=Kommentar -metadata:s:s:0 language=fra -metadata:s:s:1 language=spa"
    " -disposition:a:0 0 -disposition:a:1 default+comment -disposition:s:0 forced"
    " -disposition:s:1 hearing_impaired";

// Two audio streams, two subtitles, chapters, an attachment, tags.
std::string rich_mkv() {
    make_inputs();
    return clip("rich.mkv", inputs() + kMaps + kFastVideo +
                                " -c:a:0 aac -c:a:1 flac -c:s srt -attach " +
                                (test::clip_dir() / "cli_font.ttf").string() +
                                " -metadata:s:t mimetype=application/x-truetype-font");
}

std::string rich_mp4() {
    make_inputs();
    return clip("rich.mp4", inputs() + kMaps + kFastVideo +
                                " -c:a aac -c:s mov_text -movflags +use_metadata_tags");
}

std::string covered(const std::string& extension) {
    make_inputs();
    if (extension == "mkv")
        return clip("covered.mkv", picture_input(1) + tone_input(1) + kFastVideo +
                                       " -c:a aac -attach " +
                                       (test::clip_dir() / "cli_cover.jpg").string() +
                                       " -metadata:s:t mimetype=image/jpeg "
                                       "-metadata:s:t filename=cover.jpg");
    return clip("covered." + extension,
                picture_input(1) + tone_input(1) +
                    " -i @cover.jpg -map 0:v -map 1:a -map 2:v -c:a aac -c:v:0 libx264 -preset:v:0"
                    " ultrafast -pix_fmt:v:0 yuv420p -c:v:1 copy -disposition:v:1 attached_pic");
}

class CliR10Streams : public CliTest {
 protected:
    std::string filter(const std::string& input, const std::string& name,
                       const Arguments& more = {}) {
        Arguments arguments = {"batch", "-vf",      "box=radius=1",
                               "-o",    path(name), "--json=" + path("report.json")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        arguments.push_back(input);
        EXPECT_TRUE(exits(weft(arguments), 0));
        return path(name);
    }
    // The reported outcome of the source's stream `index`.
    std::string outcome(int index) const {
        const Json report = parse_json(read_file(path("report.json")));
        for (const Json& stream : report.at("files").at(0).at("streams"))
            if (stream.value("source_index", -1) == index) return stream.value("outcome", "");
        return "not in the report";
    }
};

std::string tag(const Json& holder, const std::string& name) {
    if (!holder.contains("tags")) return "";
    return holder.at("tags").value(name, "");
}

// The text track that the mov muxer makes from the chapters, for QuickTime.
bool is_chapter_track(const Json& stream) {
    return stream.at("codec_type") == "data" && stream.value("codec_tag_string", "") == "text";
}

// Streams without attachments and covers, which containers put last: "audio aac deu default+…".
std::vector<std::string> stream_lines(const Json& probed) {
    std::vector<std::string> lines;
    for (const Json& stream : probed.at("streams")) {
        const Json& disposition = stream.at("disposition");
        if (stream.at("codec_type") == "attachment" || is_chapter_track(stream) ||
            disposition.value("attached_pic", 0) == 1)
            continue;
        std::string line = fmt::format("{} {}", stream.at("codec_type").get<std::string>(),
                                       tag(stream, "language"));
        for (const char* name : {"default", "forced", "comment", "hearing_impaired"})
            if (disposition.value(name, 0) == 1) line += std::string(" ") + name;
        lines.push_back(line + " '" + tag(stream, "title") + "'");
    }
    return lines;
}

std::vector<std::string> chapter_lines(const Json& probed) {
    std::vector<std::string> lines;
    for (const Json& chapter : probed.at("chapters"))
        lines.push_back(fmt::format("{} {} {}", chapter.at("start_time").get<std::string>(),
                                    chapter.at("end_time").get<std::string>(),
                                    tag(chapter, "title")));
    return lines;
}

std::string attachment(const std::string& file, const std::string& into) {
    run({"ffmpeg", "-nostdin", "-v", "quiet", "-y", "-dump_attachment:t:0", into, "-i", file});
    return read_file(into);
}

TEST_F(CliR10Streams, MatroskaKeepsEverything) {
    const std::string source = rich_mkv();
    const std::string output = filter(source, "out.mkv");
    for (const char* map : {"0:a:0", "0:a:1", "0:s:0", "0:s:1"})
        EXPECT_EQ(packet_hash(output, map), packet_hash(source, map)) << map;
    const Json want = probe(source);
    const Json got = probe(output);
    EXPECT_EQ(stream_lines(got), stream_lines(want));
    EXPECT_EQ(chapter_lines(got), chapter_lines(want));
    EXPECT_EQ(chapter_lines(got).size(), 2U);
    for (const char* name : {"title", "ARTIST", "MYTAG"})
        EXPECT_EQ(tag(got.at("format"), name), tag(want.at("format"), name)) << name;
    EXPECT_EQ(attachment(output, path("font_out")), read_file(test::clip_dir() / "cli_font.ttf"));
    EXPECT_EQ(outcome(1), "copied");
    EXPECT_EQ(outcome(3), "copied");
}

TEST_F(CliR10Streams, Mp4KeepsEverything) {
    const std::string source = rich_mp4();
    const std::string output = filter(source, "out.mp4");
    for (const char* map : {"0:a:0", "0:a:1", "0:s:0", "0:s:1"})
        EXPECT_EQ(packet_hash(output, map), packet_hash(source, map)) << map;
    const Json want = probe(source);
    const Json got = probe(output);
    EXPECT_EQ(chapter_lines(got), chapter_lines(want));
    for (const char* name : {"title", "artist", "MYTAG"})
        EXPECT_EQ(tag(got.at("format"), name), tag(want.at("format"), name)) << name;
    std::vector<std::string> want_lines = stream_lines(want);
    EXPECT_EQ(stream_lines(got), want_lines);
}

TEST_F(CliR10Streams, CoversStayCovers) {
    for (const char* extension : {"mkv", "mp4", "mov"}) {
        if (std::string(extension) == "mov") continue;  // ffmpeg's mov muxer writes no covers
        const std::string source = covered(extension);
        const std::string output = filter(source, std::string("covered.") + extension);
        const Json got = probe(output);
        bool found = false;
        for (const Json& stream : got.at("streams"))
            found = found || stream.at("disposition").value("attached_pic", 0) == 1;
        EXPECT_TRUE(found) << extension << ": no cover in " << got.at("streams").dump(1);
        EXPECT_EQ(packet_hash(output, "0:v:1"), packet_hash(source, "0:v:1")) << extension;
        EXPECT_EQ(frame_count(output), 30) << extension;
    }
}

TEST_F(CliR10Streams, CoverTravelsFromMatroskaToMp4AndBack) {
    const std::string to_mp4 = filter(covered("mkv"), "cover_out.mp4");
    EXPECT_EQ(packet_hash(to_mp4, "0:v:1"), packet_hash(covered("mkv"), "0:v:1"));
    const std::string to_mkv = filter(covered("mp4"), "cover_out.mkv");
    EXPECT_EQ(packet_hash(to_mkv, "0:v:1"), packet_hash(covered("mp4"), "0:v:1"));
    bool cover = false;
    const Json got = probe(to_mkv);
    for (const Json& stream : got.at("streams"))
        cover = cover || stream.at("disposition").value("attached_pic", 0) == 1;
    EXPECT_TRUE(cover) << "it became an ordinary video track";
}

TEST_F(CliR10Streams, Mp4ConvertsSubtitlesAndReportsIt) {
    const std::string output = filter(rich_mkv(), "out.mp4");
    EXPECT_EQ(packet_hash(output, "0:a:0"), packet_hash(rich_mkv(), "0:a:0"));
    EXPECT_TRUE(contains(ffmpeg_text(output, "-map 0:s:0 -f srt -"), "and weft"));
    EXPECT_EQ(stream_lines(probe(output)).size(), 5U);
    EXPECT_TRUE(contains(outcome(3), "converted")) << outcome(3);
    EXPECT_EQ(chapter_lines(probe(output)).size(), 2U);
    const Json report = parse_json(read_file(path("report.json")));
    EXPECT_TRUE(contains(report.dump(), "attachment")) << "the lost attachment is not reported";
}

TEST_F(CliR10Streams, WebmConvertsAudioAndSubtitles) {
    const std::string output = filter(rich_mkv(), "out.webm");
    const Json got = probe(output);
    ASSERT_GE(got.at("streams").size(), 5U);
    EXPECT_EQ(got.at("streams").at(0).at("codec_name"), "vp9");
    EXPECT_EQ(got.at("streams").at(1).at("codec_name"), "opus");
    EXPECT_EQ(got.at("streams").at(3).at("codec_name"), "webvtt");
    EXPECT_EQ(tag(got.at("streams").at(2), "language"), "deu");
    EXPECT_TRUE(contains(ffmpeg_text(output, "-map 0:s:0 -f srt -"), "and weft"));
    EXPECT_EQ(frame_count(output), 60);
}

TEST_F(CliR10Streams, StrictMakesLossAnError) {
    for (const char* name : {"strict.mp4", "strict.webm"}) {
        const Result result =
            weft({"batch", "-vf", "box=radius=1", "--strict", "-o", path(name), rich_mkv()});
        EXPECT_TRUE(exits_one_of(result, {1, 2})) << name;
        EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>());
    }
    EXPECT_TRUE(exits(
        weft({"batch", "-vf", "box=radius=1", "--strict", "-o", path("ok.mkv"), rich_mkv()}), 0));
}

TEST_F(CliR10Streams, AnAndSnDropStreams) {
    const Json got = probe(filter(rich_mkv(), "out.mkv", {"-an", "-sn"}));
    for (const Json& stream : got.at("streams")) {
        EXPECT_NE(stream.at("codec_type"), "audio");
        EXPECT_NE(stream.at("codec_type"), "subtitle");
    }
}

TEST_F(CliR10Streams, TransportStreamAudioIsKept) {
    const std::string source =
        clip("tones.ts", picture_input(1) + tone_input(1) + " -c:a mp2" + kFastVideo);
    EXPECT_EQ(packet_hash(filter(source, "out.mkv"), "0:a:0"), packet_hash(source, "0:a:0"));
}

TEST_F(CliR10Streams, ColourAndHdrTagsAreKept) {
    const std::string source =
        clip("hdr.mkv", picture_input(0.5) +
                            " -c:v libx265 -preset ultrafast -pix_fmt yuv420p10le -x265-params "
                            "log-level=none:hdr10=1:colorprim=bt2020:transfer=smpte2084:"
                            "colormatrix=bt2020nc:master-display=G(13250,34500)B(7500,3000)R(34000,"
                            "16000)WP(15635,16450)L(10000000,50):max-cll=1000,400");
    for (const char* name : {"hdr.mkv", "hdr.mp4", "hdr.mov"}) {
        const std::string output = filter(source, name);
        for (const char* field :
             {"color_primaries", "color_transfer", "color_space", "color_range", "pix_fmt"})
            EXPECT_EQ(video_field(output, field), video_field(source, field)) << name << field;
        const std::string data = test::ffprobe(output, "-show_streams").dump();
        EXPECT_TRUE(contains(data, "Mastering display metadata")) << name;
        EXPECT_TRUE(contains(data, "\"max_content\":1000")) << name << data;
    }
}

// An mp4 whose pixel aspect box, of the same length, has become a Dolby Vision configuration.
std::string dolby_vision_clip(const std::string& target) {
    std::string bytes = read_file(short_clip("short.mp4"));
    const std::size_t box = bytes.find("pasp");
    if (box == std::string::npos) throw std::runtime_error("no pasp box in short.mp4");
    // Version 1.0, profile 8, level 6, with RPU and base layer.
    bytes.replace(box, 12, std::string("dvvC\x01\x00\x10\x35\x10\x00\x00\x00", 12));
    write_file(target, bytes);
    return target;
}

TEST_F(CliR10Streams, DolbyVisionIsNamedAsLostOrAnError) {
    const std::string source = dolby_vision_clip(path("vision.mp4"));
    ASSERT_TRUE(contains(test::ffprobe(source, "-show_streams").dump(), "DOVI configuration"));
    const Arguments arguments{"batch", "-y", "-vf", "box", "-o", path("out.mp4"), source};
    const Result lost = weft(arguments);
    EXPECT_TRUE(exits(lost, 0));
    EXPECT_TRUE(contains(lost.err, "cannot store Dolby Vision metadata, which is lost"))
        << lost.err;
    EXPECT_FALSE(contains(lost.err + lost.out, "nothing dropped"));
    Arguments strict = arguments;
    strict.emplace_back("--strict");
    EXPECT_TRUE(exits(weft(strict), 2));
}

TEST_F(CliR10Streams, SampleAspectRatioAndFieldOrderAreKept) {
    const std::string source = clip("anamorphic.mkv", picture_input(0.5, "320x192") +
                                                          " -vf setsar=16/11,setfield=tff -c:v"
                                                          " mpeg2video -flags +ildct+ilme");
    const std::string output = filter(source, "out.mkv");
    EXPECT_EQ(video_field(output, "sample_aspect_ratio"), "16:11");
    EXPECT_EQ(video_field(output, "field_order"), video_field(source, "field_order"));
}

TEST_F(CliR10Streams, RotationIsKeptOrApplied) {
    short_clip("upright.mp4");
    const std::string source =
        clip("turned.mp4", "-i @upright.mp4 -c copy -metadata:s:v:0 rotate=90");
    const std::string kept = filter(source, "kept.mp4");
    EXPECT_TRUE(contains(test::ffprobe(kept, "-show_streams").dump(), "\"rotation\":90"));
    EXPECT_EQ(video_field(kept, "width"), "320");
    const std::string applied = filter(source, "applied.mkv");
    EXPECT_EQ(video_field(applied, "width"), "180");
    EXPECT_EQ(video_field(applied, "height"), "320");
}

// A JPEG with a comment after its first marker.
std::string commented_picture(const std::string& target) {
    const std::string jpeg = read_file(image_clip("image.jpg"));
    const std::string text = "woven by hand";
    write_file(target, jpeg.substr(0, 2) + "\xFF\xFE" + big_endian(text.size() + 2, 2) + text +
                           jpeg.substr(2));
    return target;
}

TEST_F(CliR10Streams, MetadataOfPicturesIsKeptOrAnError) {
    const std::string source = commented_picture(path("commented.jpg"));
    const auto convert = [&](const std::string& name, const Arguments& more) {
        Arguments arguments{"batch", "-vf", "gaussian=sigma=1", "-o", path(name), source};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return weft(arguments);
    };
    EXPECT_TRUE(exits(convert("kept.jpg", {"--strict"}), 0));
    EXPECT_TRUE(contains(read_file(path("kept.jpg")), "woven by hand"));
    const Result lost = convert("lost.tiff", {});
    EXPECT_TRUE(exits(lost, 0));
    EXPECT_TRUE(contains(lost.err, "lost: comment")) << lost.err;
    EXPECT_FALSE(contains(lost.err + lost.out, "nothing dropped"));
    EXPECT_TRUE(exits(convert("strict.tiff", {"--strict"}), 2));
    EXPECT_TRUE(contains(weft({"info", source}).out, "comment"));
}

}  // namespace
}  // namespace weft::cli
