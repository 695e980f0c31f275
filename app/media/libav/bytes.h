// Reads integers and four-letter names from file headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace weft {

// All take an offset that the caller has checked: offset + size <= data.size().
inline std::uint32_t big32(std::span<const std::uint8_t> data, std::size_t at) {
    return std::uint32_t{data[at]} << 24U | std::uint32_t{data[at + 1]} << 16U |
           std::uint32_t{data[at + 2]} << 8U | std::uint32_t{data[at + 3]};
}

inline std::uint32_t little32(std::span<const std::uint8_t> data, std::size_t at) {
    return std::uint32_t{data[at + 3]} << 24U | std::uint32_t{data[at + 2]} << 16U |
           std::uint32_t{data[at + 1]} << 8U | std::uint32_t{data[at]};
}

inline std::string_view text4(std::span<const std::uint8_t> data, std::size_t at) {
    return {reinterpret_cast<const char*>(data.data()) + at, 4};
}

}  // namespace weft
