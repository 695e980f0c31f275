// Shared by the filters: parameter definitions, sample levels, matrices from files, and the last
// step from taps to Operation.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "filters/filter.h"
#include "filters/matrix_text.h"
#include "filters/operation.h"
#include "filters/params.h"

namespace weft {

inline constexpr std::array<std::string_view, 6> kBorderNames{"reflect101", "reflect",  "replicate",
                                                              "wrap",       "constant", "ffmpeg"};
inline constexpr std::array<std::string_view, 6> kBorderLabels{
    "Mirror", "Mirror, edge twice", "Repeat the edge", "Wrap around", "Border value", "As ffmpeg"};

// `planes` of filters that act on every colour component, alpha aside.
inline constexpr ParamDef kPlanesAll{
    .name = "planes",
    .help =
        "components to filter, each at its own resolution: all, luma, letters, 0+2 or a bit mask",
    .kind = ParamKind::planes,
    .def_text = "all",
    .label = "Channels"};

// `planes` of edge filters: luma, and chroma becomes neutral.
inline constexpr ParamDef kPlanesLuma{
    .name = "planes",
    .help = "components to filter: luma (neutral chroma), all, letters, 0+2 or a bit mask",
    .kind = ParamKind::planes,
    .def_text = "luma",
    .label = "Channels"};

// `planes` of sharpeners: y of YUV, chroma untouched; r, g and b of RGB.
inline constexpr ParamDef kPlanesDetail{
    .name = "planes",
    .help = "components to filter: yrgb (luma of YUV, all of RGB), all, letters or a bit mask",
    .kind = ParamKind::planes,
    .def_text = "yrgb",
    .label = "Channels"};

// `planes` of ffmpeg's filters.
inline constexpr ParamDef kFfmpegPlanes{
    .name = "planes",
    .help = "ffmpeg's bit mask: 1, 2, 4 are y, u, v or g, b, r, 8 is alpha; or letters, all, luma",
    .kind = ParamKind::planes,
    .def_text = "15",
    .label = "Channels"};

inline constexpr ParamDef kBorder{.name = "border",
                                  .help = "how pixels outside the picture are made",
                                  .kind = ParamKind::choice,
                                  .def_text = "reflect101",
                                  .choices = kBorderNames,
                                  .choice_labels = kBorderLabels,
                                  .advanced = true};

// `border` of ffmpeg's filters, none of which has the choice.
constexpr ParamDef border_of_ffmpeg(std::string_view def) {
    ParamDef border = kBorder;
    border.def_text = def;
    return border;
}

inline constexpr ParamDef kBorderValue{.name = "border_value",
                                       .help = "value outside the picture with border=constant",
                                       .unit = "8-bit levels",
                                       .def = 0,
                                       .min = 0,
                                       .max = 255,
                                       .advanced = true};

// Sample values per 8-bit level: 2^(depth - 8), as video scales its levels (mid gray 128 is 512 at
// 10 bits), and 1/255 in float frames.
float samples_per_level(const FrameInfo& info);

// The taps of a filter in display space, and how they combine.
struct ConvolutionSpec {
    // One entry for all components, or four: for y or r, u or g, v or b, a.
    std::vector<ComponentTaps> components = {};
    Combine combine = Combine::single;
    bool sums_rgb = false;  // as in Convolution: `planes` is ignored, and entries are four
};

// Turns taps and border into coded space (FrameInfo::rotation_degrees), orders them by the frame's
// components, and adds the border and the components that the parameters `border`, `border_value`
// and `planes` name. Throws FilterError.
Operation convolution_operation(ConvolutionSpec spec, const Params& params, const FrameInfo& info);

// The levels of `delta`, `bias` and the like in samples: 8-bit levels in our filters, levels of the
// frame's depth in ffmpeg's.
float samples_per_offset(const Params& params, const FrameInfo& info);

// The number of ffmpeg's plane that holds the component: 0 for y and g, 1 for u and b, 2 for v and
// r, 3 for alpha.
unsigned ffmpeg_plane(Component component);

// The components that the parameter `planes` names on such frames; all, with alpha, where the
// filter has no such parameter. Throws FilterError.
ComponentSelection selected(const Params& params, const FrameInfo& info,
                            std::vector<std::string>& notes);

// How the k-th matrix of the file is laid out; throws TextError.
using ShapeMatrix = std::function<Matrix(const MatrixText& text, std::size_t k)>;

// The 1 to `most` matrices of the file named by the parameter `name` of kind file. Throws
// FilterError at the parameter, with file:line:column if the text is wrong; files with more than
// numbers are never quoted.
std::vector<Matrix> file_matrices(const Params& params, std::string_view name, std::size_t most,
                                  const ShapeMatrix& shape);

}  // namespace weft
