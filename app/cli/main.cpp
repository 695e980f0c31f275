extern "C" {
#include <libavutil/log.h>
}

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/crash_report.h"

int main(int argc, char** argv) {
    weft::report_crashes();
    // SVT-AV1 prints to standard error by itself; below its lowest level it prints nothing.
    if (setenv("SVT_LOG", "-2", 0) != 0) return static_cast<int>(weft::ExitCode::failed);
    av_log_set_level(AV_LOG_QUIET);  // what libav has to say is in our own messages
    const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    return static_cast<int>(weft::run_program(arguments));
}
