#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "app/cli/list/list_tables.h"
#include "app/cli/terminal/messages.h"
#include "app/cli/terminal/text_table.h"
#include "app/pipeline/names.h"
#include "app/viewer/shell/key_bindings.h"
#include "app/viewer/shell/key_list.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

// Returns the keys with the user's changes, whose problems become notes.
KeyBindings user_keys() {
    const LoadedKeys loaded = load_keys(keys_path());
    for (const std::string& problem : loaded.problems) print_note(problem);
    return loaded.keys;
}

std::size_t require_key(const KeyBindings& bindings, const std::string& key) {
    if (const auto row = bindings.row_of(key)) return *row;
    std::vector<std::string> known;
    for (std::size_t row = 0; row < kKeyRows.size(); ++row)
        std::ranges::move(bindings.keys_of(row), std::back_inserter(known));
    throw unknown_name("key", key, {known.begin(), known.end()});
}

Json row_json(const KeyBindings& bindings, std::size_t row) {
    const KeyRow& action = kKeyRows[row];
    return {{"keys", bindings.keys_of(row)},
            {"group", title(action.group)},
            {"action", action.name},
            {"command", action.command}};
}

}  // namespace

std::string keys_text(const std::string& name) {
    const KeyBindings bindings = user_keys();
    if (!name.empty()) {
        const std::size_t row = require_key(bindings, name);
        return fmt::format("{}: {} ({})\n", bindings.text(row), kKeyRows[row].name,
                           kKeyRows[row].command);
    }
    TextTable table({"key", "menu", "command", "action"});
    for (std::size_t row = 0; row < kKeyRows.size(); ++row)
        table.add({bindings.text(row), std::string(title(kKeyRows[row].group)),
                   std::string(kKeyRows[row].command), std::string(kKeyRows[row].name)});
    return table.text();
}

Json keys_json(const std::string& name) {
    const KeyBindings bindings = user_keys();
    if (!name.empty()) return row_json(bindings, require_key(bindings, name));
    Json list = Json::array();
    for (std::size_t row = 0; row < kKeyRows.size(); ++row) list.push_back(row_json(bindings, row));
    return {{"schema", 1}, {"keys", std::move(list)}};
}

}  // namespace weft
