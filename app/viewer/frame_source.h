// The frames of a file's video, in order from any point.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/media/reader.h"

namespace weft {

// Blocks on reading and decoding; for one thread. Throws MediaError.
class FrameSource {
 public:
    // Opens the file and stands before its first frame.
    explicit FrameSource(std::string path);

    // Facts of the file, as Reader gives them at its beginning.
    const Reader& reader() const { return *reader_; }
    AVRational time_base() const { return time_base_; }
    std::int64_t first_pts() const { return first_pts_; }

    // The next frame; nothing at the end.
    std::optional<Frame> next();
    // next() goes on with a frame at or before `pts`, or with the first.
    void seek(std::int64_t pts);
    // A sentence, once the end was reached; empty if the file is whole.
    std::string damage() const;

 private:
    void open_at(std::int64_t pts);

    std::string path_;
    std::unique_ptr<Reader> reader_;
    AVRational time_base_{};
    std::int64_t first_pts_ = 0;
    bool over_ = false;
};

}  // namespace weft
