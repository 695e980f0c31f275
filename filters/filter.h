// The filters: one row each, in one list that menus, help, tests, bench and docs iterate.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "filters/frame_info.h"
#include "filters/operation.h"

namespace weft {

// A stack, preset or parameter that cannot be used. `position` is the byte offset in `text` where
// the caret belongs; `what()` is the sentence without the caret.
class FilterError : public std::runtime_error {
 public:
    FilterError(const std::string& message, std::string text, std::size_t position);
    const std::string& text() const { return text_; }
    std::size_t position() const { return position_; }
    // The message, the line of the text that holds the position, and a caret under it: three
    // lines without a final newline. Long lines are cut around the position; control characters
    // are shown as '?'.
    std::string with_caret() const;

 private:
    std::string text_;
    std::size_t position_;
};

// The kind of value in a parameter's text. Numbers are decimal with '.', in any locale, or a
// fraction such as 1/9 (ffmpeg users write rdiv so); no units, no infinities. Grammars:
// filters/planes.h, filters/matrix_text.h; `text` is what ParamDef::check accepts.
enum class ParamKind : std::uint8_t {
    number,
    integer,
    boolean,
    choice,
    matrix,
    planes,
    file,
    text
};

struct ParamDef {
    std::string_view name = {};
    std::string_view help = {};  // one line
    std::string_view unit = {};  // "px", "degrees", "8-bit levels", "" for none
    ParamKind kind = ParamKind::number;
    double def = 0;  // for number, integer and boolean
    double min = 0;  // for number and integer, inclusive
    double max = 0;
    std::string_view def_text = {};                  // default of the other kinds
    std::span<const std::string_view> choices = {};  // for ParamKind::choice
    // The choices in the window, in the same order; equal ones are two names of one thing.
    std::span<const std::string_view> choice_labels = {};
    std::span<const std::string_view> aliases = {};  // ffmpeg's names for the same parameter
    std::string_view inherits = {};  // the parameter whose value this one takes when it is not set
    bool advanced = false;           // rarely set: the window shows it on request only
    std::string_view label = {};     // in the window; "": made of the name by label_text()
    std::optional<double> automatic = {};  // the value that is computed from others: "auto"
    bool logarithmic = false;              // small values matter most: how the slider is divided
    bool follows = false;  // unless it is set, other parameters decide what it means
    // For ParamKind::text: throws TextError unless the value is one of those that `accepts` names.
    void (*check)(std::string_view text) = nullptr;
    std::string_view accepts = {};
};

// A parameter of ffmpeg's filter that has no meaning here: using it is an error with this sentence.
struct RefusedParam {
    std::string_view name;
    std::string_view why;
};

// The positional order of an alias, if ffmpeg's filter of that name orders them differently.
struct AliasOrder {
    std::string_view alias;
    std::span<const std::string_view> params;  // our names
};

// The values of one filter's parameters, by name; unset ones hold their defaults.
class Params;

struct FfmpegText;  // filters/ffmpeg_text.h

// The groups into which menus divide the list.
enum class FilterGroup : std::uint8_t { blur, sharpen, edges, time, matrix };

// Returns the group's heading, such as "Blur".
constexpr std::string_view title(FilterGroup group) {
    switch (group) {
        case FilterGroup::blur:
            return "Blur";
        case FilterGroup::sharpen:
            return "Sharpen and relief";
        case FilterGroup::edges:
            return "Edges and lines";
        case FilterGroup::time:
            return "Time";
        case FilterGroup::matrix:
            return "Own matrix";
    }
    return "";
}

struct FilterDef {
    std::string_view name = {};                      // "gaussian"
    std::string_view summary = {};                   // one line
    FilterGroup group = FilterGroup::blur;           // the list keeps groups together
    std::span<const std::string_view> aliases = {};  // names that users already know: "gblur"
    // Plain words, in lower case, for which people expect this filter: "blur" is a Gaussian blur.
    // A word belongs to one filter.
    std::span<const std::string_view> customary_for = {};
    std::span<const ParamDef> params = {};  // in positional order
    std::string_view differs =
        {};  // where a default differs from ffmpeg's filter of the alias, or ""
    // Makes the operation for frames like `info`. Throws FilterError.
    Operation (*make)(const Params& params, const FrameInfo& info) = nullptr;
    // Checks for parameters that are incompatible on any frame; parse_stack calls it, so that such
    // errors are reported before any file is opened. Null: nothing to check. Throws FilterError.
    void (*check)(const Params& params) = nullptr;
    std::span<const RefusedParam> refused = {};
    std::span<const AliasOrder> alias_orders = {};
    // A result is a weighted mean of neighbours: make() gives a Convolution of one tap set for all
    // components, whose weights are not negative and add up to 1, without a bias. Such a filter
    // also takes smoothing_params().
    bool smooths = false;
    // One of ffmpeg's filters, with its options, defaults, planes and borders. A number in `planes`
    // is then the bit mask of ffmpeg's planes, which are g, b, r of RGB, and 15 includes alpha.
    bool of_ffmpeg = false;
    // Returns a sentence that says where an ffmpeg filter with these parameters gives another
    // picture here than in ffmpeg, or "". It is null if no picture differs by more than a level.
    std::string (*unlike_ffmpeg)(const Params& params) = nullptr;
    // ffmpeg's equivalent or nearest filter. Null: the taps as its `convolution`, if it accepts
    // them.
    FfmpegText (*ffmpeg)(const Params& params) = nullptr;
    // The number of the definition that gives these parameters their picture. Null: 1, the first.
    // A change after which the same stack gives another picture, by more than its rounding, takes
    // the next number of all filters: 2 is the whole Gaussian, 3 the fill that covers alpha, and 4
    // is free. Plans and receipts store the number, see definition_of().
    int (*definition)(const Params& params) = nullptr;
    // People use it to hide a part of the picture: an output keeps no other picture of its
    // source, such as a cover or a thumbnail.
    bool redacts = false;
};

// Every filter, in the order that menus and help show them.
std::span<const FilterDef> filters();

// ffmpeg's filters, which people know from there. Their names can be those of filters().
std::span<const FilterDef> ffmpeg_filters();

// Whose filter a name is that belongs to both lists, or that is an alias of filters().
enum class Names : std::uint8_t {
    stored,  // ours, as in presets, plans and receipts
    typed,   // ffmpeg's, as on the command line
};

inline constexpr std::string_view kWeftMaker = "@weft";
inline constexpr std::string_view kFfmpegMaker = "@ffmpeg";

// By name or alias, or by "name@weft" and "name@ffmpeg", which are the same filters in either
// reading; null if unknown. ffmpeg's own grammar has names of this form, for one of several filters
// of a kind.
const FilterDef* find_filter(std::string_view name, Names names = Names::stored);

// The filter's name, with its maker where `names` reads it as another filter: "sobel@weft".
std::string name_of(const FilterDef& filter, Names names);

// The aliases that mean the filter in this reading: gblur is ffmpeg's where it is typed.
std::vector<std::string_view> aliases_of(const FilterDef& filter, Names names);

// The parameters that every filter takes besides its own: where and when it filters (see
// filters/where.h) and how its results are rounded (see filters/light/working.h). They have names
// and no positions.
std::span<const ParamDef> step_params();

// The parameters that filters that smooth take besides, see filters/light/working.h.
std::span<const ParamDef> smoothing_params();

// The filter's own parameters, smoothing_params() if it smooths, and then step_params(): the order
// of print_stack().
std::vector<const ParamDef*> all_params(const FilterDef& filter);

// By name or alias, among all_params(); null when there is no such parameter.
const ParamDef* find_param(const FilterDef& filter, std::string_view name);

}  // namespace weft
