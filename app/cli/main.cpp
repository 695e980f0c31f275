extern "C" {
#include <libavutil/log.h>
}

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <new>
#include <string>
#include <unistd.h>
#include <vector>

#include <opencv2/core/utility.hpp>

#include "app/cli/commands.h"
#include "app/cli/exit_code.h"
#include "app/cli/signals.h"
#include "app/media/libav/shortage.h"
#include "kernels/device/cgroup.h"

namespace {

// A closed standard descriptor would become the number of the first file that is opened: - would
// read that file, and messages would go into it. These can be neither read nor written.
void occupy_standard_descriptors() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_PATH) != fd)
            std::_Exit(exit_code(weft::Outcome::failed));
}

weft::Outcome run(int argc, char** argv) {
    // SVT-AV1 prints to standard error by itself; below its lowest level it prints nothing.
    if (setenv("SVT_LOG", "-2", 0) != 0) throw std::bad_alloc();
    av_log_set_level(AV_LOG_QUIET);  // our own messages include libav's errors
    // OpenCV's thread pool does not see all of the limits.
    if (weft::usable_cores() < cv::getNumThreads()) weft::use_cores(weft::usable_cores());
    const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    return weft::run_program(arguments);
}

}  // namespace

int main(int argc, char** argv) {
    occupy_standard_descriptors();
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
