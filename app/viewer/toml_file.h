// Small TOML files that the program keeps for itself: settings, recent files.
#pragma once

#include <filesystem>
#include <string>

#include <toml++/toml.h>

namespace weft {

struct TomlFile {
    toml::table table;    // empty where there is no file, or a broken one
    std::string problem;  // one sentence, or ""
};

// Never throws: a file that cannot be read is a problem to tell, not a reason to stop. What is not
// TOML is put aside by put_aside(). An empty path or a missing file is no problem.
TomlFile read_toml_file(const std::filesystem::path& path);

// Renames the file to NAME.bad, replacing an older one, and returns `what` with a half-sentence on
// where it is now.
std::string put_aside(const std::filesystem::path& path, const std::string& what);

// Makes the folder and replaces the file in one step. Blocks until the disk has it. Throws Error
// (not_written). An empty path writes nothing.
void write_toml_file(const std::filesystem::path& path, const toml::table& table);

}  // namespace weft
