// A file of records that a crash at any moment leaves readable: each carries a checksum, and what
// was not written to its end counts as not there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/media/file_sink.h"

namespace weft {

struct Record {
    std::uint32_t kind = 0;
    std::vector<std::uint8_t> bytes;
};

// Numbers are stored as this machine has them: the file is read where it was written. Not
// thread-safe.
class RecordFile {
 public:
    // Reads from the start of the file that `fd` is open on, and closes it in the end. `path` is
    // for messages.
    RecordFile(int fd, const std::string& path) : sink_(fd, path) {}
    ~RecordFile();
    RecordFile(const RecordFile&) = delete;
    RecordFile& operator=(const RecordFile&) = delete;

    // The record at position(), which moves behind it. Nothing, and no move, at the end of the file
    // and where what follows is torn or changed. Throws Error(failed) where the disk fails.
    std::optional<Record> read();
    std::int64_t position() const { return position_; }
    void go(std::int64_t position) { position_ = position; }

    // Drops what lies behind `size` bytes; append() goes on there. Throws Error(not_written).
    void cut(std::int64_t size);
    // Writes a record behind the last one. Throws Error(not_written).
    void append(std::uint32_t kind, std::span<const std::uint8_t> bytes);
    std::int64_t size() const { return size_; }  // cut() and append() know it
    // Blocks until the disk has all. Throws Error(not_written).
    void sync();

 private:
    bool read_at(std::int64_t position, std::span<std::uint8_t> into) const;

    FileSink sink_;
    std::int64_t position_ = 0;
    std::int64_t size_ = 0;
};

}  // namespace weft
