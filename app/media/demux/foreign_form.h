// Names files of other kinds than those that libav knows.
#pragma once

#include <string>

#include "app/media/demux/input_file.h"

namespace weft {

// Recognises files that libav does not, or takes for something else (a Radiance picture for
// subtitles, gzip for a game's music), by their first bytes: a sentence after the file's name, with
// the remedy; otherwise empty. Ask about files that cannot be opened: later versions of FFmpeg open
// some.
std::string foreign_form(const InputFile& file);

}  // namespace weft
