// How often an animated picture is played.
#pragma once

#include <cstdint>
#include <optional>

#include "app/media/demux/input_file.h"

namespace weft {

// How many times a GIF or an APNG is to be played, where 0 means endlessly; null for other files.
std::optional<std::uint32_t> plays_of(const InputFile& file);

}  // namespace weft
