// Every picture of a file in the format of its first one: what is done where it changes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/media/frame.h"
#include "app/media/picture_format.h"
#include "app/media/picture_scaler.h"
#include "app/media/stream_changes.h"

namespace weft {

// Where size, pixel format, range or matrix change in mid-stream: --on-change.
enum class OnChange : std::uint8_t {
    fail,   // the file fails
    scale,  // the pictures are brought to the first one's
};

class FormatKeeper {
 public:
    // `first`: its pixels are not looked at. `path` is for messages.
    FormatKeeper(const AVFrame& first, OnChange policy, std::string path);

    // Leaves `frame` as it is, or with pixels of its own on the host where they had to be
    // converted. Throws Error(failed) as the policy says, naming what changes.
    void fit(Frame& frame);

 private:
    PictureFormat first_;
    OnChange policy_;
    PictureScaler scaler_;
};

// What the output's tags, which are those of the first picture, do not say: one sentence for each
// property, of its first change.
std::vector<std::string> untold_changes(const StreamChanges& changes);

}  // namespace weft
