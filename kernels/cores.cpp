#include "kernels/cores.h"

#include <algorithm>

#include <opencv2/core/utility.hpp>

namespace weft {

int usable_cores() {
    return std::max(1, cv::getNumberOfCPUs());
}

}  // namespace weft
