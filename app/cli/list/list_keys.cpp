#include <algorithm>

#include <fmt/format.h>

#include "app/cli/list/list_tables.h"
#include "app/cli/names.h"
#include "app/cli/terminal/text_table.h"
#include "app/viewer/shell/key_list.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

const KeyRow& require_key(const std::string& key) {
    std::vector<std::string_view> known;
    for (const KeyRow& row : kKeyRows)
        for (const std::string_view name : row.keys) {
            if (name.empty()) continue;
            if (name == key) return row;
            known.push_back(name);
        }
    throw unknown_name("key", key, known);
}

Json row_json(const KeyRow& row) {
    Json keys = Json::array();
    for (const std::string_view key : row.keys)
        if (!key.empty()) keys.push_back(key);
    return {{"keys", std::move(keys)}, {"group", title(row.group)}, {"action", row.name}};
}

}  // namespace

std::string keys_text(const std::string& name) {
    if (!name.empty()) {
        const KeyRow& row = require_key(name);
        return fmt::format("{}: {}\n", keys_text(row), row.name);
    }
    TextTable table({"key", "menu", "action"});
    for (const KeyRow& row : kKeyRows)
        table.add({keys_text(row), std::string(title(row.group)), std::string(row.name)});
    return table.text();
}

Json keys_json(const std::string& name) {
    if (!name.empty()) return row_json(require_key(name));
    Json list = Json::array();
    for (const KeyRow& row : kKeyRows) list.push_back(row_json(row));
    return {{"schema", 1}, {"keys", std::move(list)}};
}

}  // namespace weft
