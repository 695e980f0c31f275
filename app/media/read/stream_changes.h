// Detects mid-stream changes of the video, and of audio whose packets carry their format.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/media/demux/adts.h"
#include "app/media/picture/frame.h"
#include "app/media/picture/frame_format.h"

namespace weft {

struct Change {
    double seconds = 0;  // the input's own time of the first frame or packet that differs
    int stream = 0;
    Difference difference;
};

// "at 2.433 s the size changes from 320x180 to 640x360".
std::string change_text(const Change& change);

class StreamChanges {
 public:
    // Damaged streams may change with every frame, so the number kept is limited.
    static constexpr std::size_t kMost = 100;

    // Call in display order. `time_base` is the unit of the frame's pts.
    void frame(const Frame& frame, int stream, AVRational time_base);
    // Call it for packets of any stream.
    void packet(const AVPacket& packet, const AVStream& stream);

    // In order of time within each stream.
    const std::vector<Change>& list() const { return list_; }
    std::int64_t left_out() const { return left_out_; }

 private:
    void add(Change change);

    std::optional<FrameFormat> format_;
    std::map<int, AdtsHeader> sounds_;  // by stream
    std::vector<Change> list_;
    std::int64_t left_out_ = 0;
};

}  // namespace weft
