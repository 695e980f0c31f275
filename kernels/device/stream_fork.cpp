#include "kernels/device/stream_fork.h"

#include <exception>

namespace weft {

StreamFork::StreamFork(std::size_t branches) {
    if (branches < 2) return;
    branches_ = std::vector<Branch>(branches - 1);
    begun_ = std::vector<StreamEvent>(1);
}

void StreamFork::run(StreamView trunk, std::size_t count,
                     const std::function<void(std::size_t, StreamView)>& enqueue) {
    if (count < 2 || branches_.empty()) {
        for (std::size_t k = 0; k < count; ++k) enqueue(k, trunk);
        return;
    }
    begun_.front().record(trunk);
    std::exception_ptr failure;
    for (std::size_t k = 0; k < count && !failure; ++k) {
        Branch* const branch = k == 0 ? nullptr : &branches_.at(k - 1);
        if (branch != nullptr) begun_.front().make_wait(branch->stream.view());
        try {
            enqueue(k, branch == nullptr ? trunk : branch->stream.view());
        } catch (...) {
            failure = std::current_exception();
        }
        if (branch != nullptr) branch->done.record(branch->stream.view());
    }
    for (std::size_t k = 1; k < count; ++k) branches_[k - 1].done.make_wait(trunk);
    if (failure) std::rethrow_exception(failure);
}

}  // namespace weft
