// Names files of other kinds than those that libav knows.
#pragma once

#include <string>

#include "app/media/demux/input_file.h"

namespace weft {

// Returns the kind and the remedy, as a sentence that follows the file's name, if the first bytes
// are of a kind that libav does not know or mistakes for another (a Radiance picture for subtitles,
// gzip for a game's music); otherwise "". Call it only if opening has failed, because later
// versions of FFmpeg open some of these files.
std::string foreign_form(const InputFile& file);

}  // namespace weft
