#include "app/pipeline/job_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

extern "C" {
#include <libavutil/eval.h>
#include <libavutil/parseutils.h>
}

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/media/libav/error.h"
#include "app/media/read/given_tags.h"
#include "app/media/write/encoder_traits.h"
#include "app/pipeline/names.h"
#include "app/pipeline/times.h"
#include "filters/text/nearest.h"
#include "kernels/conv_problem.h"

namespace weft {
namespace {

// ---- values ----

std::string flag_text(bool is_set) {
    return is_set ? "yes" : "";
}

// Receipts are not trusted: a flag has no other value.
bool parse_flag(const std::string& text) {
    if (text == "yes") return true;
    throw Error(Outcome::usage, fmt::format("'{}' is not the value of a flag", shown(text)));
}

template <class T>
std::string number_text(const std::optional<T>& number, std::string_view unit = "") {
    return number ? fmt::format("{}{}", *number, unit) : "";
}

// Throws unless there is no reason against the value.
void require(const char* option, const std::string& why_not) {
    if (!why_not.empty()) throw Error(Outcome::usage, fmt::format("{}: {}", option, why_not));
}

std::int64_t parse_whole(const char* option, const std::string& text, std::int64_t least,
                         std::int64_t most) {
    require(option, why_not_whole_number(text, least, most));
    return std::stoll(text);
}

// Maps the words of an option to its values.
template <class T, std::size_t N>
using Choices = std::array<std::pair<std::string_view, T>, N>;

template <class T, std::size_t N>
T parse_choice(const char* option, const std::string& text, const Choices<T, N>& choices) {
    std::array<std::string_view, N> words;
    std::ranges::transform(choices, words.begin(), &std::pair<std::string_view, T>::first);
    require(option, why_not_one_of(text, words));
    return choices[std::ranges::find(words, text) - words.begin()].second;
}

// ---- lines NAME=VALUE ----

using Lines = std::map<std::string, std::string>;

std::string lines_text(const Lines& lines) {
    std::vector<std::string> all;
    for (const auto& [name, value] : lines) all.push_back(fmt::format("{}={}", name, value));
    return fmt::format("{}", fmt::join(all, "\n"));
}

// Of lines with the same name, the last one counts.
Lines parse_lines(const char* option, const std::string& text) {
    Lines lines;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::size_t equals = text.find('=', at);
        if (equals >= end || equals == at)
            throw Error(Outcome::usage, fmt::format("{} {}: expected NAME=VALUE", option,
                                                    shown(text.substr(at, end - at))));
        lines[text.substr(at, equals - at)] = text.substr(equals + 1, end - equals - 1);
        at = end + 1;
    }
    return lines;
}

Lines parse_tags(const std::string& text) {
    Lines tags = parse_lines("-metadata", text);
    for (const auto& [key, value] : tags) check_tag_key(key);
    return tags;
}

// Parameters of encoders' libraries with which they read or write files of their own.
constexpr std::array<std::string_view, 17> kFileParameters = {"pass",
                                                              "stats",
                                                              "qpfile",
                                                              "dump-yuv",
                                                              "cqmfile",
                                                              "log-file",
                                                              "recon",
                                                              "csv",
                                                              "lambda-file",
                                                              "scaling-list",
                                                              "zonefile",
                                                              "dhdr10-info",
                                                              "analysis-save",
                                                              "analysis-load",
                                                              "analysis-reuse-file",
                                                              "dolby-vision-rpu",
                                                              "multi-pass-opt-analysis"};

// A plan from elsewhere must not make an encoder write files, whatever quotes it uses.
void refuse_files(const std::string& name, const std::string& parameters) {
    std::string plain = ":" + parameters;
    std::erase_if(plain, [](char c) { return c == '\\' || c == '\'' || c == ' ' || c == '\t'; });
    std::ranges::replace(plain, '_', '-');
    for (const std::string_view file : kFileParameters)
        if (plain.find(fmt::format(":{}=", file)) != std::string::npos)
            throw Error(Outcome::usage,
                        fmt::format("-{}: {}: the video is encoded in one pass, and encoders read "
                                    "and write no files of their own",
                                    name, file));
}

Lines parse_encoder_options(const std::string& text) {
    Lines options = parse_lines("--encoder-option", text);
    for (const auto& [name, value] : options) {
        if (!is_encoder_option(name))
            throw Error(
                Outcome::usage,
                fmt::format("--encoder-option {}: no video encoder has this option", shown(name)));
        if (name.ends_with("-params") || name.ends_with("opts")) refuse_files(name, value);
    }
    return options;
}

// A number from 0 to the most that any encoder takes, which checks its own range once it is chosen.
double parse_quality(const char* option, const std::string& text, double most, const char* ranges) {
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    const bool in_range = number >= 0 && number <= most;  // false for NaN
    if (error != std::errc{} || stop != end || !in_range)
        throw Error(Outcome::usage,
                    fmt::format("{} {}: expected a number {}", option, shown(text), ranges));
    return number;
}

double parse_crf(const std::string& text) {
    return parse_quality("-crf", text, 63,
                         "from 0 (best) to 51 (libx264, libx265, NVENC, pictures) or 63 "
                         "(libvpx-vp9, AV1 encoders)");
}

double parse_scale(const std::string& text) {
    return parse_quality("-q:v", text, 100,
                         "on the scale of the encoder: 1 (best) to 31 for JPEG and MPEG, 0 to 100 "
                         "(best) for WebP and JPEG XL");
}

// In ffmpeg's notation; the encoder checks its own range.
std::string parse_bit_rate(const std::string& text) {
    char* end = nullptr;
    const double rate = av_strtod(text.c_str(), &end);
    // ffmpeg's VP9 needs it to let -crf alone decide.
    if (*end == '\0' && !text.empty() && rate == 0) return "";
    if (*end != '\0' || !std::isfinite(rate) || rate < 1)
        throw Error(Outcome::usage,
                    fmt::format("-b:v {}: expected bits per second, such as 4M, 800k or 4000000",
                                shown(text)));
    return text;
}

// In ffmpeg's notation: 24, 30000/1001, ntsc.
double parse_frame_rate(const std::string& text) {
    constexpr double kLeast = 0.001;
    constexpr double kMost = 100'000;
    AVRational rate{};
    const bool parsed = av_parse_video_rate(&rate, text.c_str()) >= 0;
    if (!parsed || av_q2d(rate) < kLeast || av_q2d(rate) > kMost)
        throw Error(Outcome::usage,
                    fmt::format("-framerate {}: expected frames per second from {} to {}, such as "
                                "24, 23.976, 30000/1001 or ntsc",
                                shown(text), kLeast, kMost));
    return av_q2d(rate);
}

std::string parse_video_codec(const std::string& text) {
    if (text == "copy")
        throw Error(Outcome::usage,
                    "-c:v copy: filtered video cannot be copied; leave out -c:v, or use "
                    "--lossless to keep every pixel");
    check_encoder_name("-c:v", text, AVMEDIA_TYPE_VIDEO);
    return text;
}

std::string parse_audio_codec(const std::string& text) {
    if (text != "copy") check_encoder_name("-c:a", text, AVMEDIA_TYPE_AUDIO);
    return text;
}

bool parse_movie_flags(const std::string& text) {
    if (text == "+faststart" || text == "faststart") return true;
    throw Error(Outcome::usage,
                fmt::format("-movflags {}: expected +faststart; tags are always kept, and mp4 on "
                            "standard output is always fragmented",
                            shown(text)));
}

std::string parse_pixel_format(const std::string& text) {
    check_pixel_format_name(text);
    return text;
}

std::string kernels_text(const ForcedKernels& forced) {
    return forced.by_step.empty() ? forced.every_step
                                  : fmt::format("{}", fmt::join(forced.by_step, ","));
}

// ---- the range ----

// The output starts at 0, and chapters after its end are dropped.
void set_start(FileJob& job, std::int64_t start_us) {
    job.reader.start_us = start_us;
    job.writer.shift_us = start_us;
}

void set_end(FileJob& job, std::int64_t end_us) {
    const std::int64_t start_us = job.reader.start_us.value_or(0);
    if (end_us <= start_us)
        throw Error(Outcome::usage, "nothing is left between -ss and the end given by -t or -to");
    job.reader.end_us = end_us;
    job.writer.length_us = end_us - start_us;
}

void parse_duration(FileJob& job, const std::string& text) {
    const std::int64_t length = parse_time_us("-t", text);
    const std::int64_t from = job.reader.start_us.value_or(0);
    if (length > std::numeric_limits<std::int64_t>::max() - from)
        throw Error(Outcome::usage, fmt::format("-t {}: the duration is too long", shown(text)));
    set_end(job, from + length);
}

// As in ffmpeg, -t takes precedence.
void parse_end(FileJob& job, const std::string& text) {
    const std::int64_t end_us = parse_time_us("-to", text);
    if (!job.reader.end_us) set_end(job, end_us);
}

// ---- the table ----

constexpr Choices<Fields, 1> kFields = {{{"split", Fields::split}}};
constexpr Choices<OnChange, 2> kOnChange = {{{"fail", OnChange::fail}, {"scale", OnChange::scale}}};
constexpr Choices<Verify, 2> kVerify = {{{"packets", Verify::packets}, {"decode", Verify::decode}}};
constexpr Choices<Hwaccel, 3> kHwaccel = {
    {{"auto", Hwaccel::automatic}, {"cuda", Hwaccel::cuda}, {"none", Hwaccel::none}}};

// The word of a value; empty for one that has none, which is then the default.
template <class T, std::size_t N>
std::string choice_text(const Choices<T, N>& choices, T value) {
    const auto found = std::ranges::find(choices, value, &std::pair<std::string_view, T>::second);
    return found == choices.end() ? "" : std::string(found->first);
}

// libav's maximum for encoders that keep a frame in each thread.
constexpr int kMostThreads = 64;

using Job = const FileJob&;
using Text = const std::string&;

constexpr auto kOptions = std::to_array<JobOption>({
    {"--kernel", "NAME[,NAME...]", "Filters",
     "Force a kernel for all steps, or one per step (,direct forces only the second step's); "
     "table ignores the results of weft tune",
     Affects::nothing, [](Job job) { return kernels_text(job.forced); },
     [](FileJob& job, Text text) { job.forced = parse_forced_kernels(text); }},
    {"--fields", "split", "Filters", "Filter each field of interlaced video as a separate picture",
     Affects::frames, [](Job job) { return choice_text(kFields, job.fields); },
     [](FileJob& job, Text text) { job.fields = parse_choice("--fields", text, kFields); }},
    {"--exact", "", "Filters",
     "Give the same bits on every device, by rounding taps to whole numbers; may be slower",
     Affects::frames, [](Job job) { return flag_text(job.sums == Sums::exact); },
     [](FileJob& job, Text text) { job.sums = parse_flag(text) ? Sums::exact : Sums::as_given; }},
    {"-hwaccel", "auto|cuda|none", "Processing",
     "Decode on the GPU if possible (auto), always (cuda) or never (none) [none]", Affects::nothing,
     [](Job job) {
         return job.reader.hwaccel == Hwaccel::none ? ""
                                                    : choice_text(kHwaccel, job.reader.hwaccel);
     },
     [](FileJob& job, Text text) {
         job.reader.hwaccel = parse_choice("-hwaccel", text, kHwaccel);
     }},
    {"--keep-damaged", "", "Processing", "Keep the usable part of a damaged input (exit code 4)",
     Affects::nothing, [](Job job) { return flag_text(job.keep_damaged); },
     [](FileJob& job, Text text) { job.keep_damaged = parse_flag(text); }},
    {"--on-change", "fail|scale", "Processing",
     "Fail, or convert to the first format, when size, pixel format, range or matrix changes "
     "mid-stream [fail]",
     Affects::frames,
     [](Job job) {
         return job.on_change == OnChange::fail ? "" : choice_text(kOnChange, job.on_change);
     },
     [](FileJob& job, Text text) { job.on_change = parse_choice("--on-change", text, kOnChange); }},
    {"-ss", "TIME", "Range", "Start time, such as 90, 1:30.5 or 1500ms", Affects::frames,
     [](Job job) { return number_text(job.reader.start_us, "us"); },
     [](FileJob& job, Text text) { set_start(job, parse_time_us("-ss", text)); }},
    {"-t", "TIME", "Range", "Duration", Affects::frames, [](Job) { return std::string(); },
     parse_duration},
    {"-to", "TIME", "Range", "End time", Affects::frames,
     [](Job job) { return number_text(job.reader.end_us, "us"); }, parse_end},
    {"-framerate", "RATE", "Range",
     "Frames per second of numbered pictures, pictures from a pipe and raw streams, such as "
     "24 or 30000/1001 [25]",
     Affects::frames, [](Job job) { return number_text(job.reader.frame_rate); },
     [](FileJob& job, Text text) { job.reader.frame_rate = parse_frame_rate(text); }},
    {"-an", "", "Range", "Leave out audio", Affects::file,
     [](Job job) { return flag_text(!job.reader.audio); },
     [](FileJob& job, Text text) { job.reader.audio = !parse_flag(text); }},
    {"-sn", "", "Range", "Leave out subtitles", Affects::file,
     [](Job job) { return flag_text(!job.reader.subtitles); },
     [](FileJob& job, Text text) { job.reader.subtitles = !parse_flag(text); }},
    {"-f", "NAME", "Output", "Container of the output, or of standard input if only the input is -",
     Affects::file, [](Job job) { return job.writer.format; },
     [](FileJob& job, Text text) { job.writer.format = text; }},
    {"-metadata", "KEY=VALUE", "Output",
     "Set a tag of the file or, as in -metadata:s:a:0 language=fra, of a stream; an empty value "
     "removes it",
     Affects::file, [](Job job) { return lines_text(job.reader.tags); },
     [](FileJob& job, Text text) { job.reader.tags = parse_tags(text); }, true},
    {"-movflags", "+faststart", "Output",
     "Put the index of an mp4 or mov at its beginning, for players that load it over a network",
     Affects::file, [](Job job) { return std::string(job.writer.index_first ? "+faststart" : ""); },
     [](FileJob& job, Text text) { job.writer.index_first = parse_movie_flags(text); }},
    {"-c:v", "CODEC", "Encoding", "Video encoder [by container]", Affects::file,
     [](Job job) { return job.writer.video_codec; },
     [](FileJob& job, Text text) { job.writer.video_codec = parse_video_codec(text); }},
    {"-c:a", "CODEC", "Encoding", "Audio encoder, or copy [copy]", Affects::file,
     [](Job job) { return job.writer.audio_codec == "copy" ? "" : job.writer.audio_codec; },
     [](FileJob& job, Text text) { job.writer.audio_codec = parse_audio_codec(text); }},
    {"-crf", "Q", "Encoding", "Constant quality, lower is better [18 for x264]", Affects::encoding,
     [](Job job) { return number_text(job.writer.crf); },
     [](FileJob& job, Text text) { job.writer.crf = parse_crf(text); }},
    {"-q:v", "Q", "Encoding",
     "Quality on the encoder's scale: 1 (best) to 31 for JPEG, 0 to 100 (best) for WebP and JPEG "
     "XL [that of a JPEG is kept]",
     Affects::encoding, [](Job job) { return number_text(job.writer.quality); },
     [](FileJob& job, Text text) { job.writer.quality = parse_scale(text); }},
    {"-b:v", "RATE", "Encoding", "Video bit rate, such as 4M", Affects::encoding,
     [](Job job) { return job.writer.bit_rate; },
     [](FileJob& job, Text text) { job.writer.bit_rate = parse_bit_rate(text); }},
    {"-preset", "NAME", "Encoding", "Preset of the encoder, such as slow", Affects::encoding,
     [](Job job) { return job.writer.preset; },
     [](FileJob& job, Text text) { job.writer.preset = text; }},
    {"--encoder-option", "NAME=VALUE", "Encoding",
     "Set an option of the encoder; -NAME VALUE is the same: -profile:v high, -tune film, "
     "-x264-params keyint=30, -g 48",
     Affects::encoding, [](Job job) { return lines_text(job.writer.encoder_options); },
     [](FileJob& job, Text text) { job.writer.encoder_options = parse_encoder_options(text); },
     true},
    {"-pix_fmt", "FORMAT", "Encoding", "Pixel format [the source's]", Affects::file,
     [](Job job) { return job.writer.pixel_format; },
     [](FileJob& job, Text text) { job.writer.pixel_format = parse_pixel_format(text); }},
    {"-threads", "N", "Encoding",
     "Threads of the video encoder; 0 chooses by cores and files in flight [0]", Affects::encoding,
     [](Job job) { return job.writer.threads > 0 ? std::to_string(job.writer.threads) : ""; },
     [](FileJob& job, Text text) {
         job.writer.threads = static_cast<int>(parse_whole("-threads", text, 0, kMostThreads));
     }},
    {"--lossless", "", "Encoding", "Store the filtered pixels exactly", Affects::encoding,
     [](Job job) { return flag_text(job.writer.lossless); },
     [](FileJob& job, Text text) { job.writer.lossless = parse_flag(text); }},
    {"--strict", "", "Encoding", "Fail instead of warning when the output cannot keep something",
     Affects::nothing, [](Job job) { return flag_text(job.writer.strict); },
     [](FileJob& job, Text text) { job.writer.strict = parse_flag(text); }},
    {"--verify", "packets|decode", "Processing",
     "Read outputs back; decode also decodes every frame and compares those of --lossless "
     "[packets; decode with --lossless]",
     Affects::nothing,
     [](Job job) { return job.writer.verify ? choice_text(kVerify, *job.writer.verify) : ""; },
     [](FileJob& job, Text text) { job.writer.verify = parse_choice("--verify", text, kVerify); }},
    {"--max-pixels", "N", "Processing", "Refuse pictures with more pixels [268435456]",
     Affects::nothing,
     [](Job job) {
         const std::int64_t most = job.reader.limits.max_pixels;
         return most == ReaderLimits().max_pixels ? "" : std::to_string(most);
     },
     [](FileJob& job, Text text) {
         job.reader.limits.max_pixels =
             parse_whole("--max-pixels", text, 1, std::numeric_limits<std::int64_t>::max());
     }},
    {"--max-side", "N", "Processing", "Refuse pictures with a longer side [65535]",
     Affects::nothing,
     [](Job job) {
         const int most = job.reader.limits.max_side;
         return most == ReaderLimits().max_side ? "" : std::to_string(most);
     },
     [](FileJob& job, Text text) {
         job.reader.limits.max_side =
             static_cast<int>(parse_whole("--max-side", text, 1, ConvProblem::kMaxSide));
     }},
});

}  // namespace

std::span<const JobOption> job_options() {
    return kOptions;
}

const JobOption& job_option(std::string_view name) {
    const auto found = std::ranges::find(kOptions, name, &JobOption::name);
    if (found == kOptions.end())
        throw std::out_of_range(fmt::format("there is no option {}", name));
    return *found;
}

JobFacts option_facts(const FileJob& job, Affects least) {
    JobFacts facts;
    for (const JobOption& option : kOptions)
        if (option.affects <= least) facts.push_back({std::string(option.name), option.print(job)});
    return facts;
}

}  // namespace weft
