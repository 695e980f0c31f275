#include "app/media/write/segment_store.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/media/demux/packet_bytes.h"
#include "app/media/output/partial_name.h"
#include "app/media/output/write_error.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormatFact = "format";
constexpr std::string_view kFormat = "2";
constexpr const char* kPartFact = "part";
constexpr std::string_view kEnding = ".weft-resume";

template <class T>
void append(RecordFile& file, LedgerRecord kind, const T& value) {
    file.append(static_cast<std::uint32_t>(kind),
                {reinterpret_cast<const std::uint8_t*>(std::data(value)), std::size(value)});
}

template <class T>
void append_value(RecordFile& file, LedgerRecord kind, const T& value) {
    append(file, kind, std::string_view(reinterpret_cast<const char*>(&value), sizeof value));
}

constexpr const char* kForeign = "does not begin as weft writes such files";

bool begins_as_store(const RecordFile& file) {
    return file.may_begin_with(static_cast<std::uint32_t>(LedgerRecord::fact));
}

bool is(const Record& record, LedgerRecord kind) {
    return record.kind == static_cast<std::uint32_t>(kind);
}

void append_job(RecordFile& file, const JobFacts& facts, int threads) {
    for (const JobFact& fact : facts)
        append(file, LedgerRecord::fact, fmt::format("{}={}", fact.name, fact.value));
    append_value(file, LedgerRecord::job, JobEnd{threads});
}

std::int64_t frames_in(const std::vector<StoredSegment>& segments) {
    std::int64_t frames = 0;
    for (const StoredSegment& segment : segments) frames += segment.frames;
    return frames;
}

std::string value_in(const JobFacts& facts, const std::string& name) {
    const auto found = std::ranges::find(facts, name, &JobFact::name);
    return found == facts.end() ? "unknown" : found->value;
}

void require_format(const JobFacts& facts) {
    const std::string format = value_in(facts, kFormatFact);
    if (format != kFormat) throw LedgerError(fmt::format("format {}, not {}", format, kFormat));
}

struct Difference {
    std::string text = {};  // "stack: then gaussian=sigma=2, now gaussian=sigma=3"; or empty
    bool another_job = false;
    std::string why_apart = {};  // from the differing facts
};

// A stack without steps is empty text.
std::string_view shown_value(std::string_view value) {
    return value.empty() ? "none" : value;
}

Difference difference(const JobFacts& then, const JobFacts& now) {
    std::vector<std::string> parts;
    Difference found{.another_job = then.size() != now.size()};
    for (const JobFact& fact : now) {
        const std::string before = value_in(then, fact.name);
        if (before == fact.value) continue;
        parts.push_back(fmt::format("{}: then {}, now {}", fact.name, shown_value(before),
                                    shown_value(fact.value)));
        found.another_job = found.another_job || fact.why_apart.empty();
        found.why_apart = fact.why_apart;
    }
    if (parts.empty() && found.another_job) parts.emplace_back("its job states other facts");
    found.text = fmt::format("{}", fmt::join(parts, "; "));
    return found;
}

// Why a file under the store's name may be another user's work; empty if it may not. A file with
// several links may be any file of this user.
std::string why_not_trusted(const struct stat& info) {
    if (!S_ISREG(info.st_mode)) return "is not a regular file";
    if (info.st_uid != geteuid()) return "belongs to another user";
    if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "can be written by other users";
    if (info.st_nlink > 1) return "has another name as well (a hard link)";
    return "";
}

[[noreturn]] void refuse_file(const fs::path& path, const std::string& why) {
    throw Error(Outcome::usage,
                fmt::format("{}: {}, so the frames in it are not used: remove it to begin "
                            "again",
                            path.string(), why));
}

fs::path hidden_next_to(const std::string& output, std::string_view ending) {
    constexpr std::size_t kMostBytes = 255;  // in a file name
    const fs::path target = follow_links(output);
    const std::string name = target.filename().string();
    return target.parent_path() /
           fmt::format(".{}{}", name.substr(0, kMostBytes - 1 - ending.size()), ending);
}

// Unfinished, as segments of a whole video are.
fs::path working_file(const SegmentRequest& request) {
    if (!request.part) return segment_file(request.output);
    return hidden_next_to(request.output,
                          fmt::format(".weft-part-{}{}", request.part->number, kEnding));
}

// A finished part gets its name by a rename. An output tests before the work that its folder has
// renames, and a part is not one.
fs::path usable_working_file(const SegmentRequest& request) {
    if (request.part) {
        const fs::path part = part_file(request.output, request.part->number);
        const AtomicOutput probe(part.string(),
                                 {.overwrite = Overwrite::replace, .anonymous = false});
    }
    return working_file(request);
}

std::string part_text(const VideoPart& part) {
    return fmt::format("{} of {}, frames from {} to {}", part.number, part.of, part.begin,
                       part.end ? fmt::format("{}", *part.end) : "the end");
}

// Readable only by its owner: no other user's run resumes it, and the output may be private.
FileDescriptor open_own(const fs::path& path) {
    constexpr int kFlags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    FileDescriptor file(open(path.c_str(), kFlags, S_IRUSR | S_IWUSR));
    if (!file.is_open() && errno == ELOOP) refuse_file(path, "is a symbolic link");
    if (!file.is_open()) throw WriteError(path.string(), errno);
    return file;
}

// Another process may finish with the file and remove it between open and lock.
FileDescriptor open_locked(const fs::path& path, const SegmentRequest& request) {
    constexpr int kAttempts = 3;
    for (int k = 0; k < kAttempts; ++k) {
        FileDescriptor file = open_own(path);
        struct stat info {};
        if (fstat(file.get(), &info) != 0) throw WriteError(path.string(), errno);
        if (const std::string why = why_not_trusted(info); !why.empty()) refuse_file(path, why);
        if (lock_partial(file.get(), path)) return file;
    }
    throw Error(Outcome::not_written,
                fmt::format("{}: another {} run is using it; wait until it finishes",
                            request.output, request.remedies.resume));
}

FileDescriptor open_finished(const fs::path& path, const std::string& output,
                             const VideoPart& part) {
    FileDescriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file.is_open() && errno == ENOENT)
        throw Error(Outcome::failed,
                    fmt::format("{}: part {} of {} is not finished", output, part.number, part.of));
    struct stat info {};
    if (!file.is_open() || fstat(file.get(), &info) != 0)
        throw Error(Outcome::failed, fmt::format("{}: {}", path.string(), std::strerror(errno)));
    if (const std::string why = why_not_trusted(info); !why.empty()) refuse_file(path, why);
    return file;
}

// Reads and checks a finished part.
class FinishedPart {
 public:
    FinishedPart(const std::string& output, const VideoPart& part)
        : path_(part_file(output, part.number)),
          file_(open_finished(path_, output, part), path_.string()) {
        try {
            while (const std::optional<Record> record = file_.read())
                ledger_.take(*record, file_.position());
        } catch (const LedgerError& error) {
            refuse_part(error.what());
        }
        facts_ = ledger_.facts();
        const std::size_t removed = std::erase_if(facts_, [&](const JobFact& fact) {
            return fact.name == kPartFact && fact.value == part_text(part);
        });
        if (removed != 1 || value_in(facts_, kFormatFact) != kFormat || !ledger_.headers())
            refuse_part("it is not this part of this plan");
    }

    const JobFacts& facts() const { return facts_; }
    const SegmentLedger& content() const { return ledger_; }
    std::int64_t frames() const { return frames_in(ledger_.segments()); }

    void require_same(const FinishedPart& first) const {
        const Difference other = difference(first.facts_, facts_);
        if (!other.text.empty()) refuse_part("differs from the first part: " + other.text);
        if (ledger_.threads() != first.ledger_.threads() ||
            ledger_.headers() != first.ledger_.headers())
            refuse_part("its codec headers differ from the first part's");
    }

    // The first of them, while `most` is not zero, which counts down. Returns the number of frames.
    std::int64_t copy_segments(RecordFile& to, std::size_t& most) {
        std::int64_t frames = 0;
        for (const StoredSegment& segment : ledger_.segments()) {
            if (most == 0) break;
            --most;
            frames += segment.frames;
            file_.go(segment.begin);
            for (std::size_t k = 0; k <= segment.times.size(); ++k) {  // packets and their end
                const std::optional<Record> record = file_.read();
                if (!record) refuse_part("changed while it was in use");
                to.append(record->kind, record->bytes);
            }
        }
        return frames;
    }

    [[noreturn]] void refuse_part(const std::string& why) const {
        throw Error(Outcome::failed,
                    fmt::format("{}: {}: remove it and run its shard again", path_.string(), why));
    }

 private:
    fs::path path_;
    RecordFile file_;
    SegmentLedger ledger_;
    JobFacts facts_;
};

}  // namespace

JoinedFrames join_parts(const std::string& output, const std::vector<VideoPart>& parts,
                        std::size_t most) {
    std::vector<std::unique_ptr<FinishedPart>> finished;
    for (const VideoPart& part : parts) {
        const FinishedPart& added =
            *finished.emplace_back(std::make_unique<FinishedPart>(output, part));
        added.require_same(*finished.front());
    }
    const fs::path path = segment_file(output);
    RecordFile joined(open_locked(path, {.output = output}), path.string());
    const SegmentLedger& first = finished.front()->content();
    if (!begins_as_store(joined)) refuse_file(path, kForeign);
    joined.cut(0);
    append_job(joined, finished.front()->facts(), first.threads());
    append(joined, LedgerRecord::headers, *first.headers());
    JoinedFrames frames;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        if (frames.copied != parts[k].begin) most = 0;
        const std::int64_t copied = finished[k]->copy_segments(joined, most);
        frames.copied += copied;
        frames.left_out += finished[k]->frames() - copied;
    }
    joined.sync();
    return frames;
}

void remove_parts(const std::string& output, const std::vector<VideoPart>& parts) noexcept {
    try {
        for (const VideoPart& part : parts) unlink(part_file(output, part.number).c_str());
    } catch (const std::exception&) {
        return;  // keep the others
    }
}

fs::path segment_file(const std::string& output) {
    return hidden_next_to(output, kEnding);
}

std::optional<KeptSegments> kept_segments(const std::string& output, JobFacts job) {
    const fs::path path = segment_file(output);
    FileDescriptor opened(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!opened.is_open()) return std::nullopt;
    RecordFile file(std::move(opened), path.string());
    SegmentLedger ledger;
    try {
        while (const std::optional<Record> record = file.read())
            ledger.take(*record, file.position());
        if (ledger.segments().empty()) return std::nullopt;
        require_format(ledger.facts());
    } catch (const LedgerError& error) {
        return KeptSegments{.frames = frames_in(ledger.segments()), .difference = error.what()};
    }
    job.insert(job.begin(), {kFormatFact, std::string(kFormat)});
    return KeptSegments{.frames = frames_in(ledger.segments()),
                        .difference = difference(ledger.facts(), job).text};
}

std::int64_t kept_frames(const std::string& output, const std::optional<VideoPart>& part) {
    const fs::path path = working_file({.output = output, .part = part});
    FileDescriptor opened(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!opened.is_open()) return 0;
    RecordFile file(std::move(opened), path.string());
    std::int64_t frames = 0;
    while (const auto record = file.find(static_cast<std::uint32_t>(LedgerRecord::segment))) {
        SegmentEnd end;
        if (record->bytes.size() < sizeof end) break;
        std::memcpy(&end, record->bytes.data(), sizeof end);
        frames += end.frames;
    }
    return frames;
}

fs::path part_file(const std::string& output, int number) {
    return hidden_next_to(output, fmt::format(".weft-part-{}", number));
}

void remove_segment_file(const std::string& output, const std::optional<VideoPart>& part) noexcept {
    try {
        const fs::path path = working_file({.output = output, .part = part});
        const FileDescriptor file(open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
        if (file.is_open() && lock_partial(file.get(), path)) unlink(path.c_str());
    } catch (const std::exception&) {
        return;  // keep the file
    }
}

SegmentStore::SegmentStore(const SegmentRequest& request)
    : request_(request),
      path_(usable_working_file(request)),
      file_(open_locked(path_, request), path_.string(), request.on_full_disk) {
    request_.job.insert(request_.job.begin(), {kFormatFact, std::string(kFormat)});
    if (request.part) request_.job.push_back({kPartFact, part_text(*request.part)});
    load();
}

void SegmentStore::load() {
    SegmentLedger ledger;
    try {
        while (const std::optional<Record> record = file_.read()) {
            ledger.take(*record, file_.position());
            if (ledger.has_job()) require_format(ledger.facts());
        }
    } catch (const LedgerError& error) {
        return refuse_malformed(fmt::format("{} before byte {}", error.what(), file_.position()));
    }
    if (!begins_as_store(file_)) return refuse_malformed(kForeign);
    if (!ledger.has_job()) return restart();
    found_ = ledger.facts();
    threads_ = ledger.threads();
    headers_ = ledger.headers();
    segments_ = ledger.segments();
    at_work_.begin = ledger.end();
    const Difference other = difference(found_, request_.job);
    if (other.text.empty()) return file_.cut(at_work_.begin);
    if (other.another_job) return refuse_or_drop(other.text);
    if (!segments_.empty())
        notes_.push_back(
            fmt::format("{} frames of an interrupted run are not used ({}): {}, so the file was "
                        "begun again from its first frame",
                        frames(), other.text, other.why_apart));
    restart();
}

SegmentStore::~SegmentStore() {
    if (segments_.empty()) remove();
}

// A torn record ends the file without an error; this record has a valid checksum.
void SegmentStore::refuse_malformed(const std::string& what) {
    if (request_.overwrite != Overwrite::replace)
        throw Error(Outcome::usage,
                    fmt::format("{}: {} cannot be continued ({}): {}", request_.output,
                                path_.string(), what, request_.remedies.unreadable));
    notes_.push_back(fmt::format("{}: {}, so the file was begun again", path_.string(), what));
    restart();
}

void SegmentStore::restart() {
    segments_.clear();
    headers_.reset();
    threads_ = request_.encoder_threads;
    try {
        write_job();
    } catch (const Error&) {
        remove();
        throw;
    }
    at_work_ = {.begin = file_.size()};
}

void SegmentStore::write_job() {
    file_.cut(0);
    append_job(file_, request_.job, threads_);
    file_.sync();
    sync_folder(path_.has_parent_path() ? path_.parent_path() : ".");
}

void SegmentStore::refuse_or_drop(const std::string& difference) {
    if (segments_.empty()) return restart();
    const std::string what =
        fmt::format("{} frames of an interrupted run do not fit ({})", frames(), difference);
    if (request_.overwrite != Overwrite::replace)
        throw Error(Outcome::usage, fmt::format("{}: {}: {}", request_.output, what,
                                                request_.remedies.other_settings));
    notes_.push_back(what + ", so the file was started over");
    restart();
}

void SegmentStore::require_headers(std::span<const std::uint8_t> extradata) {
    if (headers_ && !std::ranges::equal(*headers_, extradata))
        refuse_or_drop("encoder: its codec headers differ from those of the interrupted run");
    if (headers_) return;
    headers_.emplace(extradata.begin(), extradata.end());
    append(file_, LedgerRecord::headers, *headers_);
    at_work_.begin = file_.size();
}

std::int64_t SegmentStore::frames() const {
    return frames_in(segments_);
}

void SegmentStore::replay(const StoredSegment& segment, const Sink& sink) {
    file_.go(segment.begin);
    for (std::size_t k = 0; k < segment.times.size(); ++k) {
        const std::optional<Record> record = file_.read();
        if (!record || !is(*record, LedgerRecord::packet))
            throw Error(Outcome::failed,
                        fmt::format("{}: changed while it was in use", path_.string()));
        sink(packet_from(record->bytes));
    }
}

void SegmentStore::add(const AVPacket& packet) {
    append(file_, LedgerRecord::packet, packet_bytes(packet));
    at_work_.times.push_back(packet.pts);
}

void SegmentStore::finish_segment(std::vector<Hash128> frames) {
    const SegmentEnd end{.frames = static_cast<std::int64_t>(frames.size()),
                         .packets = static_cast<std::int64_t>(at_work_.times.size())};
    std::string record(reinterpret_cast<const char*>(&end), sizeof end);
    for (const Hash128& hash : frames) record.append(hash.begin(), hash.end());
    append(file_, LedgerRecord::segment, record);
    file_.sync();
    at_work_.frames = end.frames;
    at_work_.hashes = std::move(frames);
    segments_.push_back(std::move(at_work_));
    at_work_ = {.begin = file_.size()};
}

void SegmentStore::finish_part() {
    file_.sync();
    const fs::path finished = part_file(request_.output, request_.part->number);
    if (std::rename(path_.c_str(), finished.c_str()) != 0)
        throw WriteError(finished.string(), errno);
    removed_ = true;
    sync_folder(finished.has_parent_path() ? finished.parent_path() : ".");
}

void SegmentStore::remove() noexcept {
    if (!removed_) unlink(path_.c_str());
    removed_ = true;
}

}  // namespace weft
