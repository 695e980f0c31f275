// The tables of one track of an ISO base media file (ISO 14496-12, 8.5 to 8.7), and whether they
// agree with each other.
#pragma once

#include <cstdint>
#include <string>

#include "app/media/structure/mp4_boxes.h"
#include "app/media/structure/structure.h"

namespace weft {

struct Mp4Track {
    std::uint32_t id = 0;
    std::string handler;     // "vide", "soun"
    double duration_s = 0;   // on the movie's time line; 0: not stated
    double tolerance_s = 0;  // of that
    StreamContent content = {};
    std::string problem = {};  // libav would lose samples
    std::string doubt = {};    // the file contradicts itself
};

struct Mp4Movie {
    std::uint32_t timescale = 0;
    bool fragmented = false;  // durations do not include the fragments
};

// Adds the places of the track's samples to `coverage`.
Mp4Track read_mp4_track(const InputFile& file, const Box& trak, const Mp4Movie& movie,
                        SampleCoverage& coverage);

}  // namespace weft
