// The header before each packet of AAC in transport streams (ISO/IEC 13818-7, 6.2).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace weft {

struct AdtsHeader {
    int sample_rate = 0;
    int channels = 0;  // 0: the packet itself says
    bool operator==(const AdtsHeader&) const = default;
};

// Nothing where `packet` does not begin with one.
std::optional<AdtsHeader> read_adts(std::span<const std::uint8_t> packet);

}  // namespace weft
