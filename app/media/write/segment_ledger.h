// The content of a `--resume` file, record by record: a parser that does not trust the file.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "app/media/output/content_hash.h"
#include "app/media/output/record_file.h"
#include "app/media/write/resume.h"

namespace weft {

// The order of records: the job's facts and end, then the headers once, then packets; a segment's
// end follows its packets.
enum class LedgerRecord : std::uint32_t { fact = 1, job, headers, packet, segment };

struct JobEnd {
    std::int64_t threads = 0;
};

// The frames' hashes follow it in the record.
struct SegmentEnd {
    std::int64_t frames = 0;
    std::int64_t packets = 0;
};

struct StoredSegment {
    std::int64_t frames = 0;
    std::int64_t begin = 0;                // file offset of its records, in bytes
    std::vector<std::int64_t> times = {};  // pts of its packets, in their order
    std::vector<Hash128> hashes = {};      // of its frames, in display order: sample_hash()
};

// Thrown for content that no run writes: a clause without the file name.
class LedgerError : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

class SegmentLedger {
 public:
    // Parses the next record, which ends at byte `end` of the file. Throws LedgerError for a record
    // that cannot come next or whose fields are out of range.
    void take(const Record& record, std::int64_t end);

    // False until the job is complete: nothing can be resumed.
    bool has_job() const { return has_job_; }
    const JobFacts& facts() const { return facts_; }
    int threads() const { return threads_; }
    const std::optional<std::vector<std::uint8_t>>& headers() const { return headers_; }
    const std::vector<StoredSegment>& segments() const { return segments_; }
    // The offset to continue at: after the job, the headers or the last complete segment.
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
