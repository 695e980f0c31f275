// weft-bench of a CPU-only build.
#include <cstdio>

#include "kernels/device.h"

int main() {
    constexpr int kSkipped = 77;
    std::fprintf(stderr, "weft-bench: nothing to time: %s\n", weft::probe_gpus().why_none.c_str());
    return kSkipped;
}
