#include "app/pipeline/report/trace.h"

#include <cmath>

#include "app/pipeline/report/json_text.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

// Microseconds with a resolution of one nanosecond.
double us_between(TraceTime from, TraceTime to) {
    return static_cast<double>(
               std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count()) /
           1e3;
}

Json name_json(const char* what, const std::string& name, int file, int row) {
    return {{"ph", "M"}, {"name", what}, {"pid", file}, {"tid", row}, {"args", {{"name", name}}}};
}

Json order_json(int file, int row) {
    return {{"ph", "M"},
            {"name", "thread_sort_index"},
            {"pid", file},
            {"tid", row},
            {"args", {{"sort_index", row}}}};
}

// A list of JSON values, one per line, written in chunks.
class JsonLines {
 public:
    explicit JsonLines(const std::function<void(std::string_view)>& out) : out_(&out) {}
    ~JsonLines() = default;
    JsonLines(const JsonLines&) = delete;
    JsonLines& operator=(const JsonLines&) = delete;

    void add(const Json& value) {
        text_ += first_ ? "\n" : ",\n";
        first_ = false;
        text_ += json_line(value);
        if (text_.size() >= kPiece) flush();
    }
    void flush() {
        (*out_)(text_);
        text_.clear();
    }

 private:
    static constexpr std::size_t kPiece = std::size_t{1} << 16;
    const std::function<void(std::string_view)>* out_;
    std::string text_;
    bool first_ = true;
};

}  // namespace

void TraceRow::add(const TraceEvent& event) const {
    if (trace_ != nullptr) trace_->add({event, file_, row_});
}

FileTrace::FileTrace(Trace* trace, const std::string& name)
    : trace_(trace), file_(trace == nullptr ? 0 : trace->add_file(name)) {}

TraceRow FileTrace::row(const std::string& name) const {
    if (trace_ == nullptr) return {};
    return {trace_, file_, trace_->add_row(file_, name)};
}

std::string_view FileTrace::keep(const std::string& name) const {
    return trace_ == nullptr ? std::string_view() : trace_->keep(name);
}

// Files and rows are numbered from 1.
int Trace::add_file(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    files_.push_back({name, {}});
    return static_cast<int>(files_.size());
}

int Trace::add_row(int file, const std::string& name) {
    const std::scoped_lock lock(mutex_);
    auto& rows = files_[static_cast<std::size_t>(file - 1)].rows;
    rows.push_back(name);
    return static_cast<int>(rows.size());
}

std::string_view Trace::keep(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    return *names_.insert(name).first;
}

void Trace::add(const Placed& placed) {
    const std::scoped_lock lock(mutex_);
    if (events_.size() < most_events_)
        events_.push_back(placed);
    else
        ++left_out_;
}

std::size_t Trace::left_out() const {
    const std::scoped_lock lock(mutex_);
    return left_out_;
}

void Trace::write(const std::function<void(std::string_view)>& out) const {
    const std::scoped_lock lock(mutex_);
    out(R"({"displayTimeUnit":"ms","traceEvents":[)");
    JsonLines lines(out);
    for (std::size_t f = 0; f < files_.size(); ++f) {
        const int file = static_cast<int>(f) + 1;
        lines.add(name_json("process_name", files_[f].name, file, 0));
        for (std::size_t r = 0; r < files_[f].rows.size(); ++r) {
            const int row = static_cast<int>(r) + 1;
            lines.add(name_json("thread_name", files_[f].rows[r], file, row));
            lines.add(order_json(file, row));
        }
    }
    for (const auto& [event, file, row] : events_) {
        Json json = {{"ph", "X"},
                     {"name", event.name},
                     {"pid", file},
                     {"tid", row},
                     {"ts", us_between(start_, event.begin)},
                     {"dur", us_between(event.begin, event.end)}};
        if (event.frame >= 0) json["args"] = {{"frame", event.frame}};
        lines.add(json);
    }
    lines.flush();
    out("\n]}\n");
}

}  // namespace weft
