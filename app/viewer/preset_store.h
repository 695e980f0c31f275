// The presets that a user sees, loads and makes: files that `weft batch --preset` reads, too.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "filters/preset.h"

namespace weft {

// Why this cannot be a preset's name, as a sentence; "" if it can. A name is the name of its file
// without ".toml", and a word of a command line: 1 to 64 bytes of UTF-8 without '/', control
// characters, blanks at the ends, and '-' or '.' at the beginning.
std::string preset_name_problem(std::string_view name);

struct StoredPreset {
    std::string name;
    std::filesystem::path path;
    bool own = false;              // the user's: can be replaced, renamed and removed
    std::string description = {};  // one line
    std::string stack = {};        // as print_stack() writes it
    std::string problem = {};  // why the file cannot be used; description and stack are empty then
};

// Every call looks into the folders anew; nothing is kept. Names that break the rule above, paths
// that cannot be written and so on are thrown as Error with a sentence.
class PresetStore {
 public:
    // `own` is the user's folder, made when the first preset is saved; "" if there is none, then
    // nothing can be saved. A preset in it hides a shipped one of the same name.
    PresetStore(std::filesystem::path own, std::filesystem::path shipped);

    // By name. Reads every file.
    std::vector<StoredPreset> list() const;

    // Throws FilterError, with the place in the file, or the names that there are.
    Preset load(const std::string& name) const;

    bool has_own(const std::string& name) const;

    // Replaces the user's preset of that name. Names of files in the stack become absolute: they
    // are looked up beside the preset otherwise. Blocks until the disk has it.
    void save(const std::string& name, const std::string& description, const Stack& stack) const;

    // Of the user's presets. rename() refuses a name that the user has already, and leaves the
    // file's content as it is.
    void remove(const std::string& name) const;
    void rename(const std::string& from, const std::string& to) const;

 private:
    std::filesystem::path own_path(const std::string& name) const;
    std::filesystem::path existing(const std::string& name) const;

    std::filesystem::path own_;
    std::vector<std::filesystem::path> folders_;
};

// Of preset_folders().
PresetStore user_presets();

}  // namespace weft
