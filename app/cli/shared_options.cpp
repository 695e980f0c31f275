#include "app/cli/shared_options.h"

#include <algorithm>
#include <charconv>

extern "C" {
#include <libavutil/parseutils.h>
}

#include <fmt/format.h>

#include "app/media/libav/error.h"
#include "app/pipeline/folders.h"
#include "filters/preset.h"
#include "filters/text/nearest.h"

namespace weft {

void add_stack_options(CLI::App& app, StackWords& words, const std::string& group) {
    app.add_option("--vf", words.stack, "Filters in ffmpeg's syntax: gaussian=sigma=2,sobel")
        ->option_text("STACK")
        ->group(group);
    app.add_option("--preset", words.preset, "A stack from a file or by name: weft list presets")
        ->option_text("NAME|FILE")
        ->group(group);
}

void add_gpu_option(CLI::App& app, std::string& words, const std::string& group) {
    app.add_option("--gpu", words, "auto, require, off or the number of a GPU [auto]")
        ->option_text("WHICH")
        ->group(group);
}

void add_gpus_option(CLI::App& app, std::string& words, const std::string& group) {
    app.add_option("--gpu", words,
                   "auto, require, off, all, or GPU numbers such as 0 or 0,1 [auto]")
        ->option_text("WHICH")
        ->group(group);
}

void add_range_options(CLI::App& app, RangeWords& words, const std::string& group) {
    app.add_option("--start", words.start, "Start time: 90, 1:30.5, 1500ms")
        ->option_text("TIME")
        ->group(group);
    app.add_option("--duration", words.duration, "Duration")->option_text("TIME")->group(group);
    app.add_option("--end", words.end, "End time")->option_text("TIME")->group(group);
}

RequestedRange parse_range(const RangeWords& words) {
    return parse_time_range(words.start, words.duration, words.end);
}

void add_frame_rate_option(CLI::App& app, std::string& words, const std::string& group) {
    app.add_option("--framerate", words,
                   "Frames per second of numbered pictures, pictures from a pipe and raw streams: "
                   "24, 30000/1001 [25]")
        ->option_text("RATE")
        ->group(group);
}

std::optional<double> parse_frame_rate(const std::string& words) {
    constexpr double kLeast = 0.001;
    constexpr double kMost = 100'000;
    if (words.empty()) return std::nullopt;
    AVRational rate{};
    const bool parsed = av_parse_video_rate(&rate, words.c_str()) >= 0;
    if (!parsed || av_q2d(rate) < kLeast || av_q2d(rate) > kMost)
        throw Error(Outcome::usage,
                    fmt::format("-framerate {}: expected frames per second from {} to {}, such as "
                                "24, 23.976, 30000/1001 or ntsc",
                                shown(words), kLeast, kMost));
    return av_q2d(rate);
}

void add_explain_option(CLI::App& app, bool& explain, const std::string& group) {
    app.add_flag("--explain", explain, "Explain the kernel choice for each step and plane")
        ->group(group);
}

void add_json_option(CLI::App& app, std::string& words, const std::string& group) {
    app.add_option(
           "--json", words,
           "Write a report to standard output, or to FILE.json (an older report is replaced)")
        ->option_text("[FILE.json]")
        ->group(group);
}

CLI::Validator one_of(std::vector<std::string> words) {
    return {[words = std::move(words)](const std::string& text) {
                if (std::ranges::find(words, text) != words.end()) return std::string();
                return fmt::format("'{}' is not one of {}", shown(text), fmt::join(words, ", "));
            },
            ""};
}

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
    return {[=](const std::string& text) {
                std::int64_t number = 0;
                const char* end = text.data() + text.size();
                const auto [stop, error] = std::from_chars(text.data(), end, number);
                const bool fits =
                    error == std::errc{} && stop == end && number >= least && number <= most;
                return fits ? std::string()
                            : fmt::format("'{}' is not a whole number from {} to {}", shown(text),
                                          least, most);
            },
            ""};
}

}  // namespace weft
