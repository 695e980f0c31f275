// Compares a container's index (mp4, mov, avi) with the content of the file.
#pragma once

#include <cstdint>
#include <optional>

#include "app/media/check/damage.h"
#include "app/media/demux/demuxer.h"
#include "app/media/demux/time_range.h"

namespace weft {

struct IndexedPart {
    std::int64_t byte = 0;
    std::int64_t end_byte = 0;
    double seconds = 0;  // decoding time
};

// The earliest part of any stream, decoded within `range`, that the index places beyond the end of
// the file. Empty for formats without an index of their own.
std::optional<IndexedPart> first_part_beyond_end(const Demuxer& demuxer, const TimeRange& range);

// Number of frames that the index promises for `stream`, without empty ones and those that an
// edit list discards; 0 if the format has no index. In fragmented files the index grows during
// reading.
std::int64_t indexed_frames(const Demuxer& demuxer, const AVStream& stream);

// Number of frames that an mp4's edit list hides, which players do not show either; 0 in files
// with fragments.
std::int64_t hidden_frames(const Demuxer& demuxer, const AVStream& stream);

// Where the index places frame number `nth` (from 0, of those counted above).
BadPlace indexed_place(const Demuxer& demuxer, const AVStream& stream, std::int64_t nth);

}  // namespace weft
