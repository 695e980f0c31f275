// Keeps the transparent color of gray PNGs, which libav decodes wrongly.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft {

// Converts a PNG of 1-, 2- or 4-bit gray with a transparent color (tRNS) to one with a palette of
// the same grays; empty for any other bytes. libav ignores the color at 1 bit, or else compares
// it with samples that it has spread to 8 bits.
std::vector<std::uint8_t> with_gray_palette(std::span<const std::uint8_t> png);

}  // namespace weft
