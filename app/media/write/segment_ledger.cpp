#include "app/media/write/segment_ledger.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "app/media/demux/packet_bytes.h"
#include "app/media/libav/ffmpeg.h"

namespace weft {
namespace {

// A run writes about ten facts; the longest is the stack.
constexpr std::size_t kMostFacts = 64;
constexpr std::size_t kMostFactBytes = std::size_t{2} << 20;
constexpr std::int64_t kMostThreads = 4096;
// libav accepts no longer headers.
constexpr std::size_t kMostHeaderBytes = std::size_t{1} << 28;

// The value at the beginning of the record, which `more` bytes follow.
template <class T>
T value_of(const Record& record, std::string_view name, std::size_t more = 0) {
    T value;
    if (record.bytes.size() != sizeof value + more)
        throw LedgerError(fmt::format("{} of {} bytes", name, record.bytes.size()));
    std::memcpy(&value, record.bytes.data(), sizeof value);
    return value;
}

}  // namespace

void SegmentLedger::take(const Record& record, std::int64_t end) {
    switch (static_cast<LedgerRecord>(record.kind)) {
        case LedgerRecord::fact:
            return take_fact(record);
        case LedgerRecord::job:
            return take_job(record, end);
        case LedgerRecord::headers:
            return take_headers(record, end);
        case LedgerRecord::packet:
            return take_packet(record);
        case LedgerRecord::segment:
            return take_segment(record, end);
    }
    throw LedgerError(fmt::format("a record of kind {}", record.kind));
}

void SegmentLedger::take_fact(const Record& record) {
    if (has_job_) throw LedgerError("a fact after the job");
    if (facts_.size() == kMostFacts) throw LedgerError("too many facts");
    if (record.bytes.size() > kMostFactBytes)
        throw LedgerError(fmt::format("a fact of {} bytes", record.bytes.size()));
    const std::string text(record.bytes.begin(), record.bytes.end());
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos) throw LedgerError("a fact without a value");
    facts_.push_back({text.substr(0, sign), text.substr(sign + 1)});
}

void SegmentLedger::take_job(const Record& record, std::int64_t end) {
    if (has_job_) throw LedgerError("a second job");
    const auto job = value_of<JobEnd>(record, "a job");
    if (job.threads < 0 || job.threads > kMostThreads)
        throw LedgerError(fmt::format("{} encoder threads", job.threads));
    threads_ = static_cast<int>(job.threads);
    has_job_ = true;
    at_work_.begin = end;
}

void SegmentLedger::take_headers(const Record& record, std::int64_t end) {
    if (!has_job_ || headers_ || !segments_.empty() || !at_work_.times.empty())
        throw LedgerError("headers in the wrong place");
    if (record.bytes.size() > kMostHeaderBytes)
        throw LedgerError(fmt::format("headers of {} bytes", record.bytes.size()));
    headers_ = record.bytes;
    at_work_.begin = end;
}

void SegmentLedger::take_packet(const Record& record) {
    if (!headers_) throw LedgerError("a packet before the headers");
    try {
        at_work_.times.push_back(packet_from(record.bytes)->pts);
    } catch (const MediaError& error) {
        if (error.av_code() == AVERROR(ENOMEM)) throw;
        throw LedgerError(error.what());
    }
}

void SegmentLedger::take_segment(const Record& record, std::int64_t end) {
    if (!headers_) throw LedgerError("a segment before the headers");
    const std::size_t hash_bytes = at_work_.times.size() * sizeof(Hash128);
    const auto segment = value_of<SegmentEnd>(record, "a segment", hash_bytes);
    const auto packets = static_cast<std::int64_t>(at_work_.times.size());
    if (segment.frames < 1 || segment.frames != segment.packets || segment.packets != packets)
        throw LedgerError(fmt::format("a segment of {} frames and {} packets after {} packets",
                                      segment.frames, segment.packets, packets));
    at_work_.frames = segment.frames;
    at_work_.hashes.resize(at_work_.times.size());
    std::memcpy(at_work_.hashes.data(), record.bytes.data() + sizeof segment, hash_bytes);
    segments_.push_back(std::move(at_work_));
    at_work_ = {.begin = end};
}

}  // namespace weft
