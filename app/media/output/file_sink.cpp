#include "app/media/output/file_sink.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <fmt/format.h>

#include "app/media/output/write_error.h"

namespace weft {

namespace {

std::string megabytes(std::int64_t bytes) {
    return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string free_space_text(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    struct statvfs info {};
    if (statvfs(folder.empty() ? "." : folder.c_str(), &info) != 0) return {};
    const auto bytes = static_cast<std::int64_t>(info.f_bavail * info.f_frsize);
    return fmt::format(" ({} free there)", megabytes(bytes));
}

// Such as /proc, which has its own files alone.
bool has_folder(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::error_code error;
    return std::filesystem::is_directory(folder.empty() ? "." : folder, error);
}

std::string remedy(const std::string& path, int error) {
    const bool is_stream = path == kStandardOutput;
    switch (error) {
        case EBADF:
            return "it is closed or not open for writing: redirect it to a file or a pipe";
        case ENOSPC:
            if (is_stream)
                return "the file or device that it leads to is full: redirect it to another one";
            return fmt::format("more space is needed{}: free some or choose another folder",
                               free_space_text(path));
        case EDQUOT:
            return "your disk quota is used up: free some space or choose another folder";
        case EFBIG:
            return "the file would exceed the size limit (ulimit -f, or the file system's own): "
                   "raise it or choose another folder";
        case EROFS:
            return "the file system is read-only: choose another folder";
        case EACCES:
        case EPERM:
            return "you have no permission to write in that folder: choose another one";
        case ENAMETOOLONG:
            return "choose a shorter name: 255 bytes, or 4095 with its folders";
        case ENOENT:
            return has_folder(path) ? "no files can be created in that folder: choose another one"
                                    : "the folder does not exist: create it first";
        case EPIPE:
            return "the program that reads the output has exited";
        default:
            return is_stream ? "check where it leads to"
                             : "check the disk or choose another folder";
    }
}

}  // namespace

std::string write_failure_text(const std::string& path, int error, std::int64_t bytes) {
    const std::string after = bytes > 0 ? fmt::format(" after {}", megabytes(bytes)) : "";
    return fmt::format("{}: cannot be written{}: {}; {}", path, after, std::strerror(error),
                       remedy(path, error));
}

int FileSink::write(const void* data, std::int64_t size) noexcept {
    const auto* bytes = static_cast<const char*>(data);
    while (size > 0 && error_ == 0) {
        const ssize_t written = ::write(fd_, bytes, static_cast<std::size_t>(size));
        if (written < 0) {
            const int error = errno;
            if (error != EINTR && !tries_again(error)) error_ = error;
            continue;
        }
        bytes += written;
        size -= written;
        position_ += written;
        size_ = std::max(size_, position_);
    }
    return error_;
}

bool FileSink::tries_again(int error) const noexcept {
    if (!on_full_disk_ || !is_full_disk(error)) return false;
    try {
        return on_full_disk_(error);
    } catch (const std::exception&) {
        return false;  // out of memory: the write fails for its own reason
    }
}

int FileSink::seek(std::int64_t offset) noexcept {
    if (error_ != 0) return error_;
    if (lseek(fd_, offset, SEEK_SET) < 0) {
        error_ = errno;
        return error_;
    }
    position_ = offset;
    return 0;
}

void FileSink::fail(int error) noexcept {
    if (error_ == 0) error_ = error;
}

void FileSink::check() const {
    if (error_ != 0) throw WriteError(path_, error_, size_);
}

namespace {

constexpr int kBufferBytes = 256 << 10;

// FFmpeg 7 passes constant bytes, older ones do not.
template <class Byte>
int write_packet(void* opaque, Byte* data, int size) {
    const int error = static_cast<FileSink*>(opaque)->write(data, size);
    return error == 0 ? size : AVERROR(error);
}

std::int64_t seek_sink(void* opaque, std::int64_t offset, int whence) {
    auto* sink = static_cast<FileSink*>(opaque);
    if (whence == AVSEEK_SIZE) return sink->size();
    if (whence != SEEK_SET) return AVERROR(EINVAL);
    const int error = sink->seek(offset);
    return error == 0 ? offset : AVERROR(error);
}

int read_packet(void* opaque, std::uint8_t* data, int size) {
    auto* reader = static_cast<FileReader*>(opaque);
    ssize_t got = 0;
    do {
        got = pread(reader->fd, data, static_cast<std::size_t>(size), reader->position);
    } while (got < 0 && errno == EINTR);
    if (got < 0) return AVERROR(errno);
    reader->position += got;
    return got == 0 ? AVERROR_EOF : static_cast<int>(got);
}

std::int64_t seek_reader(void* opaque, std::int64_t offset, int whence) {
    auto* reader = static_cast<FileReader*>(opaque);
    if (whence == AVSEEK_SIZE) {
        struct stat info {};
        return fstat(reader->fd, &info) == 0 ? info.st_size : AVERROR(errno);
    }
    if (whence != SEEK_SET) return AVERROR(EINVAL);
    reader->position = offset;
    return offset;
}

struct Callbacks {
    int (*read)(void*, std::uint8_t*, int) = nullptr;
    decltype(AVIOContext::write_packet) write = nullptr;
    std::int64_t (*seek)(void*, std::int64_t, int) = nullptr;
};

AvioPtr make_avio(void* opaque, const Callbacks& callbacks) {
    auto* buffer = static_cast<unsigned char*>(av_malloc(kBufferBytes));
    if (buffer == nullptr) throw_no_memory();
    AVIOContext* io = avio_alloc_context(buffer, kBufferBytes, callbacks.write != nullptr, opaque,
                                         callbacks.read, callbacks.write, callbacks.seek);
    if (io == nullptr) {
        av_free(buffer);
        throw_no_memory();
    }
    return AvioPtr(io);
}

}  // namespace

AvioPtr make_avio_writer(FileSink& sink, bool seekable) {
    return make_avio(&sink, {.write = write_packet, .seek = seekable ? seek_sink : nullptr});
}

AvioPtr make_avio_reader(FileReader& reader) {
    return make_avio(&reader, {.read = read_packet, .seek = seek_reader});
}

}  // namespace weft
