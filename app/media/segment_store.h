// What `--resume` goes on from: the packets of the finished segments of an output, in a hidden file
// beside it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/media/atomic_output.h"
#include "app/media/ffmpeg.h"
#include "app/media/record_file.h"
#include "app/media/resume.h"
#include "app/media/segment_ledger.h"

namespace weft {

struct SegmentRequest {
    std::string output;  // as the user names it
    JobFacts job = {};
    int encoder_threads = 0;  // with which a new file begins
    Overwrite overwrite = Overwrite::refuse;
};

// `.NAME.weft-resume` in the folder of `output`, links followed.
std::filesystem::path segment_file(const std::string& output);

// Removes the file unless a process is at work on it. Never throws.
void remove_segment_file(const std::string& output) noexcept;

// The open file, locked against other processes and readable by its owner alone. It holds the job,
// then packets; a segment counts when all of its packets and its end are there, unchanged. The disk
// has a segment when finish_segment() returns, so a crash costs the one at work. Not thread-safe.
class SegmentStore {
 public:
    using Sink = std::function<void(AVPacketPtr)>;

    // Opens the file or makes it, reads all of it, and drops what does not count. Segments of
    // another job are an error, Error(usage), that says what differs; with Overwrite::replace they
    // are dropped instead, with a note. They are in any case where only facts with
    // JobFact::why_apart differ. A file with content that no run writes is an error
    // likewise, and one that another user owns or can write is in any case: the file is left as it
    // is. Throws Error(not_written) if it cannot be opened or another process has it.
    explicit SegmentStore(const SegmentRequest& request);
    // The file stays if it holds a segment.
    ~SegmentStore();
    SegmentStore(const SegmentStore&) = delete;
    SegmentStore& operator=(const SegmentStore&) = delete;

    // As many as the first run had: encoders make other bits with others.
    int encoder_threads() const { return threads_; }

    // Segments are decoded with the headers that the container has once: these, if the file knows
    // none, else they must be equal, as facts must.
    void require_headers(std::span<const std::uint8_t> extradata);

    const std::vector<StoredSegment>& segments() const { return segments_; }
    std::int64_t frames() const;  // in all segments
    // Sentences for the report.
    const std::vector<std::string>& notes() const { return notes_; }

    // The packets of a segment in the order in which they were added. Throws Error(failed).
    void replay(const StoredSegment& segment, const Sink& sink);

    // Both throw Error(not_written).
    void add(const AVPacket& packet);
    void finish_segment(std::int64_t frames);

    // Once the output is in place nothing is left to go on from.
    void remove() noexcept;

 private:
    void load();
    void refuse_malformed(const std::string& what);
    void begin_anew();
    void write_job();
    void refuse_or_drop(const std::string& difference);

    SegmentRequest request_;
    std::filesystem::path path_;
    RecordFile file_;
    JobFacts found_;  // the job in the file
    int threads_ = 0;
    std::optional<std::vector<std::uint8_t>> headers_;
    std::vector<StoredSegment> segments_;
    StoredSegment at_work_;
    std::vector<std::string> notes_;
    bool removed_ = false;
};

}  // namespace weft
