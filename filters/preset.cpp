#include "filters/preset.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include "filters/text/nearest.h"
#include "filters/text/number_text.h"
#include "filters/text/text_file.h"
#include "filters/text/toml_limits.h"
#include "filters/where.h"

namespace weft {
namespace {

// The context of errors: the text and where it came from.
struct Source {
    std::string_view text;
    const std::string& origin;
};

std::string_view line_of(std::string_view text, std::size_t line) {
    for (; line > 1; --line) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + 1);
    }
    return text.substr(0, text.find('\n'));
}

// The byte of the character in a column that is counted from 1.
std::size_t byte_of(std::string_view line, std::size_t column) {
    std::size_t at = 0;
    for (; column > 1 && at < line.size(); --column) {
        ++at;
        while (at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U) ++at;
    }
    return at;
}

std::string located(const Source& source, const toml::source_position& at,
                    std::string_view message) {
    return fmt::format("{}:{}:{}: {}", source.origin, at.line, at.column, message);
}

[[noreturn]] void fail(const Source& source, const toml::source_position& at,
                       std::string_view message) {
    const std::string_view line = line_of(source.text, at.line);
    throw FilterError(located(source, at, message), std::string(line), byte_of(line, at.column));
}

toml::table parsed(const Source& source) {
    if (const auto excess = toml_excess(source.text)) {
        const TextPlace place = place_in(source.text, excess->offset);
        fail(source,
             {.line = static_cast<toml::source_index>(place.line),
              .column = static_cast<toml::source_index>(place.column)},
             excess->message);
    }
    try {
        return toml::parse(source.text, source.origin);
    } catch (const toml::parse_error& error) {
        fail(source, error.source().begin, error.description());
    }
}

std::string number_text(const Source& source, const toml::node& node) {
    if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
    if (const auto* real = node.as_floating_point())
        if (std::isfinite(real->get())) return format_number(real->get());
    fail(source, node.source().begin, "a number is expected here");
}

// An array of numbers is one row, an array of arrays a matrix.
std::string array_text(const Source& source, const toml::array& array) {
    std::vector<std::string> words;
    bool rows = false;
    for (const toml::node& node : array) {
        const toml::array* const inner = node.as_array();
        if (!words.empty() && rows != (inner != nullptr))
            fail(source, node.source().begin, "rows and numbers are mixed here");
        rows = inner != nullptr;
        if (!rows) {
            words.push_back(number_text(source, node));
            continue;
        }
        std::vector<std::string> numbers;
        for (const toml::node& number : *inner) numbers.push_back(number_text(source, number));
        words.push_back(fmt::format("{}", fmt::join(numbers, " ")));
    }
    return fmt::format("{}", fmt::join(words, rows ? "; " : " "));
}

std::string value_text(const Source& source, const toml::node& node) {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* flag = node.as_boolean()) return flag->get() ? "1" : "0";
    if (const auto* array = node.as_array()) return array_text(source, *array);
    return number_text(source, node);
}

std::string string_of(const Source& source, const toml::node& node, std::string_view key) {
    if (const auto* text = node.as_string()) return text->get();
    fail(source, node.source().begin, fmt::format("{} must be a string", key));
}

const FilterDef& filter_of(const Source& source, const toml::table& table) {
    const toml::node* const node = table.get("filter");
    if (node == nullptr) fail(source, table.source().begin, "this step has no filter");
    const std::string name = string_of(source, *node, "filter");
    if (const FilterDef* filter = find_filter(name)) return *filter;
    std::vector<std::string_view> names;
    for (const FilterDef& filter : filters()) names.push_back(filter.name);
    fail(source, node->source().begin,
         fmt::format("unknown filter '{}'{} valid are {}", shown(name), suggestion(name, names),
                     fmt::join(names, ", ")));
}

// Runs `set` and gives its error a place in the file.
template <class Set>
void placing_errors(const Source& source, const toml::source_position& at, const Set& set) {
    try {
        set();
    } catch (const FilterError& error) {
        fail(source, at, error.what());
    }
}

void set_param(const Source& source, const toml::key& key, const toml::node& node, Params& params) {
    const ParamDef* param = nullptr;
    placing_errors(source, key.source().begin,
                   [&] { param = &require_param(params.filter(), placed(key.str())); });
    if (params.is_set(param->name))
        fail(source, key.source().begin, fmt::format("{} is given twice", param->name));
    const std::string value = value_text(source, node);
    placing_errors(source, node.source().begin, [&] { params.set(param->name, value); });
}

Step step_of(const Source& source, const toml::table& table) {
    const FilterDef& filter = filter_of(source, table);
    Step step{.filter = &filter, .params = Params(filter)};
    for (const auto& [key, node] : table)
        if (key != "filter") set_param(source, key, node, step.params);
    if (filter.check != nullptr)
        placing_errors(source, table.source().begin, [&] { filter.check(step.params); });
    return step;
}

Stack text_stack(const Source& source, const toml::node& node) {
    const std::string text = string_of(source, node, "stack");
    try {
        return parse_stack(text);
    } catch (const FilterError& error) {
        throw FilterError(located(source, node.source().begin, error.what()), error.text(),
                          error.position());
    }
}

void add_steps(const Source& source, const toml::node& node, Stack& stack) {
    const toml::array* const steps = node.as_array();
    if (steps == nullptr) fail(source, node.source().begin, "write steps as [[step]]");
    for (const toml::node& step : *steps) {
        if (!step.is_table()) fail(source, step.source().begin, "write steps as [[step]]");
        if (stack.size() == kMaxSteps)
            fail(source, step.source().begin,
                 fmt::format("a stack has at most {} steps", kMaxSteps));
        stack.push_back(step_of(source, *step.as_table()));
    }
}

bool boolean_of(const Source& source, const toml::node& node, std::string_view key) {
    if (const auto* flag = node.as_boolean()) return flag->get();
    fail(source, node.source().begin, fmt::format("{} must be true or false", key));
}

void check_keys(const Source& source, const toml::table& table) {
    const std::vector<std::string_view> known{"name", "description", "needs_region", "stack",
                                              "step"};
    for (const auto& [key, node] : table)
        if (std::find(known.begin(), known.end(), key.str()) == known.end())
            fail(source, key.source().begin,
                 fmt::format("unknown key '{}'{} valid are {}", shown(key.str()),
                             suggestion(key.str(), known), fmt::join(known, ", ")));
}

bool is_file_name(std::string_view text) {
    return text.find('/') != std::string_view::npos || text.ends_with(".toml");
}

// ---- parameters after a preset's name ----

struct Given {
    const ParamDef* param = nullptr;
    PlacedText value;
};

[[noreturn]] void fail(const PlacedText& text, std::size_t at, const std::string& message) {
    throw FilterError(message, *text.source, text.place(at));
}

const ParamDef& step_param(const PlacedText& name) {
    std::vector<std::string_view> names;
    for (const ParamDef& param : step_params()) {
        if (param.name == name.text) return param;
        names.push_back(param.name);
    }
    fail(name, 0,
         fmt::format("a preset has no parameter '{}'{} valid are {}; for others, write its stack "
                     "for -vf, which weft list presets shows",
                     shown(name.text), suggestion(name.text, names), fmt::join(names, ", ")));
}

// Reads "boxes=plate.boxes:grow=10%", with the two levels of quotes that a stack has.
std::vector<Given> read_given(const PlacedText& words) {
    std::size_t at = 0;
    const PlacedText args = read_token(words, at, "[],;");
    if (at < words.text.size())
        fail(words, at, "a preset stands alone: quote this character, as in enable='gte(t,2)'");
    std::vector<Given> all;
    for (at = 0;; ++at) {
        const std::size_t begin = at;
        const PlacedText name = read_token(args, at, "=:");
        if (at == args.text.size() || args.text[at] == ':')
            fail(args, begin, "a parameter is missing here, such as region=120x60+300+200");
        const ParamDef& param = step_param(name);
        for (const Given& given : all)
            if (given.param == &param)
                fail(args, begin, fmt::format("{} is given twice", name.text));
        all.push_back({&param, read_token(args, ++at, ":")});
        if (at == args.text.size()) return all;
    }
}

bool has_region(const Params& params) {
    return params.is_set("region") || params.is_set("boxes") || params.is_set("mask");
}

}  // namespace

Preset parse_preset(std::string_view toml, const std::string& origin) {
    const Source source{.text = toml, .origin = origin};
    const toml::table table = parsed(source);
    check_keys(source, table);
    Preset preset{
        .name = std::filesystem::path(origin).stem().string(), .description = {}, .stack = {}};
    if (const toml::node* name = table.get("name")) preset.name = string_of(source, *name, "name");
    if (const toml::node* text = table.get("description"))
        preset.description = string_of(source, *text, "description");
    if (const toml::node* needs = table.get("needs_region"))
        preset.needs_region = boolean_of(source, *needs, "needs_region");
    if (const toml::node* stack = table.get("stack")) preset.stack = text_stack(source, *stack);
    if (const toml::node* steps = table.get("step")) add_steps(source, *steps, preset.stack);
    if (preset.stack.empty())
        fail(source, {.line = 1, .column = 1}, "the preset has no steps: give stack or [[step]]");
    return preset;
}

std::vector<PresetFile> find_presets(std::span<const std::filesystem::path> folders) {
    std::map<std::string, std::filesystem::path> found;
    for (const std::filesystem::path& folder : folders) {
        std::error_code error;  // a folder that is missing or unreadable is empty
        for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
             entry.increment(error))
            if (entry->path().extension() == ".toml")
                found.emplace(entry->path().stem().string(), entry->path());
    }
    std::vector<PresetFile> presets;
    presets.reserve(found.size());
    for (const auto& [name, path] : found) presets.push_back({name, path});
    return presets;
}

std::filesystem::path preset_path(std::string_view name,
                                  std::span<const std::filesystem::path> folders) {
    if (is_file_name(name)) return {name};
    const std::vector<PresetFile> presets = find_presets(folders);
    std::vector<std::string_view> names;
    for (const PresetFile& preset : presets) {
        if (preset.name == name) return preset.path;
        names.push_back(preset.name);
    }
    std::error_code error;
    if (std::filesystem::is_regular_file(name, error)) return {name};
    throw FilterError(
        names.empty() ? fmt::format("there is no preset '{}': no presets were found", shown(name))
                      : fmt::format("there is no preset '{}'{} valid are {}", shown(name),
                                    suggestion(name, names), fmt::join(names, ", ")),
        std::string(name), 0);
}

Preset load_preset(std::string_view name_or_file, std::span<const std::filesystem::path> folders) {
    const std::filesystem::path path = preset_path(name_or_file, folders);
    std::string text;
    try {
        text = read_text_file(path);
    } catch (const std::runtime_error& error) {
        throw FilterError(error.what(), std::string(name_or_file), 0);
    }
    Preset preset = parse_preset(text, path.string());
    for (Step& step : preset.stack) step.params.resolve_files(path.parent_path());
    return preset;
}

std::string_view preset_name(std::string_view words) {
    for (std::size_t colon = words.find(':'); colon != std::string_view::npos;
         colon = words.find(':', colon + 1)) {
        const std::string_view rest = words.substr(colon + 1);
        const std::size_t end = rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz_");
        if (end != 0 && end != std::string_view::npos && rest[end] == '=')
            return words.substr(0, colon);
    }
    return words;
}

Stack preset_stack(std::string_view words, std::span<const std::filesystem::path> folders) {
    const std::string_view name = preset_name(words);
    Preset preset = load_preset(name, folders);
    if (name.size() < words.size()) {
        const PlacedText text = placed(words);
        const std::vector<Given> all = read_given(text.part(name.size() + 1, words.size()));
        for (Step& step : preset.stack) {
            for (const Given& given : all) step.params.set(*given.param, given.value);
            check_where(step.params);
            if (step.filter->check != nullptr) step.filter->check(step.params);
        }
    }
    for (const Step& step : preset.stack)
        if (preset.needs_region && !has_region(step.params))
            throw FilterError(
                fmt::format("the preset {} is for a part of the picture: add the part, as in "
                            "{}:region=120x60+300+200, {}:boxes=FILE or {}:mask=FILE",
                            shown(preset.name), shown(name), shown(name), shown(name)),
                std::string(words), 0);
    return std::move(preset.stack);
}

}  // namespace weft
