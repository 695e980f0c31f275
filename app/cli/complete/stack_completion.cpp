#include "app/cli/complete/stack_completion.h"

#include <algorithm>

#include <fmt/format.h>

#include "filters/filter.h"

namespace weft {
namespace {

// Start of the part after the last unquoted `separator`; npos inside quotes.
std::size_t last_part(std::string_view text, char separator) {
    std::size_t begin = 0;
    bool quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\'') quoted = !quoted;
        if (!quoted && text[at] == '\\')
            ++at;
        else if (!quoted && text[at] == separator)
            begin = at + 1;
    }
    return quoted ? std::string_view::npos : begin;
}

Completions filter_names(std::string_view before, std::string_view typed) {
    Completions found{.continues = true};
    const auto offer = [&](std::string_view name, const FilterDef& filter) {
        if (name.starts_with(typed))
            found.words.push_back({fmt::format("{}{}", before, name), std::string(filter.summary)});
    };
    for (const FilterDef& filter : filters()) {
        offer(filter.name, filter);
        if (typed.empty()) continue;
        for (const std::string_view alias : filter.aliases) offer(alias, filter);
    }
    return found;
}

bool is_set(const ParamDef& param, std::string_view settings) {
    return settings.starts_with(fmt::format("{}=", param.name)) ||
           settings.find(fmt::format(":{}=", param.name)) != std::string_view::npos;
}

Completions param_names(const FilterDef& filter, std::string_view before, std::string_view settings,
                        std::string_view typed) {
    Completions found{.continues = true};
    for (const ParamDef& param : filter.params)
        if (param.name.starts_with(typed) && !is_set(param, settings))
            found.words.push_back(
                {fmt::format("{}{}=", before, param.name), std::string(param.help)});
    return found;
}

Completions param_values(const ParamDef& param, std::string_view before, std::string_view typed) {
    Completions found{.files = param.kind == ParamKind::file, .continues = true};
    for (const std::string_view choice : param.choices)
        if (choice.starts_with(typed))
            found.words.push_back({fmt::format("{}{}", before, choice), ""});
    return found;
}

}  // namespace

Completions complete_stack(std::string_view typed) {
    const std::size_t step_at = last_part(typed, ',');
    if (step_at == std::string_view::npos) return {};
    const std::string_view step = typed.substr(step_at);
    const std::size_t equals = step.find('=');
    if (equals == std::string_view::npos) return filter_names(typed.substr(0, step_at), step);
    const FilterDef* const filter = find_filter(step.substr(0, equals));
    if (filter == nullptr) return {};

    const std::string_view settings = step.substr(equals + 1);
    const std::string_view setting = settings.substr(last_part(settings, ':'));
    const std::size_t value_at = setting.find('=');
    if (value_at == std::string_view::npos)
        return param_names(*filter, typed.substr(0, typed.size() - setting.size()), settings,
                           setting);
    const ParamDef* const param = find_param(*filter, setting.substr(0, value_at));
    if (param == nullptr) return {};
    const std::string_view value = setting.substr(value_at + 1);
    return param_values(*param, typed.substr(0, typed.size() - value.size()), value);
}

}  // namespace weft
