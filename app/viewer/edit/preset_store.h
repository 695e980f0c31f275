// The user's presets and the shipped ones: files that `weft batch --preset` reads, too.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "filters/preset.h"

namespace weft {

// A sentence if `name` is not a valid preset name, else "". A name is that of its file without
// ".toml", and a command-line word: 1 to 64 bytes of UTF-8 without '/', control characters, blanks
// at the ends, or a leading '-' or '.'.
std::string preset_name_problem(std::string_view name);

struct StoredPreset {
    std::string name;
    std::filesystem::path path;
    bool own = false;              // the user's: can be replaced, renamed and removed
    std::string description = {};  // one line
    Stack stack = {};
    std::string problem = {};  // why the file is unusable; description and stack are empty then
};

// Every call reads the folders again; nothing is cached. Throws Error with a sentence for invalid
// names, paths that cannot be written etc.
class PresetStore {
 public:
    // `own` is the user's folder, created when the first preset is saved; "" if the user has none,
    // then saving fails. A preset in it hides a shipped one with the same name.
    PresetStore(std::filesystem::path own, std::filesystem::path shipped);

    // Sorted by name. Reads every file.
    std::vector<StoredPreset> list() const;

    // Throws FilterError with the position in the file, or with the available names.
    Preset load(const std::string& name) const;

    bool has_own(const std::string& name) const;

    // Replaces the user's preset with that name. File names in the stack become absolute, since
    // relative ones refer to the preset's folder. Blocks until the data is on disk.
    void save(const std::string& name, const std::string& description, const Stack& stack) const;

    // These affect only the user's presets. rename() refuses a name already in use, and keeps the
    // file's content unchanged.
    void remove(const std::string& name) const;
    void rename(const std::string& from, const std::string& to) const;

 private:
    std::filesystem::path own_path(const std::string& name) const;
    std::filesystem::path existing(const std::string& name) const;

    std::filesystem::path own_;
    std::vector<std::filesystem::path> folders_;
};

// Uses preset_folders().
PresetStore user_presets();

}  // namespace weft
