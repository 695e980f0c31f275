#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/batch/job_list.h"
#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/exit_code.h"
#include "app/cli/reports.h"
#include "app/cli/shared_options.h"
#include "app/cli/signals.h"
#include "app/cli/stall_guard.h"
#include "app/cli/terminal/messages.h"
#include "app/cli/terminal/report_file.h"
#include "app/cli/terminal/terminal.h"
#include "app/cli/terminal/text_table.h"
#include "app/pipeline/motion/film_motion.h"
#include "app/pipeline/report/json_text.h"
#include "app/pipeline/result_text.h"
#include "app/pipeline/times.h"
#include "app/pipeline/version.h"
#include "filters/text/nearest.h"
#include "filters/text/number_text.h"
#include "filters/text/printable.h"
#include "filters/text/text_error.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

// ---- the command line ----

constexpr const char* kUsage = "weft motion FILM…";
constexpr const char* kSummary =
    "Lists the stretches of films in which something moves: start, end, the moment of most motion, "
    "the share of the picture that moved then, and the box around all of it.";
constexpr const char* kExamples = R"(Examples:
  weft motion garden.mp4
  weft motion --region 640x360+100+50 --min-length 1 garden.mp4
  weft motion --region 50%x100%+50%+0 -ss 1:00:00 -t 10:00 night.mkv
  weft motion -f csv cameras/*.mp4 > events.csv
  weft motion --json garden.mp4 | jq '.films[].events[].start_time'

Noise, flicker, changes of the exposure, fades and cuts are no motion. Motions at most 2 s apart are
one event. Times count from the beginning of the file, so that -ss goes there, and boxes are written
as --region takes them.
Exit codes: as for weft batch. A film without motion is no error.)";

struct MotionParser {
    FilmMotionOptions options;
    JobOptionWords input;
    std::string threshold, area, min_length;
    std::string format;
    std::string json;
    CommandLine line{kUsage, kSummary, kExamples};

    MotionParser();
    void finish();
};

MotionParser::MotionParser() {
    OptionGroup measure = line.group("Measure");
    measure.add_text("--region", "WxH+X+Y", options.region,
                     "Look only at this part of the picture as it is displayed, in pixels, or in "
                     "per cent such as 50%x100%+50%+0 [all of it]");
    measure.add_text("--threshold", "LEVELS", threshold,
                     "Least change of a moving pixel in levels of 8 bits; noise raises it [6]");
    measure.add_text("--area", "PERCENT", area, "Least share of the region that moves [0.1]");
    measure.add_text("--min-length", "SECONDS", min_length,
                     "Leave out shorter motions; with 0, cuts are events, too [0.1]");
    input.add(line.group("Range"), {"-ss", "-t", "-to", "-framerate"});
    OptionGroup reports = line.group("Reports");
    reports.add_choice("--format", "csv", format, {"csv"},
                       "Print comma-separated values instead of a table");
    add_json_option(reports, json);
}

double parse_in_range(const std::string& option, std::string text, double most,
                      std::string_view unit) {
    const std::string typed = text;
    if (unit == "per cent" && text.ends_with('%')) text.pop_back();
    double number = -1;
    try {
        number = parse_number(text);
    } catch (const TextError&) {  // it stays out of range
    }
    if (number < 0 || number > most)
        throw Error(Outcome::usage, fmt::format("{} {}: expected {} from 0 to {}", option,
                                                shown(typed), unit, most));
    return number;
}

void MotionParser::finish() {
    MotionOptions& motion = options.motion;
    if (!options.region.empty()) (void)parse_region(options.region);
    if (!threshold.empty())
        motion.threshold_levels = parse_in_range("--threshold", threshold, 255, "levels");
    if (!area.empty()) motion.area_share = parse_in_range("--area", area, 100, "per cent") / 100;
    if (!min_length.empty())
        motion.min_length_seconds =
            static_cast<double>(parse_time_us("--min-length", min_length)) * 1e-6;
    FileJob job;
    input.set(job);
    options.reader = job.reader;
    options.reader.audio = options.reader.subtitles = false;
    if (json == "-" && !format.empty())
        throw Error(Outcome::usage,
                    "--json and -f csv both write to standard output; write one to a file, such "
                    "as --json motion.json");
}

// ---- results as text ----

// The outcome of one film.
struct FilmResult {
    std::string input;
    FilmMotion film;
    Outcome outcome = Outcome::ok;
    std::string error;  // empty if it is ok
};

// "1:02:03.040", which -ss takes.
std::string time_text(double seconds) {
    const auto ms = static_cast<std::int64_t>(std::llround(seconds * 1000));
    const std::int64_t whole = ms / 1000;
    return fmt::format("{}.{:03}", clock_text(static_cast<double>(whole)), ms % 1000);
}

std::string box_text(const PixelRect& box) {
    return fmt::format("{}x{}+{}+{}", box.width, box.height, box.left, box.top);
}

std::string heading(const FilmResult& result) {
    const FilmMotion& film = result.film;
    const std::size_t events = film.events.size();
    return fmt::format("{}: {} in {} of {}×{}\n", printable_line(result.input),
                       events == 0   ? "no motion"
                       : events == 1 ? "1 event"
                                     : fmt::format("{} events", events),
                       clock_text(film.end_seconds - film.begin_seconds), film.region.width,
                       film.region.height);
}

std::string film_text(const FilmResult& result) {
    const FilmMotion& film = result.film;
    if (film.frames == 0) return "";
    if (film.events.empty()) return heading(result);
    TextTable table({"start", "end", "peak", "area", "box"});
    table.align_right(0, 3);
    for (const MotionEvent& event : film.events)
        table.add({time_text(event.begin), time_text(event.end), time_text(event.peak),
                   fmt::format("{:.2f} %", 100 * event.area), box_text(event.box)});
    return heading(result) + table.text();
}

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

constexpr const char* kCsvHeading = "file,start,end,peak,area_percent,x,y,width,height\n";

std::string film_csv(const FilmResult& result) {
    std::string text;
    for (const MotionEvent& event : result.film.events)
        text += fmt::format("{},{:.6f},{:.6f},{:.6f},{:.4f},{},{},{},{}\n", csv_field(result.input),
                            event.begin, event.end, event.peak, 100 * event.area, event.box.left,
                            event.box.top, event.box.width, event.box.height);
    return text;
}

Json box_json(const PixelRect& box) {
    return {{"x", box.left}, {"y", box.top}, {"width", box.width}, {"height", box.height}};
}

Json film_json(const FilmResult& result) {
    const FilmMotion& film = result.film;
    Json events = Json::array();
    for (const MotionEvent& event : film.events)
        events.push_back({{"start_time", event.begin},
                          {"end_time", event.end},
                          {"peak_time", event.peak},
                          {"area_percent", 100 * event.area},
                          {"box", box_json(event.box)}});
    const auto text_or_null = [](const std::string& text) {
        return text.empty() ? Json(nullptr) : Json(text);
    };
    return {{"input", result.input},
            {"exit_code", exit_code(result.outcome)},
            {"error", text_or_null(result.error)},
            {"width", film.width},
            {"height", film.height},
            {"region", box_json(film.region)},
            {"frames", film.frames},
            {"start_time", film.begin_seconds},
            {"end_time", film.end_seconds},
            {"notes", film.notes},
            {"damage", damage_json(film.damage)},
            {"events", std::move(events)}};
}

// Schema 1; fields are added, never renamed.
Json report_json(const MotionOptions& options, const std::vector<FilmResult>& results,
                 Outcome outcome) {
    Json films = Json::array();
    for (const FilmResult& result : results) films.push_back(film_json(result));
    return {{"schema", 1},
            {"weft", kVersion},
            {"exit_code", exit_code(outcome)},
            {"threshold_levels", options.threshold_levels},
            {"area_percent", 100 * options.area_share},
            {"min_length_seconds", options.min_length_seconds},
            {"films", std::move(films)}};
}

// ---- the films, one after the other ----

constexpr double kRedrawSeconds = 0.2;

// One film and its progress. Alone in the state of its work, whose thread may outlive the command
// if it is abandoned.
class FilmRun {
 public:
    explicit FilmRun(FilmMotionOptions options) : options_(std::move(options)) {}

    void find(const std::stop_token& stop) {
        film_ = find_motion(options_, stop, [this](const FilmMotion& film) { show(film); });
        print_control(text_.erase());
    }
    FilmMotion take() { return std::move(film_).value_or(FilmMotion{}); }
    std::string progress() const {
        return fmt::format("{}: {} so far", printable_line(options_.reader.path),
                           frames_text(frames_));
    }

 private:
    void show(const FilmMotion& film) {
        frames_ = film.frames;
        if (!ticker_.due(kRedrawSeconds)) return;
        const Terminal terminal = error_terminal();  // its size may have changed
        if (!terminal.interactive) return;
        std::string text =
            fmt::format("{}: {}", printable_line(options_.reader.path), frames_text(film.frames));
        if (film.frames_estimated > film.frames)
            text += fmt::format(" of {}", film.frames_estimated);
        text +=
            fmt::format(", {:.0f} frames/s, events: {}\n",
                        static_cast<double>(film.frames) / ticker_.elapsed(), film.events.size());
        print_control(text_.redraw(text, terminal));
    }

    FilmMotionOptions options_;
    std::optional<FilmMotion> film_;
    std::atomic<std::int64_t> frames_ = 0;
    Ticker ticker_;
    LiveText text_;
};

FilmResult find_guarded(StallGuard& guard, const FilmMotionOptions& options, SignalWatch& signals) {
    FilmResult result{.input = options.reader.path, .film = {}, .error = {}};
    const auto run = std::make_shared<FilmRun>(options);
    signals.on_progress_requested([run] {
        if (!error_terminal().interactive) print_lines(run->progress() + "\n");
    });
    try {
        guard.run(
            options.reader.path, options.reader.heartbeat,
            [run](const std::stop_token& stop) { run->find(stop); }, signals.token());
    } catch (const Error& error) {
        result.outcome = error.outcome();
        result.error = error.what();
        return result;
    }
    result.film = run->take();
    if (result.film.damage.damaged) {
        result.outcome = Outcome::damaged;
        result.error =
            fmt::format("{}: damaged: {}", options.reader.path, result.film.damage.reason);
    }
    return result;
}

Outcome outcome_of(const std::vector<FilmResult>& results) {
    if (results.size() == 1) return results.front().outcome;
    const bool ok = std::ranges::all_of(
        results, [](const FilmResult& result) { return result.outcome == Outcome::ok; });
    return ok ? Outcome::ok : Outcome::some_failed;
}

// The last line of a run that failed.
std::string failure_text(const std::vector<FilmResult>& results) {
    const auto failed = [](const FilmResult& result) { return result.outcome != Outcome::ok; };
    const FilmResult& first = *std::ranges::find_if(results, failed);
    if (results.size() == 1) return first.error;
    return fmt::format("{} of {} films failed; the first: {}",
                       std::ranges::count_if(results, failed), results.size(), first.error);
}

void check_report(const std::string& json, const std::vector<std::string>& inputs) {
    RunFiles run;
    for (const std::string& input : inputs) run.add_source(input);
    check_report_path("--json", json, {}, run);
    check_report_file("--json", json, Overwrite::refuse);
}

}  // namespace

std::vector<OptionHelp> motion_options() {
    return MotionParser().line.options();
}

Outcome run_motion(Arguments arguments) {
    MotionParser parser;
    bool help_requested = false;
    const std::vector<std::string> inputs = parser.line.parse(arguments, help_requested);
    if (help_requested) {
        print_output(parser.line.help());
        return Outcome::ok;
    }
    if (inputs.empty()) throw Error(Outcome::usage, "no film was given: weft motion FILM");
    parser.finish();
    if (!parser.json.empty()) check_report(parser.json, inputs);
    SignalWatch signals;
    StallGuard guard;
    std::vector<FilmResult> results;
    if (!parser.format.empty()) print_output(kCsvHeading);
    for (const std::string& input : inputs) {
        FilmMotionOptions options = parser.options;
        options.reader.path = input;
        options.reader.heartbeat = std::make_shared<Heartbeat>();
        results.push_back(find_guarded(guard, options, signals));
        const FilmResult& result = results.back();
        for (const std::string& note : result.film.notes)
            print_note(inputs.size() == 1 ? note : fmt::format("{}: {}", input, note));
        if (!parser.format.empty())
            print_output(film_csv(result));
        else if (parser.json != "-")
            print_output(film_text(result));
        if (signals.outcome() != Outcome::ok) break;
        if (!result.error.empty() && inputs.size() > 1)
            print_lines(printable_line(result.error) + "\n");
    }
    const Outcome signal = signals.outcome();
    const Outcome outcome = signal == Outcome::ok ? outcome_of(results) : signal;
    if (!parser.json.empty())
        write_report(parser.json, json_page(report_json(parser.options.motion, results, outcome)));
    if (outcome != Outcome::ok)
        print_error(signal == Outcome::ok ? failure_text(results)
                                          : "stopped by a signal; the events are those so far");
    if (guard.has_abandoned()) leave(outcome);
    return outcome;
}

}  // namespace weft
