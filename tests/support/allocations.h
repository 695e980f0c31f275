// How often C++ code has allocated: linking this replaces the program's operator new.
#pragma once

#include <cstdint>

namespace weft::test {

// Calls of operator new so far, in all threads. libav's and CUDA's own memory does not count.
std::int64_t allocations();

}  // namespace weft::test
