// Reads numbers and names from headers: in memory, or in a file with a small buffer, independently
// of libav's own position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/media/demux/input_file.h"

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

// Reads past the end return zeros and set ended(): a walk checks it once per element.
class FileCursor {
 public:
    explicit FileCursor(const InputFile& file, std::int64_t at = 0) : file_(file), at_(at) {}

    std::int64_t at() const { return at_; }
    std::int64_t left() const { return file_.size() - at_; }
    bool ended() const { return ended_; }
    void go(std::int64_t at) { at_ = at; }
    void skip(std::int64_t bytes) { at_ += bytes; }

    std::uint8_t u8();
    std::uint32_t big32();
    std::uint32_t little32();
    std::uint64_t big(int bytes);  // 1 to 8 bytes
    std::string text4();
    // Advances to the next byte of this value, or to the end of the file: see ended().
    void skip_to(std::uint8_t value);

    // zlib's CRC-32 of the next `bytes` bytes, which are skipped.
    std::uint32_t crc32(std::int64_t bytes, std::uint32_t seed = 0);

 private:
    bool fill();

    const InputFile& file_;
    std::int64_t at_;
    std::int64_t buffer_at_ = 0;
    std::vector<std::uint8_t> buffer_;
    bool ended_ = false;
};

}  // namespace weft
