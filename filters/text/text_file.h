// Text files that users write: matrices, presets and boxes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace weft {

inline constexpr std::size_t kMaxTextFile = std::size_t{1} << 20;  // 1 MiB

// The whole file. Only regular files are opened: a FIFO would block, a device never ends. Some
// files in /proc claim to be regular and block, too: a file with nothing to read yet is an error.
// Throws std::runtime_error with a sentence that names the file, also if it has more than `most`
// bytes, which is a whole number of MiB.
std::string read_text_file(const std::filesystem::path& path, std::size_t most = kMaxTextFile);

// Line and column, counted from 1, of a byte in a text; columns count characters of UTF-8.
struct TextPlace {
    std::size_t line;
    std::size_t column;
};
TextPlace place_in(std::string_view text, std::size_t offset);

}  // namespace weft
