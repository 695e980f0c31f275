#include "filters/params.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "filters/text/nearest.h"
#include "filters/text/number_text.h"
#include "filters/text/text_error.h"

namespace weft {
namespace {

// Whether the parameter's value is a number, and not a text.
bool has_number(const ParamDef& param) {
    return param.kind == ParamKind::number || param.kind == ParamKind::integer ||
           param.kind == ParamKind::boolean;
}

std::vector<std::string_view> param_names(const FilterDef& filter) {
    std::vector<std::string_view> names;
    for (const ParamDef* param : all_params(filter)) names.push_back(param->name);
    return names;
}

std::vector<std::string_view> names_and_aliases(const FilterDef& filter) {
    std::vector<std::string_view> names = param_names(filter);
    for (const ParamDef* param : all_params(filter))
        names.insert(names.end(), param->aliases.begin(), param->aliases.end());
    return names;
}

std::string with_unit(const ParamDef& param) {
    return param.unit.empty() ? "" : fmt::format(" {}", param.unit);
}

double in_range(const ParamDef& param, double value, std::string_view text) {
    if (value >= param.min && value <= param.max) return value;
    throw TextError(fmt::format("{} is outside {} to {}{}", shown(text), format_number(param.min),
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

// The number of a value, 0 for kinds that have none; throws TextError for a value that the row does
// not accept.
double parse_value(const ParamDef& param, std::string_view text) {
    if (text.empty()) throw TextError("a value is missing", 0);
    switch (param.kind) {
        case ParamKind::number:
            return in_range(param, parse_number(text), text);
        case ParamKind::integer:
            return in_range(param, static_cast<double>(parse_integer(text)), text);
        case ParamKind::boolean:
            return parse_boolean(text) ? 1 : 0;
        case ParamKind::choice:
            check_choice(param, text);
            break;
        case ParamKind::matrix:
            parse_matrices(text);
            break;
        case ParamKind::planes:
            parse_planes(text);
            break;
        case ParamKind::file:
            if (text.find('\0') != std::string_view::npos)
                throw TextError("a file name cannot contain a zero byte", text.find('\0'));
            break;
        case ParamKind::text:
            param.check(text);
            break;
    }
    return 0;
}

std::string why_no_param(const FilterDef& filter, std::string_view name) {
    for (const RefusedParam& refused : filter.refused)
        if (refused.name == name) return fmt::format("{}: {}: {}", filter.name, name, refused.why);
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
    : filter_(&filter), values_(all_params(filter).size()), place_(placed(filter.name)) {}

void Params::set(std::string_view name, std::string_view value) {
    set(require_param(*filter_, placed(name)), placed(value));
}

void Params::set(const ParamDef& param, PlacedText value) {
    try {
        const double number = parse_value(param, value.text);
        values_[index(param.name)] = {.number = number, .text = std::move(value)};
    } catch (const TextError& error) {
        throw FilterError(fmt::format("{}: {}: {}", filter_->name, param.name, error.what()),
                          *value.source, value.place(error.offset()));
    }
}

void Params::set(std::string_view name, double value) {
    const ParamDef& param = require_param(*filter_, placed(name));
    const bool whole = param.kind == ParamKind::integer && value == std::trunc(value);
    if ((whole || param.kind == ParamKind::number) && value >= param.min && value <= param.max)
        values_[index(param.name)] = {.number = value, .text = {}};
    else
        set(param, placed(format_number(value)));  // the text's check names what is wrong
}

void Params::unset(std::string_view name) {
    values_[index(name)].reset();
}

bool Params::is_set(std::string_view name) const {
    return values_[index(name)].has_value();
}

void Params::resolve_files(const std::filesystem::path& folder) {
    for (std::size_t k = 0; k < values_.size(); ++k) {
        if (param(k).kind != ParamKind::file || !values_[k]) continue;
        PlacedText& value = values_[k]->text;
        std::string resolved = (folder / value.text).string();
        // Errors still point at the name as it was written.
        value.places.insert(value.places.begin(), resolved.size() - value.text.size(),
                            value.place(0));
        value.text = std::move(resolved);
    }
}

double Params::number(std::string_view name) const {
    return number(index(name, ParamKind::number));
}

int Params::integer(std::string_view name) const {
    return static_cast<int>(number(index(name, ParamKind::integer)));
}

bool Params::boolean(std::string_view name) const {
    return number(index(name, ParamKind::boolean)) != 0;
}

std::string_view Params::choice(std::string_view name) const {
    const std::size_t k = index(name, ParamKind::choice);
    const ParamDef& row = param(k);
    const Value* const set = value(k);
    const std::string_view text = set != nullptr ? std::string_view(set->text.text) : row.def_text;
    return *std::find(row.choices.begin(), row.choices.end(), text);
}

Planes Params::planes(std::string_view name) const {
    return parse_planes(text(param(index(name, ParamKind::planes)).name));
}

std::optional<unsigned> Params::ffmpeg_mask(std::string_view name) const {
    const std::string value = text(param(index(name, ParamKind::planes)).name);
    const bool digits = value.find_first_not_of("0123456789") == std::string::npos;
    if (!filter_->of_ffmpeg || !digits) return std::nullopt;
    return static_cast<unsigned>(parse_integer(value));
}

std::vector<MatrixText> Params::matrices(std::string_view name) const {
    const std::string value = text(param(index(name, ParamKind::matrix)).name);
    return value.empty() ? std::vector<MatrixText>{} : parse_matrices(value);
}

std::string Params::text(std::string_view name) const {
    const std::size_t k = index(name);
    if (has_number(param(k))) return format_number(number(k));
    const Value* const set = value(k);
    return set != nullptr ? set->text.text : default_text(param(k));
}

std::string Params::canonical(const ParamDef& param) const {
    const std::optional<Value>& set = values_[index(param.name)];
    if (!set) return default_text(param);
    if (has_number(param)) return format_number(set->number);
    if (param.kind == ParamKind::matrix) return print_matrices(parse_matrices(set->text.text));
    if (param.kind == ParamKind::planes)
        return ffmpeg_mask(param.name) ? set->text.text
                                       : print_planes(parse_planes(set->text.text));
    return set->text.text;
}

void Params::fail(std::string_view name, const std::string& message, std::size_t offset) const {
    const std::optional<Value>& set = values_[index(name)];
    const bool written = set && set->text.source;
    const PlacedText& at = written ? set->text : place_;
    throw FilterError(fmt::format("{}: {}: {}", filter_->name, name, message), *at.source,
                      at.place(written ? offset : 0));
}

bool Params::operator==(const Params& other) const {
    if (filter_ != other.filter_) return false;
    return filter_ == nullptr || std::ranges::all_of(all_params(*filter_), [&](const auto* row) {
               if (row->follows && is_set(row->name) != other.is_set(row->name)) return false;
               return canonical(*row) == other.canonical(*row);
           });
}

const Params::Value* Params::value(std::size_t k) const {
    if (values_[k]) return &*values_[k];
    const std::string_view from = param(k).inherits;
    return from.empty() ? nullptr : value(index(from));
}

double Params::number(std::size_t k) const {
    const Value* const set = value(k);
    return set != nullptr ? set->number : param(k).def;
}

const ParamDef& Params::param(std::size_t k) const {
    const std::size_t own = filter_->params.size();
    if (k < own) return filter_->params[k];
    const std::size_t smoothing = filter_->smooths ? smoothing_params().size() : 0;
    return k < own + smoothing ? smoothing_params()[k - own] : step_params()[k - own - smoothing];
}

std::size_t Params::index(std::string_view name) const {
    for (std::size_t k = 0; k < values_.size(); ++k)
        if (param(k).name == name) return k;
    throw std::logic_error(fmt::format("{} has no parameter {}", filter_->name, name));
}

std::size_t Params::index(std::string_view name, ParamKind kind) const {
    const std::size_t k = index(name);
    if (param(k).kind != kind)
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
    return has_number(param) ? format_number(param.def) : std::string(param.def_text);
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
        case ParamKind::text:
            return std::string(param.accepts);
    }
    return "";
}

}  // namespace weft
