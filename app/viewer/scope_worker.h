// Histogram, waveform and error of the frame that is shown, worked out in a thread of its own.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "app/viewer/frame_stats.h"
#include "app/viewer/shown_frame.h"
#include "app/viewer/view_state.h"
#include "kernels/device.h"

namespace weft {

struct Scopes {
    FrameInfo info;
    int row_step = 1;  // every so many rows were looked at
    std::vector<ComponentHistogram> histograms;
    std::vector<Waveform> waveforms;
    std::vector<std::vector<std::uint8_t>> brightness;  // log_brightness() of each
    std::vector<ComponentError> errors;  // against the original; empty for the original itself
};

// Of one side of a shown frame. Blocks; where the picture is on a GPU it is fetched, on a thread
// that has made the device current. Throws what frame_of() throws.
Scopes make_scopes(const ShownFrame& shown, Side side, int columns);

class ScopeWorker {
 public:
    // `changed` is called from the thread when result() is new.
    ScopeWorker(Device device, std::function<void()> changed);
    ~ScopeWorker();
    ScopeWorker(const ScopeWorker&) = delete;
    ScopeWorker& operator=(const ScopeWorker&) = delete;

    // Returns at once. Of several questions that wait, the last one alone is answered; the last one
    // again is no new question.
    void ask(ShownFramePtr shown, Side side, int columns);
    // The last answer; null before the first. What failed has none: the one before stays.
    std::shared_ptr<const Scopes> result() const;

 private:
    struct Question {
        ShownFramePtr shown;
        Side side = 0;
        int columns = 0;

        bool operator==(const Question&) const = default;
    };
    void run(const Device& device);

    std::function<void()> changed_;
    mutable std::mutex mutex_;
    std::condition_variable asked_;
    std::optional<Question> waiting_;
    Question last_;
    std::shared_ptr<const Scopes> result_;
    bool closing_ = false;
    std::thread thread_;
};

}  // namespace weft
