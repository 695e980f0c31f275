// Changes a finished mp4 or mov as libav's muxer does not.
#pragma once

#include <map>
#include <string>

#include "app/media/output/file_sink.h"

namespace weft {

struct Mp4Additions {
    // Tags for which the iTunes list (mp4) or the user data (mov) has no place: they go into the
    // QuickTime keys, next to it.
    std::map<std::string, std::string> keys = {};
    std::string location = {};  // ISO 6709; as phones write it
    std::string xmp = {};       // a packet, into a box of its own at the end
    // Entries of an iTunes list, each with its header, in one piece: they go into the list.
    std::string list_entries = {};

    bool empty() const {
        return keys.empty() && location.empty() && xmp.empty() && list_entries.empty();
    }
};

// Changes the file, whose last box must be its index (moov), as libav writes it. Throws
// Error(not_written) if writing fails, and MediaError(failed) for a file of another form.
void add_to_mp4(FileSink& sink, const Mp4Additions& additions);

// Moves the index of the file, as the function above leaves it, before the media data, as libav's
// muxer does with -movflags +faststart, for which it would open the file by its name. Throws
// likewise.
void move_index_first(FileSink& sink);

}  // namespace weft
