// A stack of filters as text, in ffmpeg's grammar, and back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "filters/filter.h"
#include "filters/params.h"

namespace weft {

struct Step {
    const FilterDef* filter = nullptr;
    Params params;

    bool operator==(const Step&) const = default;
};

using Stack = std::vector<Step>;

inline constexpr std::size_t kMaxSteps = 64;

// Parses "gaussian=sigma=2,sobel=scale=1.5,convolve=matrix='0 -1 0; -1 5 -1; 0 -1 0':planes=y".
// ffmpeg's grammar: filters separated by ',', parameters by ':', positional ones first, quoting by
// '…' and '\'. As in ffmpeg there are two levels: quotes protect from ',' and ';', and the unquoted
// text is split at ':' (so a ':' inside a value needs '\:' inside quotes). Filters whose alias has
// another positional order in ffmpeg take that order under the alias. Throws FilterError with the
// position, the valid choices and the nearest name. Text longer than 1 MiB and stacks of more than
// 64 steps are refused. Pure: reads no file (`file=` parameters are read by make()).
Stack parse_stack(std::string_view text, Names names = Names::stored);

// Returns the canonical text of the same stack, without defaults and with the shortest numbers.
// parse_stack(print_stack(s, n), n) == s, and printing that again gives the same text.
std::string print_stack(const Stack& stack, Names names = Names::stored);
std::string print_step(const Step& step, Names names = Names::stored);

// The text with every value, also those that were not given, so that it keeps its meaning when a
// later version changes a default. parse_stack() makes the same pictures of it in either reading.
std::string print_resolved(const Stack& stack);

// The highest number of a definition in the stack, see FilterDef::definition: it rises with every
// change of its picture.
int definition_of(const Stack& stack);

// Whether a filter of the stack hides a part of the picture, see FilterDef::redacts.
bool redacts(const Stack& stack);

// A sentence for each filter of ffmpeg whose picture differs here, without repetitions.
std::vector<std::string> unlike_ffmpeg(const Stack& stack);

}  // namespace weft
