// Programs on a part of the machine's cores.
#pragma once

#include <sched.h>

namespace weft::test {

// While it exists, programs started by this thread run on `most` cores at most.
class FewCores {
 public:
    explicit FewCores(int most) {
        if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
        cpu_set_t few;
        CPU_ZERO(&few);
        for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&few) < most; ++cpu)
            if (CPU_ISSET(cpu, &before_)) CPU_SET(cpu, &few);
        changed_ = sched_setaffinity(0, sizeof few, &few) == 0;
    }
    ~FewCores() {
        if (changed_) sched_setaffinity(0, sizeof before_, &before_);
    }
    FewCores(const FewCores&) = delete;
    FewCores& operator=(const FewCores&) = delete;

 private:
    cpu_set_t before_{};
    bool changed_ = false;
};

}  // namespace weft::test
