#include "app/viewer/edit/preset_store.h"

#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "app/media/libav/error.h"
#include "app/pipeline/folders.h"
#include "filters/text/nearest.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxName = 64;

bool has_control(std::string_view text) {
    for (char c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return true;
    return false;
}

// toml++ accepts UTF-8 only, so it serves as the validator.
bool is_utf8(std::string_view text) {
    try {
        (void)toml::parse(fmt::format("# {}\n", text));
        return true;
    } catch (const toml::parse_error&) {
        return false;
    }
}

std::string steps_on_lines(Stack stack) {
    std::string out;
    for (Step& step : stack) {
        step.params.resolve_files(absolute_path(".").lexically_normal());
        out += (out.empty() ? "" : ",\n") + print_step(step);
    }
    return out;
}

std::string preset_text(const std::string& description, const Stack& stack) {
    toml::table table;
    if (!description.empty()) table.insert("description", description);
    table.insert("stack", steps_on_lines(stack));
    std::ostringstream out;
    out << table << '\n';
    return out.str();
}

StoredPreset read(const PresetFile& file, const fs::path& own) {
    StoredPreset preset{.name = file.name, .path = file.path};
    preset.own = !own.empty() && file.path.parent_path() == own;
    try {
        Preset loaded = load_preset(file.path.string(), {});
        preset.description = std::move(loaded.description);
        preset.stack = std::move(loaded.stack);
    } catch (const FilterError& error) {
        preset.problem = error.what();
    }
    return preset;
}

void require_name(const std::string& name) {
    if (std::string problem = preset_name_problem(name); !problem.empty())
        throw Error(Outcome::usage, problem);
}

}  // namespace

std::string preset_name_problem(std::string_view name) {
    if (name.empty()) return "a preset needs a name";
    if (name.size() > kMaxName) return fmt::format("a preset name has at most {} bytes", kMaxName);
    if (has_control(name) || !is_utf8(name)) return "a preset name must be printable UTF-8";
    if (name.find('/') != std::string_view::npos) return "a preset name must not contain '/'";
    if (name.starts_with('-') || name.starts_with('.'))
        return "a preset name must not begin with '-' or '.'";
    if (name.starts_with(' ') || name.ends_with(' '))
        return "a preset name must not begin or end with a space";
    if (name.ends_with(".toml")) return "a preset name must not end in .toml";
    return "";
}

PresetStore::PresetStore(fs::path own, fs::path shipped) : own_(std::move(own)) {
    if (!own_.empty()) folders_.push_back(own_);
    folders_.push_back(std::move(shipped));
}

std::vector<StoredPreset> PresetStore::list() const {
    std::vector<StoredPreset> presets;
    for (const PresetFile& file : find_presets(folders_)) presets.push_back(read(file, own_));
    return presets;
}

Preset PresetStore::load(const std::string& name) const {
    return load_preset(name, folders_);
}

bool PresetStore::has_own(const std::string& name) const {
    std::error_code error;
    return !own_.empty() && fs::exists(own_ / (name + ".toml"), error);
}

void PresetStore::save(const std::string& name, const std::string& description,
                       const Stack& stack) const {
    require_name(name);
    if (stack.empty()) throw Error(Outcome::usage, "the stack has no steps to save");
    const fs::path path = own_path(name);
    write_file(path, preset_text(description, stack));
}

void PresetStore::remove(const std::string& name) const {
    std::error_code error;
    const fs::path path = existing(name);
    if (!fs::remove(path, error))
        throw Error(Outcome::not_written, fmt::format("{}: cannot delete the preset: {}",
                                                      path.string(), error.message()));
}

void PresetStore::rename(const std::string& from, const std::string& to) const {
    const fs::path path = existing(from);
    require_name(to);
    if (from == to) return;
    if (has_own(to))
        throw Error(Outcome::usage, fmt::format("a preset named '{}' already exists", shown(to)));
    std::error_code error;
    fs::rename(path, own_path(to), error);
    if (error)
        throw Error(Outcome::not_written, fmt::format("{}: cannot rename the preset: {}",
                                                      path.string(), error.message()));
}

fs::path PresetStore::own_path(const std::string& name) const {
    if (own_.empty())
        throw Error(Outcome::not_written,
                    "cannot save presets: neither XDG_CONFIG_HOME nor HOME is set");
    return own_ / (name + ".toml");
}

fs::path PresetStore::existing(const std::string& name) const {
    require_name(name);
    if (has_own(name)) return own_path(name);
    for (const PresetFile& file : find_presets(folders_))
        if (file.name == name)
            throw Error(
                Outcome::usage,
                fmt::format("the preset '{}' is part of weft and cannot be changed", shown(name)));
    throw Error(Outcome::usage, fmt::format("no preset is named '{}'", shown(name)));
}

PresetStore user_presets() {
    const std::vector<fs::path> folders = preset_folders();
    return {folders.size() > 1 ? folders.front() : fs::path(), folders.back()};
}

}  // namespace weft
