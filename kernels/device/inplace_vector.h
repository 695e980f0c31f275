// A vector of a few elements stored in the object itself, like C++26's std::inplace_vector, so that
// per-frame vectors allocate nothing.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>

namespace weft {

// T is cheap to construct; elements past size() exist but cannot be reached.
template <class T, std::size_t Capacity>
class InplaceVector {
 public:
    InplaceVector() = default;
    InplaceVector(std::initializer_list<T> elements) {
        for (const T& element : elements) push_back(element);
    }

    // Throws std::length_error.
    void push_back(const T& element) {
        if (size_ == Capacity) throw std::length_error("more elements than an InplaceVector holds");
        elements_[size_++] = element;
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* data() { return elements_.data(); }
    const T* data() const { return elements_.data(); }
    T* begin() { return data(); }
    T* end() { return data() + size_; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size_; }
    T& operator[](std::size_t k) { return elements_[k]; }
    const T& operator[](std::size_t k) const { return elements_[k]; }
    const T& front() const { return elements_.front(); }

 private:
    std::array<T, Capacity> elements_{};
    std::size_t size_ = 0;
};

}  // namespace weft
