// The parameters of convolve: matrix, scale, bias and mode for each of four slots, in the
// positional order of ffmpeg's convolution, then those shared by all slots.
#pragma once

#include <array>
#include <string_view>

#include "filters/common.h"
#include "filters/matrix_text.h"

namespace weft {

inline constexpr std::size_t kSlots = 4;  // y or r, u or g, v or b, a

inline constexpr std::array<std::string_view, 4> kMatrixModes{"auto", "square", "row", "column"};
inline constexpr std::array<std::string_view, 4> kMatrixModeLabels{"Automatic", "Square", "One row",
                                                                   "One column"};

inline constexpr std::array<std::string_view, kSlots> kMatrixNames{"matrix", "matrix1", "matrix2",
                                                                   "matrix3"};
inline constexpr std::array<std::string_view, kSlots> kScaleNames{"scale", "scale1", "scale2",
                                                                  "scale3"};
inline constexpr std::array<std::string_view, kSlots> kBiasNames{"bias", "bias1", "bias2", "bias3"};
inline constexpr std::array<std::string_view, kSlots> kModeNames{"mode", "mode1", "mode2", "mode3"};

inline constexpr std::array<std::string_view, kSlots> kMatrixAliases{"0m", "1m", "2m", "3m"};
inline constexpr std::array<std::string_view, kSlots> kScaleAliases{"0rdiv", "1rdiv", "2rdiv",
                                                                    "3rdiv"};
inline constexpr std::array<std::string_view, kSlots> kBiasAliases{"0bias", "1bias", "2bias",
                                                                   "3bias"};
inline constexpr std::array<std::string_view, kSlots> kModeAliases{"0mode", "1mode", "2mode",
                                                                   "3mode"};

inline constexpr std::array<std::string_view, kSlots> kMatrixHelp{
    "numbers, rows separated by ';'; '|' between matrices gives each component its own",
    "matrix for u or g; matrix unless given", "matrix for v or b; matrix unless given",
    "matrix for alpha; matrix unless given"};
inline constexpr std::array<std::string_view, kSlots> kScaleHelp{
    "multiplies the sum, after normalize", "scale for u or g; scale unless given",
    "scale for v or b; scale unless given", "scale for alpha; scale unless given"};
inline constexpr std::array<std::string_view, kSlots> kBiasHelp{
    "added to the scaled sum", "bias for u or g; bias unless given",
    "bias for v or b; bias unless given", "bias for alpha; bias unless given"};
inline constexpr std::array<std::string_view, kSlots> kModeHelp{
    "how a flat list is laid out; auto: square, or by width", "mode for u or g; mode unless given",
    "mode for v or b; mode unless given", "mode for alpha; mode unless given"};

inline constexpr std::array<std::string_view, kSlots> kMatrixLabels{
    "Matrix", "Matrix, u or g", "Matrix, v or b", "Matrix, alpha"};
inline constexpr std::array<std::string_view, kSlots> kScaleLabels{"Scale", "Scale, u or g",
                                                                   "Scale, v or b", "Scale, alpha"};
inline constexpr std::array<std::string_view, kSlots> kBiasLabels{
    "Offset", "Offset, u or g", "Offset, v or b", "Offset, alpha"};
inline constexpr std::array<std::string_view, kSlots> kModeLabels{
    "Layout", "Layout, u or g", "Layout, v or b", "Layout, alpha"};

constexpr std::string_view inherited(std::size_t slot, std::string_view name) {
    return slot == 0 ? "" : name;
}

constexpr ParamDef matrix_param(std::size_t slot) {
    return {.name = kMatrixNames[slot],
            .help = kMatrixHelp[slot],
            .kind = ParamKind::matrix,
            .aliases = {&kMatrixAliases[slot], 1},
            .inherits = inherited(slot, "matrix"),
            .advanced = slot > 0,
            .label = kMatrixLabels[slot]};
}

constexpr ParamDef scale_param(std::size_t slot) {
    return {.name = kScaleNames[slot],
            .help = kScaleHelp[slot],
            .def = 1,
            .min = -1e6,
            .max = 1e6,
            .aliases = {&kScaleAliases[slot], 1},
            .inherits = inherited(slot, "scale"),
            .advanced = slot > 0,
            .label = kScaleLabels[slot]};
}

constexpr ParamDef bias_param(std::size_t slot) {
    return {.name = kBiasNames[slot],
            .help = kBiasHelp[slot],
            .unit = "levels of the file's own depth",
            .def = 0,
            .min = -65535,
            .max = 65535,
            .aliases = {&kBiasAliases[slot], 1},
            .inherits = inherited(slot, "bias"),
            .advanced = slot > 0,
            .label = kBiasLabels[slot]};
}

constexpr ParamDef mode_param(std::size_t slot) {
    return {.name = kModeNames[slot],
            .help = kModeHelp[slot],
            .kind = ParamKind::choice,
            .def_text = "auto",
            .choices = kMatrixModes,
            .choice_labels = kMatrixModeLabels,
            .aliases = {&kModeAliases[slot], 1},
            .inherits = inherited(slot, "mode"),
            .advanced = true,
            .label = kModeLabels[slot]};
}

// ffmpeg's convolution has one of each for its four planes.
inline constexpr std::array<std::string_view, 3> kFfmpegModes{"square", "row", "column"};
inline constexpr std::array<std::string_view, 3> kFfmpegModeLabels{"Square", "One row",
                                                                   "One column"};

inline constexpr std::array<std::string_view, kSlots> kFfmpegMatrixLabels{
    "Matrix, y or g", "Matrix, u or b", "Matrix, v or r", "Matrix, alpha"};
inline constexpr std::array<std::string_view, kSlots> kFfmpegScaleLabels{
    "Scale, y or g", "Scale, u or b", "Scale, v or r", "Scale, alpha"};
inline constexpr std::array<std::string_view, kSlots> kFfmpegBiasLabels{
    "Offset, y or g", "Offset, u or b", "Offset, v or r", "Offset, alpha"};
inline constexpr std::array<std::string_view, kSlots> kFfmpegLayoutLabels{
    "Layout, y or g", "Layout, u or b", "Layout, v or r", "Layout, alpha"};

constexpr ParamDef ffmpeg_matrix_param(std::size_t plane) {
    return {.name = kMatrixAliases[plane],
            .help = "whole numbers for one plane: 9, 25 or 49, or 1 to 49 in a row or a column",
            .kind = ParamKind::matrix,
            .def_text = "0 0 0 0 1 0 0 0 0",
            .advanced = plane > 0,
            .label = kFfmpegMatrixLabels[plane]};
}

constexpr ParamDef ffmpeg_scale_param(std::size_t plane) {
    return {.name = kScaleAliases[plane],
            .help = "multiplies the sum; 0: divides by the sum of the numbers, unless that is 0",
            .def = 0,
            .min = 0,
            .max = 1e6,
            .advanced = plane > 0,
            .label = kFfmpegScaleLabels[plane],
            .automatic = 0};
}

constexpr ParamDef ffmpeg_bias_param(std::size_t plane) {
    return {.name = kBiasAliases[plane],
            .help = "added to the scaled sum",
            .unit = "levels of the file's own depth",
            .def = 0,
            .min = 0,
            .max = 65535,
            .advanced = plane > 0,
            .label = kFfmpegBiasLabels[plane]};
}

constexpr ParamDef ffmpeg_mode_param(std::size_t plane) {
    return {.name = kModeAliases[plane],
            .help = "how the numbers are laid out",
            .kind = ParamKind::choice,
            .def_text = "square",
            .choices = kFfmpegModes,
            .choice_labels = kFfmpegModeLabels,
            .advanced = plane > 0,
            .label = kFfmpegLayoutLabels[plane]};
}

inline constexpr std::array<ParamDef, 18> kConvolutionParams{
    {ffmpeg_matrix_param(0), ffmpeg_matrix_param(1), ffmpeg_matrix_param(2), ffmpeg_matrix_param(3),
     ffmpeg_scale_param(0), ffmpeg_scale_param(1), ffmpeg_scale_param(2), ffmpeg_scale_param(3),
     ffmpeg_bias_param(0), ffmpeg_bias_param(1), ffmpeg_bias_param(2), ffmpeg_bias_param(3),
     ffmpeg_mode_param(0), ffmpeg_mode_param(1), ffmpeg_mode_param(2), ffmpeg_mode_param(3),
     border_of_ffmpeg("ffmpeg"), kBorderValue}};

constexpr ParamDef anchor_param(std::string_view name, std::string_view help,
                                std::string_view label) {
    return {.name = name,
            .help = help,
            .unit = "px",
            .kind = ParamKind::integer,
            .def = -1,
            .min = -1,
            .max = Taps::kMaxDense - 1,
            .advanced = true,
            .label = label,
            .automatic = -1};
}

inline constexpr std::array<ParamDef, 24> kConvolveParams{{
    matrix_param(0),
    matrix_param(1),
    matrix_param(2),
    matrix_param(3),
    scale_param(0),
    scale_param(1),
    scale_param(2),
    scale_param(3),
    bias_param(0),
    bias_param(1),
    bias_param(2),
    bias_param(3),
    mode_param(0),
    mode_param(1),
    mode_param(2),
    mode_param(3),
    {.name = "file",
     .help = "text file with the matrix, instead of matrix",
     .kind = ParamKind::file,
     .label = "Matrix file"},
    {.name = "width",
     .help = "numbers per row of a flat list; 0: a square",
     .kind = ParamKind::integer,
     .def = 0,
     .min = 0,
     .max = Taps::kMaxDense,
     .advanced = true,
     .label = "Row length",
     .automatic = 0},
    {.name = "normalize",
     .help = "1: divide by the sum of the matrix unless it is 0",
     .kind = ParamKind::boolean,
     .def = 0},
    anchor_param("anchor_x", "column of the matrix that is on the pixel, from 0; -1: the middle",
                 "Anchor column"),
    anchor_param("anchor_y", "row of the matrix that is on the pixel, from 0; -1: the middle",
                 "Anchor row"),
    kPlanesAll,
    kBorder,
    kBorderValue,
}};

}  // namespace weft
