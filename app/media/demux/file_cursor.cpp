#include "app/media/demux/file_cursor.h"

extern "C" {
#include <libavutil/crc.h>
}

#include <algorithm>
#include <cstring>

namespace weft {

namespace {

constexpr std::size_t kWindowBytes = 64 << 10;

}  // namespace

// Makes the byte at at_ available in the buffer.
bool FileCursor::fill() {
    const auto have = static_cast<std::int64_t>(buffer_.size());
    if (at_ >= buffer_at_ && at_ < buffer_at_ + have) return true;
    buffer_.resize(kWindowBytes);
    buffer_.resize(file_.read_at(at_, buffer_));
    buffer_at_ = at_;
    if (buffer_.empty()) ended_ = true;
    return !buffer_.empty();
}

std::uint8_t FileCursor::u8() {
    const bool there = fill();
    const std::uint8_t value = there ? buffer_[static_cast<std::size_t>(at_ - buffer_at_)] : 0;
    ++at_;
    return value;
}

std::uint64_t FileCursor::big(int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value = value << 8U | u8();
    return value;
}

std::uint32_t FileCursor::big32() {
    return static_cast<std::uint32_t>(big(4));
}

std::uint32_t FileCursor::little32() {
    return __builtin_bswap32(big32());
}

std::string FileCursor::text4() {
    std::string text(4, '\0');
    for (char& c : text) c = static_cast<char>(u8());
    return text;
}

void FileCursor::skip_to(std::uint8_t value) {
    while (fill()) {
        const auto offset = static_cast<std::size_t>(at_ - buffer_at_);
        const std::uint8_t* const from = buffer_.data() + offset;
        const std::size_t left = buffer_.size() - offset;
        const void* const found = std::memchr(from, value, left);
        at_ += found != nullptr ? static_cast<const std::uint8_t*>(found) - from
                                : static_cast<std::ptrdiff_t>(left);
        if (found != nullptr) return;
    }
}

std::uint32_t FileCursor::crc32(std::int64_t bytes, std::uint32_t seed) {
    const AVCRC* table = av_crc_get_table(AV_CRC_32_IEEE_LE);
    std::uint32_t crc = ~seed;
    while (bytes > 0 && fill()) {
        const std::int64_t offset = at_ - buffer_at_;
        const std::int64_t run =
            std::min(bytes, static_cast<std::int64_t>(buffer_.size()) - offset);
        crc = av_crc(table, crc, buffer_.data() + offset, static_cast<std::size_t>(run));
        at_ += run;
        bytes -= run;
    }
    return ~crc;
}

}  // namespace weft
