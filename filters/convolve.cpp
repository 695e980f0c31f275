// Any matrix, inline or from a file, one for all components or one each.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "filters/common.h"
#include "filters/convolve_params.h"
#include "filters/made_taps.h"
#include "filters/text/text_error.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 1> kAliases{"convolution"};

MatrixShape shape_of(const Params& params, std::size_t slot) {
    const auto found =
        std::find(kMatrixModes.begin(), kMatrixModes.end(), params.choice(kModeNames[slot]));
    return static_cast<MatrixShape>(found - kMatrixModes.begin());
}

// The matrices that `matrix` or the file gives: one for all, or one for each slot from the first.
using Matrices = std::vector<Matrix>;

Matrix shaped(const MatrixText& text, const Params& params, std::size_t slot) {
    return shape_matrix(text, shape_of(params, slot), params.integer("width"));
}

Matrices inline_matrices(const Params& params, std::string_view name, std::size_t slot) {
    try {
        const std::vector<MatrixText> texts = params.matrices(name);
        if (slot > 0 && texts.size() > 1) params.fail(name, "it takes one matrix");
        Matrices matrices;
        for (std::size_t k = 0; k < texts.size(); ++k)
            matrices.push_back(shaped(texts[k], params, slot + k));
        return matrices;
    } catch (const TextError& error) {
        params.fail(name, error.what(), error.offset());
    }
}

Matrices matrices_of_file(const Params& params) {
    return file_matrices(
        params, "file", kMatricesOfComponents,
        [&](const MatrixText& text, std::size_t k) { return shaped(text, params, k); });
}

// `matrix` and its companions, laid out for the four slots; a slot without a matrix has none.
using Slots = std::array<std::optional<Matrix>, kSlots>;

Slots in_slots(const Matrices& matrices) {
    Slots slots;
    for (std::size_t slot = 0; slot < kSlots; ++slot)
        if (matrices.size() == 1 || slot < matrices.size())
            slots[slot] = matrices[matrices.size() == 1 ? 0 : slot];
    return slots;
}

Slots inline_slots(const Params& params) {
    Slots slots = in_slots(inline_matrices(params, "matrix", 0));
    const bool several = params.matrices("matrix").size() > 1;
    for (std::size_t slot = 1; slot < kSlots; ++slot) {
        if (several && params.is_set(kMatrixNames[slot]))
            params.fail(kMatrixNames[slot], "matrix holds several matrices already");
        if (params.is_set(kMatrixNames[slot]) || (params.is_set(kModeNames[slot]) && !several))
            slots[slot] = inline_matrices(params, kMatrixNames[slot], slot).front();
    }
    return slots;
}

void check_anchor(const Params& params, const Slots& slots) {
    for (const std::optional<Matrix>& matrix : slots) {
        if (!matrix) continue;
        if (params.integer("anchor_x") >= matrix->width)
            params.fail("anchor_x", fmt::format("the matrix has {} columns", matrix->width));
        if (params.integer("anchor_y") >= matrix->height)
            params.fail("anchor_y", fmt::format("the matrix has {} rows", matrix->height));
    }
}

void check_scales(const Params& params) {
    for (std::string_view name : kScaleNames)
        if (params.number(name) == 0)
            params.fail(name, "0 would give a flat picture; use normalize=1 for ffmpeg's rdiv=0");
}

void check(const Params& params) {
    if (params.is_set("matrix") && params.is_set("file"))
        params.fail("file", "give either matrix or file");
    if (!params.is_set("matrix") && !params.is_set("file"))
        params.fail("matrix", "give the matrix: matrix='0 -1 0; -1 5 -1; 0 -1 0', or file=NAME");
    check_scales(params);
    if (params.is_set("matrix")) {
        check_anchor(params, inline_slots(params));
        return;
    }
    for (std::size_t slot = 1; slot < kSlots; ++slot)
        if (params.is_set(kMatrixNames[slot]))
            params.fail(kMatrixNames[slot], "with file, every matrix comes from the file");
}

// 1 / sum, or 1 if the sum is 0 up to rounding.
double normalizing_scale(const Matrix& matrix) {
    double sum = 0;
    double size = 0;
    for (double w : matrix.weights) {
        sum += w;
        size += std::fabs(w);
    }
    return std::fabs(sum) <= 1e-9 * size ? 1.0 : 1.0 / sum;
}

ComponentTaps component_taps(const Params& params, const Matrix& matrix, std::size_t slot) {
    Taps taps = with_factors(
        dense_taps(matrix.width, matrix.height, {matrix.weights.begin(), matrix.weights.end()}));
    if (params.integer("anchor_x") >= 0) taps.anchor_x = params.integer("anchor_x");
    if (params.integer("anchor_y") >= 0) taps.anchor_y = params.integer("anchor_y");
    const double divided = params.boolean("normalize") ? normalizing_scale(matrix) : 1.0;
    return {.taps = {std::move(taps)},
            .scale = static_cast<float>(divided * params.number(kScaleNames[slot])),
            .bias = static_cast<float>(params.number(kBiasNames[slot]))};
}

bool alike(const Params& params) {
    for (std::size_t slot = 1; slot < kSlots; ++slot)
        for (const auto& names : {kMatrixNames, kScaleNames, kBiasNames, kModeNames})
            if (params.is_set(names[slot])) return false;
    return true;
}

void check_complete(const Params& params, const Slots& slots, const FrameInfo& info) {
    std::vector<std::string> notes;
    const ComponentSelection selection = selected(params, info, notes);
    for (Component c : selection.filtered)
        if (!selection.rgb_luma && !slots[component_number(c)])
            params.fail(params.is_set("file") ? "file" : "matrix",
                        fmt::format("component {} has no matrix", letter(c)));
}

Operation make(const Params& params, const FrameInfo& info) {
    check(params);
    const Slots slots =
        params.is_set("file") ? in_slots(matrices_of_file(params)) : inline_slots(params);
    check_anchor(params, slots);
    check_complete(params, slots, info);
    ConvolutionSpec spec;
    const bool one = alike(params) && slots[kSlots - 1] && slots[0] == slots[1];
    for (std::size_t slot = 0; slot < (one ? 1 : kSlots); ++slot)
        spec.components.push_back(slots[slot] ? component_taps(params, *slots[slot], slot)
                                              : ComponentTaps{.taps = {identity_taps()}});
    return convolution_operation(std::move(spec), params, info);
}

// ---- ffmpeg's convolution ----

constexpr std::size_t kMostNumbers = 49;

// The matrix of one of ffmpeg's planes.
Matrix plane_matrix(const Params& params, std::size_t plane) {
    const std::string_view name = kMatrixAliases[plane];
    const std::string_view mode = params.choice(kModeAliases[plane]);
    const MatrixText text = params.matrices(name).front();
    if (text.rows.size() > 1) params.fail(name, "ffmpeg's matrix is one list of numbers");
    const std::size_t count = text.rows[0].size();
    for (double number : text.rows[0])
        if (number != std::trunc(number))
            params.fail(name, "the numbers of ffmpeg's convolution are whole: use convolve");
    const bool square = count == 9 || count == 25 || count == kMostNumbers;
    if (mode == "square" ? !square : count > kMostNumbers || count % 2 == 0)
        params.fail(name, fmt::format("{} numbers do not fit {}mode={}: {}", count, plane, mode,
                                      mode == "square" ? "a square has 9, 25 or 49"
                                                       : "an odd number up to 49 is needed"));
    return shape_matrix(text,
                        mode == "square" ? MatrixShape::square
                        : mode == "row"  ? MatrixShape::row
                                         : MatrixShape::column,
                        0);
}

// Whether the plane is a 3×3 matrix to ffmpeg, which has a border of its own for those.
bool is_small_square(const Params& params, std::size_t plane) {
    return params.choice(kModeAliases[plane]) == "square" && plane_matrix(params, plane).width == 3;
}

// Planes that ffmpeg copies have no border.
bool is_copied(const Params& params, std::size_t plane) {
    for (const auto& names : {kMatrixAliases, kScaleAliases, kBiasAliases, kModeAliases}) {
        const ParamDef& param = *find_param(params.filter(), names[plane]);
        if (params.canonical(param) != default_text(param)) return false;
    }
    return true;
}

// The planes that are filtered with the border of 3×3 matrices, and the others.
struct PlaneCounts {
    int small = 0;
    int large = 0;
};

PlaneCounts count_planes(const Params& params) {
    PlaneCounts counts;
    for (std::size_t plane = 0; plane < kSlots; ++plane)
        if (!is_copied(params, plane))
            ++(is_small_square(params, plane) ? counts.small : counts.large);
    return counts;
}

void check_convolution(const Params& params) {
    for (std::size_t plane = 0; plane < kSlots; ++plane) (void)plane_matrix(params, plane);
}

Operation make_convolution(const Params& params, const FrameInfo& info) {
    ConvolutionSpec spec{.components =
                             std::vector<ComponentTaps>(kSlots, {.taps = {identity_taps()}})};
    for (Component c : frame_components(info)) {
        const std::size_t plane = ffmpeg_plane(c);
        const Matrix matrix = plane_matrix(params, plane);
        const double scale = params.number(kScaleAliases[plane]);
        spec.components[component_number(c)] = {
            .taps = {with_factors(dense_taps(matrix.width, matrix.height,
                                             {matrix.weights.begin(), matrix.weights.end()}))},
            .scale = static_cast<float>(scale == 0 ? normalizing_scale(matrix) : scale),
            .bias = static_cast<float>(params.number(kBiasAliases[plane])) *
                    samples_per_offset(params, info)};
    }
    Params bordered = params;
    if (params.choice("border") == "ffmpeg" && count_planes(params).small == 0)
        bordered.set("border", "reflect101");
    return convolution_operation(std::move(spec), bordered, info);
}

std::string convolution_unlike_ffmpeg(const Params& params) {
    const PlaneCounts counts = count_planes(params);
    if (counts.small > 0 && counts.large > 0)
        return "3×3 and other matrices are in one step, so that the others have the border of the "
               "3×3 ones at the right and at the bottom; ffmpeg gives each its own";
    for (std::size_t plane = 0; plane < kSlots; ++plane) {
        const double scale = params.number(kScaleAliases[plane]);
        if (scale != 0 && std::fabs(scale - normalizing_scale(plane_matrix(params, plane))) > 1e-6)
            return fmt::format(
                "{} multiplies the sum, as ffmpeg's manual says; ffmpeg 5.1 ignores "
                "it and divides by the sum of the matrix",
                kScaleAliases[plane]);
    }
    return "";
}

constexpr std::array<std::string_view, 3> kCustomaryFor{"matrix", "kernel", "custom"};

}  // namespace

extern constinit const FilterDef kConvolveFilter{
    .name = "convolve",
    .summary = "any matrix up to 63×63, one for all components or one each",
    .group = FilterGroup::matrix,
    .aliases = kAliases,
    .customary_for = kCustomaryFor,
    .params = kConvolveParams,
    .differs =
        "nothing is divided unless normalize=1 (ffmpeg: by the sum of the matrix); a component "
        "without its own matrix uses the first one, except alpha (ffmpeg leaves such components "
        "alone); matrices of RGB are for r, g, b in this order (ffmpeg: g, b, r); '|' separates "
        "matrices (ffmpeg: numbers); numbers may have fractions; results are rounded to nearest "
        "even",
    .make = make,
    .check = check};

extern constinit const FilterDef kFfmpegConvolution{
    .name = "convolution",
    .summary = "ffmpeg's convolution: a matrix of whole numbers for each plane",
    .group = FilterGroup::matrix,
    .params = kConvolutionParams,
    .make = make_convolution,
    .check = check_convolution,
    .of_ffmpeg = true,
    .unlike_ffmpeg = convolution_unlike_ffmpeg};

}  // namespace weft
