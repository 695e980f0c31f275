// What the window opens for the paths that a user names, drops or chooses.
#pragma once

#include <string>
#include <vector>

namespace weft {

// A folder becomes the videos and pictures in it, in the order of a file manager; one without any
// stays, and cannot be opened. Pictures that are numbered without a gap become the film that they
// are, "shot_%03d.png", if they are at least three and all of their kind in the folder. Reads
// folders.
std::vector<std::string> opened_files(const std::vector<std::string>& paths);

}  // namespace weft
