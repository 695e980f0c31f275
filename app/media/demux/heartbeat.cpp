#include "app/media/demux/heartbeat.h"

#include <algorithm>
#include <utility>

namespace weft {

bool Heartbeat::tick() {
    constexpr std::int64_t kMegabyte = 1'000'000;
    const std::int64_t beats = beats_;
    if (at_work_ == 0 || std::exchange(seen_, beats) != beats) {
        const std::int64_t more = bytes_.exchange(0) / kMegabyte * kTicksPerMegabyte;
        left_ = static_cast<int>(std::min<std::int64_t>(kPatience + more, kMostPatience));
        return false;
    }
    if (waiting_ == 0) --left_;
    return left_ <= 0;
}

}  // namespace weft
