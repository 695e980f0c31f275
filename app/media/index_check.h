// The index that a container brings along (mp4, mov, avi) against what the file holds.
#pragma once

#include <cstdint>
#include <optional>

#include "app/media/damage.h"
#include "app/media/demuxer.h"
#include "app/media/time_range.h"

namespace weft {

struct IndexedPart {
    std::int64_t byte = 0;
    std::int64_t end_byte = 0;
    double seconds = 0;  // decoding time
};

// The earliest part of any stream, decoded within `range`, that the index puts beyond the end of
// the file. Empty for formats without an index of their own.
std::optional<IndexedPart> first_part_beyond_end(const Demuxer& demuxer, const TimeRange& range);

// Pictures that the index promises for `stream`, without those that an edit list discards and
// without empty ones; 0 if the format has no index. Fragmented files fill it while they are read.
std::int64_t indexed_pictures(const Demuxer& demuxer, const AVStream& stream);

// Pictures of an mp4 that its edit list leaves out, which players do not show either; 0 in files
// with fragments.
std::int64_t hidden_pictures(const Demuxer& demuxer, const AVStream& stream);

// Where the index has the picture number `nth` (from 0, of those counted above).
BadPlace indexed_place(const Demuxer& demuxer, const AVStream& stream, std::int64_t nth);

}  // namespace weft
