#include "app/cli/batch/ffmpeg_pipe.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/command_line.h"
#include "app/cli/terminal/messages.h"
#include "app/media/libav/error.h"
#include "filters/filter.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

// The video filters of FFmpeg 5.1 with one input that need no device, without those of weft.
constexpr std::string_view kForeign =
    " "
    "addroi alphaextract amplify ass atadenoise bbox bilateral bitplanenoise blackdetect "
    "blackframe blockdetect blurdetect bwdif cas chromahold chromakey chromanr "
    "chromashift ciescope codecview colorbalance colorchannelmixer colorcontrast "
    "colorcorrect colorhold colorize colorkey colorlevels colormatrix colorspace "
    "colortemperature cover_rect crop cropdetect curves datascope dblur dctdnoiz deband "
    "deblock dedot deflate deflicker dejudder delogo derain deshake despill detelecine "
    "dilation dnn_classify dnn_detect dnn_processing doubleweave drawbox drawgraph "
    "drawgrid drawtext edgedetect elbg entropy epx eq erosion estdif exposure fade "
    "fftdnoiz fftfilt field fieldhint fieldorder fifo fillborders find_rect floodfill fps "
    "framerate framestep freezedetect frei0r fspp geq gradfun graphmonitor grayworld "
    "greyedge hflip histeq histogram hqdn3d hqx hsvhold hsvkey hue huesaturation idet il "
    "inflate interlace kerndeint lagfun latency lenscorrection libplacebo limiter loop "
    "lumakey lut lut1d lut3d lutrgb lutyuv maskfun median mestimate minterpolate "
    "monochrome mpdecimate negate nlmeans nnedi noformat noise normalize oscilloscope "
    "owdenoise pad palettegen perspective phase photosensitivity pixdesctest pixelize "
    "pixscope pp pp7 pseudocolor pullup random readeia608 readvitc removegrain removelogo "
    "repeatfields reverse rgbashift rotate sab scale scdet scroll selectivecolor "
    "separatefields setdar setfield setparams setpts setrange setsar settb shear showinfo "
    "showpalette shuffleframes shufflepixels shuffleplanes sidedata signalstats siti "
    "smartblur spp sr stereo3d subtitles super2xsai swaprect swapuv telecine thistogram "
    "thumbnail tile tinterlace tlut2 tmedian tmidequalizer tonemap tpad transpose trim "
    "untile v360 vaguedenoiser vectorscope vflip vfrdet vibrance vidstabdetect "
    "vidstabtransform vignette vmafmotion w3fdif waveform weave xbr yadif yaepblur "
    "zoompan zscale ";

bool is_foreign(std::string_view name) {
    return kForeign.find(fmt::format(" {} ", name)) != std::string_view::npos;
}

// These change nothing.
bool is_idle(std::string_view name) {
    return name == "null" || name == "copy";
}

std::string_view name_of_step(std::string_view step) {
    const std::size_t begin = std::min(step.find_first_not_of(' '), step.size());
    step.remove_prefix(begin);
    return step.substr(0, step.find_first_of("= "));
}

// The steps of a stack, split at its commas outside of quotes.
std::vector<std::string> split_steps(const std::string& stack) {
    std::vector<std::string> steps(1);
    bool quoted = false;
    for (std::size_t at = 0; at < stack.size(); ++at) {
        const char c = stack[at];
        if (c == '\'') quoted = !quoted;
        if (c == ',' && !quoted) {
            steps.emplace_back();
            continue;
        }
        steps.back() += c;
        if (c == '\\' && !quoted && at + 1 < stack.size()) steps.back() += stack[++at];
    }
    return steps;
}

std::string quoted(const std::string& word) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./%@";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
    return text + "'";
}

std::string joined(const std::vector<std::string>& words) {
    std::vector<std::string> all;
    for (const std::string& word : words) all.push_back(quoted(word));
    return fmt::format("{}", fmt::join(all, " "));
}

// Consecutive steps that one program applies.
struct Stage {
    bool by_ffmpeg = false;
    std::vector<std::string> steps = {};
};

// The command line, divided into what each program gets.
struct Request {
    std::string input;
    std::string output;
    std::vector<std::string> range = {};    // -ss, -t, -to
    std::vector<std::string> writing = {};  // options of ffmpeg's that write the output
    std::vector<std::string> others = {};
};

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
}

Request request_of(Arguments arguments, const BatchOptions& options) {
    constexpr std::array<std::string_view, 3> kRange = {"-ss", "-t", "-to"};
    constexpr std::array<std::string_view, 3> kReplaced = {"-vf", "-o", "-f"};
    constexpr std::array<std::string_view, 11> kWriting = {
        "-y",      "-c:v",     "-c:a",     "-crf",      "-b:v",     "-q:v",
        "-preset", "-pix_fmt", "-threads", "-metadata", "-movflags"};
    std::vector<KnownOption> known;
    for (const OptionHelp& option : batch_options())
        known.push_back({long_form(option.word), !option.value.empty()});
    Request request{.input = options.inputs.front(), .output = options.output};
    for (const std::string& word : split_arguments(arguments, known).options) {
        const std::size_t equals = word.find('=');
        std::string typed = typed_form(word.substr(0, equals));
        std::vector<std::string> words{typed};
        if (equals != std::string::npos) words.push_back(word.substr(equals + 1));
        if (typed == "--encoder-option") {
            const std::size_t value = words[1].find('=');
            words = {"-" + words[1].substr(0, value), words[1].substr(value + 1)};
            typed = "-crf";
        }
        if (is_one_of(typed, kReplaced)) continue;
        std::vector<std::string>& to = is_one_of(typed, kRange)     ? request.range
                                       : is_one_of(typed, kWriting) ? request.writing
                                                                    : request.others;
        to.insert(to.end(), words.begin(), words.end());
    }
    if (options.output.ends_with('/') || fs::is_directory(options.output))
        request.output = (fs::path(options.output) / fs::path(request.input).filename()).string();
    return request;
}

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
}

// Where ffmpeg would choose the same encoder, with another quality.
bool has_default_encoder(const Request& request) {
    constexpr std::array<std::string_view, 4> kOfX264 = {".mp4", ".m4v", ".mov", ".mkv"};
    constexpr std::array<std::string_view, 4> kChoices = {"-c:v", "-crf", "-b:v", "-q:v"};
    return is_one_of(fs::path(request.output).extension().string(), kOfX264) &&
           std::ranges::none_of(request.writing,
                                [&](const std::string& word) { return is_one_of(word, kChoices); });
}

// Matroska between the programs keeps tags, languages and colours. Subtitles of mp4 and mov are
// none of its kinds.
Words ffmpeg_words(const Stage& stage, const Request& request, bool first, bool last) {
    Words words = {"ffmpeg", "-v", "error"};
    if (first) append(words, request.range);
    append(words, {"-i", first ? request.input : "-"});
    if (first)
        append(words, {"-map", "0:V:0", "-map", "0:a?", "-map", "0:s?"});
    else
        append(words, {"-map", "0"});
    append(words, {"-vf", fmt::format("{}", fmt::join(stage.steps, ","))});
    if (last) {
        append(words, {"-c:a", "copy"});
        append(words, request.writing);
        if (has_default_encoder(request)) append(words, {"-c:v", "libx264", "-crf", "18"});
        append(words, {request.output});
        return words;
    }
    const std::string extension = fs::path(request.input).extension().string();
    const bool movie = extension == ".mp4" || extension == ".mov" || extension == ".m4v";
    append(words, {"-c", "copy", "-c:v", "ffv1"});
    if (first && movie) append(words, {"-c:s", "srt"});
    append(words, {"-f", "matroska", "-"});
    return words;
}

Words weft_words(const Stage& stage, const Request& request, bool first, bool last) {
    Words words = {"weft", "batch", "-vf", fmt::format("{}", fmt::join(stage.steps, ","))};
    append(words, request.others);
    if (first) append(words, request.range);
    if (last) append(words, request.writing);
    if (!last) append(words, {"--lossless", "-f", "matroska"});
    append(words, {"-o", last ? request.output : "-", first ? request.input : "-"});
    return words;
}

std::vector<Stage> stages_of(const std::vector<std::string>& steps) {
    std::vector<Stage> stages;
    for (const std::string& step : steps) {
        const bool foreign = find_filter(name_of_step(step), Names::typed) == nullptr;
        if (stages.empty() || stages.back().by_ffmpeg != foreign)
            stages.push_back({.by_ffmpeg = foreign});
        stages.back().steps.push_back(step);
    }
    return stages;
}

}  // namespace

void refuse_foreign_filters(Arguments arguments, const BatchOptions& options) {
    std::vector<std::string> steps = split_steps(options.stack.stack);
    std::vector<std::string> foreign;
    for (const std::string& step : steps) {
        const std::string name(name_of_step(step));
        if (find_filter(name, Names::typed) != nullptr) continue;
        if (!is_foreign(name) && !is_idle(name) && name != "format") return;
        foreign.push_back(name);
    }
    if (foreign.empty() || options.inputs.empty()) return;
    std::erase_if(steps, [](const std::string& step) { return is_idle(name_of_step(step)); });
    Request request = request_of(arguments, options);
    constexpr std::string_view kFormat = "format=";
    if (!steps.empty() && steps.back().starts_with(kFormat) &&
        steps.back().find('|') == std::string::npos) {
        append(request.writing, {"-pix_fmt", steps.back().substr(kFormat.size())});
        steps.pop_back();
    }
    const std::vector<Stage> stages = stages_of(steps);
    const bool lossless = std::ranges::find(request.others, "--lossless") != request.others.end();
    if (lossless && !stages.empty() && stages.back().by_ffmpeg) return;
    if (stages.empty())
        throw Error(Outcome::usage,
                    fmt::format("weft has no filter {}, and nothing else is to be done: name a "
                                "filter of weft list filters",
                                fmt::join(foreign, ", ")));
    std::vector<std::string> commands;
    for (const Stage& stage : stages) {
        const bool first = &stage == &stages.front();
        const bool last = &stage == &stages.back();
        commands.push_back(joined(stage.by_ffmpeg ? ffmpeg_words(stage, request, first, last)
                                                  : weft_words(stage, request, first, last)));
    }
    print_lines(fmt::format("{}\n", fmt::join(commands, " | ")));
    throw Error(Outcome::usage,
                fmt::format("weft has no filter {}; the command above does the same{}{}",
                            fmt::join(foreign, ", "), commands.size() > 1 ? " with ffmpeg" : "",
                            options.inputs.size() > 1 ? ", for the first input" : ""));
}

}  // namespace weft
