#include "filters/params.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "filters/text/nearest.h"
#include "filters/text/number_text.h"
#include "filters/text/text_error.h"

namespace weft {
namespace {

std::vector<std::string_view> param_names(const FilterDef& filter) {
    std::vector<std::string_view> names;
    for (const ParamDef& param : filter.params) names.push_back(param.name);
    return names;
}

std::vector<std::string_view> names_and_aliases(const FilterDef& filter) {
    std::vector<std::string_view> names = param_names(filter);
    for (const ParamDef& param : filter.params)
        names.insert(names.end(), param.aliases.begin(), param.aliases.end());
    return names;
}

std::string with_unit(const ParamDef& param) {
    return param.unit.empty() ? "" : fmt::format(" {}", param.unit);
}

void check_range(const ParamDef& param, double value, std::string_view text) {
    if (value < param.min || value > param.max)
        throw TextError(
            fmt::format("{} is outside {} to {}{}", shown(text), format_number(param.min),
                        format_number(param.max), with_unit(param)),
            0);
}

void check_choice(const ParamDef& param, std::string_view text) {
    if (std::find(param.choices.begin(), param.choices.end(), text) != param.choices.end()) return;
    const std::vector<std::string_view> names(param.choices.begin(), param.choices.end());
    throw TextError(fmt::format("'{}' is not a choice{} valid are {}", shown(text),
                                suggestion(text, names), fmt::join(names, ", ")),
                    0);
}

// The canonical text of a value; throws TextError for a value that the row does not accept.
std::string canonical_value(const ParamDef& param, std::string_view text) {
    if (text.empty()) throw TextError("a value is missing", 0);
    switch (param.kind) {
        case ParamKind::number: {
            const double value = parse_number(text);
            check_range(param, value, text);
            return format_number(value);
        }
        case ParamKind::integer: {
            const long long value = parse_integer(text);
            check_range(param, static_cast<double>(value), text);
            return fmt::format("{}", value);
        }
        case ParamKind::boolean:
            return parse_boolean(text) ? "1" : "0";
        case ParamKind::choice:
            check_choice(param, text);
            return std::string(text);
        case ParamKind::matrix:
            return print_matrices(parse_matrices(text));
        case ParamKind::planes:
            return print_planes(parse_planes(text));
        case ParamKind::file:
            if (text.find('\0') != std::string_view::npos)
                throw TextError("a file name cannot contain a zero byte", text.find('\0'));
            return std::string(text);
    }
    throw std::logic_error("canonical_value: unknown kind");
}

std::string why_no_param(const FilterDef& filter, std::string_view name) {
    for (const RefusedParam& refused : filter.refused)
        if (refused.name == name) return fmt::format("{}: {}: {}", filter.name, name, refused.why);
    if (name == "enable")
        return "enable: filters cannot be switched over time here; use -ss, -t and -to";
    return fmt::format("{} has no parameter '{}'{} valid are {}", filter.name, shown(name),
                       suggestion(name, names_and_aliases(filter)),
                       fmt::join(param_names(filter), ", "));
}

}  // namespace

const ParamDef& require_param(const FilterDef& filter, const PlacedText& name) {
    if (const ParamDef* param = find_param(filter, name.text)) return *param;
    throw FilterError(why_no_param(filter, name.text), *name.source, name.place(0));
}

Params::Params(const FilterDef& filter)
    : filter_(&filter), values_(filter.params.size()), place_(placed(filter.name)) {}

void Params::set(std::string_view name, std::string_view value) {
    set(require_param(*filter_, placed(name)), placed(value));
}

void Params::set(const ParamDef& param, PlacedText value) {
    try {
        canonical_value(param, value.text);
    } catch (const TextError& error) {
        throw FilterError(fmt::format("{}: {}: {}", filter_->name, param.name, error.what()),
                          *value.source, value.place(error.offset()));
    }
    values_[index(param.name)] = std::move(value);
}

void Params::unset(std::string_view name) {
    values_[index(name)].reset();
}

bool Params::is_set(std::string_view name) const {
    return values_[index(name)].has_value();
}

void Params::resolve_files(const std::filesystem::path& folder) {
    for (std::size_t k = 0; k < values_.size(); ++k) {
        if (filter_->params[k].kind != ParamKind::file || !values_[k]) continue;
        PlacedText& value = *values_[k];
        std::string resolved = (folder / value.text).string();
        // Errors still point at the name as it was written.
        value.places.insert(value.places.begin(), resolved.size() - value.text.size(),
                            value.place(0));
        value.text = std::move(resolved);
    }
}

double Params::number(std::string_view name) const {
    const std::size_t k = index(name, ParamKind::number);
    const PlacedText* const set = value(k);
    return set != nullptr ? parse_number(set->text) : filter_->params[k].def;
}

int Params::integer(std::string_view name) const {
    const std::size_t k = index(name, ParamKind::integer);
    const PlacedText* const set = value(k);
    return static_cast<int>(set != nullptr ? static_cast<double>(parse_integer(set->text))
                                           : filter_->params[k].def);
}

bool Params::boolean(std::string_view name) const {
    const std::size_t k = index(name, ParamKind::boolean);
    const PlacedText* const set = value(k);
    return set != nullptr ? parse_boolean(set->text) : filter_->params[k].def != 0;
}

std::string_view Params::choice(std::string_view name) const {
    const std::size_t k = index(name, ParamKind::choice);
    const ParamDef& param = filter_->params[k];
    const PlacedText* const set = value(k);
    const std::string_view text = set != nullptr ? std::string_view(set->text) : param.def_text;
    return *std::find(param.choices.begin(), param.choices.end(), text);
}

Planes Params::planes(std::string_view name) const {
    return parse_planes(text(filter_->params[index(name, ParamKind::planes)].name));
}

std::vector<MatrixText> Params::matrices(std::string_view name) const {
    const std::string value = text(filter_->params[index(name, ParamKind::matrix)].name);
    return value.empty() ? std::vector<MatrixText>{} : parse_matrices(value);
}

std::string Params::text(std::string_view name) const {
    const std::size_t k = index(name);
    const PlacedText* const set = value(k);
    return set != nullptr ? set->text : default_text(filter_->params[k]);
}

std::string Params::canonical(const ParamDef& param) const {
    const std::optional<PlacedText>& set = values_[index(param.name)];
    return set ? canonical_value(param, set->text) : default_text(param);
}

void Params::fail(std::string_view name, const std::string& message, std::size_t offset) const {
    const std::optional<PlacedText>& set = values_[index(name)];
    const PlacedText& at = set ? *set : place_;
    throw FilterError(fmt::format("{}: {}: {}", filter_->name, name, message), *at.source,
                      at.place(set ? offset : 0));
}

bool Params::operator==(const Params& other) const {
    if (filter_ != other.filter_) return false;
    return filter_ == nullptr ||
           std::all_of(filter_->params.begin(), filter_->params.end(), [&](const ParamDef& param) {
               return canonical(param) == other.canonical(param);
           });
}

const PlacedText* Params::value(std::size_t index_of_param) const {
    if (values_[index_of_param]) return &*values_[index_of_param];
    const std::string_view from = filter_->params[index_of_param].inherits;
    return from.empty() ? nullptr : value(index(from));
}

std::size_t Params::index(std::string_view name) const {
    const auto found = std::find_if(filter_->params.begin(), filter_->params.end(),
                                    [&](const ParamDef& param) { return param.name == name; });
    if (found == filter_->params.end())
        throw std::logic_error(fmt::format("{} has no parameter {}", filter_->name, name));
    return static_cast<std::size_t>(found - filter_->params.begin());
}

std::size_t Params::index(std::string_view name, ParamKind kind) const {
    const std::size_t k = index(name);
    if (filter_->params[k].kind != kind)
        throw std::logic_error(fmt::format("{}: {} is of another kind", filter_->name, name));
    return k;
}

std::string label_text(const ParamDef& param) {
    if (!param.label.empty()) return std::string(param.label);
    std::string label(param.name);
    std::replace(label.begin(), label.end(), '_', ' ');
    if (label[0] >= 'a' && label[0] <= 'z') label[0] = static_cast<char>(label[0] - 'a' + 'A');
    return label;
}

std::string_view choice_label(const ParamDef& param, std::string_view choice) {
    const auto found = std::find(param.choices.begin(), param.choices.end(), choice);
    if (found == param.choices.end())
        throw std::logic_error(fmt::format("{} has no choice {}", param.name, choice));
    return param.choice_labels[static_cast<std::size_t>(found - param.choices.begin())];
}

std::string default_text(const ParamDef& param) {
    if (!param.inherits.empty()) return "";
    switch (param.kind) {
        case ParamKind::number:
        case ParamKind::integer:
        case ParamKind::boolean:
            return format_number(param.def);
        case ParamKind::choice:
        case ParamKind::matrix:
        case ParamKind::planes:
        case ParamKind::file:
            return std::string(param.def_text);
    }
    return "";
}

std::string accepts_text(const ParamDef& param) {
    switch (param.kind) {
        case ParamKind::number:
        case ParamKind::integer:
            return fmt::format("{} to {}{}", format_number(param.min), format_number(param.max),
                               with_unit(param));
        case ParamKind::boolean:
            return "1 or 0";
        case ParamKind::choice:
            return fmt::format("{}", fmt::join(param.choices, ", "));
        case ParamKind::matrix:
            return "numbers; rows separated by ';'";
        case ParamKind::planes:
            return "all, luma, letters (y u v r g b a), 0+2, or a bit mask";
        case ParamKind::file:
            return "a file name";
    }
    return "";
}

}  // namespace weft
