// A file of records that stays readable after a crash at any moment: each record carries a
// checksum, and an incomplete one counts as missing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/media/output/file_sink.h"
#include "filters/text/file_descriptor.h"

namespace weft {

struct Record {
    std::uint32_t kind = 0;
    std::vector<std::uint8_t> bytes;
};

// Numbers are stored in native byte order: the file is read on the machine that wrote it. Not
// thread-safe.
class RecordFile {
 public:
    // `file` is open at its start. `path` is for messages.
    RecordFile(FileDescriptor file, const std::string& path, OnFullDisk on_full_disk = {})
        : file_(std::move(file)), sink_(file_.get(), path, std::move(on_full_disk)) {}

    // Reads the record at position() and advances past it. Returns nothing, without advancing, at
    // the end of the file or before a torn or changed record. Throws Error(failed) on disk errors.
    std::optional<Record> read();
    // The next record of this kind, as read() returns it; others are passed over, neither read nor
    // checked.
    std::optional<Record> find(std::uint32_t kind);
    std::int64_t position() const { return position_; }
    // Whether the file begins with the header of such a record, or as a crash leaves it: empty or
    // with zeros. Any other file is not of this class. Throws Error(failed) on disk errors.
    bool may_begin_with(std::uint32_t kind) const;
    void go(std::int64_t position) { position_ = position; }

    // Truncates the file to `size` bytes; append() continues there. Throws Error(not_written).
    void cut(std::int64_t size);
    // Appends a record. Throws Error(not_written).
    void append(std::uint32_t kind, std::span<const std::uint8_t> bytes);
    std::int64_t size() const { return size_; }  // as set by cut() and append()
    // Blocks until all data are on disk. Throws Error(not_written).
    void sync();

 private:
    struct Header {
        std::uint32_t checksum = 0;  // covers the rest of the header and the bytes after it
        std::uint32_t kind = 0;
        std::int64_t size = 0;  // number of bytes after the header
    };
    static std::uint32_t checksum(const Header& header, std::span<const std::uint8_t> bytes);
    std::optional<Header> read_header() const;
    bool read_at(std::int64_t position, std::span<std::uint8_t> into) const;

    FileDescriptor file_;
    FileSink sink_;
    std::int64_t position_ = 0;
    std::int64_t size_ = 0;
};

}  // namespace weft
