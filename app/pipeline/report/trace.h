// A timeline of events for chrome://tracing and Perfetto: one process per file, one row per thread
// or GPU stream.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

using TraceTime = std::chrono::steady_clock::time_point;

struct TraceEvent {
    std::string_view name;    // constant, or kept by the trace
    std::int64_t frame = -1;  // its number from 0; -1: none
    TraceTime begin, end;
};

class Trace;

// Records the events of one row, or discards them if it belongs to no trace. Events of a row must
// not overlap. Thread-safe; the trace must outlive it.
class TraceRow {
 public:
    TraceRow() = default;
    bool records() const { return trace_ != nullptr; }
    void add(const TraceEvent& event) const;

 private:
    friend class FileTrace;
    TraceRow(Trace* trace, int file, int row) : trace_(trace), file_(file), row_(row) {}

    Trace* trace_ = nullptr;
    int file_ = 0;
    int row_ = 0;
};

// The rows of one file, or none.
class FileTrace {
 public:
    FileTrace() = default;
    // Adds a file; none if `trace` is null.
    FileTrace(Trace* trace, const std::string& name);

    bool records() const { return trace_ != nullptr; }
    TraceRow row(const std::string& name) const;  // a new row, below the others
    // Returns a copy of the name that is valid as long as the trace.
    std::string_view keep(const std::string& name) const;

 private:
    Trace* trace_ = nullptr;
    int file_ = 0;
};

// Thread-safe. Holds a limited number of events, so that long runs do not fill the memory; later
// ones are counted and dropped.
class Trace {
 public:
    static constexpr std::size_t kMostEvents = 1'000'000;  // 64 MB

    explicit Trace(std::size_t most_events = kMostEvents) : most_events_(most_events) {}

    std::size_t left_out() const;

    // Writes the JSON object format, in chunks; times in microseconds since the trace was created.
    void write(const std::function<void(std::string_view)>& out) const;

 private:
    friend class TraceRow;
    friend class FileTrace;

    struct Placed {
        TraceEvent event;
        int file = 0;
        int row = 0;
    };
    int add_file(const std::string& name);
    int add_row(int file, const std::string& name);
    std::string_view keep(const std::string& name);
    void add(const Placed& placed);

    struct File {
        std::string name;
        std::vector<std::string> rows;
    };

    const TraceTime start_ = std::chrono::steady_clock::now();
    const std::size_t most_events_;
    mutable std::mutex mutex_;
    std::vector<File> files_;
    std::vector<Placed> events_;
    std::set<std::string> names_;
    std::size_t left_out_ = 0;
};

}  // namespace weft
