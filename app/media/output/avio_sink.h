// libav byte streams over one of our files, for writing and for reading back.
#pragma once

#include <cstdint>

#include "app/media/libav/ffmpeg.h"
#include "app/media/output/file_sink.h"

namespace weft {

// Frees an AVIOContext and its buffer without flushing.
void free_avio(AVIOContext* io) noexcept;

using AvioPtr = std::unique_ptr<AVIOContext, CDelete<free_avio>>;

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
