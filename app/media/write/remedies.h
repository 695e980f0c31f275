// How errors name what the user can do: options of the command, or controls of the window.
#pragma once

#include <string_view>

namespace weft {

struct Remedies {
    std::string_view resume = "--resume";  // the choice that keeps finished segments
    // For finished segments of other settings, and for a file of segments that cannot be read.
    std::string_view other_settings = "give its options to continue it, or -y to start over";
    std::string_view unreadable = "remove it, or give -y to begin again";
    std::string_view damaged_input = "--keep-damaged keeps it";
};

}  // namespace weft
