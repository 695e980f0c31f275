// Standard error as a terminal: its capabilities, and text that is redrawn in place.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace weft {

struct Terminal {
    bool interactive = false;  // a terminal that can redraw a line: no TERM=dumb
    bool color = false;        // interactive, and NO_COLOR is not set
    int columns = 80;
    int lines = 24;
};

// Returns the properties of standard error, by the system and the environment.
Terminal error_terminal();

// Text of several lines that is redrawn in place. Tracks the text on the terminal; returns output
// and writes nothing itself.
class LiveText {
 public:
    // The output that replaces the last text by `text`. Lines are cut to the terminal's width and
    // height, so that no line wraps and none scrolls away.
    std::string redraw(const std::string& text, const Terminal& terminal);
    // Returns the output that erases the text.
    std::string erase();

 private:
    std::size_t lines_ = 0;  // drawn; the cursor is below them
};

// Time since the start, and whether enough has passed for the next update.
class Ticker {
 public:
    double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
    bool due(double interval_seconds) {
        const double now = elapsed();
        if (now - shown_ < interval_seconds) return false;
        shown_ = now;
        return true;
    }

 private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
    double shown_ = 0;
};

}  // namespace weft
