// Tracks one object through a film, forwards and backwards from boxes that were drawn by hand.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/media/read/reader.h"
#include "app/pipeline/track/tracker.h"

namespace weft {

// A box drawn by hand around the object in the frame that is shown at a time. Boxes here are in
// stored pixels after rotation: as a player shows the picture, before the sample aspect ratio.
// Times count from the beginning of the file.
struct DrawnBox {
    std::int64_t time_us = 0;
    TrackBox box;
};

struct TrackJob {
    ReaderOptions reader;         // the whole file: a range is given below
    std::vector<DrawnBox> drawn;  // at least one
    std::optional<std::int64_t> from_us;
    std::optional<std::int64_t> to_us;
};

struct TrackedFrame {
    std::int64_t number = 0;  // 1 for the first frame of the file
    double seconds = 0;
    TrackBox box;
    double confidence = 0;  // of TrackedBox; 1 where the box was drawn
};

struct TrackReport {
    std::vector<TrackedFrame> frames;  // those with a box, in their order
    std::vector<TrackedFrame> cuts;    // the last frame before a cut that ended the track, or the
                                       // first one after it if the object was followed backwards
    std::vector<std::string> notes;
    DamageReport damage;        // found while the range was read
    std::int64_t followed = 0;  // frames that were searched, in both directions together
    double seconds = 0;         // of the run
};

// Frames one after another in which the confidence is below 0.5.
struct UncertainStretch {
    TrackedFrame first;
    TrackedFrame last;
};
std::vector<UncertainStretch> uncertain_stretches(const TrackReport& report);

// Called on the calling thread after each frame; `total` is 0 if unknown.
using TrackProgress = std::function<void(std::int64_t done, std::int64_t total)>;

// Between two drawn boxes the object is followed from both; where both found it, the nearer drawn
// box decides. Decodes ahead in a thread of its own. Throws Error: usage if a drawn box is outside
// the picture, or at or from a time after the film's end; else as the Reader. Throws Cancelled.
TrackReport track_film(const TrackJob& job, const std::stop_token& stop,
                       const TrackProgress& progress);

}  // namespace weft
