#include "app/viewer/screen/response_times.h"

namespace weft {

void ResponseTimes::answer(std::uint64_t number, Time now) {
    for (; !asked_.empty() && asked_.front().first <= number; asked_.pop_front())
        seconds_->add(std::chrono::duration<double>(now - asked_.front().second).count());
}

}  // namespace weft
