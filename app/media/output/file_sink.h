// Writes to an open file and remembers the first failure, since libav swallows write errors;
// libav's byte streams over such a file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "app/media/libav/ffmpeg.h"

namespace weft {

// Why a file could not be written and how to fix that, in one sentence that starts with the path.
// `error` is an errno; `bytes` is the number written before.
std::string write_failure_text(const std::string& path, int error, std::int64_t bytes);

// The path of standard output in messages.
constexpr const char* kStandardOutput = "standard output";

// Called with an errno by a write that finds the disk full (ENOSPC) or the quota used up (EDQUOT).
// May block. True: the rest of the write is tried again; false: the write fails.
using OnFullDisk = std::function<bool(int error)>;

// Writes to a descriptor that it does not own. After the first failure every call fails with the
// same errno and writes nothing more. Not thread-safe.
class FileSink {
 public:
    // `path` is for messages only.
    FileSink(int fd, std::string path, OnFullDisk on_full_disk = {})
        : fd_(fd), path_(std::move(path)), on_full_disk_(std::move(on_full_disk)) {}

    // Writes all of it. Returns 0, or the errno of the first failure of this sink. Blocks while the
    // caller's OnFullDisk does.
    int write(const void* data, std::int64_t size) noexcept;
    // Moves to `offset` from the start. Returns 0 or the errno.
    int seek(std::int64_t offset) noexcept;

    // Throws Error(not_written) if any write or seek has failed.
    void check() const;
    // Remembers a failure found elsewhere (fsync, close), unless one is set already.
    void fail(int error) noexcept;

    int fd() const { return fd_; }
    std::int64_t size() const { return size_; }  // largest offset written to
    const std::string& path() const { return path_; }

 private:
    bool tries_again(int error) const noexcept;

    int fd_;
    std::string path_;
    OnFullDisk on_full_disk_;
    std::int64_t position_ = 0;
    std::int64_t size_ = 0;
    int error_ = 0;
};

// Writes to `sink`, which must outlive the result and keeps the first errno (check it after every
// libav call: many muxers ignore write errors). `seekable` is false for pipes.
AvioPtr make_avio_writer(FileSink& sink, bool seekable);

// Reads a regular file from its start with pread, which leaves the descriptor's position alone.
struct FileReader {
    int fd = -1;
    std::int64_t position = 0;
};

// `reader` must outlive the result.
AvioPtr make_avio_reader(FileReader& reader);

}  // namespace weft
