// Proof of a lossless file: the frames that the encoder was given against those that decode.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/media/ffmpeg.h"

namespace weft {

// 128 bits of MurmurHash3 over all samples that are shown: padding, the unused byte of bgr0 and the
// like are left out.
using SampleHash = std::array<std::uint8_t, 16>;

// Of `frame` in `format`, whose samples it must hold. Throws Error(failed) where it cannot.
SampleHash sample_hash(const AVFrame& frame, AVPixelFormat format);

class FrameHashes {
 public:
    // `format`: of the frames that the encoder is given.
    explicit FrameHashes(AVPixelFormat format) : format_(format) {}

    // Frames in the order in which they are shown.
    void add(const AVFrame& frame) { hashes_.emplace_back(sample_hash(frame, format_)); }
    // A frame that an interrupted run has encoded: it is compared with none.
    void add_unknown() { hashes_.emplace_back(); }

    // Whether the frame that is decoded as the `index`-th has the samples that were added. Throws
    // as sample_hash().
    bool matches(std::size_t index, const AVFrame& decoded) const;

 private:
    AVPixelFormat format_;
    std::vector<std::optional<SampleHash>> hashes_;
};

}  // namespace weft
