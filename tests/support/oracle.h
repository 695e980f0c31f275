// The whole arithmetic contract of a convolution, computed naively in double. Shares no code with
// the product: own border rule, own rounding, plain vectors.
//
// For every sample it gives the interval of right answers. Let u = 2^-24, γ_n = n·u / (1 - n·u):
//   a sum of n fp32 products, in any order and with or without fused multiply-adds, errs by at most
//   γ_n · Σ|w x|; the finishing fma by u · |v|; a magnitude by 2u of itself, and by 2^-74 where its
//   squares underflow. A rounded output is right if some value within the bound rounds to it, so it
//   may differ by 1 only next to a tie, and never by more: where the bound is wider, a kernel has
//   to add up more precisely.
// Where every weight and sample is an integer and Σ|w| · max|x| < 2^24, fp32 sums are exact: the
// interval is a single value.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace oracle {

enum class Edge { reflect101, reflect, replicate, wrap, constant, ffmpeg, ffmpeg_backwards };
enum class Combination { single, magnitude, maximum };

struct Image {
    int width = 0, height = 0, channels = 1;
    std::vector<double> samples;  // row-major, channels interleaved

    std::size_t index(int x, int y, int c) const {
        return (static_cast<std::size_t>(y) * width + x) * channels + c;
    }
};

struct Matrix {
    int width = 0, height = 0, anchor_x = 0, anchor_y = 0;
    std::vector<double> weights = {};           // row-major; empty: row[i] * column[j]
    std::vector<double> row = {}, column = {};  // used only where `weights` is empty
};

struct Channel {
    std::vector<Matrix> matrices;
    float scale = 1.0F, bias = 0.0F;
};

struct Problem {
    Image image;
    std::vector<Channel> channels;  // one for all, or one per channel
    Combination combination = Combination::single;
    // A matrix set sums over all channels into a single one, finished as channels[0] specifies.
    bool sums_channels = false;
    Edge edge_x = Edge::reflect101, edge_y = Edge::reflect101;
    double edge_value = 0;
    bool rounded = true;     // u8 and u16: round half to even, clamp to 0..max_value
    double max_value = 255;  // of rounded samples
    // Additional error of a kernel's inexact sum, times Σ|w|: rounded taps.
    double sum_error = 0;
    // Times γ_n that an inexact sum may err by.
    double roundings_factor = 1;
    // A magnitude has the bits of the contract's fp32 formula, even more than one level off.
    bool magnitude_by_formula = false;
};

struct Answer {
    Image want;                     // the nearest to the true value
    std::vector<double> low, high;  // every correct result is in [low, high]
    // All sums that the sample depends on are exact in fp32, so that two implementations of the
    // contract must agree to the bit even if a magnitude is rounded afterwards.
    std::vector<bool> reproducible;

    bool accepts(std::size_t index, double got) const {  // false for NaN
        return got >= low[index] && got <= high[index];
    }
    bool exact(std::size_t index) const { return low[index] == high[index]; }  // one right answer
};

Answer convolve(const Problem& problem);

// The same interval for a value that fp32 arithmetic computes to within `bound`; a rounded one is
// within `levels` of the right one as well.
struct Interval {
    double want = 0, low = 0, high = 0;
};
Interval finished(double value, double bound, bool rounded, double max_value, double levels = 1);

// The index in 0..size-1 of the sample at `position`; -1: the constant. Walks one step at a time.
int edge_source(int position, int size, Edge edge);

double round_half_even(double v);

// The Gaussian itself, of standard deviation sigma > 0: its samples around the middle one, divided
// by their sum. They end at 8 sigma, where 2^-49 of it are left.
std::vector<double> gaussian(double sigma);

constexpr double kUnit = 1.0 / 16777216.0;  // 2^-24
constexpr double gamma(double n) {
    return n * kUnit / (1.0 - n * kUnit);
}

}  // namespace oracle
