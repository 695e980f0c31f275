// Hashes of everything that an output is made of, for receipts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/media/libav/ffmpeg.h"
#include "app/media/output/content_hash.h"
#include "app/media/write/stream_plan.h"

namespace weft {

// The packets of a source stream that is copied, one after the other.
struct CopiedStream {
    int index = 0;  // in the source
    std::string kind;
    std::int64_t packets = 0;
    Hash128 hash{};
};

struct WrittenProof {
    std::vector<Hash128> frames;  // sample_hash() in display order
    std::string pixel_format;
    AVRational time_base{0, 1};
    Hash128 times{};        // hash of the pts, 8 bytes each, little-endian
    bool lossless = false;  // decoding gives exactly these frames
    std::vector<CopiedStream> streams;
    // The finished file or, one after the other, files; 0 and empty if none is written.
    std::int64_t bytes = 0;
    std::int64_t mtime_ns = 0;  // the latest
    std::string sha256;
};

// Modification time of an open file in nanoseconds since 1970. Throws Error(not_written).
std::int64_t mtime_ns(int fd, const std::string& path);

// Collects times and packets in the order in which the Writer gets them.
class ProofCollector {
 public:
    // For the streams of `plans` that are copied.
    ProofCollector(const std::vector<StreamPlan>& plans, const AVFormatContext& source);

    void add_time(std::int64_t pts);
    void add(const AVPacket& packet);  // of any source stream

    // Fills in the fields that were collected.
    void finish(WrittenProof& proof) const;

 private:
    struct Collected {
        CopiedStream stream;
        FastHash packets;
    };

    FastHash times_;
    std::vector<Collected> streams_;
};

}  // namespace weft
