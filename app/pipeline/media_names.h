// Names of the files that are videos or pictures, by their extensions.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace weft {

// In lower case and without the dot; empty for a name without one.
std::string extension_of(const std::filesystem::path& path);

// The extensions of all formats that are written or read, each once.
std::vector<std::string> media_extensions();

// Whether the extension, in upper or lower case, is one of media_extensions(). It decides only
// about the contents of folders, because files given by name are always opened.
bool is_media_name(const std::filesystem::path& path);

// The output's name for an input in a folder of outputs: the same name if the container of that
// extension can be written, otherwise .mkv for videos and .png for images. Standard input becomes
// "stdin.mkv".
std::string output_name(const std::filesystem::path& input);

}  // namespace weft
