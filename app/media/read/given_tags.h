// The tags of -metadata, which replace those of the source.
#pragma once

#include <map>
#include <string>

#include "app/media/libav/ffmpeg.h"

namespace weft {

// Throws Error(usage) unless `key` is that of a tag which a user may set: "title" of the whole
// file, "s:a:0:language" of its first audio stream, "s:v:title" of all video streams,
// "s:1:title" of the stream with this index.
void check_tag_key(const std::string& key);

// Sets the tags, whose keys are valid, in a source; an empty value removes one. Throws Error(usage)
// if it has no such stream.
void set_tags(AVFormatContext& source, const std::map<std::string, std::string>& tags);

}  // namespace weft
