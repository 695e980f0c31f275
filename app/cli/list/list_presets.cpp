#include <fmt/format.h>

#include "app/cli/list/list_tables.h"
#include "app/cli/terminal/text_table.h"
#include "app/pipeline/folders.h"
#include "filters/preset.h"
#include "filters/text/printable.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

struct Entry {
    PresetFile file;
    std::string description;
    std::string stack;
    bool needs_region = false;
    std::string error;  // why the file is unusable; else empty
};

Entry load(const PresetFile& file) {
    Entry entry;
    entry.file = file;
    try {
        const Preset preset = load_preset(file.path.string(), {});
        entry.description = preset.description;
        entry.stack = print_stack(preset.stack, Names::typed);
        entry.needs_region = preset.needs_region;
    } catch (const FilterError& error) {
        entry.error = error.what();
    }
    return entry;
}

Preset named(const std::string& name) {
    return load_preset(name, preset_folders());
}

Json entry_json(const Entry& entry) {
    return {{"name", entry.file.name},
            {"description", entry.description},
            {"stack", entry.stack},
            {"needs_region", entry.needs_region},
            {"path", entry.file.path.string()},
            {"error", entry.error}};
}

}  // namespace

std::string presets_text(const std::string& name) {
    if (!name.empty()) {
        const Preset preset = named(name);
        return fmt::format("{}: {}\n{}\n", printable_line(preset.name),
                           printable_line(preset.description),
                           printable_line(print_stack(preset.stack, Names::typed)));
    }
    TextTable table({"preset", "description", "stack"});
    for (const PresetFile& file : find_presets(preset_folders())) {
        const Entry entry = load(file);
        table.add({file.name, entry.error.empty() ? entry.description : "cannot be used",
                   entry.error.empty() ? entry.stack : entry.error});
    }
    return table.text();
}

Json presets_json(const std::string& name) {
    if (!name.empty()) {
        const Preset preset = named(name);
        return {{"name", preset.name},
                {"description", preset.description},
                {"stack", print_stack(preset.stack, Names::typed)},
                {"needs_region", preset.needs_region}};
    }
    Json list = Json::array();
    for (const PresetFile& file : find_presets(preset_folders()))
        list.push_back(entry_json(load(file)));
    return {{"schema", 1}, {"presets", std::move(list)}};
}

}  // namespace weft
