// Thumbnails at intervals along a file, made in the background.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "app/media/picture/frame.h"
#include "app/viewer/play/media_info.h"

namespace weft {

// Upright, as displayed by players.
struct Thumbnail {
    static constexpr int kMaxSide = 160;

    double seconds = 0;  // time of its frame
    int width = 0;       // up to kMaxSide, or the side that was requested
    int height = 0;
    std::vector<std::uint8_t> rgb;  // rows without padding
};

using ThumbnailPtr = std::shared_ptr<const Thumbnail>;

// Null if swscale cannot read the format.
ThumbnailPtr make_thumbnail(const AVFrame& frame, const MediaInfo& media, double seconds,
                            int max_side = Thumbnail::kMaxSide);

class Thumbnails {
 public:
    // `on_change` is called from another thread for each new thumbnail. Must not block.
    explicit Thumbnails(std::function<void()> on_change = {});
    ~Thumbnails();
    Thumbnails(const Thumbnails&) = delete;
    Thumbnails& operator=(const Thumbnails&) = delete;

    // Drops the previous file and makes up to `count` evenly spread thumbnails of key frames: first
    // a few across the whole file, then those in between. Null: no file. Stills get none.
    void open(std::shared_ptr<const MediaInfo> media, int count = 64);

    // By ascending time.
    std::vector<ThumbnailPtr> all() const;
    // The thumbnail whose frame is nearest to that time; null if none exists yet.
    ThumbnailPtr nearest(double seconds) const;

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft
