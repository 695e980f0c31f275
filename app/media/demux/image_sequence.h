// Numbered pictures: "shot_%03d.png" and the files in its folder that match.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

struct SequencePattern {
    std::string folder;  // "." when the pattern names none
    std::string prefix;  // of the file name
    std::string suffix;
    int digits = 0;  // %05d: 5, zero-padded; %d: 0

    // The file name for `number`, without the folder.
    std::string name(std::int64_t number) const;
    // Whether `path` is one of its files: in its folder, spelled as by name().
    bool names(std::string_view path) const;
};

// Parses `path` as a pattern: its last component has exactly one %d or %0Nd, "%%" means "%". Empty
// if it is no pattern. A file may have such a name, too: see is_sequence() for inputs and
// WriterOptions::numbered for outputs.
std::optional<SequencePattern> parse_sequence(std::string_view path);

// Whether an input's name is a pattern: the name of an existing file is not.
bool is_sequence(const std::filesystem::path& path);

// The hidden folder, next to the files of the pattern `name`, from which a writer moves the
// pictures of a complete sequence into place. If its writer was killed, it still holds the pictures
// that were not moved.
std::string moving_name(std::string_view name);
bool is_moving_name(std::string_view name);

// The path of a folder as above that holds a file of the pattern: the files in place are then
// partly of an older sequence. Empty: none.
std::string unfinished_move(const SequencePattern& pattern);

struct SequenceFile {
    std::int64_t number = 0;
    std::string path;
};

// The matching files in the pattern's folder, by ascending number; there may be gaps. Throws
// MediaError(failed) if the folder cannot be read.
std::vector<SequenceFile> list_sequence(const SequencePattern& pattern);

}  // namespace weft
