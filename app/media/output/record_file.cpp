#include "app/media/output/record_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "app/media/libav/error.h"

extern "C" {
#include <libavutil/crc.h>
}

namespace weft {
namespace {

// A packet has at most 2 GiB.
constexpr std::int64_t kMostBytes = std::int64_t{9} << 28;

using Bytes = std::span<const std::uint8_t>;

template <class T>
Bytes bytes_of(const T& value) {
    return {reinterpret_cast<const std::uint8_t*>(&value), sizeof(T)};
}

}  // namespace

std::uint32_t RecordFile::checksum(const Header& header, Bytes bytes) {
    const AVCRC* table = av_crc_get_table(AV_CRC_32_IEEE_LE);
    const Bytes rest = bytes_of(header).subspan(sizeof header.checksum);
    const std::uint32_t begun = av_crc(table, ~0U, rest.data(), rest.size());
    // av_crc() reads past a null pointer.
    return bytes.empty() ? begun : av_crc(table, begun, bytes.data(), bytes.size());
}

bool RecordFile::may_begin_with(std::uint32_t kind) const {
    Header header{.kind = kind};  // which stays where the file is shorter
    (void)read_at(0, {reinterpret_cast<std::uint8_t*>(&header), sizeof header});
    const bool zeros = header.checksum == 0 && header.kind == 0 && header.size == 0;
    return zeros || header.kind == kind;
}

// Nothing at the end of the file, or if the record would go past it.
std::optional<RecordFile::Header> RecordFile::read_header() const {
    struct stat info {};
    if (fstat(sink_.fd(), &info) != 0)
        throw Error(Outcome::failed,
                    fmt::format("{}: cannot be read: {}", sink_.path(), std::strerror(errno)));
    Header header;
    const std::int64_t begin = position_ + static_cast<std::int64_t>(sizeof header);
    if (begin > info.st_size) return std::nullopt;
    const std::span<std::uint8_t> raw(reinterpret_cast<std::uint8_t*>(&header), sizeof header);
    if (!read_at(position_, raw)) return std::nullopt;
    if (header.size < 0 || header.size > std::min(info.st_size - begin, kMostBytes))
        return std::nullopt;
    return header;
}

std::optional<Record> RecordFile::read() {
    const std::optional<Header> header = read_header();
    if (!header) return std::nullopt;
    Record record{header->kind, std::vector<std::uint8_t>(static_cast<std::size_t>(header->size))};
    const std::int64_t begin = position_ + static_cast<std::int64_t>(sizeof *header);
    if (!read_at(begin, record.bytes)) return std::nullopt;
    if (checksum(*header, record.bytes) != header->checksum) return std::nullopt;
    position_ = begin + header->size;
    return record;
}

std::optional<Record> RecordFile::find(std::uint32_t kind) {
    while (const std::optional<Header> header = read_header()) {
        if (header->kind == kind) return read();
        position_ += static_cast<std::int64_t>(sizeof *header) + header->size;
    }
    return std::nullopt;
}

// False if the file ends too early.
bool RecordFile::read_at(std::int64_t position, std::span<std::uint8_t> into) const {
    while (!into.empty()) {
        const ssize_t count = pread(sink_.fd(), into.data(), into.size(), position);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0)
            throw Error(Outcome::failed, fmt::format("{}: cannot be read at byte {}: {}",
                                                     sink_.path(), position, std::strerror(errno)));
        if (count == 0) return false;
        position += count;
        into = into.subspan(static_cast<std::size_t>(count));
    }
    return true;
}

void RecordFile::cut(std::int64_t size) {
    if (ftruncate(sink_.fd(), size) != 0) sink_.fail(errno);
    sink_.seek(size);
    sink_.check();
    size_ = size;
}

void RecordFile::append(std::uint32_t kind, std::span<const std::uint8_t> bytes) {
    Header header{.kind = kind, .size = static_cast<std::int64_t>(bytes.size())};
    header.checksum = checksum(header, bytes);
    sink_.write(&header, sizeof header);
    sink_.write(bytes.data(), header.size);
    sink_.check();
    size_ += static_cast<std::int64_t>(sizeof header) + header.size;
}

void RecordFile::sync() {
    if (fsync(sink_.fd()) != 0) sink_.fail(errno);
    sink_.check();
}

}  // namespace weft
