// Counts C++ allocations: linking this replaces the program's operator new.
#pragma once

#include <cstdint>

namespace weft::test {

// Calls of operator new so far, in all threads, without libav's and CUDA's own memory.
std::int64_t allocations();

}  // namespace weft::test
