// Rows of an image with their border, for CPU kernels whose rows of output share them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "kernels/cpu/row_strips.h"

namespace weft {

// Holds the latest rows, as floats or as bytes. Not thread-safe; clear() it before another image.
template <class Sample>
class PaddedRows {
 public:
    PaddedRows(const RowStrips& strips, int rows) : strips_(&strips), rows_(rows), held_(rows) {
        pitch_ = strips.left() + strips.samples() + strips.right() + 2 * RowStrips::kSlack;
        samples_.resize(rows * pitch_);
    }

    void clear() { std::ranges::fill(held_, kNone); }

    // The first padded sample of row y, which convert(row, samples, to) converts unless it is held.
    // Valid until another row is `rows` away.
    template <class T, class Convert>
    const Sample* get(const RowStrips::Strip& strip, int y, Sample outside, Convert convert) {
        const std::size_t place = static_cast<std::size_t>((y % rows_ + rows_) % rows_);
        Sample* const row = samples_.data() + place * pitch_ + strips_->left();
        if (held_[place] != y) {
            held_[place] = y;
            convert(strip.row<T>(y), strips_->samples(), row);
            strips_->pad(row, outside);
        }
        return row - strips_->left();
    }

 private:
    static constexpr int kNone = std::numeric_limits<int>::min();

    const RowStrips* strips_;
    int rows_;
    std::vector<int> held_;
    std::size_t pitch_ = 0;
    std::vector<Sample> samples_;
};

}  // namespace weft
