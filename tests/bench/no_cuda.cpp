// Stubs for the CUDA sources of this folder in a CPU-only build. Only the suite that runs on any
// machine gets this far, and it never calls them.
#include <stdexcept>

#include "tests/bench/device_bytes.h"
#include "tests/bench/limits.h"

namespace weft::bench {

namespace {

[[noreturn]] void refuse() {
    throw std::runtime_error(probe_gpus().why_none);
}

}  // namespace

void copy_on_device(const void*, void*, std::size_t, StreamView) {
    refuse();
}
void fill_on_device(void*, unsigned char, std::size_t, StreamView) {
    refuse();
}
void upload_bytes(const void*, void*, std::size_t) {
    refuse();
}
std::vector<std::byte> gather(const void*, const std::vector<std::size_t>&, std::size_t,
                              StreamView) {
    refuse();
}

Ceilings measure_ceilings(const Device&, const Effort&) {
    refuse();
}
std::vector<Limit> measure_limits(const Device&, const Effort&) {
    refuse();
}

}  // namespace weft::bench
