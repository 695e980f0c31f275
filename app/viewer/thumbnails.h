// Small pictures along a file's time, made in the background.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "app/media/frame.h"
#include "app/viewer/media_info.h"

namespace weft {

// Upright, as a player shows it.
struct Thumbnail {
    static constexpr int kMaxSide = 160;

    double seconds = 0;  // of its frame
    int width = 0;       // up to kMaxSide
    int height = 0;
    std::vector<std::uint8_t> rgb;  // rows without padding
};

using ThumbnailPtr = std::shared_ptr<const Thumbnail>;

// Null where swscale cannot read the format.
ThumbnailPtr make_thumbnail(const AVFrame& frame, const MediaInfo& media, double seconds);

class Thumbnails {
 public:
    // `on_change` is called from another thread when there is a new one. Must not block.
    explicit Thumbnails(std::function<void()> on_change = {});
    ~Thumbnails();
    Thumbnails(const Thumbnails&) = delete;
    Thumbnails& operator=(const Thumbnails&) = delete;

    // Gives up the file before and makes up to `count`, spread evenly, of key frames: a few over
    // the whole file first, then those between. Null: no file. Stills get none.
    void open(std::shared_ptr<const MediaInfo> media, int count = 64);

    // By rising time.
    std::vector<ThumbnailPtr> all() const;
    // The one whose frame lies nearest to that time; null if there is none yet.
    ThumbnailPtr nearest(double seconds) const;

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft
