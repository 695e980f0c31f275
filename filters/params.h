// The values of one filter's parameters.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "filters/filter.h"
#include "filters/matrix_text.h"
#include "filters/placed_text.h"
#include "filters/planes.h"

namespace weft {

// Holds the values that the user set, those of numbers, integers and booleans as numbers and the
// others as text. A value's syntax, range and choice are checked when it is set, so that getters
// cannot fail. Unset parameters give the row's default. Getters take our name of the parameter; a
// name that the row does not have, or the getter of another kind, is a bug and throws
// std::logic_error. Copies are independent.
class Params {
 public:
    Params() = default;                        // no filter; only good for assigning to
    explicit Params(const FilterDef& filter);  // everything unset

    const FilterDef& filter() const { return *filter_; }

    // Sets by our name or an alias, replacing an earlier value. Throws FilterError: unknown or
    // refused names at `name`'s place 0, bad values at their place in `value`.
    void set(std::string_view name, std::string_view value);
    void set(const ParamDef& param, PlacedText value);
    void set(std::string_view name, double value);
    void unset(std::string_view name);
    bool is_set(std::string_view name) const;

    // Resolves relative file names against `folder` instead of the current one.
    void resolve_files(const std::filesystem::path& folder);

    double number(std::string_view name) const;
    int integer(std::string_view name) const;
    bool boolean(std::string_view name) const;
    std::string_view choice(std::string_view name) const;  // one of the row's choices
    Planes planes(std::string_view name) const;
    // The bits of ffmpeg's planes if one of its filters is given them; otherwise planes() holds.
    std::optional<unsigned> ffmpeg_mask(std::string_view name) const;
    std::vector<MatrixText> matrices(std::string_view name) const;  // empty: none
    std::string text(std::string_view name) const;  // as it was set, or else the canonical text

    // The value as print_stack writes it, before quoting: numbers normalised, defaults included.
    std::string canonical(const ParamDef& param) const;

    // Throws FilterError about a parameter: the message is prefixed with the filter's and the
    // parameter's names, the caret points to byte `offset` of the value, or to the filter's name if
    // the parameter was not set as text.
    [[noreturn]] void fail(std::string_view name, const std::string& message,
                           std::size_t offset = 0) const;

    // The place of the filter's name in the stack, for errors about the step as a whole.
    void set_place(PlacedText name) { place_ = std::move(name); }

    // Whether filter and canonical values are the same, and the same ones of ParamDef::follows are
    // set.
    bool operator==(const Params& other) const;

 private:
    struct Value {
        double number = 0;  // of numbers, integers and booleans
        PlacedText text;    // without a source if the value was set as a number
    };

    // The set value, or that of the parameter it inherits from; null: use the default.
    const Value* value(std::size_t index) const;
    double number(std::size_t index) const;
    const ParamDef& param(std::size_t index) const;
    std::size_t index(std::string_view name, ParamKind kind) const;
    std::size_t index(std::string_view name) const;

    const FilterDef* filter_ = nullptr;
    std::vector<std::optional<Value>> values_;  // parallel to all_params(*filter_)
    PlacedText place_;
};

// The filter's parameter of that name or alias. Throws FilterError at the name, with the sentence
// of a refused ffmpeg parameter, or the valid names and the nearest one.
const ParamDef& require_param(const FilterDef& filter, const PlacedText& name);

// The name for people: the row's label, or the name with a capital and spaces.
std::string label_text(const ParamDef& param);

// The choice for people: "Mirror" for reflect101. Throws std::logic_error for another text.
std::string_view choice_label(const ParamDef& param, std::string_view choice);

// The row's default as text: "0.5", "reflect101", "" if none or inherited.
std::string default_text(const ParamDef& param);

// The values that the row accepts, for help: "0 to 60 px", "absolute, signed", "1 or 0".
std::string accepts_text(const ParamDef& param);

}  // namespace weft
