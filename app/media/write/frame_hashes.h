// Proof of a lossless file: compares the frames given to the encoder with those that decode.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/media/libav/ffmpeg.h"

namespace weft {

// 128 bits of MurmurHash3 over all visible samples: excludes padding, the unused byte of bgr0 and
// the like.
using SampleHash = std::array<std::uint8_t, 16>;

// Hashes `frame` in `format`, whose samples it must hold. Throws Error(failed) if it cannot.
SampleHash sample_hash(const AVFrame& frame, AVPixelFormat format);

class FrameHashes {
 public:
    // `format` is that of the frames given to the encoder.
    explicit FrameHashes(AVPixelFormat format) : format_(format) {}

    // Frames in display order.
    void add(const AVFrame& frame) { hashes_.emplace_back(sample_hash(frame, format_)); }
    // A frame that an interrupted run has encoded; matches anything.
    void add_unknown() { hashes_.emplace_back(); }

    // Whether the `index`-th decoded frame has the samples that were added. Throws as
    // sample_hash().
    bool matches(std::size_t index, const AVFrame& decoded) const;

 private:
    AVPixelFormat format_;
    std::vector<std::optional<SampleHash>> hashes_;
};

}  // namespace weft
