// The ADTS header before each AAC packet in transport streams (ISO/IEC 13818-7, 6.2).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace weft {

struct AdtsHeader {
    int sample_rate = 0;
    int channels = 0;  // 0: coded in the packet itself
    bool operator==(const AdtsHeader&) const = default;
};

// Empty if `packet` does not begin with an ADTS header: 12 one bits, version, layer 00, no
// checksum; then two bits of profile, four of sampling frequency index, one private, three of
// channels.
inline std::optional<AdtsHeader> read_adts(std::span<const std::uint8_t> packet) {
    constexpr std::array kRates = {96000, 88200, 64000, 48000, 44100, 32000, 24000,
                                   22050, 16000, 12000, 11025, 8000,  7350};
    constexpr std::array kChannels = {0, 1, 2, 3, 4, 5, 6, 8};
    constexpr std::size_t kShortest = 7;
    if (packet.size() < kShortest || packet[0] != 0xFF || (packet[1] & 0xF6U) != 0xF0)
        return std::nullopt;
    const std::size_t rate = (packet[2] >> 2U) & 0xFU;
    if (rate >= kRates.size()) return std::nullopt;
    const std::size_t channels = (packet[2] & 1U) << 2U | packet[3] >> 6U;
    return AdtsHeader{kRates.at(rate), kChannels.at(channels)};
}

}  // namespace weft
