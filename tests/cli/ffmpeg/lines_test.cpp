// Command lines that people type for ffmpeg, from its documentation and from questions and answers,
// with "weft batch" in front and the filter put in: each is understood, or answered with what to
// type instead.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

enum class Answer {
    done,    // it works as typed
    remedy,  // exit 2, and the words say what to type
    pipe,    // exit 2, and the printed command works when it is pasted
};

struct Line {
    const char* words;  // split at spaces, where no '…' quotes them
    Answer answer;
    const char* said;  // a part of standard error, or of standard output if it is done
};

constexpr std::array kLines = {
    // Encoders and their options.
    Line{"-i in.mp4 -vf gblur -c:v libx264 -crf 23 -preset fast -o out.mp4", Answer::done, ""},
    Line{"-i in.mp4 -vf box -codec:v libx264 -crf 18 -codec:a copy -o out.mkv", Answer::done, ""},
    Line{"-i in.mp4 -vf box -vcodec libx264 -acodec aac -o out.mp4", Answer::done, ""},
    Line{"-y -i in.mp4 -filter:v box -c:v libx264 -preset:v ultrafast -c:a copy -o out.mp4",
         Answer::done, ""},
    Line{"-i in.mp4 -vf box -c copy -o out.mkv", Answer::done, ""},
    Line{"-i in.mp4 -vf box -c:v libx264 -profile:v baseline -level 3.0 -pix_fmt yuv420p -o o.mp4",
         Answer::done, ""},
    Line{"-i in.mp4 -vf box -c:v libx264 -tune film -x264-params keyint=30:scenecut=0 -o out.mp4",
         Answer::done, ""},
    Line{"-i in.mp4 -vf box -c:v libx265 -preset ultrafast -x265-params log-level=error -o o.mp4",
         Answer::done, ""},
    Line{"-i in.mp4 -vf box -c:v libsvtav1 -preset 12 -crf 40 -svtav1-params tune=0 -o out.mkv",
         Answer::done, ""},
    Line{"-i in.mp4 -vf box -c:v libvpx-vp9 -b:v 0 -crf 30 -row-mt 1 -o out.webm", Answer::done,
         ""},
    Line{"-i in.mp4 -vf box -c:v libvpx-vp9 -crf 30 -deadline realtime -cpu-used 8 -o out.webm",
         Answer::done, ""},
    Line{"-i in.mp4 -vf box -b:v 1M -maxrate 1M -bufsize 2M -o out.mp4", Answer::done, ""},
    Line{"-i in.mp4 -vf box -g 48 -keyint_min 48 -sc_threshold 0 -o out.mp4", Answer::done, ""},
    Line{"-i in.mp4 -vf box -c:v prores_ks -profile:v 3 -o out.mov", Answer::done, ""},
    Line{"-i in.mp4 -vf box -c:v dnxhd -profile:v dnxhr_hq -o out.mov", Answer::done, ""},
    Line{"-i in.mp4 -vf box -c:v dnxhd -o out.mov", Answer::remedy,
         "-profile:v takes dnxhd, dnxhr_"},
    Line{"-i in.mp4 -vf box -c:v x264 -o out.mp4", Answer::remedy, "did you mean 'libx264'"},
    Line{"-i in.mp4 -vf box -c:v x265 -o out.mp4", Answer::remedy, "did you mean 'libx265'"},
    Line{"-i in.mp4 -vf box -c:v h265 -o out.mp4", Answer::remedy, "did you mean 'libx265'"},
    Line{"-i in.mp4 -vf box -c:v copy -o out.mp4", Answer::remedy, "leave out -c:v"},
    Line{"-i in.mp4 -vf box -c:v libx264 -x264-params keyin=30 -o out.mp4", Answer::remedy,
         "keyin = 30"},
    Line{"-i in.mp4 -vf box -c:v libx264 -crf 0 -qp 0 -o out.mp4", Answer::done, ""},
    Line{"-i in.mp4 -vf box -c:v libx264 -b:v 1M -pass 1 -f null /dev/null", Answer::remedy,
         "one pass"},
    Line{"-i in.mp4 -vf box -threads 2 -hide_banner -nostdin -loglevel error -o out.mp4",
         Answer::done, ""},
    // Containers, tags, streams.
    Line{"-i in.mp4 -vf box -movflags +faststart -o out.mp4", Answer::done, ""},
    Line{"-i in.mp4 -vf box -movflags faststart -metadata title='My: film' -o out.mp4",
         Answer::done, ""},
    Line{"-i in.mp4 -vf box -movflags frag_keyframe+empty_moov -f mp4 -o -", Answer::remedy,
         "mp4 on standard output is always fragmented"},
    Line{"-i in.mp4 -vf box -f mp4 -o -", Answer::done, ""},
    Line{"-i in.mp4 -vf box -f matroska -o -", Answer::done, ""},
    Line{"-i in.mp4 -vf box -metadata:s:a:0 language=eng -o out.mkv", Answer::done, ""},
    Line{"-i in.mp4 -vf box -map_metadata -1 -o out.mkv", Answer::remedy, "-metadata KEY="},
    Line{"-i in.mp4 -vf box -map 0 -c:a copy -o out.mkv", Answer::done, ""},
    Line{"-i in.mp4 -vf box -c:a flac -o out.mkv", Answer::done, ""},
    Line{"-i in.mp4 -vf box -map 0:v -map 0:a:1 -o out.mkv", Answer::remedy,
         "all streams are kept"},
    Line{"-i in.mp4 -vf box -c:s mov_text -o out.mp4", Answer::remedy, "subtitles are copied"},
    Line{"-i in.mp4 -vf box -an -sn -o out.mp4", Answer::done, ""},
    Line{"-i in.mp4 -vf box -b:a 128k -o out.mp4", Answer::remedy, "audio is copied"},
    Line{"-i in.mp4 -vf box -af volume=2 -o out.mp4", Answer::remedy, "audio is copied"},
    Line{"-i in.mp4 -vf box out.mp4", Answer::remedy, "write -o out.mp4"},
    Line{"-i in.mp4 -vf box -f null -", Answer::remedy, "write '-o null:', without -f"},
    Line{"-i in.mp4 -vf box -f null -o -", Answer::remedy, "write '-o null:', without -f"},
    Line{"-i in.mp4 -vf box -o /dev/null", Answer::remedy, "write '-o null:' to filter"},
    Line{"-i in.mp4 -vf box -o null", Answer::remedy, "write '-o null:' to filter"},
    Line{"-i in.mp4 -vf box -o out.ts", Answer::remedy,
         "write out.mkv, then ffmpeg -i out.mkv -c copy out.ts"},
    Line{"-i in.mp4 -vf box -o out.flv", Answer::remedy, "write out.mp4"},
    Line{"-i in.mp4 -vf box -o out.wmv", Answer::remedy, "write out.mkv"},
    Line{"-i in.mp4 -vf box -o out.avif", Answer::remedy, "write out.webp"},
    Line{"-i in.mp4 -vf box -f mpegts -o -", Answer::remedy, "-f mkv is the nearest"},
    Line{"-i in.mp4 -vf box -o s3://bucket/out.mp4", Answer::remedy, "aws s3 cp"},
    Line{"-i in.mp4 -vf box -f flv -o rtmp://host.invalid/live/key", Answer::remedy, "ffmpeg -re"},
    Line{"-i https://host.invalid/a.mp4 -vf box -o out.mp4", Answer::remedy, "download it first"},
    // Time and frames.
    Line{"-ss 00:00:00.2 -i in.mp4 -t 0.2 -vf box -o out.mp4", Answer::done, ""},
    Line{"-i in.mp4 -ss 0.1 -to 0.3 -vf box -o out.mp4", Answer::done, ""},
    Line{"-sseof -3 -i in.mp4 -vf box -o out.mp4", Answer::remedy, "weft info shows the"},
    Line{"-i in.mp4 -vf box -r 30 -o out.mp4", Answer::remedy, "with fps=RATE in -vf"},
    Line{"-i in.mp4 -vf box -vsync 0 -o out.mp4", Answer::remedy, "keep their timestamps"},
    Line{"-i in.mp4 -ss 0.2 -frames:v 1 -vf box -o out.png", Answer::remedy, "-ss and -t"},
    Line{"-i in.mp4 -vf box -o shot_%03d.png", Answer::done, ""},
    Line{"-framerate 24 -i pic_%02d.png -vf box -c:v libx264 -pix_fmt yuv420p -o out.mp4",
         Answer::done, ""},
    // Filters of ffmpeg.
    Line{"-i in.mp4 -vf scale=160:-2,gblur=sigma=2 -o out.mp4", Answer::pipe, "weft batch"},
    Line{"-ss 0.1 -i in.mp4 -vf 'crop=100:80:10:10,unsharp' -c:v libx264 -crf 20 -o out.mkv",
         Answer::pipe, "crop=100:80:10:10"},
    Line{"-i in.mkv -vf gblur=sigma=2,scale=160:-2 -an -o out.mp4", Answer::pipe, "-i - -map 0"},
    Line{"-i in.mp4 -vf fps=10,box,hflip -o out.mkv", Answer::pipe, "fps=10"},
    Line{"-i in.mp4 -vf scale=160:-2 -preset ultrafast -o out.mp4", Answer::pipe, "ffmpeg"},
    Line{"-i in.mp4 -vf box,format=yuv420p -o out.mp4", Answer::pipe, "-pix_fmt yuv420p"},
    Line{"-i in.mp4 -vf null,box -o out.mp4", Answer::pipe, "-vf box"},
    Line{"-i in.mp4 -filter_complex box -o out.mp4", Answer::remedy, "-vf takes a chain"},
    Line{"-i in.mp4 -vf scael=160:-2 -o out.mp4", Answer::remedy, "unknown filter 'scael'"},
    Line{"-i in.mp4 -vf box -s 160x90 -o out.mp4", Answer::remedy,
         "with scale=WIDTH:HEIGHT in -vf"},
    Line{"-i in.mp4 -vf box -aspect 16:9 -o out.mp4", Answer::remedy, "-c copy -aspect"},
};

Arguments words_of(const std::string& text) {
    Arguments words(1);
    bool quoted = false;
    for (const char c : text) {
        if (c == '\'')
            quoted = !quoted;
        else if (c == ' ' && !quoted)
            words.emplace_back();
        else
            words.back() += c;
    }
    return words;
}

class CliFfmpegLines : public CliTest {
 protected:
    void SetUp() override {
        CliTest::SetUp();
        std::filesystem::copy_file(
            clip("lines.mp4",
                 picture_input(0.4, "256x144") + tone_input(0.4) + kFastVideo + " -c:a aac"),
            path("in.mp4"));
        std::filesystem::copy_file(
            clip("lines.mkv", picture_input(0.4, "256x144") + tone_input(0.4) + kFastVideo),
            path("in.mkv"));
        for (const char* name : {"pic_01.png", "pic_02.png"})
            std::filesystem::copy_file(image_clip(), path(name));
    }
    // The names that a line has made, removed again.
    std::vector<std::string> made() const {
        std::vector<std::string> names = names_in(folder_.path());
        std::erase_if(names, [](const std::string& name) {
            return name.starts_with("in.") || name.starts_with("pic_");
        });
        for (const std::string& name : names) std::filesystem::remove_all(path(name));
        return names;
    }
    Result in_folder(Command command) const {
        command.folder = folder_.path();
        return run(command);
    }
    // The printed command, with the program that is tested.
    Result paste(const std::string& text) const {
        Command command;
        command.argv = {"bash", "-c", "set -o pipefail; " + text};
        command.env["PATH"] = std::filesystem::path(weft_program()).parent_path().string() + ":" +
                              std::getenv("PATH");
        return in_folder(command);
    }
};

TEST_F(CliFfmpegLines, AreUnderstoodOrAnswered) {
    std::string table;
    for (const auto& [text, answer, said] : kLines) {
        SCOPED_TRACE(text);
        Arguments arguments = words_of(text);
        arguments.insert(arguments.begin(), {"batch", "--gpu", "off"});
        const Result result = in_folder(weft_command(arguments));
        EXPECT_TRUE(exits(result, answer == Answer::done ? 0 : 2));
        const bool piped = contains(text, "-o -") && answer == Answer::done;
        EXPECT_EQ(made().empty(), piped || answer != Answer::done) << result.err;
        EXPECT_TRUE(!piped || result.out.size() > 1000U);
        EXPECT_TRUE(contains(result.err, said)) << result.err;
        table += fmt::format("| `{}` | {} |\n", text,
                             answer == Answer::done ? "works" : "`" + last_line(result.err) + "`");
        if (answer != Answer::pipe) continue;
        const std::string printed = result.err.substr(0, result.err.find('\n'));
        table += fmt::format("| | `{}` |\n", printed);
        EXPECT_TRUE(exits(paste(printed), 0)) << printed;
        const std::string output = path(arguments.back());
        EXPECT_GT(frame_count(output), 0) << printed;
        EXPECT_EQ(made(), std::vector<std::string>{arguments.back()});
    }
    if (const char* file = std::getenv("WEFT_LINES_TABLE")) std::ofstream(file) << table;
}

// The pipe gives the picture of both programs, one after the other.
TEST_F(CliFfmpegLines, ThePipeGivesTheSamePicture) {
    const Result result = in_folder(weft_command({"batch", "--gpu", "off", "-vf", "hflip,box,vflip",
                                                  "-o", "out.mkv", "in.mkv", "-c:v", "ffv1"}));
    ASSERT_TRUE(exits(result, 2));
    ASSERT_TRUE(exits(paste(result.err.substr(0, result.err.find('\n'))), 0));
    ASSERT_TRUE(exits(in_folder(weft_command({"batch", "--gpu", "off", "-vf", "box", "-o",
                                              "box.mkv", "-c:v", "ffv1", "in.mkv"})),
                      0));
    EXPECT_EQ(raw_video(path("out.mkv"), "yuv420p"),
              raw_video(path("box.mkv"), "yuv420p -vf hflip,vflip"));
    EXPECT_EQ(packet_hash(path("out.mkv"), "0:a"), packet_hash(path("in.mkv"), "0:a"));
}

TEST_F(CliFfmpegLines, QuestionsOfFfmpegAreAnswered) {
    EXPECT_EQ(weft({"-version"}).out, weft({"--version"}).out);
    EXPECT_EQ(weft({"-filters"}).out, weft({"list", "filters"}).out);
    const Result formats = weft({"-formats"});
    EXPECT_TRUE(exits(formats, 0));
    for (const char* name : {"mp4", ".m4v", "mkv", ".jpeg", "rawvideo"})
        EXPECT_TRUE(contains(formats.out, name)) << name;
}

}  // namespace
}  // namespace weft::cli
