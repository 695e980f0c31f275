// An image as strips of rows for the CPU's threads, with its border: what the kernels of our own
// share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "kernels/conv_problem.h"
#include "kernels/device/device.h"

namespace weft {

// Rows of samples of all channels. Kernels may read and write kSlack bytes past the end of a row
// that is shorter than that; the rows of longer images end where they end.
class RowStrips {
 public:
    static constexpr int kSlack = 64;

    // A strip of output rows and the input rows that they need.
    class Strip {
     public:
        int begin = 0;
        int end = 0;

        // Any y: rows beyond the ends are those that the border puts there.
        template <class T>
        const T* row(int y) const {
            return reinterpret_cast<const T*>(strips_->input_row(image_, y));
        }
        // y is at least begin. Samples that are written to rows from end on are lost.
        template <class T>
        T* out(int y) const {
            return reinterpret_cast<T*>(y < end ? output_.row(y) : lost_row_);
        }

     private:
        friend class RowStrips;
        const RowStrips* strips_ = nullptr;
        ImageView image_;
        ImageView output_;
        std::byte* lost_row_ = nullptr;
    };

    // Strips begin at multiples of `unit` rows. A strip costs as much as `lead` more rows have.
    RowStrips(const ConvProblem& problem, const Device& device, int unit, int lead);

    int slots() const { return slots_; }
    int samples() const { return samples_; }                     // in a row
    int left() const { return static_cast<int>(left_.size()); }  // samples before the row
    int right() const { return static_cast<int>(right_.size()); }

    // Calls filter(slot, strip) for all strips, on slots() threads; each slot is used by one thread
    // at a time. Bits do not depend on the strips.
    void run(const ImageView& src, const ImageView& dst,
             const std::function<void(int slot, const Strip& strip)>& filter);

    // Fills the left() samples before `row` and the right() ones after its last; `outside` is the
    // constant border's value.
    template <class T>
    void pad(T* row, T outside) const {
        for (int k = 0; k < left(); ++k) row[k - left()] = left_[k] < 0 ? outside : row[left_[k]];
        for (int k = 0; k < right(); ++k)
            row[samples_ + k] = right_[k] < 0 ? outside : row[right_[k]];
    }

    // The sample that the border puts at x < 0 or x >= samples(), or -1 for the constant border.
    int source_of(int x) const { return x < 0 ? left_[x + left()] : right_[x - samples_]; }

    // A row of the constant border's value.
    template <class T>
    const T* border_row() const {
        return reinterpret_cast<const T*>(border_row_.data());
    }

 private:
    const std::byte* input_row(const ImageView& image, int y) const;
    void run_strips(const ImageView& src, const ImageView& dst,
                    const std::function<void(int slot, const Strip& strip)>& filter);

    int height_;
    int samples_;
    Border border_;
    int strip_rows_ = 0;
    int slots_ = 1;
    std::vector<int> left_, right_;  // the samples that stand beyond the ends, or -1
    std::vector<std::byte> border_row_;
    std::vector<std::vector<std::byte>> lost_rows_;  // one for each slot
};

// Calls filter(src, dst) with images that have the slack of RowStrips: copies of those that are
// narrower than it.
void with_slack(const ImageView& src, const ImageView& dst,
                const std::function<void(const ImageView& src, const ImageView& dst)>& filter);

// Multiply-adds that are worth a thread's waking: about 35 µs of fp32 sums.
inline constexpr double kWorkOfThread = 1e6;

}  // namespace weft
