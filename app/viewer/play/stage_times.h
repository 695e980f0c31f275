// Recent durations of the stages on a frame's way to the screen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "app/pipeline/report/samples.h"

namespace weft {

// Frames pass `upload` if a GPU filters them, `kernels` if the stack has steps.
enum class Stage : std::uint8_t { decode, upload, kernels, draw };

// In Stage order.
inline constexpr std::array<std::string_view, 4> kStageNames = {"decode", "upload", "kernels",
                                                                "draw"};

// Keeps the latest kWindow frames of each stage. Thread-safe.
class StageTimes {
 public:
    static constexpr std::size_t kWindow = 240;
    using Table = std::array<Samples, kStageNames.size()>;  // in Stage order

    StageTimes() { table_.fill(Samples::latest(kWindow)); }

    void add(Stage stage, double seconds) {
        const std::scoped_lock lock(mutex_);
        table_[static_cast<std::size_t>(stage)].add(seconds);
    }
    Table table() const {
        const std::scoped_lock lock(mutex_);
        return table_;
    }

 private:
    mutable std::mutex mutex_;
    Table table_;
};

}  // namespace weft
