// Capabilities of standard error.
#pragma once

namespace weft {

struct Terminal {
    bool interactive = false;  // a terminal that can redraw a line: no TERM=dumb
    bool color = false;        // interactive, and NO_COLOR is not set
    int columns = 80;
    int lines = 24;
};

// Standard error's, from the environment.
Terminal error_terminal();

}  // namespace weft
