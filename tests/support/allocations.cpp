#include "tests/support/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> g_allocations = 0;
// The calls up to the one that fails; not positive if none will.
std::atomic<std::int64_t> g_until_failure = 0;
std::atomic<bool> g_fails_here = false;  // in the thread that asked for it, else in all others
thread_local bool g_has_asked = false;

bool fails() {
    return g_until_failure > 0 && g_has_asked == g_fails_here && --g_until_failure == 0;
}

}  // namespace

// The standard library's array forms call these. AddressSanitizer's own nothrow form does not, and
// its memory must not reach the operator delete below.
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
    g_allocations.fetch_add(1, std::memory_order_relaxed);
    return std::malloc(bytes > 0 ? bytes : 1);
}

void* operator new(std::size_t bytes) {
    void* const memory = fails() ? nullptr : operator new(bytes, std::nothrow);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
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

FailedAllocation::FailedAllocation(std::int64_t nth, In threads) {
    g_has_asked = true;
    g_fails_here = threads == In::this_thread;
    g_until_failure = nth;
}

FailedAllocation::~FailedAllocation() {
    g_until_failure = 0;
    g_has_asked = false;
}

bool FailedAllocation::happened() const {
    return g_until_failure <= 0;
}

}  // namespace weft::test
