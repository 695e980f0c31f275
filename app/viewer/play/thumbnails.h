// Thumbnails at intervals along a file, made in the background.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "app/media/picture/frame.h"
#include "app/pipeline/latest_task.h"
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

    // Drops the previous file and makes up to `count` evenly spread thumbnails of key frames: first
    // a few across the whole file, then those in between. Null: no file. Stills get none.
    void open(std::shared_ptr<const MediaInfo> media, int count = 64);

    // By ascending time.
    std::vector<ThumbnailPtr> all() const;
    // The thumbnail whose frame is nearest to that time; null if none exists yet.
    ThumbnailPtr nearest(double seconds) const;

 private:
    struct Job {
        std::shared_ptr<const MediaInfo> media;
        int count = 0;
    };
    using Pictures = std::map<std::int64_t, ThumbnailPtr>;  // by their frame's pts
    void make(const Job& job, const std::stop_token& superseded);
    void make_in_order(const Job& job, const std::stop_token& superseded);
    // Returns false if another file is wanted.
    bool keep(const Job& job, const Frame& frame, AVRational time_base,
              const std::stop_token& superseded);

    LatestTask<Job, Pictures> task_;
};

}  // namespace weft
