// A file manager's half of drag and drop, version 5 of the XDND protocol.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

namespace weft::gui {

// Carries the file over `target` at a point of the screen and drops it there, on a connection of
// its own. Waits for the target to take it; false if it refuses, is gone, or does not answer within
// a minute.
bool drop_file(const std::string& display, unsigned long target, const std::filesystem::path& file,
               std::pair<int, int> at);

}  // namespace weft::gui
