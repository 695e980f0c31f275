// The stack on screen as a shell command.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/viewer/screen/stack_request.h"

namespace weft {

// Quotes the text as one word for a POSIX shell; unchanged if nothing in it is special, else in
// '…'.
std::string shell_word(std::string_view text);

// "weft batch -vf 'gaussian=sigma=2,sobel' --kernel ,direct -o OUT IN". Names that start with '-'
// get a "./" prefix, so that they are not parsed as options. The stack must not be empty.
struct CommandFiles {
    std::string input = "IN";
    std::string output = "OUT";
    std::optional<double> frame_rate = {};  // -framerate, of the input
};
std::string weft_command(const StackRequest& request, const CommandFiles& files);

// "-vf 'gblur=sigma=2'", for an ffmpeg command.
std::string ffmpeg_option(std::string_view filterchain);

}  // namespace weft
