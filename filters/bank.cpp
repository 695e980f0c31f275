// A bank: several matrices from a file, applied to the same pixels and combined into one result.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "filters/common.h"
#include "filters/made_taps.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 3> kCombines{"max", "sum", "magnitude"};
constexpr std::array<std::string_view, 3> kCombineLabels{"Largest result", "Sum", "Magnitude"};

constexpr std::array<std::string_view, 2> kInputs{"component", "rgb"};
constexpr std::array<std::string_view, 2> kInputLabels{"Each channel", "Red, green, blue"};

constexpr std::array<ParamDef, 8> kParams{{
    {.name = "file",
     .help =
         "text file with up to 16 matrices separated by '|', rows separated by line breaks or ';'",
     .kind = ParamKind::file,
     .label = "Matrix file"},
    {.name = "in",
     .help = "each component separately, or rgb: three matrices, on r, g and b, give one result",
     .kind = ParamKind::choice,
     .def_text = "component",
     .choices = kInputs,
     .choice_labels = kInputLabels,
     .label = "Input"},
    {.name = "combine",
     .help =
         "how the results are combined: the largest, their sum, or the root of the sum of squares",
     .kind = ParamKind::choice,
     .def_text = "max",
     .choices = kCombines,
     .choice_labels = kCombineLabels},
    {.name = "scale", .help = "multiplies the combined result", .def = 1, .min = -1e6, .max = 1e6},
    {.name = "bias",
     .help = "added to the scaled result",
     .unit = "8-bit levels",
     .def = 0,
     .min = -65535,
     .max = 65535,
     .label = "Offset"},
    kPlanesLuma,
    kBorder,
    kBorderValue,
}};

Taps taps_of(const Matrix& matrix) {
    return with_factors(
        dense_taps(matrix.width, matrix.height, {matrix.weights.begin(), matrix.weights.end()}));
}

std::size_t place_of(const Matrix& matrix, int x, int y) {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(matrix.width) +
           static_cast<std::size_t>(x);
}

// Adds `matrix` to `sum`, which is at least as large, with the centres on each other.
void add(const Matrix& matrix, Matrix& sum) {
    const int left = (sum.width - 1) / 2 - (matrix.width - 1) / 2;
    const int top = (sum.height - 1) / 2 - (matrix.height - 1) / 2;
    for (int y = 0; y < matrix.height; ++y)
        for (int x = 0; x < matrix.width; ++x)
            sum.weights[place_of(sum, left + x, top + y)] += matrix.weights[place_of(matrix, x, y)];
}

// The joint size of these matrices along one axis, with their centres aligned. The centre of an
// even size is left of its middle, so as many entries precede the joint centre as follow it, or one
// fewer.
int joint_size(const std::vector<Matrix>& matrices, int Matrix::*size) {
    int before = 0;
    int after = 0;
    for (const Matrix& matrix : matrices) {
        const int centre = (matrix.*size - 1) / 2;
        before = std::max(before, centre);
        after = std::max(after, matrix.*size - 1 - centre);
    }
    return before + 1 + after;
}

// Sums are linear, so one matrix replaces them all.
Matrix sum_of(const std::vector<Matrix>& matrices) {
    Matrix sum;
    sum.width = joint_size(matrices, &Matrix::width);
    sum.height = joint_size(matrices, &Matrix::height);
    sum.weights.assign(static_cast<std::size_t>(sum.width) * static_cast<std::size_t>(sum.height),
                       0.0);
    for (const Matrix& matrix : matrices) add(matrix, sum);
    return sum;
}

// The tap sets of one input, and how they combine. A single matrix's magnitude is its absolute
// value, the larger of itself and its negative.
std::vector<Taps> tap_sets(const std::vector<Matrix>& matrices, std::string_view how) {
    if (how == "sum") return {taps_of(sum_of(matrices))};
    std::vector<Taps> taps;
    taps.reserve(matrices.size() + 1);
    for (const Matrix& matrix : matrices) taps.push_back(taps_of(matrix));
    if (how == "magnitude" && taps.size() == 1) taps.push_back(negated(taps.front()));
    return taps;
}

Combine combine_for(std::size_t matrices, std::string_view how) {
    if (how == "sum" || (how == "max" && matrices == 1)) return Combine::single;
    return how == "max" || matrices == 1 ? Combine::maximum : Combine::magnitude;
}

std::vector<Matrix> every_third(const std::vector<Matrix>& matrices, std::size_t first) {
    std::vector<Matrix> out;
    for (std::size_t k = first; k < matrices.size(); k += 3) out.push_back(matrices[k]);
    return out;
}

ConvolutionSpec combined(const std::vector<Matrix>& matrices, std::string_view how) {
    return {.components = {{.taps = tap_sets(matrices, how)}},
            .combine = combine_for(matrices.size(), how)};
}

// Frames with alpha need an entry for it, which is never read.
ConvolutionSpec combined_rgb(const std::vector<Matrix>& matrices, std::string_view how) {
    ConvolutionSpec spec{.components = {}, .combine = combine_for(matrices.size() / 3, how)};
    for (const std::size_t first : {0, 1, 2, 0})
        spec.components.push_back({.taps = tap_sets(every_third(matrices, first), how)});
    spec.sums_rgb = true;
    return spec;
}

bool reads_rgb(const Params& params) {
    return params.choice("in") == "rgb";
}

void check(const Params& params) {
    if (!params.is_set("file"))
        params.fail("file", "give the file with the matrices: bank=file=NAME");
    if (params.number("scale") == 0) params.fail("scale", "0 would give a flat picture");
    if (reads_rgb(params) && params.is_set("planes"))
        params.fail("planes", "with in=rgb the result goes to r, g and b");
}

Operation make(const Params& params, const FrameInfo& info) {
    check(params);
    const bool rgb = reads_rgb(params);
    if (rgb && !info.is_rgb()) params.fail("in", "the picture has no r, g and b");
    const std::vector<Matrix> matrices = file_matrices(
        params, "file", rgb ? 3 * kMaxTapSets : kMaxTapSets,
        [](const MatrixText& text, std::size_t) {
            const bool one_row = text.rows.size() == 1;  // as it is written, never a square
            return shape_matrix(text, one_row ? MatrixShape::row : MatrixShape::automatic, 0);
        });
    if (rgb && matrices.size() % 3 != 0)
        params.fail("file",
                    fmt::format("in=rgb needs a multiple of three matrices, and there are {}",
                                matrices.size()));
    ConvolutionSpec spec = rgb ? combined_rgb(matrices, params.choice("combine"))
                               : combined(matrices, params.choice("combine"));
    for (ComponentTaps& taps : spec.components) {
        taps.scale = static_cast<float>(params.number("scale"));
        taps.bias = samples_per_level(info) * static_cast<float>(params.number("bias"));
    }
    return convolution_operation(std::move(spec), params, info);
}

}  // namespace

extern constinit const FilterDef kBankFilter{
    .name = "bank",
    .summary = "up to 16 matrices from a file: the largest result, their sum or their magnitude",
    .group = FilterGroup::matrix,
    .params = kParams,
    .make = make,
    .check = check};

}  // namespace weft
