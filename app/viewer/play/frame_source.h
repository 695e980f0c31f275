// Decodes the frames of a file's video, in order from any position.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/media/read/reader.h"
#include "app/media/read/video_seeker.h"

namespace weft {

// A FrameSource decodes frames and keeps none, unlike a FrameStore; pixels and times are those of a
// linear decode. It blocks on reading and decoding, serves one thread, and throws MediaError.
class FrameSource {
 public:
    // Opens the file, positioned before its first frame. Frames that `gpu` can decode are in its
    // memory; the CPU device means none. `frame_rate`: see ReaderOptions.
    explicit FrameSource(std::string path, Device gpu = {}, std::optional<double> frame_rate = {});

    // The file's properties, as reported by Reader at its beginning; valid until seek() is called.
    const Reader& reader() const { return *reader_; }
    AVRational time_base() const { return time_base_; }
    std::int64_t first_pts() const { return first_pts_; }

    // The next frame; nullopt at the end.
    std::optional<Frame> next();
    // next() continues with a frame at or before `pts`, or with the first.
    void seek(std::int64_t pts);
    // Whether a key frame exists after `from`, at or before `to`: seeking then saves decoding. If
    // the container does not list key frames, distances above `usual` seconds count as having one.
    bool key_between(std::int64_t from, std::int64_t to, double usual) const;
    // A sentence if the file is damaged, known once it was read in order to the end; else empty.
    std::string damage() const;

 private:
    AVStream& video() const;
    ReaderOptions video_only() const;

    std::string path_;
    Device gpu_;
    std::optional<double> frame_rate_;
    std::unique_ptr<Reader> reader_;       // reads from the beginning, or
    std::unique_ptr<VideoSeeker> seeker_;  // from elsewhere; kept after the first use
    int video_index_ = 0;
    AVRational time_base_{};
    std::int64_t first_pts_ = 0;
    bool over_ = false;
};

}  // namespace weft
