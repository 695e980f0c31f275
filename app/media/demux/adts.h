// The ADTS header before each AAC packet in transport streams (ISO/IEC 13818-7, 6.2).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace weft {

struct AdtsHeader {
    int sample_rate = 0;
    int channels = 0;  // 0: coded in the packet itself
    bool operator==(const AdtsHeader&) const = default;
};

// Empty if `packet` does not begin with an ADTS header.
std::optional<AdtsHeader> read_adts(std::span<const std::uint8_t> packet);

}  // namespace weft
