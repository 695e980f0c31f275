// Presets: named stacks of filters, kept as TOML files.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "filters/stack.h"

namespace weft {

// A preset file holds any of
//
//     name = "soft-focus"                 # the file's name without .toml unless given
//     description = "one line"
//     needs_region = true                 # it is for a part of the picture, see preset_stack()
//     stack = "gaussian=sigma=1.2"        # as for -vf, on one or several lines
//     [[step]]                            # further steps, in order
//     filter = "convolve"
//     matrix = [[0, -1, 0], [-1, 5, -1], [0, -1, 0]]
//     planes = "y"
//
// with at least one step. Numbers, true and false, strings and arrays of numbers are values. A
// relative file name is relative to the preset file's folder.
struct Preset {
    std::string name;
    std::string description;
    Stack stack;
    bool needs_region = false;
};

// `origin` names the text in errors: a file. Throws FilterError whose message starts with
// "origin:line:column: "; its text is the line of the file, or the stack's text for mistakes in it.
// Pure: reads no file, and leaves the names of files as they are.
Preset parse_preset(std::string_view toml, const std::string& origin);

struct PresetFile {
    std::string name;
    std::filesystem::path path;
};

// The presets in these folders, by name; an earlier folder takes precedence. Folders that do not
// exist are empty.
std::vector<PresetFile> find_presets(std::span<const std::filesystem::path> folders);

// The file of a preset by name from the folders, or the text itself if it contains '/' or ends in
// ".toml", or if no preset but a file in the working folder has the name. Throws FilterError; for
// an unknown name it lists the known ones and the nearest.
std::filesystem::path preset_path(std::string_view name_or_file,
                                  std::span<const std::filesystem::path> folders);

// Loads the file of preset_path(): at most 1 MiB, regular files only. Throws FilterError.
Preset load_preset(std::string_view name_or_file, std::span<const std::filesystem::path> folders);

// The name or file in the words of preset_stack(). It ends at the first ':' that a parameter
// follows.
std::string_view preset_name(std::string_view words);

// The stack of a preset as people ask for it: its name or file, and parameters that every filter
// takes, which all of its steps are given: "redact:boxes=plate.boxes:grow=10%". They are written as
// in a stack and replace those of the preset, and a relative file is relative to the working
// folder. Throws FilterError, also for a preset that needs a region and has none.
Stack preset_stack(std::string_view words, std::span<const std::filesystem::path> folders);

}  // namespace weft
