// How often an animated picture is played.
#pragma once

#include <cstdint>
#include <optional>

#include "app/media/demux/input_file.h"

namespace weft {

// The times that a GIF or an APNG asks for, 0: endlessly; null for other files.
std::optional<std::uint32_t> plays_of(const InputFile& file);

}  // namespace weft
