// Hashes of the frames given to an encoder: for receipts, and to prove a lossless file by comparing
// the frames that decode.
#pragma once

#include <cstddef>
#include <vector>

#include "app/media/libav/ffmpeg.h"
#include "app/media/output/content_hash.h"

namespace weft {

// XXH3-128 over all visible samples of `frame` in `format`, as rawvideo stores them: excludes
// padding, the unused byte of bgr0 and the like. The frame must hold samples of that format; throws
// Error(failed) if it does not.
Hash128 sample_hash(const AVFrame& frame, AVPixelFormat format);

// FrameHashes identifies frames by their samples, whereas a FrameLedger knows only their times.
class FrameHashes {
 public:
    // `format` is that of the frames given to the encoder.
    explicit FrameHashes(AVPixelFormat format) : format_(format) {}

    // Frames in display order; the hash of one that an interrupted run has encoded.
    const Hash128& add(const AVFrame& frame) { return add(sample_hash(frame, format_)); }
    const Hash128& add(const Hash128& hash) { return hashes_.emplace_back(hash); }
    const std::vector<Hash128>& list() const { return hashes_; }

    // Whether the decoded frame has the samples of the `index`-th one. Throws as sample_hash().
    bool matches(std::size_t index, const AVFrame& decoded) const;

 private:
    AVPixelFormat format_;
    std::vector<Hash128> hashes_;
};

}  // namespace weft
