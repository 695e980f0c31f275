// Folders of the user, of presets, and of an output; the small files in them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

// Throws Error(failed) if the current folder was deleted.
std::filesystem::path absolute_path(const std::filesystem::path& path);

// The user's folders, by the XDG base directory specification; they may not exist.
// $XDG_CONFIG_HOME/warpweft, or ~/.config/warpweft if that is unset or not absolute; "" if HOME is
// unset, too. For the user's choices: settings, presets.
std::filesystem::path config_folder();

// The same with $XDG_STATE_HOME, ~/.local/state: for state such as recent files.
std::filesystem::path state_folder();

// The same with $XDG_CACHE_HOME, ~/.cache: for data that can be regenerated.
std::filesystem::path cache_folder();

// Where presets are looked up by name; the first match wins. The user's presets/ in config_folder()
// is left out if it does not exist; the last entry is always ../share/warpweft/presets relative to
// the program, or the sources' assets/presets if that does not exist (in a build tree).
std::vector<std::filesystem::path> preset_folders();

// Creates the parent folders of `output`. The destructor removes those that it created and are
// still empty unless keep() was called, so that a failure leaves no trace.
class OutputFolder {
 public:
    // Does nothing for "-". Throws Error(not_written) if a folder cannot be created.
    explicit OutputFolder(const std::string& output);
    ~OutputFolder();
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;

    void keep() { first_made_.clear(); }

 private:
    std::filesystem::path folder_;
    std::filesystem::path first_made_;  // the outermost folder that was created; empty: none
};

// Writes or replaces a small file as AtomicOutput does, in an OutputFolder. Throws as they do.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace weft
