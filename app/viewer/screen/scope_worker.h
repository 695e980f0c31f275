// Computes histograms, waveforms, the vectorscope and errors of the current frame in its own
// thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/pipeline/latest_task.h"
#include "app/viewer/screen/shown_frame.h"
#include "app/viewer/view/frame_stats.h"
#include "app/viewer/view/vectorscope.h"
#include "app/viewer/view/view_state.h"
#include "kernels/device/device.h"

namespace weft {

struct Scopes {
    FrameInfo info;
    int row_step = 1;  // every row_step-th row was examined
    std::vector<ComponentHistogram> histograms;
    std::vector<Waveform> waveforms;
    std::vector<std::vector<std::uint8_t>> brightness;  // log_brightness() of each
    std::optional<Vectorscope> vectorscope;             // of pictures with colour
    std::vector<std::uint8_t> vectorscope_brightness;   // dot_brightness() of it
    std::vector<ComponentError> errors;  // against the original; empty for the original itself
};

// Computes the scopes for one side of a frame. Blocks. Downloads the picture if it is on a GPU; the
// thread must have made the device current. Throws like frame_of().
Scopes make_scopes(const ShownFrame& shown, Side side, int columns);

// For one thread, the window's.
class ScopeWorker {
 public:
    // `changed` is called from the thread when result() has changed.
    ScopeWorker(Device device, std::function<void()> changed);

    // Returns immediately. Only the last of several pending requests is processed; repeating the
    // last request has no effect.
    void ask(ShownFramePtr shown, Side side, int columns);
    // The last result; null before the first. A failed request keeps the previous one.
    std::shared_ptr<const Scopes> result() const;

 private:
    struct Request {
        ShownFramePtr shown;
        Side side = 0;
        int columns = 0;

        bool operator==(const Request&) const = default;
    };

    Request last_;
    LatestTask<Request, std::shared_ptr<const Scopes>> task_;
};

}  // namespace weft
