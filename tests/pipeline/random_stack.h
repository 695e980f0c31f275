// Random stacks on structured pictures: filters, parameters, formats and pictures that no author of
// a table chose. All of a case follows from its number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "filters/frame_info.h"
#include "filters/stack.h"
#include "kernels/conv_problem.h"
#include "tests/kernels/dice.h"
#include "tests/kernels/test_plane.h"

namespace weft::test {

// Noise says little about flat regions, and a sum over noise never gets near its extremes.
enum class Picture {
    flat,
    step_across,
    step_down,
    ramp,
    disc,
    checker,
    impulses,
    saturated_noise,
    noise,
    signs_of_taps,  // the largest value under positive taps of the first step, 0 under negative
                    // ones
};

std::string_view name_of(Picture picture);

struct RandomStack {
    std::uint32_t number = 0;
    std::string text;  // as parse_stack takes it
    Stack stack;
    FrameInfo info;
    std::string format;  // "yuv420p10"
    Picture picture = Picture::noise;
};

// One to three filters of the registry with drawn parameters, which suit the drawn frame.
RandomStack random_stack(std::uint32_t number);

// "case 17: disc=radius=24 on 65x33 gray8, flat".
std::string describe(const RandomStack& random);

// Frame `frame` of the case: a plane for each of the info's, of poisoned surroundings.
// `first_problems`: what the first step computes on each plane, or null.
std::vector<TestPlane> random_planes(const RandomStack& random, int frame,
                                     const std::vector<const ConvProblem*>& first_problems);

// A frame of the same shape for results.
std::vector<TestPlane> blank_planes(const FrameInfo& info);

std::vector<ImageView> views_of(const std::vector<TestPlane>& planes);

}  // namespace weft::test
