#include "app/media/segment_store.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/media/packet_bytes.h"
#include "app/media/partial_name.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

// The records: facts, the job that they make, once the headers, then packets and segments.
enum class Kind : std::uint32_t { fact = 1, job, headers, packet, segment };

struct JobEnd {
    std::int64_t threads = 0;
};

struct SegmentEnd {
    std::int64_t frames = 0;
    std::int64_t packets = 0;
};

constexpr std::string_view kFormat = "1";
constexpr std::string_view kEnding = ".weft-resume";

template <class T>
void append(RecordFile& file, Kind kind, const T& value) {
    file.append(static_cast<std::uint32_t>(kind),
                {reinterpret_cast<const std::uint8_t*>(std::data(value)), std::size(value)});
}

template <class T>
void append_value(RecordFile& file, Kind kind, const T& value) {
    append(file, kind, std::string_view(reinterpret_cast<const char*>(&value), sizeof value));
}

template <class T>
std::optional<T> value_of(const Record& record) {
    T value;
    if (record.bytes.size() != sizeof value) return std::nullopt;
    std::memcpy(&value, record.bytes.data(), sizeof value);
    return value;
}

bool is(const Record& record, Kind kind) {
    return record.kind == static_cast<std::uint32_t>(kind);
}

JobFact fact_of(const Record& record) {
    const std::string text(record.bytes.begin(), record.bytes.end());
    const std::size_t sign = std::min(text.find('='), text.size());
    return {text.substr(0, sign), text.substr(std::min(sign + 1, text.size()))};
}

std::string value_in(const JobFacts& facts, const std::string& name) {
    const auto found = std::ranges::find(facts, name, &JobFact::name);
    return found == facts.end() ? "unknown" : found->value;
}

// "stack: then gaussian=sigma=2, now gaussian=sigma=3"; empty if the jobs are one.
std::string difference(const JobFacts& then, const JobFacts& now) {
    std::vector<std::string> parts;
    for (const JobFact& fact : now)
        if (const std::string before = value_in(then, fact.name); before != fact.value)
            parts.push_back(fmt::format("{}: then {}, now {}", fact.name, before, fact.value));
    if (parts.empty() && then.size() != now.size()) parts.emplace_back("another list of facts");
    return fmt::format("{}", fmt::join(parts, "; "));
}

// Another process may end with the file, and remove it, between open and lock.
int open_locked(const fs::path& path, const std::string& output) {
    constexpr int kAttempts = 3;
    for (int k = 0; k < kAttempts; ++k) {
        const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd < 0) throw Error(ExitCode::not_written, write_failure_text(path.string(), errno, 0));
        if (lock_partial(fd, path)) return fd;
        close(fd);
    }
    throw Error(
        ExitCode::not_written,
        fmt::format("{}: another run with --resume is at work on it: wait for its end", output));
}

}  // namespace

fs::path segment_file(const std::string& output) {
    constexpr std::size_t kMostBytes = 255;  // of a name
    const fs::path target = follow_links(output);
    const std::string name = target.filename().string();
    return target.parent_path() /
           fmt::format(".{}{}", name.substr(0, kMostBytes - 1 - kEnding.size()), kEnding);
}

void remove_segment_file(const std::string& output) noexcept {
    try {
        const fs::path path = segment_file(output);
        const int fd = open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0) return;
        if (lock_partial(fd, path)) unlink(path.c_str());
        close(fd);
    } catch (const std::exception&) {
        return;  // it stays
    }
}

SegmentStore::SegmentStore(const SegmentRequest& request)
    : request_(request),
      path_(segment_file(request.output)),
      file_(open_locked(path_, request.output), path_.string()) {
    request_.job.insert(request_.job.begin(), {"format", std::string(kFormat)});
    load();
}

void SegmentStore::load() {
    if (!load_job()) return begin_anew();
    load_segments();
    if (const std::string text = difference(found_, request_.job); !text.empty())
        return refuse_or_drop(text);
    file_.cut(at_work_.begin);
}

SegmentStore::~SegmentStore() {
    if (segments_.empty()) remove();
}

// False where the head is not complete: nothing can follow it.
bool SegmentStore::load_job() {
    while (const std::optional<Record> record = file_.read()) {
        if (is(*record, Kind::fact)) {
            found_.push_back(fact_of(*record));
            continue;
        }
        const auto end = value_of<JobEnd>(*record);
        if (!is(*record, Kind::job) || !end) return false;
        threads_ = static_cast<int>(end->threads);
        at_work_.begin = file_.position();
        return true;
    }
    return false;
}

void SegmentStore::load_segments() {
    while (const std::optional<Record> record = file_.read()) {
        if (is(*record, Kind::headers) && !headers_) {
            headers_ = record->bytes;
            at_work_.begin = file_.position();
        } else if (is(*record, Kind::packet)) {
            ++packets_;
        } else {
            const auto end = value_of<SegmentEnd>(*record);
            if (!is(*record, Kind::segment) || !end || end->packets != packets_) break;
            at_work_.frames = end->frames;
            segments_.push_back(at_work_);
            at_work_ = {0, file_.position()};
            packets_ = 0;
        }
    }
    packets_ = 0;
}

void SegmentStore::begin_anew() {
    segments_.clear();
    headers_.reset();
    threads_ = request_.encoder_threads;
    try {
        write_job();
    } catch (const Error&) {
        remove();
        throw;
    }
    at_work_ = {0, file_.size()};
}

void SegmentStore::write_job() {
    file_.cut(0);
    for (const JobFact& fact : request_.job)
        append(file_, Kind::fact, fmt::format("{}={}", fact.name, fact.value));
    append_value(file_, Kind::job, JobEnd{threads_});
    file_.sync();
    sync_folder(path_.has_parent_path() ? path_.parent_path() : ".");
}

void SegmentStore::refuse_or_drop(const std::string& difference) {
    if (segments_.empty()) return begin_anew();
    const std::string what =
        fmt::format("{} frames of an interrupted run do not fit ({})", frames(), difference);
    if (request_.overwrite != Overwrite::replace)
        throw Error(ExitCode::usage,
                    fmt::format("{}: {}: give its options to continue it, or -y to begin anew",
                                request_.output, what));
    notes_.push_back(what + ": begun anew");
    begin_anew();
}

void SegmentStore::require_headers(std::span<const std::uint8_t> extradata) {
    if (headers_ && !std::ranges::equal(*headers_, extradata))
        refuse_or_drop("encoder: it describes its stream otherwise than then");
    if (headers_) return;
    headers_.emplace(extradata.begin(), extradata.end());
    append(file_, Kind::headers, *headers_);
    at_work_.begin = file_.size();
}

std::int64_t SegmentStore::frames() const {
    std::int64_t frames = 0;
    for (const StoredSegment& segment : segments_) frames += segment.frames;
    return frames;
}

void SegmentStore::replay(const StoredSegment& segment, const Sink& sink) {
    file_.go(segment.begin);
    for (;;) {
        const std::optional<Record> record = file_.read();
        if (!record)
            throw Error(ExitCode::failed,
                        fmt::format("{}: changed while it was in use", path_.string()));
        if (is(*record, Kind::segment)) return;
        sink(packet_from(record->bytes));
    }
}

void SegmentStore::add(const AVPacket& packet) {
    append(file_, Kind::packet, packet_bytes(packet));
    ++packets_;
}

void SegmentStore::finish_segment(std::int64_t frames) {
    append_value(file_, Kind::segment, SegmentEnd{frames, packets_});
    file_.sync();
    at_work_.frames = frames;
    segments_.push_back(at_work_);
    at_work_ = {0, file_.size()};
    packets_ = 0;
}

void SegmentStore::remove() noexcept {
    if (!removed_) unlink(path_.c_str());
    removed_ = true;
}

}  // namespace weft
