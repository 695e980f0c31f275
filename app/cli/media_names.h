// Which files of a folder are media, and under which name an output goes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace weft {

// By extension, in any case: what is taken from a folder. Named files are opened whatever they are
// called.
bool is_media_name(const std::filesystem::path& path);

// The output's name for an input in a folder of outputs: the same name where the container of that
// extension can be written, else .mkv for videos and .png for images. Standard input becomes
// "stdin.mkv".
std::string output_name(const std::filesystem::path& input);

// "shot_%04d.png": numbered inputs. A name that exists as it is is no pattern.
bool is_sequence(const std::filesystem::path& path);

}  // namespace weft
