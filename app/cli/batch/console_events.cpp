#include "app/cli/batch/console_events.h"

#include <filesystem>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/exit_code.h"
#include "app/cli/reports.h"
#include "app/cli/terminal/messages.h"
#include "app/cli/terminal/terminal.h"
#include "app/cli/terminal/text_table.h"
#include "app/pipeline/progress_meter.h"
#include "app/pipeline/report/json_text.h"
#include "app/pipeline/result_text.h"
#include "app/pipeline/times.h"
#include "filters/text/printable.h"

namespace weft {
namespace {

std::string line(const char* kind, const std::string& input, const std::string& text) {
    return printable_line(fmt::format("weft: {}: {}: {}", kind, input, text)) + "\n";
}

// Output at the end of a file. The error of a single file is left to the program's last line.
std::string file_lines(const FileResult& result, bool alone) {
    std::string text;
    for (const std::string& note : result.notes) text += line("note", result.input, note);
    for (const std::string& change : changes_text(result.changes))
        text += line("note", result.input, change);
    for (const std::string& warning : result.warnings)
        text += line("warning", result.input, warning);
    text += printable_line(result_line(result)) + "\n";
    if (!alone && !result.error.empty()) text += error_text(result.error);
    return text;
}

std::string bar_text(double fraction) {
    constexpr int kCells = 24;
    const int full = static_cast<int>(fraction * kCells);
    return fmt::format("[{:#<{}}{:-<{}}]", "", full, "", kCells - full);
}

std::string pace_text(const BatchPace& pace, std::size_t files) {
    std::string text;
    if (pace.fraction)
        text = fmt::format("{} {:3.0f}%  ", bar_text(*pace.fraction), *pace.fraction * 100);
    if (files > 1) text += fmt::format("{}/{} files  ", pace.files_done, files);
    text += fmt::format("{}  {:.1f} fps  {:.2f}x", frames_text(pace.frames), pace.fps, pace.speed);
    if (pace.eta_seconds) text += fmt::format("  ETA {}", clock_text(*pace.eta_seconds));
    return text;
}

// The pace and the name of the file without its folders, in at most `columns`.
std::string bar_line(const std::string& pace, const std::string& input, std::size_t columns) {
    constexpr std::size_t kLeastName = 8;
    const std::size_t used = columns_of(pace) + 2;
    if (used + kLeastName > columns) return std::string(cut_to_columns(pace, columns));
    const std::string name = printable_line(std::filesystem::path(input).filename().string());
    return fmt::format("{}  {}", pace, shorten_middle(name, columns - used));
}

// Tracks the progress of all files together.
class TextEvents : public BatchEvents {
 public:
    void begin(std::size_t files) override {
        files_ = files;
        meter_ = ProgressMeter(files);
    }
    void file_begin(std::size_t, const std::string& input, const std::string&) override {
        const std::scoped_lock lock(mutex_);
        name_ = input;
    }
    void file_progress(std::size_t file, const FileProgress& progress) override {
        const std::scoped_lock lock(mutex_);
        meter_.update(file, progress);
    }
    void file_end(std::size_t file, const FileResult&) override {
        const std::scoped_lock lock(mutex_);
        meter_.finish(file);
    }
    void progress_requested() override {
        const std::scoped_lock lock(mutex_);
        print_lines(fmt::format("{}  {}\n", pace(), printable_line(name_)));
    }
    void end(Outcome, const BatchTally&) override {}

 protected:
    bool alone() const { return files_ == 1; }
    std::string pace() const { return pace_text(meter_.pace(ticker_.elapsed()), files_); }
    const std::string& name() const { return name_; }  // the file that began last

    std::mutex mutex_;
    Ticker ticker_;

 private:
    std::size_t files_ = 0;
    ProgressMeter meter_{0};
    std::string name_;
};

// One line per file, without progress in between.
class LineEvents : public TextEvents {
 public:
    void file_moved(std::size_t, const std::string& input, const std::string& why) override {
        const std::scoped_lock lock(mutex_);
        print_lines(line("warning", input, why));
    }
    void file_end(std::size_t file, const FileResult& result) override {
        TextEvents::file_end(file, result);
        print_lines(file_lines(result, alone()));
    }
};

// Prints errors and nothing else, as --progress=none asks for.
class QuietEvents : public TextEvents {
 public:
    void file_moved(std::size_t, const std::string&, const std::string&) override {}
    void file_end(std::size_t file, const FileResult& result) override {
        TextEvents::file_end(file, result);
        if (!alone() && !result.error.empty()) print_lines(error_text(result.error));
    }
};

class TerminalEvents : public TextEvents {
 public:
    explicit TerminalEvents(const Terminal& terminal) : terminal_(terminal) {}

    void file_moved(std::size_t, const std::string& input, const std::string& why) override {
        const std::scoped_lock lock(mutex_);
        erase();
        print_lines(line("warning", input, why));
    }
    void file_progress(std::size_t file, const FileProgress& progress) override {
        TextEvents::file_progress(file, progress);
        const std::scoped_lock lock(mutex_);
        if (ticker_.due(0.1)) draw();
    }
    void file_end(std::size_t file, const FileResult& result) override {
        TextEvents::file_end(file, result);
        const std::scoped_lock lock(mutex_);
        erase();
        print_lines(file_lines(result, alone()));
    }
    void progress_requested() override {
        {
            const std::scoped_lock lock(mutex_);
            erase();
        }
        TextEvents::progress_requested();
    }
    void end(Outcome, const BatchTally&) override {
        const std::scoped_lock lock(mutex_);
        erase();
    }

 private:
    void draw() {
        const auto room = static_cast<std::size_t>(terminal_.columns - 1);
        const std::string text = bar_line(pace(), name(), room);
        print_control(terminal_.color ? fmt::format("\r\x1b[36m{}\x1b[0m\x1b[K", text)
                                      : fmt::format("\r{:<{}}", text, room));
    }
    void erase() const {
        print_control(
            fmt::format("\r{:<{}}\r", "", static_cast<std::size_t>(terminal_.columns - 1)));
    }

    Terminal terminal_;
};

class JsonEvents : public BatchEvents {
 public:
    void begin(std::size_t files) override {
        meters_.assign(files, File{});
        emit({{"event", "begin"}, {"files", files}});
    }
    void file_begin(std::size_t file, const std::string& input,
                    const std::string& output) override {
        const std::scoped_lock lock(mutex_);
        meters_[file].ticker = Ticker();
        meters_[file].input = input;
        meters_[file].running = true;
        emit({{"event", "file_begin"}, {"file", file}, {"input", input}, {"output", output}});
    }
    void file_moved(std::size_t file, const std::string& input, const std::string& why) override {
        const std::scoped_lock lock(mutex_);
        emit({{"event", "file_moved"}, {"file", file}, {"input", input}, {"why", why}});
    }
    void file_progress(std::size_t file, const FileProgress& progress) override {
        const std::scoped_lock lock(mutex_);
        File& state = meters_[file];
        state.meter.update(0, progress);
        state.progress = progress;
        if (state.ticker.due(0.5)) emit_progress(file);
    }
    void progress_requested() override {
        const std::scoped_lock lock(mutex_);
        for (std::size_t file = 0; file < meters_.size(); ++file)
            if (meters_[file].running) emit_progress(file);
    }
    void file_end(std::size_t file, const FileResult& result) override {
        const std::scoped_lock lock(mutex_);
        meters_[file].running = false;
        emit({{"event", "file_end"},
              {"file", file},
              {"input", result.input},
              {"output", result.output},
              {"status", status_name(result.status)},
              {"exit_code", exit_code(result.outcome)},
              {"frames_in", result.frames_in},
              {"frames_out", result.frames_out},
              {"error", result.error}});
    }
    void end(Outcome outcome, const BatchTally& tally) override {
        const std::scoped_lock lock(mutex_);
        nlohmann::ordered_json event = {{"event", "end"}, {"exit_code", exit_code(outcome)}};
        event.update(tally_json(tally));
        emit(event);
    }

 private:
    struct File {
        ProgressMeter meter{1};
        Ticker ticker;
        std::string input;
        FileProgress progress;
        bool running = false;
    };
    void emit_progress(std::size_t file) {
        File& state = meters_[file];
        const BatchPace pace = state.meter.pace(state.ticker.elapsed());
        emit({{"event", "progress"},
              {"file", file},
              {"input", state.input},
              {"frames", state.progress.frames},
              {"frames_estimated", state.progress.frames_estimated},
              {"fps", pace.fps},
              {"speed", pace.speed},
              {"eta_seconds", pace.eta_seconds ? nlohmann::json(*pace.eta_seconds) : nullptr}});
    }
    static void emit(const nlohmann::ordered_json& event) { print_lines(json_line(event) + "\n"); }

    std::mutex mutex_;
    std::vector<File> meters_;
};

}  // namespace

std::unique_ptr<BatchEvents> make_batch_events(ProgressMode mode) {
    switch (mode) {
        case ProgressMode::json:
            return std::make_unique<JsonEvents>();
        case ProgressMode::none:
            return std::make_unique<QuietEvents>();
        case ProgressMode::automatic:
            break;
    }
    const Terminal terminal = error_terminal();
    if (terminal.interactive) return std::make_unique<TerminalEvents>(terminal);
    return std::make_unique<LineEvents>();
}

}  // namespace weft
