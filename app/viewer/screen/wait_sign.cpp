#include "app/viewer/screen/wait_sign.h"

#include <algorithm>

namespace weft {

void WaitSign::update(std::string_view awaited, bool renewed, Time now) {
    const bool begins = awaited_.empty() || (renewed && !shown_);
    awaited_ = awaited;
    if (begins) since_ = now;
    // A sign that went and came with every frame of a slow filter would flicker.
    shown_ = !awaited.empty() && (shown_ || now - since_ >= kPatience);
}

std::optional<std::chrono::duration<double>> WaitSign::left(Time now) const {
    if (awaited_.empty() || shown_) return std::nullopt;
    return std::max<std::chrono::duration<double>>(since_ + kPatience - now, {});
}

}  // namespace weft
