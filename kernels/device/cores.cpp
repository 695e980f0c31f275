#include "kernels/device/cores.h"

#include <algorithm>

#include <opencv2/core/utility.hpp>

#include "kernels/device/cgroup.h"

namespace weft {

int usable_cores() {
    static const int cores = std::max(
        1,
        std::min(cv::getNumberOfCPUs(), own_cgroup_limits().cores.value_or(cv::getNumberOfCPUs())));
    return cores;
}

}  // namespace weft
