#include "kernels/fft/fft.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "kernels/common/kernel_terms.h"
#include "kernels/common/quotient.h"
#include "kernels/device/cuda_build.h"
#include "kernels/device/cufft.h"

namespace weft {

namespace {

constexpr int kLongestSide = 1024;                 // tile side; Arithmetic::fourier relies on it
constexpr double kRoundBytes = 256.0 * (1 << 20);  // tiles that are transformed at once
constexpr double kFourierError = 0.02;             // Arithmetic::fourier's bound

struct AxisTiles {
    int size = 2;     // samples
    int results = 1;  // per tile
    int count = 1;
};

AxisTiles cut_axis(int length, int taps) {
    const int fewest = ceil_div(length, kLongestSide - taps + 1);
    AxisTiles axis;
    axis.size = good_transform_size(ceil_div(length, fewest) + taps - 1);
    axis.results = axis.size - taps + 1;
    axis.count = ceil_div(length, axis.results);
    return axis;
}

using Complex = std::complex<double>;

// e^(2πi k / n) for all k: conjugate, as correlation requires.
std::vector<Complex> turns(int n) {
    std::vector<Complex> out;
    out.reserve(static_cast<std::size_t>(n));
    for (int k = 0; k < n; ++k) out.push_back(std::polar(1.0, 2 * std::numbers::pi * k / n));
    return out;
}

// The conjugate spectrum of taps at the start of a tile, divided by the tile's size, in double:
// rows first, of which only the taps' are not zero.
void append_spectrum(const Taps& t, const FftArgs& a, std::vector<std::complex<float>>& out) {
    const std::vector<Complex> turn_x = turns(a.width);
    const std::vector<Complex> turn_y = turns(a.height);
    const int columns = a.width / 2 + 1;
    const auto width = static_cast<std::size_t>(columns);
    std::vector<Complex> rows(width * static_cast<std::size_t>(t.height));
    for (int j = 0; j < t.height; ++j)
        for (int i = 0; i < t.width; ++i)
            for (int k = 0; k < columns; ++k)
                rows[static_cast<std::size_t>(j) * width + static_cast<std::size_t>(k)] +=
                    static_cast<double>(t.weights[static_cast<std::size_t>(j) * t.width + i]) *
                    turn_x[static_cast<std::size_t>(i) * k % a.width];
    const double size = static_cast<double>(a.width) * a.height;
    std::vector<Complex> line(width);
    for (int m = 0; m < a.height; ++m) {
        std::ranges::fill(line, Complex{});
        for (int j = 0; j < t.height; ++j) {
            const Complex turn = turn_y[static_cast<std::size_t>(j) * m % a.height];
            const Complex* const row = rows.data() + static_cast<std::size_t>(j) * width;
            for (std::size_t k = 0; k < width; ++k)
                line[k] += Complex(turn.real() * row[k].real() - turn.imag() * row[k].imag(),
                                   turn.real() * row[k].imag() + turn.imag() * row[k].real());
        }
        for (const Complex& v : line) out.emplace_back(v / size);
    }
}

// Half of the range of the samples.
double centre_of(const ConvProblem& p) {
    if (p.type == PixelType::f32) return 0.0;
    return p.type == PixelType::u8 ? 128.0 : 32768.0;
}

double sum_of(const Taps& t) {
    double sum = 0;
    for (const float w : t.weights) sum += w;
    return sum;
}

double norm_of(const Taps& t) {
    double squares = 0;
    for (const float w : t.weights) squares += static_cast<double>(w) * w;
    return std::sqrt(squares);
}

FftArgs tiles_of(const ConvProblem& p) {
    FftArgs a;
    const AxisTiles x = cut_axis(p.width, p.taps().width);
    const AxisTiles y = cut_axis(p.height, p.taps().height);
    a.channels = p.channels;
    a.planes = static_cast<int>(p.conv.size());
    a.width = x.size;
    a.height = y.size;
    a.out_width = x.results;
    a.out_height = y.results;
    a.tiles_x = x.count;
    a.tiles = grid_size(grid_size(x.count, y.count), p.channels);
    return a;
}

}  // namespace

std::string why_not_fft(const ConvProblem& p) {
    if (p.combine != Combine::single)
        return "it takes one tap set, and this problem combines several";
    double error = 0;
    for (const ChannelConv& c : p.conv) {
        if (integer_valued(c.taps.front()))
            return "the taps are whole numbers: transforms would round what other kernels sum "
                   "exactly";
        error = std::max(error, kFourierError * centre_of(p) * norm_of(c.taps.front()) *
                                    std::fabs(static_cast<double>(c.scale)));
    }
    if (error >= 0.5)
        return "transforms in fp32 could miss the results of these taps by half a step and more";
    return "";
}

FftLayout lay_out_fft(const ConvProblem& p) {
    FftLayout layout;
    layout.args = tiles_of(p);
    FftArgs& a = layout.args;
    a.images = conv_images(p, layout.borders);
    a.centre = static_cast<float>(centre_of(p));
    for (int c = 0; c < p.channels; ++c)
        a.centre_sum[c] = static_cast<float>(centre_of(p) * sum_of(p.channel(c).taps.front()));
    for (const ChannelConv& c : p.conv) append_spectrum(c.taps.front(), a, layout.spectrum);
    const double tile_bytes = 4.0 * a.height * (a.width + 2.0);
    const int rounds = static_cast<int>(std::ceil(a.tiles * tile_bytes / kRoundBytes));
    layout.tiles_a_round = ceil_div(a.tiles, rounds);
    return layout;
}

double fft_flops(const ConvProblem& p) {
    const FftArgs a = tiles_of(p);
    const double samples = static_cast<double>(a.width) * a.height;
    return a.tiles * samples * (2 * 2.5 * std::log2(samples) + 3);
}

namespace {

// Checks for the library last: it is large, and searched for only if it could be used.
std::string why_not_fft_here(const ConvProblem& p, const Device&) {
    if (std::string reason = why_not_dense(p); !reason.empty()) return reason;
    std::string reason = why_not_fft(p);
    return reason.empty() ? why_no_cufft() : reason;
}

Cost fft_cost(const ConvProblem& p) {
    return {.bytes = image_bytes(p),
            .flops = fft_flops(p),
            .flops_formula = "5 n log2 n + 3 n for each tile of n samples, its overlap included"};
}

// Eight passes read and write an fp32 copy of the image, for which L2 caches are too small. Never
// for f32 images, although 63×63 takes half the time of split halves: the error of transforms is
// proportional to the largest sample of a tile of up to 1024×1024, so that one bright light leaves
// its grain in the shadows, and one NaN or infinity spoils the tile.
double time_of(const ConvProblem& p, const Device& device) {
    if (p.type == PixelType::f32) return std::numeric_limits<double>::infinity();
    return estimated_time(p, device,
                          {.start = 21,
                           .hopper_time = 2.02 * fft_flops(p) /
                                          (static_cast<double>(p.width) * p.height * p.channels),
                           .more_bytes = 62});
}

}  // namespace

extern constinit const ConvKernel kFftKernel = {
    .name = "fft",
    .summary =
        "tiles in the frequency domain by cuFFT: cost hardly grows with the taps; for comparison, "
        "and for very large taps",
    .source = "overlap-save, textbook; cuFFT, loaded at run time",
    .limits =
        "NVIDIA GPU with cuFFT; one set of dense taps up to 63×63, no whole numbers; 8 bits and "
        "f32; layers whose taps take up to 128 a side with their dilation; of f32 a NaN, an "
        "infinity and the rounding errors of a large sample spread over a tile of up to 1024×1024",
    .space = MemorySpace::device,
    .arithmetic = Arithmetic::fourier,
    .why_not = why_not_fft_here,
    .prepare = cuda_only<prepare_fft>(),
    .cost = fft_cost,
    .time = time_of,
    .reason =
        "{size} dense {type}: through the frequency domain, at a cost that hardly grows with the "
        "taps",
};

}  // namespace weft
