// The window's keys: the built-in ones, changed by the user's file. It has the form of mpv's
// input.conf: a key and a command per line.
//
//   z      undo          # the built-in keys of "undo" stay
//   SPACE  frame-step    # Space no longer plays
//   q      ignore        # q does nothing
//
// Commands are those of keys.def, spelled as in mpv where mpv has them. Keys are spelled as in
// menus ("Space", "Ctrl+Shift+E") or as in mpv ("SPACE", "PGUP"), in either case; keys that type a
// character are that character, with "SHARP" for "#". The last line for a key counts.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

// Keys that type no character, as the window names them. F1 to F12 are not listed.
inline constexpr std::array<std::string_view, 15> kNamedKeys{
    "Space", "Escape", "Enter", "Tab",    "Backspace", "Insert", "Delete", "Left",
    "Right", "Up",     "Down",  "PageUp", "PageDown",  "Home",   "End"};

class KeyBindings {
 public:
    KeyBindings();  // the built-in keys

    // The action, an index of kKeyRows, of a key named as in kKeyRows.
    std::optional<std::size_t> row_of(std::string_view key) const;
    // The keys of an action; the user's come first.
    std::vector<std::string> keys_of(std::size_t row) const;
    // "Space or p"; "" if the action has no key.
    std::string text(std::size_t row) const;

 private:
    friend struct KeyFileText;

    struct Binding {
        std::string key;
        std::optional<std::size_t> row;  // none: ignored
    };
    std::vector<Binding> bindings_;  // one per key
};

struct LoadedKeys {
    KeyBindings keys;
    std::vector<std::string> problems;  // one sentence per wrong line, which is skipped
};

// config_folder()/keys.conf; "" if that folder is unknown.
std::filesystem::path keys_path();

// `name` is the file's, for problems. Never throws.
LoadedKeys parse_keys(std::string_view text, std::string_view name);

// The built-in keys if the path is empty or there is no such file. An unreadable file is a problem.
LoadedKeys load_keys(const std::filesystem::path& path);

}  // namespace weft
