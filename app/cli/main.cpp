extern "C" {
#include <libavutil/log.h>
}

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include <opencv2/core/utility.hpp>

#include "app/cli/commands.h"
#include "app/cli/exit_code.h"
#include "app/cli/signals.h"
#include "app/media/libav/shortage.h"
#include "kernels/device/cgroup.h"

namespace {

weft::Outcome run(int argc, char** argv) {
    // SVT-AV1 prints to standard error by itself; below its lowest level it prints nothing.
    if (setenv("SVT_LOG", "-2", 0) != 0) throw std::bad_alloc();
    av_log_set_level(AV_LOG_QUIET);  // our own messages include libav's errors
    // OpenCV's thread pool does not see cpu.max of control groups of version 2.
    if (weft::usable_cores() < cv::getNumThreads()) cv::setNumThreads(weft::usable_cores());
    const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    return weft::run_program(arguments);
}

}  // namespace

int main(int argc, char** argv) {
    weft::share_one_arena();
    weft::report_crashes();
    try {
        return exit_code(run(argc, argv));
    } catch (const std::bad_alloc&) {
        // The usual path of error messages allocates memory.
        (void)std::fprintf(stderr, "weft: error: %s\n", weft::kNoMemory.data());
    }
    return exit_code(weft::Outcome::failed);
}
