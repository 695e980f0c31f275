#include "tests/support/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> g_allocations = 0;

}  // namespace

// The standard library's array forms call these. AddressSanitizer's own nothrow form does not, and
// its memory must not reach the operator delete below.
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
    g_allocations.fetch_add(1, std::memory_order_relaxed);
    return std::malloc(bytes > 0 ? bytes : 1);
}

void* operator new(std::size_t bytes) {
    if (void* memory = operator new(bytes, std::nothrow)) return memory;
    throw std::bad_alloc();
}

void operator delete(void* memory) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace weft::test {

std::int64_t allocations() {
    return g_allocations.load(std::memory_order_relaxed);
}

}  // namespace weft::test
