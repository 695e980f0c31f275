// The headers and entropy-coded data of a JPEG (ITU-T T.81), parsed without decoding pixels: for
// decoders that do not report broken data. nvJPEG accepts a JPEG that was cut anywhere as complete.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace weft {

// A picture in sequential Huffman coding with 8 bits per sample, in one scan: what cameras and
// phones write.
struct JpegScan {
    struct Component {
        std::uint8_t id = 0;
        int horizontal = 1;  // blocks of 8x8 samples in a unit
        int vertical = 1;
        std::size_t dc = 0;  // of tables[0] to [3]
        std::size_t ac = 0;  // of tables[4] to [7]
    };
    // The symbols in the order of their codes, and how many codes have 1 to 16 bits.
    struct Table {
        std::array<std::uint8_t, 16> counts{};
        std::vector<std::uint8_t> symbols;
    };

    int width = 0;
    int height = 0;
    std::vector<Component> components;  // one or three
    std::array<Table, 8> tables;        // four for DC, then four for AC
    int restart_units = 0;              // between restart markers; 0: no markers
    std::size_t size_at = 0;            // of the height in the file, which the width follows
    std::size_t data_at = 0;            // of the first entropy-coded byte

    // In pixels: 8x8 for one component, up to 32x32.
    int unit_width() const;
    int unit_height() const;
};

// Nullopt for any other kind of JPEG, and for broken headers.
std::optional<JpegScan> find_jpeg_scan(std::span<const std::uint8_t> jpeg);

// Whether the data of the scan consist of valid codes, make up all blocks of the picture and no
// more, and end with an end marker. A wrong bit that leaves valid codes is not found, as JPEG has
// no checksums.
bool is_whole(const JpegScan& scan, std::span<const std::uint8_t> jpeg);

// A JPEG of the same headers and the first unit alone, whose decoding yields the picture's tags,
// profile and pixel format at once.
std::vector<std::uint8_t> first_unit(const JpegScan& scan, std::span<const std::uint8_t> jpeg);

}  // namespace weft
