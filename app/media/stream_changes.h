// What changes in mid-stream: of the pictures, and of sound whose packets say it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/media/adts.h"
#include "app/media/frame.h"
#include "app/media/picture_format.h"

namespace weft {

struct Change {
    double seconds = 0;  // the input's own time of the first picture or packet that differs
    int stream = 0;
    Difference difference;
};

// "at 2.433 s the size changes from 320x180 to 640x360".
std::string change_text(const Change& change);

class StreamChanges {
 public:
    // Broken streams change with every picture: this many are kept.
    static constexpr std::size_t kMost = 100;

    // In the order in which they are shown. `time_base` is that of the frame's pts.
    void picture(const Frame& frame, int stream, AVRational time_base);
    // Of any stream.
    void packet(const AVPacket& packet, const AVStream& stream);

    // By time, of each stream.
    const std::vector<Change>& list() const { return list_; }
    std::int64_t left_out() const { return left_out_; }

 private:
    void add(Change change);

    std::optional<PictureFormat> picture_;
    std::map<int, AdtsHeader> sounds_;  // by stream
    std::vector<Change> list_;
    std::int64_t left_out_ = 0;
};

}  // namespace weft
