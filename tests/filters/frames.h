// Frames of every family that filters must support, and shortcuts for building operations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "filters/filter.h"
#include "filters/operation.h"

namespace weft::test {

struct NamedFrame {
    std::string_view name;  // ffmpeg's pixel format
    FrameInfo info;
};

// gray8 to grayf32: every layout, 8 to 16 bits and float, with and without alpha.
const std::vector<NamedFrame>& frames();

// The frame of that name; an unknown name aborts the program.
FrameInfo frame(std::string_view name);

// The operation of a stack of one step.
Operation make(std::string_view step, const FrameInfo& info);

// The convolution of a step; other operations throw.
Convolution convolution(std::string_view step, const FrameInfo& info);

// The path of a text file with three matrices of different sizes, for the filter `bank`; created
// once per process and removed when it exits.
std::string bank_file();

// Σ of the weights in double, dense or from the factors.
double sum(const Taps& taps);

// One weight by offset from the anchor, 0 outside.
double at(const Taps& taps, int dx, int dy);

}  // namespace weft::test
