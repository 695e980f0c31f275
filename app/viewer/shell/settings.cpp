#include "app/viewer/shell/settings.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/pipeline/folders.h"
#include "app/viewer/shell/toml_file.h"

namespace weft {
namespace {

// The list of all settings: name in the file, value and range. `Settings` may be const.
template <class S, class Visitor>
void for_each_setting(S& settings, Visitor& visit) {
    visit.number("ui_scale", settings.ui_scale, 0, 8);
    visit.choice("theme", settings.theme, kThemeNames);
    visit.number("volume_percent", settings.volume_percent, 0, 150);
    visit.boolean("muted", settings.muted);
    visit.number("loop_below_seconds", settings.loop_below_seconds, 0, 1e6);
    visit.integer("frame_cache_mib", settings.frame_cache_mib, kLeastFrameCacheMib, 1 << 20);
    visit.choice("wipe", settings.wipe, kWipeOrientationNames);
    visit.number("difference_gain", settings.difference_gain, 1, 256);
    visit.boolean("pixel_grid", settings.pixel_grid);
    visit.boolean("show_stack", settings.show_stack);
    visit.boolean("show_kernels", settings.show_kernels);
    visit.string("section", settings.section);
    visit.number("panel_width", settings.panel_width, 0, 4000);
    visit.number("kernels_height", settings.kernels_height, 0, 4000);
    visit.integer("window_width", settings.window_width, 200, 32768);
    visit.integer("window_height", settings.window_height, 150, 32768);
    visit.boolean("window_maximised", settings.window_maximised);
    visit.string("last_folder", settings.last_folder);
}

class Writer {
 public:
    void number(const char* name, double value, double, double) { table.insert(name, value); }
    void integer(const char* name, std::int64_t value, std::int64_t, std::int64_t) {
        table.insert(name, value);
    }
    void boolean(const char* name, bool value) { table.insert(name, value); }
    void string(const char* name, const std::string& value) { table.insert(name, value); }
    template <class Enum>
    void choice(const char* name, Enum value, std::span<const std::string_view> names) {
        table.insert(name, std::string(names[static_cast<std::size_t>(value)]));
    }

    toml::table table;
};

class Reader {
 public:
    explicit Reader(const toml::table& table) : table_(table) {}

    void number(const char* name, double& value, double min, double max) {
        ranged<double>(name, value, min, max);
    }
    void integer(const char* name, std::int64_t& value, std::int64_t min, std::int64_t max) {
        ranged<std::int64_t>(name, value, min, max);
    }
    void boolean(const char* name, bool& value) {
        const toml::node* const node = table_.get(name);
        if (node == nullptr) return;
        if (node->is_boolean())
            value = node->as_boolean()->get();
        else
            refuse_value(name, "true or false");
    }
    void string(const char* name, std::string& value) {
        const toml::node* const node = table_.get(name);
        if (node == nullptr) return;
        if (node->is_string())
            value = node->as_string()->get();
        else
            refuse_value(name, "a string");
    }
    template <class Enum>
    void choice(const char* name, Enum& value, std::span<const std::string_view> names) {
        const toml::node* const node = table_.get(name);
        if (node == nullptr) return;
        const std::string text = node->value<std::string>().value_or("");
        const auto found = std::find(names.begin(), names.end(), text);
        if (found == names.end())
            return refuse_value(name, fmt::format("{}", fmt::join(names, ", ")));
        value = static_cast<Enum>(found - names.begin());
    }

    const std::vector<std::string>& refused() const { return refused_; }

 private:
    // NaN is outside every range.
    template <class T>
    void ranged(const char* name, T& value, T min, T max) {
        const toml::node* const node = table_.get(name);
        if (node == nullptr) return;
        const std::optional<T> given = node->is_number() ? node->value<T>() : std::nullopt;
        if (given && *given >= min && *given <= max)
            value = *given;
        else
            refuse_value(name, fmt::format("a number from {} to {}", min, max));
    }

    void refuse_value(const char* name, const std::string& expected) {
        refused_.push_back(fmt::format("{} must be {}", name, expected));
    }

    const toml::table& table_;
    std::vector<std::string> refused_;
};

}  // namespace

std::filesystem::path settings_path() {
    const std::filesystem::path folder = config_folder();
    return folder.empty() ? folder : folder / "settings.toml";
}

LoadedSettings load_settings(const std::filesystem::path& path) {
    TomlFile file = read_toml_file(path);
    LoadedSettings loaded{.settings = {}, .problem = std::move(file.problem)};
    Reader reader(file.table);
    for_each_setting(loaded.settings, reader);
    if (!reader.refused().empty())
        loaded.problem = put_aside(
            path, fmt::format("{}: {}", path.string(), fmt::join(reader.refused(), ", ")));
    return loaded;
}

void save_settings(const Settings& settings, const std::filesystem::path& path) {
    Writer writer;
    for_each_setting(settings, writer);
    write_toml_file(path, writer.table);
}

}  // namespace weft
