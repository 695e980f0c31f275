// The functions of kernels/common/async_copy.cuh for warps that run on the CPU. A copy is done when
// its own thread waits for it, as late as a GPU may do it, so that a thread that reads the copies
// of another too early finds old bytes. Include it before any .cuh.
#pragma once

#include <array>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "kernels/common/async_copy.cuh"
#include "tests/kernels/emulated/emulated_gpu.h"

namespace weft {

namespace emulated {

// `size` bytes, of which the first `given` come from the source and the rest are zeros.
struct Copy {
    void* to;
    const void* from;
    std::size_t given, size;
};

// The copies of a thread that it has not waited for.
struct Copies {
    std::vector<Copy> open;
    std::deque<std::vector<Copy>> groups;

    void finish_oldest() {
        for (const Copy& c : groups.front()) {
            std::memset(c.to, 0, c.size);
            std::memcpy(c.to, c.from, c.given);
        }
        groups.pop_front();
    }
};

inline Copies& copies_of_thread() {
    static thread_local std::array<std::array<Copies, 32>, 32> all;
    return all.at(thread_index.y).at(thread_index.x);
}

inline void start_copy(void* to, const void* from, std::size_t given, std::size_t size) {
    copies_of_thread().open.push_back({to, from, given, size});
}

}  // namespace emulated

inline void copy_vector(void* to, const void* from) {
    emulated::start_copy(to, from, 16, 16);
}

inline void copy_word(void* to, const void* from) {
    emulated::start_copy(to, from, 4, 4);
}

inline void copy_part(void* to, const void* from, int bytes) {
    emulated::start_copy(to, from, static_cast<std::size_t>(bytes), 16);
}

inline void close_copies() {
    emulated::Copies& copies = emulated::copies_of_thread();
    copies.groups.push_back(std::move(copies.open));
    copies.open.clear();
}

template <int Groups>
void wait_copies_before() {
    emulated::Copies& copies = emulated::copies_of_thread();
    while (copies.groups.size() > Groups) copies.finish_oldest();
}

inline void wait_copies() {
    close_copies();
    wait_copies_before<0>();
}

inline int in_register(int value) {
    return value;
}

template <class T>
T* shared_in_register(T* shared) {
    return shared;
}

template <class T>
T* global_in_register(T* global) {
    return global;
}

}  // namespace weft
