// Options of ffmpeg that reach the output: tags, parameters of encoders, the place of an index, and
// pipes. ffprobe is the judge.
#include <filesystem>
#include <optional>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

class CliFfmpegOptions : public CliTest {
 protected:
    Result filter(const Arguments& options, const std::string& output,
                  const std::string& input = short_clip()) {
        Arguments arguments = {"batch", "-vf", "convolve=matrix=1", "-y", "-o", output};
        arguments.insert(arguments.end(), options.begin(), options.end());
        arguments.push_back(input);
        return weft(arguments);
    }
    Result to_pipe(const Arguments& options, const std::string& output, const std::string& input) {
        Arguments arguments = {"batch", "-vf", "convolve=matrix=1", "-o", "-", input};
        arguments.insert(arguments.end(), options.begin(), options.end());
        Command command = weft_command(arguments);
        command.output = output;
        return run(command);
    }
};

TEST_F(CliFfmpegOptions, AddressesAreNoOutputs) {
    struct Row {
        const char* output;
        const char* remedy;
    };
    for (const auto& [output, remedy] : {Row{"s3://bucket/x.mp4", "aws s3 cp"},
                                         {"gs://bucket/", "gcloud storage cp"},
                                         {"https://example.invalid/x.mkv", "curl -T"},
                                         {"rtmp://example.invalid/live/key", "ffmpeg -re"},
                                         {"file:///tmp/x.mkv", "without file://"},
                                         {"S3://bucket/x_%03d.png", "outputs are local files"},
                                         {"hdfs://name/x.mkv", "outputs are local files"}}) {
        SCOPED_TRACE(output);
        for (const std::string more : {"--strict", "--dry-run"}) {
            Command command =
                weft_command({"batch", "-vf", "box", more, "-o", output, short_clip()});
            command.folder = folder_.path();
            const Result result = run(command);
            EXPECT_TRUE(exits(result, 2));
            EXPECT_TRUE(contains(result.err, remedy)) << result.err;
            EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>());
        }
    }
    Command report = weft_command(
        {"batch", "-vf", "box", "--json", "s3://bucket/r.json", "-o", "x.mkv", short_clip()});
    report.folder = folder_.path();
    EXPECT_TRUE(exits(run(report), 2));
    EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>());
    // A folder of that name exists.
    std::filesystem::create_directories(folder_.path() / "s3:");
    Command local = weft_command({"batch", "-vf", "box", "-o", "s3://x.mkv", short_clip()});
    local.folder = folder_.path();
    EXPECT_TRUE(exits(run(local), 0));
}

// The parameters that x264 or x265 writes into its stream.
bool states(const std::string& path, const std::string& parameter) {
    const std::string bytes = read_file(path);
    return contains(bytes, " " + parameter + " ");
}

TEST_F(CliFfmpegOptions, ParametersReachTheEncoder) {
    const std::string output = path("out.mkv");
    const auto made = [&](const Arguments& options) {
        const Result result = filter(options, output);
        EXPECT_TRUE(exits(result, 0)) << testing::PrintToString(options);
        return result.exit_code == 0;
    };
    ASSERT_TRUE(made({"-profile:v", "baseline", "-preset", "ultrafast"}));
    EXPECT_EQ(video_field(output, "profile"), "Constrained Baseline");
    ASSERT_TRUE(made({"-c:v", "libx264", "-x264-params", "keyint=7:bframes=0", "-tune", "film",
                      "-x264-params", "keyint=9:cabac=0"}));
    for (const char* parameter : {"keyint=9", "cabac=0", "psy_rd=1.00:0.15", "crf=18.0"})
        EXPECT_TRUE(states(output, parameter)) << parameter;
    EXPECT_TRUE(states(output, "bframes=3")) << "the last -x264-params counts, as in ffmpeg";
    ASSERT_TRUE(made({"-g", "11", "-bf", "1", "-refs", "2", "-qp", "30", "-threads", "1"}));
    for (const char* parameter : {"keyint=11", "bframes=1", "ref=2", "rc=cqp"})
        EXPECT_TRUE(states(output, parameter)) << parameter;
    ASSERT_TRUE(made({"-maxrate", "100k", "-bufsize", "200k"}));
    EXPECT_TRUE(states(output, "vbv_maxrate=100"));
    // Those of weft, which quieten x265 and limit its threads, stay.
    ASSERT_TRUE(made({"-c:v", "libx265", "-preset", "ultrafast", "-threads", "1", "-x265-params",
                      "keyint=13:info=1"}));
    EXPECT_TRUE(states(output, "keyint=13"));
    EXPECT_TRUE(states(output, "frame-threads=1"));
    ASSERT_TRUE(made(
        {"-c:v", "libx265", "-preset", "ultrafast", "--lossless", "-x265-params", "keyint=13"}));
    EXPECT_EQ(frame_hashes(output, "yuv420p"), frame_hashes(short_clip(), "yuv420p"));
    ASSERT_TRUE(made({"-c:v", "libsvtav1", "-preset", "12", "-svtav1-params", "tune=0"}));
}

TEST_F(CliFfmpegOptions, OtherEncodersTakeTheirOwn) {
    EXPECT_TRUE(exits(filter({"-c:v", "prores_ks", "-profile:v", "0"}, path("proxy.mov")), 0));
    EXPECT_EQ(video_field(path("proxy.mov"), "codec_tag_string"), "apco");
    EXPECT_TRUE(exits(filter({"-c:v", "prores_ks", "-profile", "hq"}, path("hq.mov")), 0));
    EXPECT_EQ(video_field(path("hq.mov"), "codec_tag_string"), "apch");
    EXPECT_TRUE(exits(filter({"-c:v", "dnxhd", "-profile:v", "dnxhr_hq"}, path("dnx.mov")), 0));
    EXPECT_EQ(video_field(path("dnx.mov"), "profile"), "DNXHR HQ");
    EXPECT_TRUE(exits(filter({"-c:v", "ffv1", "-coder", "1", "-context", "1"}, path("f.mkv")), 0));
    EXPECT_TRUE(exits(filter({"-quality", "20"}, path("low.webp"), image_clip()), 0));
    EXPECT_TRUE(exits(filter({"-quality", "100"}, path("high.webp"), image_clip()), 0));
    EXPECT_LT(std::filesystem::file_size(path("low.webp")),
              std::filesystem::file_size(path("high.webp")));
}

TEST_F(CliFfmpegOptions, ParametersThatTheEncoderLacksAreErrors) {
    struct Row {
        Arguments options;
        const char* said;
        const char* output = "out.mkv";
    };
    for (const auto& [options, said, output] : std::vector<Row>{
             {{"-x264-params", "keyin=30"}, "keyin = 30"},
             {{"-x264-params", "keyint=many"}, "keyint = many"},
             {{"-x264-params", "keyint"}, "-x264-params keyint"},
             {{"-x264opts", "keyin=30"}, "keyin"},
             {{"-c:v", "libx265", "-x265-params", "keyin=30"}, "Unknown option: keyin"},
             {{"-c:v", "libx265", "-x265-params", "keyint=many"}, "Invalid value for keyint"},
             {{"-c:v", "libsvtav1", "-svtav1-params", "keyin=30"}, "keyin"},
             {{"-profile:v", "tall"}, "Error setting profile tall"},
             {{"-tune", "guitar"}, "tune"},
             {{"-c:v", "ffv1", "-tune", "film"}, "-tune: ffv1 has no such option"},
             {{"-c:v", "libx265", "-x264-params", "keyint=30"}, "-x264-params: libx265 has no"},
             {{"-c:v", "libvpx-vp9", "-bf", "2"}, "-bf: libvpx-vp9 has no such option"},
             {{"-c:v", "ffv1", "-maxrate", "1M"}, "-maxrate: ffv1 has no such option"},
             {{"-g", "often"}, "-g often: libx264 refuses the value"},
             {{"-bf", "2"}, "write mkv or mp4", "out.avi"},
             {{"-c:v", "dnxhd"}, "profile", "out.mov"},
             {{"--lossless", "-c:v", "libx264", "-qp", "20"}, "--lossless cannot", "out.mp4"},
             {{"-x264-params", "pass=1:stats=x.log"}, "one pass"},
             {{"-x264-params", "dump-yuv=x.yuv"}, "no files of their own"},
             {{"-x264-params", "bframes=1: du\\mp_yuv=x.yuv"}, "no files of their own"},
             {{"-x264-param", "keyint=30"}, "unknown option -x264-param"},
             {{"--encoder-option", "nosuch=1"}, "no video encoder has this option"},
             {{"--encoder-option", "tune"}, "expected NAME=VALUE"},
         }) {
        SCOPED_TRACE(testing::PrintToString(options));
        const Result result = filter(options, path(output));
        EXPECT_TRUE(exits(result, 2));
        EXPECT_TRUE(contains(result.err, said)) << result.err;
        EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>());
    }
}

TEST_F(CliFfmpegOptions, ParametersAreInPlansAndReceipts) {
    const std::string input = path("plan.mp4");
    std::filesystem::copy_file(short_clip("plan.mp4"), input);
    ASSERT_TRUE(
        exits(weft({"batch", "-vf", "box", "-o", path("out/"), "--plan", path("a.plan"), input,
                    "-x264-params", "keyint=9:bframes=0", "-profile:v", "main", "-metadata",
                    "title=A: B = C", "-metadata:s:v:0", "title=Left", "-movflags", "+faststart"}),
              0));
    ASSERT_TRUE(exits(weft({"batch", "--run", path("a.plan")}), 0));
    const std::string output = path("out/plan.mp4");
    EXPECT_TRUE(states(output, "keyint=9"));
    EXPECT_EQ(probe(output)["format"]["tags"]["title"], "A: B = C");
    EXPECT_LT(read_file(output).find("moov"), read_file(output).find("mdat"));
    const nlohmann::json job = parse_json(read_file(path("out/.plan.mp4.weft.json")))["job"];
    EXPECT_EQ(job["--encoder-option"], "profile=main\nx264-params=keyint=9:bframes=0");
    EXPECT_EQ(job["-metadata"], "s:v:0:title=Left\ntitle=A: B = C");
    EXPECT_EQ(job["-movflags"], "+faststart");
    EXPECT_TRUE(exits(weft({"prove", path("out/")}), 0));
    EXPECT_TRUE(exits(weft({"batch", "--run", path("a.plan"), "--check"}), 0));
}

TEST_F(CliFfmpegOptions, TagsReplaceThoseOfTheSource) {
    const std::string input =
        clip("tagged.mkv", picture_input(0.3) + tone_input(0.3) + tone_input(0.3, 880) +
                               " -map 0 -map 1 -map 2" + kFastVideo +
                               " -metadata title=Old -metadata artist=Somebody"
                               " -metadata:s:a:0 language=eng");
    for (const char* name : {"out.mkv", "out.mp4", "out.mov"}) {
        SCOPED_TRACE(name);
        const std::string output = path(name);
        ASSERT_TRUE(exits(filter({"-metadata", "title=New: a=b", "-metadata",
                                  "artist=", "-metadata:s:a:1", "language=fra"},
                                 output, input),
                          0));
        const nlohmann::json found = probe(output);
        EXPECT_EQ(found["format"]["tags"]["title"], "New: a=b");
        EXPECT_FALSE(found["format"]["tags"].contains("artist"));
        EXPECT_FALSE(found["format"]["tags"].contains("ARTIST"));
        EXPECT_EQ(found["streams"][1]["tags"]["language"], "eng");
        EXPECT_EQ(found["streams"][2]["tags"]["language"], "fra");
    }
    // A tag without a place in the output is lost as that of a source is.
    const Result lost = filter({"-metadata", "title=New"}, path("out.png"), image_clip());
    EXPECT_TRUE(exits(lost, 0));
    EXPECT_TRUE(contains(lost.err, "lost: title")) << lost.err;
    EXPECT_TRUE(
        exits(filter({"--strict", "-metadata", "title=New"}, path("out.png"), image_clip()), 2));
    struct Row {
        const char* word;
        const char* value;
        const char* said;
    };
    for (const auto& [word, value, said] : {Row{"-metadata", "title", "expected NAME=VALUE"},
                                            {"-metadata", "a\nb=c", "line breaks"},
                                            {"-metadata", "encoder=me", "writes it itself"},
                                            {"-metadata:s:v:0", "rotate=90", "ffmpeg -i OUT.mp4"},
                                            {"-metadata:s:q:0", "title=x", "expected KEY=VALUE"},
                                            {"-metadata:s:a:2", "title=x", "no such stream"}}) {
        const Result result = filter({word, value}, path("no.mkv"), input);
        EXPECT_TRUE(exits(result, 2)) << word << value;
        EXPECT_TRUE(contains(result.err, said)) << result.err;
        EXPECT_FALSE(std::filesystem::exists(path("no.mkv")));
    }
}

std::string full_clip() {
    write_file(test::clip_dir() / "cli_options.srt", "1\n00:00:00,100 --> 00:00:00,900\nhello\n");
    write_file(test::clip_dir() / "cli_options.txt",
               ";FFMETADATA1\ntitle=Film\nplace=here\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\n"
               "END=500\ntitle=One\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=500\nEND=1000\ntitle=Two\n");
    return clip("options.mkv",
                picture_input(1) + tone_input(1) + " -i " +
                    (test::clip_dir() / "cli_options.srt").string() + " -i " +
                    (test::clip_dir() / "cli_options.txt").string() +
                    " -map 0 -map 1 -map 2 -map_metadata 3 -c:a aac -c:s srt -c:v libx264 -bf 2 "
                    "-preset veryfast -pix_fmt yuv420p -metadata:s:a:0 language=fra");
}

// All that ffprobe reports but the places of the bytes.
nlohmann::json content(const std::string& path) {
    nlohmann::json found = probe(path);
    for (const char* name : {"filename", "size", "bit_rate"}) found["format"].erase(name);
    return found;
}

TEST_F(CliFfmpegOptions, TheIndexMayBeFirst) {
    for (const char* extension : {".mp4", ".mov"}) {
        SCOPED_TRACE(extension);
        const std::string last = path(std::string("last") + extension);
        const std::string first = path(std::string("first") + extension);
        ASSERT_TRUE(exits(filter({"--receipts", "-threads", "1"}, last, full_clip()), 0));
        ASSERT_TRUE(exits(
            filter({"--receipts", "-threads", "1", "-movflags", "+faststart"}, first, full_clip()),
            0));
        EXPECT_GT(read_file(last).find("moov"), read_file(last).find("mdat"));
        EXPECT_LT(read_file(first).find("moov"), read_file(first).find("mdat"));
        EXPECT_EQ(content(first), content(last));
        for (const char* stream : {"0:v", "0:a", "0:s"})
            EXPECT_EQ(packet_hash(first, stream), packet_hash(last, stream)) << stream;
        EXPECT_EQ(frame_times(first), frame_times(last));
        EXPECT_TRUE(exits(weft({"prove", first}), 0));
    }
    const Result result = filter({"-movflags", "+faststart"}, path("no.mkv"));
    EXPECT_TRUE(exits(result, 2));
    EXPECT_TRUE(contains(result.err, "only mp4 and mov")) << result.err;
    EXPECT_TRUE(exits(filter({"-movflags", "+frag_keyframe"}, path("no.mp4")), 2));
    // In a mixed batch it applies where it has a meaning.
    EXPECT_TRUE(exits(
        filter({"-movflags", "+faststart", video_clip("video.mp4")}, path("mixed/"), image_clip()),
        0));
}

TEST_F(CliFfmpegOptions, Mp4GoesToAPipeInFragments) {
    for (const char* format : {"mp4", "mov"}) {
        SCOPED_TRACE(format);
        const std::string piped = path(std::string("piped.") + format);
        const std::string file = path(std::string("file.") + format);
        const Result result = to_pipe({"-f", format, "-threads", "1"}, piped, full_clip());
        ASSERT_TRUE(exits(result, 0));
        EXPECT_TRUE(contains(result.err, "lost: PLACE")) << result.err;
        ASSERT_TRUE(exits(filter({"-threads", "1"}, file, full_clip()), 0));
        EXPECT_TRUE(contains(read_file(piped), "moof"));
        for (const char* stream : {"0:v", "0:a"})
            EXPECT_EQ(packet_hash(piped, stream), packet_hash(file, stream)) << stream;
        EXPECT_TRUE(contains(ffmpeg_text(piped, "-map 0:s -f srt -"), "00:00:00,1"));
        const std::vector<double> times = frame_times(piped);
        const std::vector<double> expected = frame_times(file);
        ASSERT_EQ(times.size(), expected.size());
        for (std::size_t k = 0; k < times.size(); ++k) EXPECT_NEAR(times[k], expected[k], 1e-4);
        const nlohmann::json found = probe(piped);
        EXPECT_EQ(found["format"]["tags"]["title"], "Film");
        EXPECT_EQ(found["chapters"].size(), 2U);
        EXPECT_EQ(found["streams"][1]["tags"]["language"], "fra");
        // weft reads it from a pipe, too.
        Command reader = weft_command({"batch", "-vf", "box", "-o", path("again.mkv"), "-y", "-"});
        reader.input = piped;
        EXPECT_TRUE(exits(run(reader), 0));
    }
}

TEST_F(CliFfmpegOptions, CopyIsForAllOtherStreams) {
    const std::string input = full_clip();
    for (const Arguments& words :
         {Arguments{"-c", "copy"}, Arguments{"-codec", "copy"}, Arguments{"-c:s", "copy"},
          Arguments{"-c:a", "copy", "-scodec", "copy", "-c:d", "copy", "-c:t", "copy"}}) {
        ASSERT_TRUE(exits(filter(words, path("out.mkv"), input), 0)) << words.front();
        EXPECT_EQ(packet_hash(path("out.mkv"), "0:a"), packet_hash(input, "0:a"));
    }
    ASSERT_TRUE(exits(filter({"-c", "copy", "-c:a", "libopus"}, path("out.mkv"), input), 0));
    EXPECT_EQ(probe(path("out.mkv"))["streams"][1]["codec_name"], "opus");
    struct Row {
        Arguments words;
        const char* said;
    };
    for (const auto& [words, said] : {Row{{"-c:v", "copy"}, "leave out -c:v"},
                                      {{"-vcodec", "copy"}, "leave out -c:v"},
                                      {{"-c", "libx264"}, "-c:v"},
                                      {{"-c:s", "mov_text"}, "subtitles"}}) {
        const Result result = filter(words, path("no.mkv"), input);
        EXPECT_TRUE(exits(result, 2));
        EXPECT_TRUE(contains(result.err, said)) << result.err;
    }
}

}  // namespace
}  // namespace weft::cli
