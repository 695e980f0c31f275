// Finds, in the file itself, the metadata of mp4, mov and Matroska that libav's demuxers do not
// read, so that it is kept, or reported as lost.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/media/demux/input_file.h"

namespace weft {

struct UnreadMetadata {
    // The metadata that no output keeps, one clause each: "BPM (tmpo)", "the crop 4:2:0:8 of track
    // 1".
    std::vector<std::string> lost = {};
    // Sentences on things that no output keeps either, and that state as little as nothing.
    std::vector<std::string> notes = {};
    // Names of the entries of an mp4's iTunes list that are not read, and these entries, one after
    // the other: mp4 can keep them.
    std::vector<std::string> list_names = {};
    std::string list_entries = {};
    // Whether these entries are large enough to hold a picture.
    bool may_hold_picture() const { return list_entries.size() >= 1000; }
    // Texts of 3GPP's boxes, by libav's names of tags: "title", and "title-fre" for French.
    std::map<std::string, std::string> tags = {};
    // Names of an mp4's tracks, by stream, which libav writes and does not read.
    std::map<int, std::string> track_names = {};
};

// `format`: libav's name of the demuxer. Empty for other formats and for pipes. Reads headers and
// tags alone, and of these at most a few megabytes; stops at damage. Throws MediaError on
// I/O errors.
UnreadMetadata find_unread_metadata(const InputFile& file, std::string_view format);

UnreadMetadata find_unread_in_mp4(const InputFile& file);
UnreadMetadata find_unread_in_matroska(const InputFile& file);

}  // namespace weft
