// Thumbnails of each filter's effect on a frame, computed in the background.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>

#include "app/pipeline/latest_task.h"
#include "app/viewer/play/thumbnails.h"
#include "app/viewer/screen/shown_frame.h"
#include "filters/filter.h"
#include "kernels/device/device.h"

namespace weft {

// The filter with the parameters of a new step, applied on the CPU to consecutive frames of one
// size (at least one). Returns the result for the last one; temporal filters use as many of the
// others as they need. Null if the filter cannot be computed: a file is missing.
ThumbnailPtr filter_preview(const FilterDef& filter, std::span<const ThumbnailPtr> frames);

// Frames before the shown one that the filter needs for its preview; 0 for most filters.
int frames_before_preview(const FilterDef& filter);

// For one thread, the window's.
class FilterPreviews {
 public:
    static constexpr int kMaxSide = 96;

    // `device` holds the frames. `changed` is called from the thread for each new picture.
    FilterPreviews(Device device, std::function<void()> changed);

    // Returns immediately. Drops the pictures of the last frame and makes one per filter, in the
    // order of the list, those of temporal filters last: the earlier frames are decoded again for
    // them. Repeating the last request keeps the pictures. `media` gives the frame's rotation and
    // aspect.
    void ask(ShownFramePtr shown, std::shared_ptr<const MediaInfo> media);
    // Null if not made yet, or if filter_preview() makes none.
    ThumbnailPtr of(const FilterDef& filter) const;

 private:
    struct Request {
        ShownFramePtr shown;
        std::shared_ptr<const MediaInfo> media;
    };
    using Pictures = std::map<const FilterDef*, ThumbnailPtr>;
    void make_all(const Request& request, const std::stop_token& superseded);
    void make_in_time(const Request& request, ThumbnailPtr shown,
                      const std::stop_token& superseded);
    // False if another frame is wanted.
    bool keep(const FilterDef& filter, ThumbnailPtr picture, const std::stop_token& superseded);

    std::weak_ptr<const ShownFrame> last_;  // does not keep the frame's memory in use
    LatestTask<Request, Pictures> task_;
};

}  // namespace weft
