#include "tests/kernels/cpu/opencv_threads.h"

#include <opencv2/core/utility.hpp>

namespace weft::test {

OpencvThreads::OpencvThreads(int count) : before_(cv::getNumThreads()) {
    cv::setNumThreads(count);
}

OpencvThreads::~OpencvThreads() {
    cv::setNumThreads(before_);
}

}  // namespace weft::test
