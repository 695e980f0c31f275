// Stubs for the CUDA sources of this folder in a CPU-only build. Only the suite that runs on any
// machine gets this far, and it never calls them.
#include <stdexcept>

#include "tests/bench/device_bytes.h"
#include "tests/bench/limits.h"

namespace weft::bench {

namespace {

[[noreturn]] void refuse_cuda() {
    throw std::runtime_error(probe_gpus().why_none);
}

}  // namespace

void copy_on_device(const void*, void*, std::size_t, StreamView) {
    refuse_cuda();
}
void fill_on_device(void*, unsigned char, std::size_t, StreamView) {
    refuse_cuda();
}
void upload_bytes(const void*, void*, std::size_t) {
    refuse_cuda();
}
std::vector<std::byte> gather(const void*, const std::vector<std::size_t>&, std::size_t,
                              StreamView) {
    refuse_cuda();
}

Ceilings measure_ceilings(const Device&, const Effort&) {
    refuse_cuda();
}
std::vector<Limit> measure_limits(const Device&, const Effort&) {
    refuse_cuda();
}

}  // namespace weft::bench
