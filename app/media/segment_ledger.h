// The content of a `--resume` file, record by record: its parser, which trusts no byte of it.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "app/media/record_file.h"
#include "app/media/resume.h"

namespace weft {

// The job comes first as facts and its end, then once the headers, then packets; a segment's end
// follows its packets.
enum class LedgerRecord : std::uint32_t { fact = 1, job, headers, packet, segment };

struct JobEnd {
    std::int64_t threads = 0;
};

struct SegmentEnd {
    std::int64_t frames = 0;
    std::int64_t packets = 0;
};

struct StoredSegment {
    std::int64_t frames = 0;
    std::int64_t begin = 0;                // of its records in the file, in bytes
    std::vector<std::int64_t> times = {};  // pts of its packets, in their order
};

// Thrown for content that no run writes: a clause without the file's name.
class LedgerError : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

class SegmentLedger {
 public:
    // Takes the next record, which ends at byte `end` of the file. Throws LedgerError for a record
    // that cannot come next or whose fields are out of range.
    void take(const Record& record, std::int64_t end);

    // False until the job is complete: nothing can be continued.
    bool has_job() const { return has_job_; }
    const JobFacts& facts() const { return facts_; }
    int threads() const { return threads_; }
    const std::optional<std::vector<std::uint8_t>>& headers() const { return headers_; }
    const std::vector<StoredSegment>& segments() const { return segments_; }
    // Where the file is to be continued: after the job, the headers or the last complete segment.
    std::int64_t end() const { return at_work_.begin; }

 private:
    void take_fact(const Record& record);
    void take_job(const Record& record, std::int64_t end);
    void take_headers(const Record& record, std::int64_t end);
    void take_packet(const Record& record);
    void take_segment(const Record& record, std::int64_t end);

    bool has_job_ = false;
    JobFacts facts_;
    int threads_ = 0;
    std::optional<std::vector<std::uint8_t>> headers_;
    std::vector<StoredSegment> segments_;
    StoredSegment at_work_;
};

}  // namespace weft
