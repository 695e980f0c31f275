#include "app/viewer/edit/step_text.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace weft {

std::string heading_of(const FilterDef& filter) {
    // Short for two names.
    for (const auto& [name, heading] : {std::pair("log", "LoG"), {"dog", "DoG"}})
        if (filter.name == name) return heading;
    std::string heading = name_of(filter, Names::typed);
    if (const std::size_t at = heading.find('@'); at != std::string::npos)
        heading = heading.substr(0, at) + " (" + heading.substr(at + 1) + ")";
    std::ranges::replace(heading, '_', ' ');
    heading[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(heading[0])));
    return heading;
}

std::string summary_of(const Step& step) {
    std::string out;
    bool any_number = false;
    for (const ParamDef* row : all_params(*step.filter)) {
        const ParamDef& param = *row;
        const bool number = param.kind == ParamKind::number || param.kind == ParamKind::integer;
        const bool strength = number && !any_number && !param.advanced;
        any_number = any_number || number;
        const std::string value = step.params.canonical(param);
        const bool differs = step.params.is_set(param.name) && value != default_text(param);
        if (!strength && !differs) continue;
        out += (out.empty() ? "" : ", ") + label_text(param) + " ";
        out += param.kind == ParamKind::choice ? choice_label(param, value) : value;
        if (param.unit == "px") out += " px";
    }
    return out;
}

}  // namespace weft
