#include "filters/stack.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "filters/placed_text.h"
#include "filters/text/nearest.h"
#include "filters/where.h"

namespace weft {
namespace {

constexpr std::size_t kMaxText = std::size_t{1} << 20;
constexpr std::string_view kGraphStops = "[],;";  // end a filter's parameters
constexpr std::string_view kParamStops = ":";

bool is_key_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

[[noreturn]] void fail(const PlacedText& text, std::size_t at, const std::string& message) {
    throw FilterError(message, *text.source, text.place(at));
}

std::size_t skip_space(std::string_view text, std::size_t at) {
    return std::min(text.find_first_not_of(" \n\t\r", at), text.size());
}

const FilterDef& require_filter(const PlacedText& name, Names reading) {
    if (const FilterDef* filter = find_filter(name.text, reading)) return *filter;
    const std::size_t colon = name.text.find(':');
    if (colon != std::string::npos && find_filter(name.text.substr(0, colon)) != nullptr)
        fail(name, colon, "parameters follow the filter's name after '=', not ':'");
    std::vector<std::string_view> names;
    std::vector<std::string_view> known;
    for (const FilterDef& filter : filters()) {
        names.push_back(filter.name);
        known.push_back(filter.name);
        known.insert(known.end(), filter.aliases.begin(), filter.aliases.end());
    }
    fail(name, 0,
         fmt::format("unknown filter '{}'{} valid are {}", shown(name.text),
                     suggestion(name.text, known), fmt::join(names, ", ")));
}

// Our names of the parameters in the order in which values without a name are taken.
std::vector<std::string_view> positional_order(const FilterDef& filter, std::string_view called) {
    for (const AliasOrder& order : filter.alias_orders)
        if (order.alias == called) return {order.params.begin(), order.params.end()};
    std::vector<std::string_view> names;
    for (const ParamDef& param : filter.params) names.push_back(param.name);
    return names;
}

// Splits the text after a filter's '=' into parameters and sets them.
class ParamReader {
 public:
    ParamReader(const PlacedText& args, Params& params, std::vector<std::string_view> order)
        : args_(args), params_(params), order_(std::move(order)) {}

    void read_all() {
        while (true) {
            read_one();
            if (at_ == args_.text.size()) return;
            ++at_;  // the ':'
        }
    }

 private:
    void read_one() {
        const std::size_t begin = skip_space(args_.text, at_);
        std::size_t key_end = begin;
        while (key_end < args_.text.size() && is_key_character(args_.text[key_end])) ++key_end;
        const std::size_t equals = skip_space(args_.text, key_end);
        const bool named =
            key_end > begin && equals < args_.text.size() && args_.text[equals] == '=';
        const ParamDef& param =
            named ? require_param(params_.filter(), args_.part(begin, key_end)) : positional(begin);
        if (params_.is_set(param.name))
            fail(args_, begin,
                 fmt::format("{}: {} is given twice", params_.filter().name, param.name));
        named_ = named_ || named;
        at_ = named ? equals + 1 : begin;
        PlacedText value = read_token(args_, at_, kParamStops);
        // ffmpeg separates the numbers of one list by these bars, and we one matrix from another.
        if (params_.filter().of_ffmpeg && param.kind == ParamKind::matrix)
            std::replace(value.text.begin(), value.text.end(), '|', ' ');
        params_.set(param, std::move(value));
    }

    const ParamDef& positional(std::size_t begin) {
        const FilterDef& filter = params_.filter();
        if (begin == args_.text.size() || args_.text[begin] == ':')
            fail(args_, begin, fmt::format("{}: a parameter is missing here", filter.name));
        if (named_)
            fail(args_, begin,
                 fmt::format("{}: a value without a name cannot follow one with a name",
                             filter.name));
        if (position_ == order_.size())
            fail(args_, begin,
                 fmt::format("{} takes at most {} parameters: {}", filter.name, order_.size(),
                             fmt::join(order_, ", ")));
        return *find_param(filter, order_[position_++]);
    }

    const PlacedText& args_;
    Params& params_;
    std::vector<std::string_view> order_;
    std::size_t at_ = 0;
    std::size_t position_ = 0;
    bool named_ = false;
};

// Reads "name" or "name=parameters" up to a ',' or the end.
Step read_step(const PlacedText& text, std::size_t& at, Names names) {
    const std::size_t begin = skip_space(text.text, at);
    PlacedText name = read_token(text, at, "=[],;");
    if (name.text.empty() &&
        (at == text.text.size() || text.text[at] == ',' || text.text[at] == '='))
        fail(text, begin, "a filter is missing here");
    if (name.text.empty()) return {};  // a stop that the caller explains
    const FilterDef& filter = require_filter(name, names);
    Step step{.filter = &filter, .params = Params(filter)};
    step.params.set_place(name);
    if (at < text.text.size() && text.text[at] == '=') {
        const PlacedText args = read_token(text, ++at, kGraphStops);
        ParamReader(args, step.params, positional_order(filter, name.text)).read_all();
    }
    return step;
}

void check_stop(const PlacedText& text, std::size_t at) {
    switch (text.text[at]) {
        case '[':
        case ']':
            fail(text, at, "a stack is a plain list: labels in [ ] are not used here");
        case ';':
            fail(text, at, "a stack is one chain: separate filters with ','");
        default:
            return;
    }
}

// The step with the parameters that `shown` selects.
template <class Shown>
std::string print(std::string name, const Step& step, const Shown& shown) {
    std::string out = std::move(name);
    char separator = '=';
    for (const ParamDef* param : all_params(*step.filter)) {
        if (!shown(*param)) continue;
        out += fmt::format(
            "{}{}={}", separator, param->name,
            quote_token(escape_token(step.params.canonical(*param), kParamStops), kGraphStops));
        separator = ':';
    }
    return out;
}

void check(const Params& params) {
    check_where(params);
    if (params.filter().check != nullptr) params.filter().check(params);
}

// Whether a parameter that was not given can be written with its default: some exclude others, such
// as the radius and the width of a box. What is off by default is written when it is on.
bool can_be_given(const Step& step, const ParamDef& param) {
    const std::string text = default_text(param);
    if (text.empty() || text == "off" || param.follows) return false;
    try {
        Params given = step.params;
        given.set(param.name, text);
        check(given);
        return true;
    } catch (const FilterError&) {
        return false;
    }
}

std::string print_resolved(const Step& step) {
    // The longer name has the maker, so that it means the same in either reading.
    const std::string name =
        std::max(name_of(*step.filter, Names::stored), name_of(*step.filter, Names::typed));
    return print(name, step, [&](const ParamDef& param) {
        return step.params.is_set(param.name) || can_be_given(step, param);
    });
}

}  // namespace

Stack parse_stack(std::string_view text, Names names) {
    if (text.size() > kMaxText)
        throw FilterError("the stack is longer than 1 MiB", std::string(text.substr(0, 80)), 0);
    const PlacedText source = placed(text);
    if (skip_space(text, 0) == text.size()) fail(source, 0, "the stack is empty");
    Stack stack;
    std::size_t at = 0;
    while (true) {
        Step step = read_step(source, at, names);
        if (at < text.size()) check_stop(source, at);
        if (stack.size() == kMaxSteps)
            fail(source, at, fmt::format("a stack has at most {} steps", kMaxSteps));
        check(step.params);
        stack.push_back(std::move(step));
        if (at == text.size()) return stack;
        ++at;  // the ','
    }
}

std::string print_step(const Step& step, Names names) {
    return print(name_of(*step.filter, names), step, [&](const ParamDef& param) {
        // Without it, other parameters would decide.
        const bool decides = param.follows && step.params.is_set(param.name);
        return decides || step.params.canonical(param) != default_text(param);
    });
}

std::string print_stack(const Stack& stack, Names names) {
    std::string out;
    for (const Step& step : stack) out += (out.empty() ? "" : ",") + print_step(step, names);
    return out;
}

std::string print_resolved(const Stack& stack) {
    std::string out;
    for (const Step& step : stack) out += (out.empty() ? "" : ",") + print_resolved(step);
    return out;
}

int definition_of(const Stack& stack) {
    int highest = 1;
    for (const Step& step : stack)
        if (step.filter->definition != nullptr)
            highest = std::max(highest, step.filter->definition(step.params));
    return highest;
}

bool redacts(const Stack& stack) {
    return std::ranges::any_of(stack, [](const Step& step) { return step.filter->redacts; });
}

std::vector<std::string> unlike_ffmpeg(const Stack& stack) {
    std::vector<std::string> sentences;
    for (const Step& step : stack) {
        if (step.filter->unlike_ffmpeg == nullptr) continue;
        const std::string why = step.filter->unlike_ffmpeg(step.params);
        std::string sentence = fmt::format("{}: {}", step.filter->name, why);
        if (!why.empty() && std::ranges::find(sentences, sentence) == sentences.end())
            sentences.push_back(std::move(sentence));
    }
    return sentences;
}

}  // namespace weft
