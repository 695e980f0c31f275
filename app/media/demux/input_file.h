// A regular file or standard input for libav to read: never a protocol, never a second file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <sys/stat.h>

#include "app/media/demux/heartbeat.h"
#include "app/media/libav/ffmpeg.h"
#include "filters/text/file_descriptor.h"

namespace weft {

class ReadPieces;

// Whether the text looks like "https://host/a.mp4" or "s3://bucket/a.mp4".
bool is_address(std::string_view path);

// Owns the descriptor and the AVIOContext on it. Not movable: libav keeps its address.
class InputFile {
 public:
    // `path` is a file name as the system takes it (any bytes), or "-". Anything but a regular file
    // is refused without opening it: opening a FIFO blocks, opening a device may act. `heart` beats
    // when libav reads bytes for the first time, and with each read_at(). Throws
    // MediaError(failed).
    explicit InputFile(std::string path,
                       std::shared_ptr<Heartbeat> heart = std::make_shared<Heartbeat>());
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    AVIOContext* io() const { return io_.get(); }
    const std::string& path() const { return path_; }
    // False for a pipe on standard input: then size() is -1 and read_at() reads nothing.
    bool seekable() const { return size_ >= 0; }
    std::int64_t size() const { return size_; }
    // Size and times of a regular file when it was opened.
    const struct stat& opened() const { return opened_; }

    // Fills `into` from `offset` without moving the stream's position. Returns the number of bytes
    // read, fewer than requested at the end of the file. Throws MediaError on I/O errors.
    std::size_t read_at(std::int64_t offset, std::span<std::uint8_t> into) const;

    // How the file has changed since it was opened, as a sentence; empty if it has not, or for a
    // pipe. A link, a rename, a chmod or a touch changes no byte: if only such events were seen on
    // this machine, all that was read is read again and compared by its hashes, because a file
    // server or a mapping may have written to it. Throws MediaError on I/O errors.
    std::string change() const;

    // Makes reads by libav fail once it has read this many bytes without packet_read(): a parser
    // that looks for the end of a picture keeps all of them.
    void expect_packets(std::int64_t within_bytes) { most_unclaimed_ = within_bytes; }
    void packet_read() { unclaimed_ = 0; }
    bool packet_is_overdue() const { return most_unclaimed_ > 0 && unclaimed_ > most_unclaimed_; }

    // Throws MediaError if a read by libav failed with a system error (EIO, …): libav reports most
    // of these as an early end of file.
    void check_errors() const;

 private:
    void open_regular();
    void make_io();
    int read(std::span<std::uint8_t> into);
    std::int64_t seek(std::int64_t offset, int whence);
    void moved_by(std::int64_t bytes);
    bool remember(std::span<const std::uint8_t> bytes) noexcept;
    std::size_t copy_at(std::int64_t offset, std::span<std::uint8_t> into) const;
    bool holds_what_was_read() const;

    std::string path_;
    std::shared_ptr<Heartbeat> heart_;
    int fd_ = -1;
    FileDescriptor file_;  // none: standard input
    std::int64_t size_ = -1;
    struct stat opened_ {};  // at opening
    int system_error_ = 0;
    std::int64_t at_ = 0;    // where libav continues
    std::int64_t seen_ = 0;  // end of the data read so far
    std::int64_t unclaimed_ = 0;
    std::int64_t most_unclaimed_ = 0;  // 0: any number
    std::unique_ptr<ReadPieces> pieces_;
    int watch_ = -1;                   // for writes; negative: the file cannot be watched
    mutable struct stat compared_ {};  // when the file last held the bytes that were read
    AvioPtr io_;
};

}  // namespace weft
