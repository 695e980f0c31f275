// The quantiser tables of a JPEG (ITU-T T.81), which are its quality.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "app/media/demux/input_file.h"

namespace weft {

struct JpegTables {
    using Table = std::array<std::uint16_t, 64>;  // by rows, each value from 1 to 255

    Table luma{};
    Table chroma{};  // that of a gray picture is `luma`
};

// The tables of the first picture with samples of 8 bits. Nullopt for other files, and for a JPEG
// that states them wrongly or not before its first scan. Throws MediaError on I/O errors.
std::optional<JpegTables> read_jpeg_tables(const InputFile& file);

// About the number from 1 to 100 that libjpeg, and most programs with it, would give for such a
// table of luma. Programs with other tables have other scales.
int libjpeg_quality(const JpegTables& tables);

}  // namespace weft
