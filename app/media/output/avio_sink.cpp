#include "app/media/output/avio_sink.h"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace weft {
namespace {

constexpr int kBufferBytes = 256 << 10;

int write_packet(void* opaque, std::uint8_t* data, int size) {
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
    int (*write)(void*, std::uint8_t*, int) = nullptr;
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

void free_avio(AVIOContext* io) noexcept {
    av_freep(&io->buffer);
    avio_context_free(&io);
}

AvioPtr make_avio_writer(FileSink& sink, bool seekable) {
    return make_avio(&sink, {.write = write_packet, .seek = seekable ? seek_sink : nullptr});
}

AvioPtr make_avio_reader(FileReader& reader) {
    return make_avio(&reader, {.read = read_packet, .seek = seek_reader});
}

}  // namespace weft
