// The frames of a file's video, in order from any point.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/media/reader.h"
#include "app/media/video_seeker.h"

namespace weft {

// Every frame is that of a linear decode, with its time. Blocks on reading and decoding; for one
// thread. Throws MediaError.
class FrameSource {
 public:
    // Opens the file and stands before its first frame. What `gpu` can decode lies in its memory;
    // the CPU stands for none.
    explicit FrameSource(std::string path, Device gpu = {});

    // Facts of the file, as Reader gives them at its beginning; until seek() is called.
    const Reader& reader() const { return *reader_; }
    AVRational time_base() const { return time_base_; }
    std::int64_t first_pts() const { return first_pts_; }

    // The next frame; nothing at the end.
    std::optional<Frame> next();
    // next() goes on with a frame at or before `pts`, or with the first.
    void seek(std::int64_t pts);
    // Whether a key frame lies behind `from`, at or before `to`: seeking then saves decoding. Where
    // the container does not list them, it is taken for granted for more than `usual` seconds.
    bool key_between(std::int64_t from, std::int64_t to, double usual) const;
    // A sentence, once the whole file was read in order; empty if it is sound or that is not known.
    std::string damage() const;

 private:
    AVStream& video() const;
    ReaderOptions video_only() const;

    std::string path_;
    Device gpu_;
    std::unique_ptr<Reader> reader_;       // reads from the beginning, or
    std::unique_ptr<VideoSeeker> seeker_;  // from elsewhere; kept once it was needed
    int video_index_ = 0;
    AVRational time_base_{};
    std::int64_t first_pts_ = 0;
    bool over_ = false;
};

}  // namespace weft
