// Recognises media files in a folder, and names the outputs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace weft {

// By extension, in any case. Only for the contents of folders: a file given by name is opened in
// any case.
bool is_media_name(const std::filesystem::path& path);

// The output's name for an input in a folder of outputs: the same name if the container of that
// extension can be written, otherwise .mkv for videos and .png for images. Standard input becomes
// "stdin.mkv".
std::string output_name(const std::filesystem::path& input);

// "shot_%04d.png": numbered inputs. The name of an existing file is not a pattern.
bool is_sequence(const std::filesystem::path& path);

}  // namespace weft
