// The headers of an OpenEXR file ("The OpenEXR File Layout").
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "app/media/demux/file_cursor.h"

namespace weft {

struct ExrChannel {
    std::string name;
    std::uint32_t type = 0;  // 0: 32-bit integers, 1: half, 2: float
};

// The first and the last column and row.
struct ExrWindow {
    std::int64_t left = 0;
    std::int64_t top = 0;
    std::int64_t right = -1;
    std::int64_t bottom = -1;
};

struct ExrPart {
    std::string name;
    std::string type;  // "scanlineimage", "tiledimage", …; only files of several parts have one
    std::vector<ExrChannel> channels;  // in the order of the file, which sorts them by name
    unsigned compression = 0;
    ExrWindow data;               // around the stored pixels
    ExrWindow display;            // around the picture that viewers show
    std::int64_t tile_width = 0;  // 0: the part consists of lines
    std::int64_t tile_height = 0;
    std::int64_t chunks = 0;                // if stated, else 0
    bool several_levels = false;            // several resolution levels
    std::array<float, 8> chromaticities{};  // x and y of red, green, blue and white; or zeros

    std::int64_t width() const { return data.right - data.left + 1; }
    std::int64_t height() const { return data.bottom - data.top + 1; }
};

struct ExrHeader {
    bool tiled = false;
    bool deep = false;
    bool several_parts = false;  // also if it is only one
    std::vector<ExrPart> parts;
    std::int64_t end = 0;  // where the tables of chunks begin
    bool cut = false;      // the file ends inside the header
};

ExrHeader read_exr_header(const InputFile& file);

}  // namespace weft
