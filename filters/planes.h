// The `planes` parameter: which components of a frame a step works on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "filters/operation.h"

namespace weft {

// A `planes=` value. Forms, joined by '+':
//   all       every colour component, not alpha
//   luma      y, and neutral chroma; on RGB frames their luma, written to r, g and b
//   y u v r g b a in any order, "yuv" or "y+u"; those of the other colour family are ignored, so
//             that "yrgb" means luma of YUV frames and all of RGB ones
//   0+2       component numbers in the order y u v a or r g b a
// A number alone is ffmpeg's bit mask, because users paste it: 1 is the first component, 2 the
// second, 4 the third, 8 alpha. 15 and 7 are `all`: 15 is ffmpeg's default, and a default must not
// touch alpha. 0 is an error.
struct Planes {
    bool all = false;
    bool luma = false;
    unsigned letters = 0;  // bit k: static_cast<Component>(k)
    unsigned numbers = 0;  // bit k: component number k
    unsigned mask = 0;     // 0: not a mask

    bool operator==(const Planes&) const = default;
};

// Parses a value of these forms; throws TextError for any other text.
Planes parse_planes(std::string_view text);

// The text that parses to the same Planes.
std::string print_planes(const Planes& planes);

// The components of a frame in the order y u v a or r g b a.
std::vector<Component> frame_components(const FrameInfo& info);

constexpr bool is_chroma(Component component) {
    return component == Component::u || component == Component::v;
}

// Returns the letter of a component, such as 'y'.
char letter(Component component);

// 0 for y and r, 1 for u and g, 2 for v and b, 3 for alpha, also where there is no chroma: the
// number in `0+2` and the bit of ffmpeg's mask.
unsigned component_number(Component component);

// The components of frames like `info` that `planes` names. Adds to `notes` when only some of the
// named ones exist, and when RGB goes through luma. Throws TextError when nothing is left and when
// luma or alpha cannot be combined.
ComponentSelection select_components(const Planes& planes, const FrameInfo& info,
                                     std::vector<std::string>& notes);

}  // namespace weft
