// Small TOML files for the program's own state: settings, recent files.
#pragma once

#include <filesystem>
#include <string>

#include <toml++/toml.h>

namespace weft {

struct TomlFile {
    toml::table table;    // empty if the file is missing or broken
    std::string problem;  // one sentence, or ""
};

// Never throws: an unreadable file is reported in `problem`. Files that are not TOML are renamed by
// put_aside(). An empty path or a missing file is not a problem.
TomlFile read_toml_file(const std::filesystem::path& path);

// Renames the file to NAME.bad, replacing an older one, and returns `what` with its new name
// appended.
std::string put_aside(const std::filesystem::path& path, const std::string& what);

// Creates the folder and replaces the file atomically. Blocks until the data is on disk. Throws
// Error (not_written). An empty path writes nothing.
void write_toml_file(const std::filesystem::path& path, const toml::table& table);

}  // namespace weft
