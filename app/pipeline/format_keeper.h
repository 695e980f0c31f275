// Keeps every picture of a file in the format of the first: handles changes in mid-stream.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/media/picture/frame.h"
#include "app/media/picture/frame_format.h"
#include "app/media/picture/scaler.h"
#include "app/media/read/stream_changes.h"

namespace weft {

// The policy when size, pixel format, range or matrix change in mid-stream: --on-change.
enum class OnChange : std::uint8_t {
    fail,   // the file fails
    scale,  // the pictures are converted to the first one's format
};

class FormatKeeper {
 public:
    // Remembers the format of `first`, whose pixels are not read. `path` is for messages.
    FormatKeeper(const AVFrame& first, OnChange policy, std::string path);

    // Leaves `frame` unchanged, or gives it converted pixels of its own on the host. Throws
    // Error(failed) if the policy is to fail, naming the changes.
    void fit(Frame& frame);

 private:
    FrameFormat first_;
    OnChange policy_;
    FrameScaler scaler_;
};

// Changes that the output's tags, which are those of the first picture, do not reflect: one
// sentence per property, for its first change.
std::vector<std::string> unreported_changes(const StreamChanges& changes);

}  // namespace weft
