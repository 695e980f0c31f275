// Integer matrices with divisor 1 match ffmpeg's `convolution` bit by bit wherever the matrix is
// inside the picture. They are asymmetric, so that a flip or a transposition shows.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <random>

#include <fmt/format.h>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

constexpr int kWidth = 96;
constexpr int kHeight = 64;
constexpr int kFrames = 3;

struct Case {
    int size;
    std::string format;
};

// A different integer at each place; the sum is near 1, so that few pixels saturate.
std::string matrix(int size) {
    std::string text;
    int sum = 0;
    const int count = size * size;
    for (int i = 0; i + 1 < count; ++i) {
        const int value = (i * 7 + 3) % 5 - 2;
        sum += value;
        text += fmt::format("{} ", value);
    }
    return text + std::to_string(1 - sum);
}

struct Plane {
    int width;
    int height;
};

std::vector<Plane> planes(const std::string& format) {
    if (format == "gray") return {{kWidth, kHeight}};
    return {{kWidth, kHeight}, {kWidth / 2, kHeight / 2}, {kWidth / 2, kHeight / 2}};
}

class CliSameAsFfmpeg : public CliTest, public testing::WithParamInterface<Case> {};

TEST_P(CliSameAsFfmpeg, InTheInterior) {
    const auto& [size, format] = GetParam();
    const std::string source =
        clip("noise_" + format + ".mkv",
             fmt::format("-f lavfi -i testsrc2=s={}x{}:d=0.1:r=30,noise=alls=30:allf=t -pix_fmt {} "
                         "-c:v ffv1",
                         kWidth, kHeight, format));
    const std::string taps = matrix(size);
    EXPECT_TRUE(exits(weft({"batch", "-vf", "convolve=matrix='" + taps + "'", "--lossless", "-o",
                            path("out.mkv"), source}),
                      0));
    std::string theirs;
    for (int plane = 0; plane < 4; ++plane)
        theirs += fmt::format("{0}m={1}:{0}rdiv=1:{0}bias=0{2}", plane, taps, plane < 3 ? ":" : "");
    const std::string want = ffmpeg_text(
        source, "-vf 'convolution=" + theirs + "' -pix_fmt " + format + " -f rawvideo -");
    const std::string got = raw_video(path("out.mkv"), format);
    ASSERT_EQ(got.size(), want.size());
    const int margin = size / 2;
    std::size_t offset = 0;
    for (int frame = 0; frame < kFrames; ++frame)
        for (const Plane& plane : planes(format)) {
            for (int y = margin; y < plane.height - margin; ++y)
                for (int x = margin; x < plane.width - margin; ++x) {
                    const std::size_t at = offset + static_cast<std::size_t>(y * plane.width + x);
                    ASSERT_EQ(static_cast<std::uint8_t>(got[at]),
                              static_cast<std::uint8_t>(want[at]))
                        << "frame " << frame << ", plane of " << plane.width << " at " << x << ", "
                        << y;
                }
            offset += static_cast<std::size_t>(plane.width) * plane.height;
        }
    EXPECT_EQ(offset, got.size());
}

INSTANTIATE_TEST_SUITE_P(Matrices, CliSameAsFfmpeg,
                         testing::Values(Case{3, "gray"}, Case{5, "gray"}, Case{7, "gray"},
                                         Case{3, "yuv420p"}, Case{5, "yuv420p"},
                                         Case{7, "yuv420p"}),
                         [](const testing::TestParamInfo<Case>& tested) {
                             return fmt::format("{}_{}", tested.param.format, tested.param.size);
                         });

// Command lines pasted from ffmpeg.
class CliSameAsFfmpegText : public CliTest {};

TEST_F(CliSameAsFfmpegText, ConvolutionAsPasted) {
    const std::string stack =
        "convolution='-2 -1 0 -1 1 1 0 1 2:-2 -1 0 -1 1 1 0 1 2:-2 -1 0 -1 1 1 0 1 2:0 0 0 0 1 0 0 "
        "0 0:1:1:1:1:0:0:0:0'";
    EXPECT_TRUE(
        exits(weft({"batch", "-vf", stack, "--lossless", "-o", path("out.mkv"), short_clip()}), 0));
    EXPECT_EQ(frame_count(path("out.mkv")), 15);
}

// ---- names and options typed as for ffmpeg ----
// They give ffmpeg's picture within one level, up to its edges: each text goes to both programs,
// with clips of several formats.

struct Format {
    std::string name;  // ffmpeg's
    int bytes = 1;     // per sample
    bool has_chroma = true;
};

const std::vector<Format> kFormats{{"yuv420p"},        {"yuv444p"},        {"gray", 1, false},
                                   {"yuv420p10le", 2}, {"gbrp", 1, false}, {"yuva420p"}};

struct Typed {
    std::string text;
    int levels = 1;            // largest difference; more where a note says so
    bool keeps_first = false;  // we have a first frame, and ffmpeg has none
    bool only_mean = false;
    bool only_8_bits = false;
    bool as_yuv = false;  // ffmpeg converts other formats than YUV with chroma
};

// Random options, the same in every run.
class Options {
 public:
    int whole(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
    double real(double least, double most) {
        return whole(static_cast<int>(100 * least), static_cast<int>(100 * most)) / 100.0;
    }
    std::string numbers(int count, int least, int most, const char* separator = " ") {
        std::string list = std::to_string(whole(1, most));
        for (int k = 1; k < count; ++k) list += fmt::format("{}{}", separator, whole(least, most));
        return list;
    }
    int odd(int least, int most) { return 2 * whole(least / 2, most / 2) + 1; }

 private:
    std::mt19937 random_{42};
};

std::string matrix(Options& options, int plane) {
    constexpr std::array kSquares{9, 25, 49};
    const int mode = options.whole(0, 2);
    const std::string numbers =
        options.numbers(mode == 0 ? kSquares.at(options.whole(0, 2)) : options.odd(1, 15), -3, 6,
                        options.whole(0, 1) == 0 ? " " : "|");
    constexpr std::array kModes{"square", "row", "column"};
    return fmt::format("{0}m='{1}':{0}mode={2}:{0}bias={3}", plane, numbers, kModes.at(mode),
                       options.whole(0, 1) * options.whole(0, 60));
}

void add_blurs(std::vector<Typed>& all, Options& options) {
    for (const char* text : {"boxblur", "boxblur=3:2:1:1", "boxblur=lr=4:cr=0:ap=0", "avgblur",
                             "avgblur=2:5:6", "avgblur=sizeX=2:sizeY=1:planes=8"})
        all.push_back({text});
    for (int k = 0; k < 2; ++k) {
        all.push_back({fmt::format("boxblur={}:{}:{}:{}", options.whole(0, 9), options.whole(0, 3),
                                   options.whole(0, 9), options.whole(-1, 3))});
        all.push_back({fmt::format("avgblur={}:{}:{}", options.whole(1, 9), options.whole(1, 15),
                                   options.whole(0, 9))});
    }
    // ffmpeg only approximates the Gaussian, and worst at the edges.
    for (const char* text : {"gblur", "gblur=sigma=4:steps=4:planes=5", "gblur=6:sigmaV=2:steps=6"})
        all.push_back({.text = text, .only_mean = true});
}

constexpr const char* kMatrixOfEachPlane =
    "convolution='0 -1 0 -1 5 -1 0 -1 0:1|2|1|2|4|2|1|2|1:1 0 0 0 0 0 0 0 -1:0 0 0 0 1 0 0 0 "
    "0:1:0:0:1:0:3:100:0'";

void add_matrices(std::vector<Typed>& all, Options& options) {
    for (const char* text :
         {"convolution", "convolution='1 1 1 1 1 1 1 1 1'", "convolution=0m='1 2 3 4 5':0mode=row",
          "convolution='0 -1 0 -1 5 -1 0 -1 0'", kMatrixOfEachPlane})
        all.push_back({text});
    for (int k = 0; k < 3; ++k)
        all.push_back({fmt::format("convolution={}:{}:{}", matrix(options, 0), matrix(options, 1),
                                   matrix(options, k % 2 + 2))});
}

// ffmpeg's unsharp has next to no effect above 8 bits, and crashes with an amount for alpha.
void add_sharpeners(std::vector<Typed>& all, Options& options) {
    for (const char* text : {"unsharp", "unsharp=7:3:0.5", "unsharp=lx=3:ly=9:la=-1:ca=1.5"})
        all.push_back({.text = text, .only_8_bits = true, .as_yuv = true});
    all.push_back(
        {.text = "unsharp=luma_amount=5", .levels = 4, .only_8_bits = true, .as_yuv = true});
    for (int k = 0; k < 3; ++k)
        all.push_back(
            {.text = fmt::format("unsharp={}:{}:{}:{}:{}:{}", options.odd(3, 12),
                                 options.odd(3, 12), options.real(-1.9, 1.9), options.odd(3, 12),
                                 options.odd(3, 12), options.real(-1.9, 1.9)),
             .only_8_bits = true,
             .as_yuv = true});
}

void add_edges(std::vector<Typed>& all, Options& options) {
    for (const char* name : {"sobel", "prewitt", "roberts", "kirsch", "scharr"}) {
        // Every plane, because the default acts on luma.
        all.push_back({fmt::format("{}=15", name)});
        all.push_back({fmt::format("{}=planes={}:scale={}:delta={}", name, options.whole(1, 15),
                                   options.real(0.1, 3), options.whole(-40, 60))});
    }
}

void add_times(std::vector<Typed>& all, Options& options) {
    for (const char* text :
         {"tmix", "tmix=frames=2", "tmix=frames=5:weights='1 2'", "tmix=3:1|2|4|9:0.2"})
        all.push_back({text});
    for (int k = 0; k < 2; ++k) {
        const int frames = options.whole(1, 6);
        all.push_back({fmt::format("tmix={}:{}", frames, options.numbers(frames, 0, 9))});
    }
    for (const char* mode : {"average", "difference", "difference128", "grainmerge", "addition",
                             "subtract", "average:all_opacity=0.3", "normal:all_opacity=0.25"})
        all.push_back({.text = fmt::format("tblend=all_mode={}", mode), .keeps_first = true});
    all.push_back({.text = "tblend", .keeps_first = true});
}

std::vector<Typed> typed_texts() {
    std::vector<Typed> all;
    Options options;
    add_matrices(all, options);
    add_blurs(all, options);
    add_sharpeners(all, options);
    add_edges(all, options);
    add_times(all, options);
    return all;
}

class CliSameAsFfmpegNames : public CliTest {
 protected:
    static std::string source(const Format& format) {
        return clip(fmt::format("names_{}.mkv", format.name),
                    fmt::format("-f lavfi -i testsrc2=s={}x{}:d=0.1:r=30,noise=alls=40:allf=t "
                                "-pix_fmt {} -c:v ffv1",
                                kWidth, kHeight, format.name));
    }
    std::string ours(std::size_t k, const Format& format) const {
        return path(fmt::format("out{}/cli_names_{}.mkv", k, format.name));
    }
    std::string raw(std::size_t k, const std::string& whose) const {
        return path(fmt::format("{}{}.raw", whose, k));
    }

    // Filters the clips of all formats with each text.
    void run_weft(const std::vector<Typed>& texts) {
        std::vector<std::string> sources;
        for (const Format& format : kFormats) sources.push_back(source(format));
        for (std::size_t k = 0; k < texts.size(); ++k) {
            Arguments arguments{"batch",      "-vf", texts[k].text,
                                "--lossless", "-o",  path(fmt::format("out{}/", k))};
            arguments.insert(arguments.end(), sources.begin(), sources.end());
            EXPECT_TRUE(exits(weft(arguments), 0)) << texts[k].text;
        }
    }

    // Writes what both programs made of one format as raw samples.
    void decode(const std::vector<Typed>& texts, const Format& format) const {
        // With more threads, ffmpeg 5.1 writes columns past the end of a row in mode=column.
        Arguments theirs{"ffmpeg",          "-v", "error", "-nostdin",
                         "-filter_threads", "1",  "-i",    source(format)};
        Arguments inputs{"ffmpeg", "-v", "error", "-nostdin"};
        Arguments outputs;
        const auto add = [](Arguments& list, const Arguments& more) {
            list.insert(list.end(), more.begin(), more.end());
        };
        for (std::size_t k = 0; k < texts.size(); ++k) {
            const Arguments as{"-f",       "rawvideo",  "-fps_mode", "passthrough",
                               "-pix_fmt", format.name, "-y"};
            add(theirs, {"-vf", texts[k].text});
            add(theirs, as);
            theirs.push_back(raw(k, "theirs"));
            add(inputs, {"-i", ours(k, format)});
            add(outputs, {"-map", fmt::format("{}:v", k)});
            add(outputs, as);
            outputs.push_back(raw(k, "ours"));
        }
        add(inputs, outputs);
        for (const Arguments& command : {theirs, inputs}) {
            const test::CommandResult result = test::run_command(command);
            ASSERT_EQ(result.exit_code, 0) << result.err;
        }
    }

    void compare(const Typed& typed, std::size_t k, const Format& format) const {
        std::string got = read_file(raw(k, "ours"));
        const std::string want = read_file(raw(k, "theirs"));
        if (typed.keeps_first) got.erase(0, got.size() / kFrames);
        ASSERT_EQ(got.size(), want.size());
        ASSERT_FALSE(got.empty());
        int largest = 0;
        std::size_t sum = 0;
        std::size_t where = 0;
        const auto sample = [&](const std::string& bytes, std::size_t at) {
            const auto low = static_cast<std::uint8_t>(bytes[at]);
            return format.bytes == 1 ? low : low + 256 * static_cast<std::uint8_t>(bytes[at + 1]);
        };
        for (std::size_t at = 0; at < got.size(); at += format.bytes) {
            const int by = std::abs(sample(got, at) - sample(want, at));
            sum += by;
            if (by <= largest) continue;
            largest = by;
            where = at / format.bytes;
        }
        if (typed.only_mean)
            EXPECT_LE(sum, 4 * format.bytes * got.size());
        else
            EXPECT_LE(largest, typed.levels) << "sample " << where;
    }
};

TEST_F(CliSameAsFfmpegNames, GiveItsPictures) {
    const std::vector<Typed> texts = typed_texts();
    run_weft(texts);
    if (HasFailure()) return;
    for (const Format& format : kFormats) {
        decode(texts, format);
        for (std::size_t k = 0; k < texts.size(); ++k) {
            if (texts[k].as_yuv && !format.has_chroma) continue;
            if (texts[k].only_8_bits && format.bytes > 1) continue;
            SCOPED_TRACE(fmt::format("{} -vf \"{}\"", format.name, texts[k].text));
            compare(texts[k], k, format);
        }
    }
}

// ffmpeg turns a picture upright before it filters it.
TEST_F(CliSameAsFfmpegNames, TurnedPicturesAreFilteredAsTheyAreShown) {
    const std::string upright = clip(
        "noisy_upright.mp4", fmt::format("-f lavfi -i testsrc2=s={}x{}:d=0.1:r=30,noise=alls=40 "
                                         "-pix_fmt yuv420p -c:v libx264 -qp 0",
                                         kWidth, kHeight));
    for (const int degrees : {90, 180, 270}) {
        const bool on_its_side = degrees != 180;
        const int width = on_its_side ? kHeight : kWidth;
        const int height = on_its_side ? kWidth : kHeight;
        const std::string source =
            clip(fmt::format("noisy_turned_{}.mp4", degrees),
                 fmt::format("-i @noisy_upright.mp4 -c copy -metadata:s:v rotate={}", degrees));
        for (const char* text :
             {"sobel=15", "prewitt=15", "scharr=15:0.2", "kirsch=15:0.3", "roberts=15",
              "convolution=1|2|3|4|5|6|7|8|9", "convolution=0m=1|2|3|4|5:0mode=row",
              "convolution=0m=1|2|3|4|5:0mode=column",
              "convolution=0m=1|2|3|4|5|6|7|8|9|1|2|3|4|5|6|7|8|9|1|2|3|4|5|6|7",
              "boxblur=lr=5:lp=1:cr=2", "avgblur=20:15:1", "avgblur=1:15:40", "unsharp=7:3:1"}) {
            SCOPED_TRACE(fmt::format("{} by {}", text, degrees));
            ASSERT_TRUE(exits(
                weft({"batch", "-y", "-vf", text, "--lossless", "-o", path("turned.mp4"), source}),
                0));
            const std::string raw = " -pix_fmt yuv420p -f rawvideo -";
            const std::string got = ffmpeg_text(path("turned.mp4"), raw);
            const std::string want =
                ffmpeg_text(source, fmt::format("-filter_threads 1 -vf {}{}", text, raw));
            ASSERT_EQ(got.size(), want.size());
            std::size_t at = 0;
            for (int frame = 0; frame < kFrames; ++frame)
                for (const int part : {1, 2, 2})
                    for (int y = 0; y < height / part; ++y)
                        for (int x = 0; x < width / part; ++x, ++at) {
                            const int by = static_cast<std::uint8_t>(got[at]) -
                                           static_cast<std::uint8_t>(want[at]);
                            ASSERT_LE(std::abs(by), 1)
                                << "frame " << frame << " at " << x << ", " << y << ": " << by;
                        }
            EXPECT_EQ(at, got.size());
        }
    }
}

}  // namespace
}  // namespace weft::cli
