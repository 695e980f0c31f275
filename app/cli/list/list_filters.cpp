#include <fmt/format.h>

#include "app/cli/list/list_tables.h"
#include "app/cli/terminal/text_table.h"
#include "app/media/libav/error.h"
#include "app/pipeline/names.h"
#include "filters/filter.h"
#include "filters/params.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

std::string joined(std::span<const std::string_view> list) {
    return fmt::format("{}", fmt::join(list, ", "));
}

const FilterDef& require_filter(const std::string& name) {
    if (const FilterDef* filter = find_filter(name, Names::typed)) return *filter;
    std::vector<std::string_view> names;
    for (const auto list : {filters(), ffmpeg_filters()})
        for (const FilterDef& filter : list) names.push_back(filter.name);
    throw unknown_name("filter", name, names);
}

std::string table_of(std::span<const ParamDef> params) {
    TextTable table({"parameter", "accepts", "default", "also", "meaning"});
    for (const ParamDef& param : params)
        table.add({std::string(param.name), accepts_text(param), default_text(param),
                   joined(param.aliases), std::string(param.help)});
    return table.text();
}

std::string one_text(const FilterDef& filter) {
    std::string text = fmt::format("{}: {}\n", name_of(filter, Names::typed), filter.summary);
    const std::vector<std::string_view> aliases = aliases_of(filter, Names::typed);
    if (!aliases.empty()) text += fmt::format("also: {}\n", joined(aliases));
    text += "\n" + table_of(filter.params);
    if (filter.smooths) text += "\nas every filter that smooths:\n" + table_of(smoothing_params());
    text += "\nas every filter:\n" + table_of(step_params());
    if (!filter.differs.empty()) text += fmt::format("\nunlike ffmpeg: {}\n", filter.differs);
    for (const RefusedParam& refused : filter.refused)
        text += fmt::format("not taken: {}: {}\n", refused.name, refused.why);
    return text;
}

std::string_view kind_name(ParamKind kind) {
    switch (kind) {
        case ParamKind::number:
            return "number";
        case ParamKind::integer:
            return "integer";
        case ParamKind::boolean:
            return "boolean";
        case ParamKind::choice:
            return "choice";
        case ParamKind::matrix:
            return "matrix";
        case ParamKind::planes:
            return "planes";
        case ParamKind::file:
            return "file";
        case ParamKind::text:
            return "text";
    }
    return "";
}

Json param_json(const ParamDef& param) {
    Json json = {{"name", param.name},
                 {"kind", kind_name(param.kind)},
                 {"default", default_text(param)},
                 {"accepts", accepts_text(param)},
                 {"unit", param.unit},
                 {"help", param.help},
                 {"aliases", param.aliases}};
    if (param.kind == ParamKind::number || param.kind == ParamKind::integer) {
        json["min"] = param.min;
        json["max"] = param.max;
    }
    if (param.kind == ParamKind::choice) json["choices"] = param.choices;
    return json;
}

Json one_json(const FilterDef& filter) {
    Json params = Json::array();
    for (const ParamDef* param : all_params(filter)) params.push_back(param_json(*param));
    Json refused = Json::array();
    for (const RefusedParam& param : filter.refused)
        refused.push_back({{"name", param.name}, {"why", param.why}});
    return {{"name", name_of(filter, Names::typed)},
            {"summary", filter.summary},
            {"aliases", aliases_of(filter, Names::typed)},
            {"differs", filter.differs},
            {"params", std::move(params)},
            {"refused", std::move(refused)}};
}

}  // namespace

std::string filters_text(const std::string& name) {
    if (!name.empty()) return one_text(require_filter(name));
    TextTable table({"filter", "also", "description"});
    for (const auto list : {filters(), ffmpeg_filters()})
        for (const FilterDef& filter : list)
            table.add({name_of(filter, Names::typed), joined(aliases_of(filter, Names::typed)),
                       std::string(filter.summary)});
    return table.text();
}

Json filters_json(const std::string& name) {
    if (!name.empty()) return one_json(require_filter(name));
    Json rows = Json::array();
    for (const auto list : {filters(), ffmpeg_filters()})
        for (const FilterDef& filter : list) rows.push_back(one_json(filter));
    return {{"schema", 1}, {"filters", std::move(rows)}};
}

}  // namespace weft
