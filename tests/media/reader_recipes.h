// The clips of the Reader's tests: what ffmpeg is told to make each of.
#pragma once

#include <filesystem>
#include <string>

namespace weft::test {

// Makes the clip of this name, and those that it is made from. The name must be in the table.
std::filesystem::path recipe(const std::string& name);

}  // namespace weft::test
