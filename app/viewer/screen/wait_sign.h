// Whether the window shows that its picture is stale. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace weft {

// What the picture waits for, such as "Filtering…", is shown once the wait is long enough to be
// noticed. A picture that is renewed in the meantime, as by a dragged slider, is not stale.
class WaitSign {
 public:
    using Time = std::chrono::steady_clock::time_point;
    static constexpr std::chrono::milliseconds kPatience{150};

    // For each redraw. `awaited` is a literal; "" ends the wait.
    void update(std::string_view awaited, bool renewed, Time now);
    // "" while nothing is to be shown.
    std::string_view text() const { return shown_ ? awaited_ : ""; }
    // Until text() changes by itself; nullopt if it does not.
    std::optional<std::chrono::duration<double>> left(Time now) const;

 private:
    std::string_view awaited_;
    Time since_;
    bool shown_ = false;
};

}  // namespace weft
