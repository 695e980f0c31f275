#include "app/viewer/shell/key_bindings.h"

#include <algorithm>
#include <ranges>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/pipeline/folders.h"
#include "app/viewer/shell/key_list.h"
#include "filters/text/nearest.h"
#include "filters/text/text_file.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIgnore = "ignore";  // mpv's command that does nothing
constexpr std::string_view kBlanks = " \t\r";

constexpr std::array kMpvNames = {
    std::pair<std::string_view, std::string_view>{"ESC", "Escape"},
    std::pair<std::string_view, std::string_view>{"BS", "Backspace"},
    std::pair<std::string_view, std::string_view>{"INS", "Insert"},
    std::pair<std::string_view, std::string_view>{"DEL", "Delete"},
    std::pair<std::string_view, std::string_view>{"PGUP", "PageUp"},
    std::pair<std::string_view, std::string_view>{"PGDWN", "PageDown"},
    std::pair<std::string_view, std::string_view>{"SHARP", "#"},
};

char upper(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

bool equal_in_any_case(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, [](char x, char y) { return upper(x) == upper(y); });
}

bool is_function_key(std::string_view key) {
    for (int k = 1; k <= 12; ++k)
        if (equal_in_any_case(key, fmt::format("F{}", k))) return true;
    return false;
}

// Continuation bytes have the form 10xxxxxx.
bool is_one_character(std::string_view text) {
    return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }) == 1;
}

// The key without modifiers; "" for an unknown name.
std::string plain_key(std::string_view text) {
    if (is_one_character(text)) return std::string(text);
    for (const auto& [mpv, name] : kMpvNames)
        if (equal_in_any_case(text, mpv)) return std::string(name);
    for (const std::string_view name : kNamedKeys)
        if (equal_in_any_case(text, name)) return std::string(name);
    if (!is_function_key(text)) return "";
    std::string name(text);
    name[0] = 'F';
    return name;
}

// Removes "Ctrl+" or the like from the beginning, if it is there and a key follows.
bool take_modifier(std::string_view& text, std::string_view modifier) {
    const std::size_t size = modifier.size();
    if (text.size() <= size || !equal_in_any_case(text.substr(0, size), modifier)) return false;
    text.remove_prefix(size);
    return true;
}

// As the window names it: modifiers in the order Ctrl, Alt, Shift, letters after Ctrl or Alt as
// capitals. "" if there is no such key.
std::string key_named(std::string_view text) {
    bool ctrl = false, alt = false, shift = false;
    for (bool more = true; more;) {
        const bool is_ctrl = take_modifier(text, "Ctrl+");
        const bool is_alt = take_modifier(text, "Alt+");
        const bool is_shift = take_modifier(text, "Shift+");
        ctrl = ctrl || is_ctrl;
        alt = alt || is_alt;
        shift = shift || is_shift;
        more = is_ctrl || is_alt || is_shift;
    }
    std::string key = plain_key(text);
    if (key.empty()) return "";
    // The window reads the character that Shift types.
    const bool letter = key.size() == 1 && upper(key[0]) >= 'A' && upper(key[0]) <= 'Z';
    if (letter && (ctrl || alt || shift)) key[0] = upper(key[0]);
    if (letter && !ctrl && !alt) shift = false;
    return fmt::format("{}{}{}{}", ctrl ? "Ctrl+" : "", alt ? "Alt+" : "", shift ? "Shift+" : "",
                       key);
}

std::string_view next_word(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    const std::size_t size = std::min(text.find_first_of(kBlanks), text.size());
    const std::string_view word = text.substr(0, size);
    text.remove_prefix(size);
    return word;
}

// The words up to a comment, separated by single spaces.
std::string command_in(std::string_view rest) {
    std::vector<std::string_view> words;
    for (std::string_view word = next_word(rest); !word.empty() && word[0] != '#';
         word = next_word(rest))
        words.push_back(word);
    return fmt::format("{}", fmt::join(words, " "));
}

// Nothing for unknown commands.
std::optional<std::size_t> row_of_command(std::string_view command) {
    const auto row = std::ranges::find(kKeyRows, command, &KeyRow::command);
    if (row == kKeyRows.end()) return std::nullopt;
    return static_cast<std::size_t>(row - kKeyRows.begin());
}

std::string unknown_command(std::string_view command) {
    std::vector<std::string_view> known{kIgnore};
    for (const KeyRow& row : kKeyRows) known.push_back(row.command);
    const std::string_view nearest = nearest_name(command, known);
    return fmt::format("unknown command '{}'{}; `weft list keys` shows all commands",
                       shown(command),
                       nearest.empty() ? "" : fmt::format(": did you mean '{}'?", nearest));
}

}  // namespace

struct KeyFileText {
    std::string_view name;
    LoadedKeys loaded = {};
    std::vector<KeyBindings::Binding> lines = {};
    std::size_t number = 0;  // of the present line

    void read(std::string_view line) {
        ++number;
        const std::string_view typed = next_word(line);
        if (typed.empty() || typed[0] == '#') return;
        const std::string key = key_named(typed);
        const std::string command = command_in(line);
        const auto row = row_of_command(command);
        if (key.empty())
            problem(fmt::format("unknown key '{}'; `weft list keys` shows the names of keys",
                                shown(typed)));
        else if (command.empty())
            problem(
                fmt::format("'{}' has no command; use 'ignore' to disable a key", shown(typed)));
        else if (!row && command != kIgnore)
            problem(unknown_command(command));
        else
            lines.push_back({key, row});
    }

    void problem(const std::string& what) {
        loaded.problems.push_back(fmt::format("{}:{}: {}", name, number, what));
    }

    // The user's bindings come before the built-in ones. The last line for a key counts.
    LoadedKeys end() {
        std::set<std::string> taken;
        std::vector<KeyBindings::Binding> all;
        for (const KeyBindings::Binding& line : std::views::reverse(lines))
            if (taken.insert(line.key).second) all.push_back(line);
        std::ranges::reverse(all);
        for (KeyBindings::Binding& built_in : loaded.keys.bindings_)
            if (!taken.contains(built_in.key)) all.push_back(std::move(built_in));
        loaded.keys.bindings_ = std::move(all);
        return std::move(loaded);
    }
};

KeyBindings::KeyBindings() {
    for (std::size_t row = 0; row < kKeyRows.size(); ++row)
        for (const std::string_view key : kKeyRows[row].keys)
            if (!key.empty()) bindings_.push_back({std::string(key), row});
}

std::optional<std::size_t> KeyBindings::row_of(std::string_view key) const {
    const auto found = std::ranges::find(bindings_, key, &Binding::key);
    return found == bindings_.end() ? std::nullopt : found->row;
}

std::vector<std::string> KeyBindings::keys_of(std::size_t row) const {
    std::vector<std::string> keys;
    for (const Binding& binding : bindings_)
        if (binding.row == row) keys.push_back(binding.key);
    return keys;
}

std::string KeyBindings::text(std::size_t row) const {
    return fmt::format("{}", fmt::join(keys_of(row), " or "));
}

fs::path keys_path() {
    const fs::path folder = config_folder();
    return folder.empty() ? folder : folder / "keys.conf";
}

LoadedKeys parse_keys(std::string_view text, std::string_view name) {
    KeyFileText file{.name = name};
    while (!text.empty()) {
        const std::size_t size = std::min(text.find('\n'), text.size());
        file.read(text.substr(0, size));
        text.remove_prefix(std::min(size + 1, text.size()));
    }
    return file.end();
}

LoadedKeys load_keys(const fs::path& path) {
    std::error_code error;
    if (path.empty() || !fs::exists(path, error)) return {};
    try {
        return parse_keys(read_text_file(path), path.string());
    } catch (const std::runtime_error& problem) {
        return {.keys = {}, .problems = {problem.what()}};
    }
}

}  // namespace weft
