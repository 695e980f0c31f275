// ffmpeg's arguments for the clips of the Reader's tests.
#pragma once

#include <filesystem>
#include <string>

namespace weft::test {

// Makes the named clip and those that it is made from. The name must be in the table.
std::filesystem::path recipe(const std::string& name);

}  // namespace weft::test
