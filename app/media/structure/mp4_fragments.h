// The fragments of an ISO base media file (ISO 14496-12, 8.8): the samples of each and their times.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/media/structure/mp4_boxes.h"
#include "app/media/structure/structure.h"

namespace weft {

class Mp4Fragments {
 public:
    Mp4Fragments(const InputFile& file, SampleCoverage& coverage)
        : cursor_(file), coverage_(coverage) {}

    // Adds a track with the samples of its `trak`; `continuous` holds for video and sound.
    void add_track(std::uint32_t id, bool continuous, const StreamContent& content);
    // Reads the defaults in `mvex`, before any fragment.
    void read_defaults(const Box& mvex);
    bool knows(std::uint32_t track) const { return tracks_.contains(track); }

    // Adds the samples of a `moof` whose parts fill it.
    void read(const Box& moof);
    // Compares the index after the last fragment with the fragments that were read.
    void compare(const Box& mfra);

    // After the last: the samples of each track, and where the fragments contradict each other.
    std::vector<StreamContent> content() const;
    std::string doubt() const;

 private:
    struct Defaults {
        std::uint32_t duration = 0;
        std::uint32_t bytes = 0;
    };
    struct Start {
        std::int64_t time = 0;   // of decoding
        std::int64_t delay = 0;  // from there to presentation
    };
    struct Track {
        Defaults defaults;
        bool continuous = true;  // video, sound
        StreamContent content;
        std::optional<std::int64_t> end;  // in the track's ticks
        std::int64_t longest = 0;
        std::int64_t seamless = 0;             // fragments that begin where the one before ends
        std::int64_t apart = 0;                // those that begin later by more than a sample
        std::map<std::int64_t, Start> starts;  // by the byte of their `moof`
    };
    // The state of the `traf` that is being read.
    struct Part {
        std::uint32_t id = 0;
        Defaults defaults;
        std::int64_t base = 0;  // its samples' places count from here
        std::int64_t next = 0;  // after the samples of the last `trun`
        std::optional<std::int64_t> time;
        std::optional<std::int64_t> delay;
        std::int64_t ticks = 0;
    };

    void doubt(std::string clause);
    void read_track(const Box& moof, const Box& traf, std::optional<std::int64_t>& end_of_last);
    void read_header(const Box& moof, const Box& tfhd, std::int64_t implicit_base, Part& part);
    void read_samples(const Box& trun, Part& part);
    void take(const Box& moof, const Part& part);
    void compare_track(const Box& tfra);

    FileCursor cursor_;
    SampleCoverage& coverage_;
    std::map<std::uint32_t, Track> tracks_;
    std::string doubt_;
};

}  // namespace weft
