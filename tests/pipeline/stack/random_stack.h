// Random stacks on structured pictures: filters, parameters, formats and pictures that are not in
// any hand-written table. A case is determined by its number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "filters/frame_info.h"
#include "filters/stack.h"
#include "kernels/conv_problem.h"
#include "tests/kernels/cases/dice.h"
#include "tests/kernels/pixels/test_plane.h"

namespace weft::test {

// Noise tests flat regions poorly, and sums over noise never get near their extremes.
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
    signs_of_taps,  // maximum under positive taps of the first step, otherwise 0
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

// One to four filters of the registry with random parameters that suit the random frame.
RandomStack random_stack(std::uint32_t number);

// "case 17: disc=radius=24 on 65x33 gray8, flat".
std::string describe(const RandomStack& random);

// Frame `frame` of the case: one plane for each in `info`, with poisoned surroundings.
// `first_problems`: the first step's problem on each plane, or null.
std::vector<TestPlane> random_planes(const RandomStack& random, int frame,
                                     const std::vector<const ConvProblem*>& first_problems);

// A frame of the same shape for results.
std::vector<TestPlane> blank_planes(const FrameInfo& info);

std::vector<ImageView> views_of(const std::vector<TestPlane>& planes);

}  // namespace weft::test
