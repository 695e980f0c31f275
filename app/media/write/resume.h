// `--resume` as callers of the Writer see it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/media/demux/closed_key.h"

namespace weft {

// A fact that the encoded video depends on: {"stack", "gaussian=sigma=2"}. The segments of two runs
// fit together if all facts are equal.
struct JobFact {
    std::string name;
    std::string value;
    // A clause that explains why segments with another value do not fit, for facts that the user
    // does not choose, such as the device that was free: the run then begins again, with a note.
    // Empty: another value means another job, which is refused. Not stored.
    std::string why_apart = {};
};
using JobFacts = std::vector<JobFact>;

// Frames per segment. Each begins with a key frame: x264 inserts one at this interval at the latest
// anyway, so files hardly grow.
constexpr std::int64_t kSegmentFrames = 250;

// Some segments of a video, which a run of their own makes; join_parts() puts all parts together.
struct VideoPart {
    int number = 1;                        // 1 to of
    int of = 1;                            // the parts of the video
    std::int64_t begin = 0;                // its first frame, a multiple of kSegmentFrames
    std::optional<std::int64_t> end = {};  // the frame after its last; the last part has none
    std::optional<ClosedKey> key = {};     // before it; nothing: it is decoded from the beginning

    bool operator==(const VideoPart&) const = default;
};

// The progress of one run on the segments of a video.
struct SegmentCounts {
    std::int64_t taken_over = 0;         // segments of interrupted runs
    std::int64_t frames_taken_over = 0;  // in these segments
    std::int64_t done = 0;               // segments finished by this run
    std::int64_t frames_finished = 0;    // in all segments: a later run takes them over
};

// The finished segments of an interrupted run.
struct KeptSegments {
    std::int64_t frames = 0;
    // Why a run does not continue after them: "stack: then box, now sobel"; empty: it does.
    std::string difference = {};
};

}  // namespace weft
