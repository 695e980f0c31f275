#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/batch/job_list.h"
#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/shared_options.h"
#include "app/cli/signals.h"
#include "app/cli/terminal/messages.h"
#include "app/cli/terminal/report_file.h"
#include "app/cli/terminal/terminal.h"
#include "app/pipeline/result_text.h"
#include "app/pipeline/times.h"
#include "app/pipeline/track/film_track.h"
#include "filters/text/nearest.h"
#include "filters/text/number_text.h"
#include "filters/text/printable.h"
#include "filters/text/text_error.h"

namespace weft {
namespace {

constexpr const char* kUsage = "weft track FILE --box WxH+X+Y --at TIME";
constexpr const char* kSummary =
    "Follows an object through a video, forwards and backwards from a box around it, and writes "
    "one box per frame as MOT Challenge text. Lists the stretches in which the object was not "
    "found for certain: there the box is held and grown.";
constexpr const char* kExamples = R"(Examples:
  weft track drive.mp4 --box 120x60+300+200 --at 3.2 -o plate.boxes
  weft track drive.mp4 --box 120x60+300+200 --at 3.2 --box 90x45+510+220 --at 7.6 -o plate.boxes -y
  weft track drive.mp4 --box 120x60+300+200 --at 3.2 --from 2 --to 9

Boxes are in pixels of the picture as it is shown, before its sample aspect ratio: width, height, and
the distances of the left upper corner from the left and the top. Give another box for a frame in
which the object was lost: between two boxes it is followed from both. A camera cut ends a track.
Objects that are tracked one after another with an --id each can be put into one file:
  cat plate.boxes face.boxes > all.boxes
A line of the output is frame,id,left,top,width,height,confidence,-1,-1,-1, with frames from 1.
Exit codes: as for weft batch.)";

struct TrackOptions {
    TrackJob job;
    std::int64_t id = 1;
    std::string output = "-";
    Overwrite overwrite = Overwrite::refuse;
};

// ---- the command line ----

[[noreturn]] void throw_malformed(const std::string& text) {
    throw Error(Outcome::usage,
                fmt::format("--box {}: expected WIDTHxHEIGHT+LEFT+TOP in pixels, such as "
                            "120x60+300+200, with a width and a height of at least 8",
                            shown(text)));
}

TrackBox parse_box(const std::string& text) {
    constexpr double kLeastSide = 8;
    std::array<double, 4> numbers{};
    std::string_view rest = text;
    constexpr std::string_view kAfter = "x++";
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        const std::size_t end = k < kAfter.size() ? rest.find(kAfter[k]) : rest.size();
        if (end == std::string_view::npos) throw_malformed(text);
        try {
            numbers[k] = parse_number(rest.substr(0, end));
        } catch (const TextError&) {
            throw_malformed(text);
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const auto [width, height, left, top] = numbers;
    if (width < kLeastSide || height < kLeastSide) throw_malformed(text);
    return {left, top, width, height};
}

struct TrackParser {
    TrackOptions options;
    std::vector<TrackBox> boxes;
    std::vector<std::int64_t> times_us;
    bool overwrite = false;
    CommandLine line{kUsage, kSummary, kExamples};

    TrackParser();
    void finish(const std::vector<std::string>& inputs);
};

TrackParser::TrackParser() {
    OptionGroup track = line.group("Track");
    track.add("--box", "WxH+X+Y", "A box around the object, in pixels; may be repeated",
              [this](const std::string& text) { boxes.push_back(parse_box(text)); });
    track.add("--at", "TIME", "The time of the frame with this box: one for each --box, in order",
              [this](const std::string& text) { times_us.push_back(parse_time_us("--at", text)); });
    track.add(
        "--from", "TIME", "Track from this time on [the beginning]",
        [this](const std::string& text) { options.job.from_us = parse_time_us("--from", text); });
    track.add("--to", "TIME", "Track up to this time [the end]",
              [this](const std::string& text) { options.job.to_us = parse_time_us("--to", text); });
    OptionGroup output = line.group("Output");
    output.add_number("--id", options.id, 1, std::numeric_limits<std::int32_t>::max(),
                      "The object's number in the boxes, so that one file can have several [1]");
    output.add_text("--output", "FILE", options.output, "File for the boxes [standard output]");
    output.add_flag("--overwrite", overwrite, "Replace an existing file");
}

void TrackParser::finish(const std::vector<std::string>& inputs) {
    TrackJob& job = options.job;
    if (inputs.size() != 1)
        throw Error(Outcome::usage,
                    inputs.empty()
                        ? "no input was given: weft track FILE --box WxH+X+Y --at TIME"
                        : fmt::format("weft track takes one file, not {}", inputs.size()));
    if (inputs.front() == "-")
        throw Error(Outcome::usage,
                    "weft track reads a film twice and standard input only once: give it a file");
    if (boxes.empty())
        throw Error(Outcome::usage, "no box was given: --box WxH+X+Y --at TIME marks the object");
    if (boxes.size() != times_us.size())
        throw Error(Outcome::usage,
                    fmt::format("--box is given {} times and --at {} times: give each box the time "
                                "of its frame",
                                boxes.size(), times_us.size()));
    for (std::size_t k = 0; k < boxes.size(); ++k) job.drawn.push_back({times_us[k], boxes[k]});
    if (job.from_us && job.to_us && *job.from_us >= *job.to_us)
        throw Error(Outcome::usage, "--from is not before --to: nothing is left to track");
    for (const std::int64_t time : times_us)
        if ((job.from_us && time < *job.from_us) || (job.to_us && time >= *job.to_us))
            throw Error(Outcome::usage,
                        fmt::format("--at {:.6g}: the box is not in the range of --from and --to",
                                    static_cast<double>(time) * 1e-6));
    job.reader.path = inputs.front();
    options.overwrite = overwrite ? Overwrite::replace : Overwrite::refuse;
}

// ---- the result as text ----

std::string box_line(std::int64_t frame, std::int64_t id, const TrackBox& box, double confidence) {
    return fmt::format("{},{},{:.2f},{:.2f},{:.2f},{:.2f},{:.3f},-1,-1,-1\n", frame, id, box.left,
                       box.top, box.width, box.height, confidence);
}

// An empty box where the track stops at a camera cut and continues later: readers that move boxes
// from one place to the next would otherwise move one through the scene between them.
std::string box_lines(const TrackReport& report, std::int64_t id) {
    std::string text;
    std::int64_t next = report.frames.empty() ? 0 : report.frames.front().number;
    for (const TrackedFrame& frame : report.frames) {
        if (frame.number != next) text += box_line(next, id, {}, 1);
        text += box_line(frame.number, id, frame.box, frame.confidence);
        next = frame.number + 1;
    }
    return text;
}

std::string stretch_line(const UncertainStretch& stretch) {
    if (stretch.first.number == stretch.last.number)
        return fmt::format("  {:.3f} s (frame {})\n", stretch.first.seconds, stretch.first.number);
    return fmt::format("  {:.3f} to {:.3f} s (frames {} to {})\n", stretch.first.seconds,
                       stretch.last.seconds, stretch.first.number, stretch.last.number);
}

std::string summary(const std::string& input, const TrackReport& report) {
    const std::vector<UncertainStretch> uncertain = uncertain_stretches(report);
    std::int64_t held = 0;
    for (const UncertainStretch& stretch : uncertain)
        held += stretch.last.number - stretch.first.number + 1;
    std::string text = fmt::format("{}: boxes in {}, {} of them uncertain; {:.0f} frames/s\n",
                                   printable_line(input),
                                   frames_text(static_cast<std::int64_t>(report.frames.size())),
                                   held, static_cast<double>(report.followed) / report.seconds);
    if (!uncertain.empty())
        text += "uncertain, with the box held and grown; draw a box there to correct it:\n";
    for (const UncertainStretch& stretch : uncertain) text += stretch_line(stretch);
    for (const TrackedFrame& cut : report.cuts)
        text += fmt::format("the track ends at a camera cut: {:.3f} s (frame {})\n", cut.seconds,
                            cut.number);
    return text;
}

// ---- the run ----

// A line on standard error while the film is tracked, if that is a terminal. SIGUSR1 prints it
// elsewhere.
class TrackLine {
 public:
    TrackLine(const std::string& input, SignalWatch& signals)
        : input_(printable_line(input)), done_(std::make_shared<std::atomic<std::int64_t>>(0)) {
        signals.on_progress_requested([done = done_, name = input_] {
            if (!error_terminal().interactive)
                print_lines(fmt::format("{}: {} read\n", name, frames_text(done->load())));
        });
    }
    ~TrackLine() { print_control(text_.erase()); }
    TrackLine(const TrackLine&) = delete;
    TrackLine& operator=(const TrackLine&) = delete;

    void show(std::int64_t done, std::int64_t total) {
        constexpr double kRedrawSeconds = 0.2;
        *done_ = done;
        if (!ticker_.due(kRedrawSeconds)) return;
        const Terminal terminal = error_terminal();
        if (!terminal.interactive) return;
        std::string line = fmt::format("{}: {}", input_, frames_text(done));
        if (total > done) line += fmt::format(" of {}", total);
        print_control(
            text_.redraw(fmt::format("{} read, {:.0f} frames/s\n", line,
                                     static_cast<double>(done) / std::max(ticker_.elapsed(), 1e-3)),
                         terminal));
    }

 private:
    std::string input_;
    std::shared_ptr<std::atomic<std::int64_t>> done_;
    Ticker ticker_;
    LiveText text_;
};

TrackReport track_live(const TrackJob& job, SignalWatch& signals) {
    TrackLine line(job.reader.path, signals);
    return track_film(job, signals.token(),
                      [&](std::int64_t done, std::int64_t total) { line.show(done, total); });
}

}  // namespace

std::vector<OptionHelp> track_options() {
    return TrackParser().line.options();
}

Outcome run_track(Arguments arguments) {
    TrackParser parser;
    bool help_requested = false;
    const std::vector<std::string> inputs = parser.line.parse(arguments, help_requested);
    if (help_requested) {
        print_output(parser.line.help());
        return Outcome::ok;
    }
    parser.finish(inputs);
    const TrackOptions& options = parser.options;
    const std::string& input = options.job.reader.path;
    check_report_path("-o", options.output, {}, RunFiles(input));
    check_report_file("-o", options.output, options.overwrite);
    SignalWatch signals;
    TrackReport report;
    try {
        report = track_live(options.job, signals);
    } catch (const Cancelled&) {
        print_error("stopped by a signal; no boxes were written");
        return signals.outcome();
    }
    for (const std::string& note : report.notes) print_note(note);
    write_report(options.output, box_lines(report, options.id), options.overwrite);
    print_lines(summary(input, report));
    if (!report.damage.damaged) return Outcome::ok;
    print_error(fmt::format("{}: damaged: {}", input, report.damage.reason));
    return Outcome::damaged;
}

}  // namespace weft
