// Stacks, presets, matrices and boxes: what a user types or keeps in a file.
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "filters/boxes.h"
#include "filters/filter.h"
#include "filters/matrix_text.h"
#include "filters/preset.h"
#include "filters/stack.h"
#include "filters/text/text_error.h"
#include "tests/filters/frames.h"
#include "tests/fuzz/targets.h"

namespace weft::fuzz {
namespace {

// A `file` parameter would open what the fuzzer names.
bool reads_file(const Step& step) {
    return find_param(*step.filter, "file") != nullptr && step.params.is_set("file");
}

void make_all(const Stack& stack) {
    for (const test::NamedFrame& frame : test::frames())
        for (const Step& step : stack) {
            if (reads_file(step)) continue;
            try {
                step.filter->make(step.params, frame.info);
            } catch (const FilterError& error) {
                require(error.position() <= error.text().size());
            }
        }
}

// Signs and words of the parsers that are not names of filters, parameters or choices.
constexpr auto kSigns = std::to_array<std::string_view>(
    {"'",           "','",    "=",     ":",       "|",      "; ",   "\\\\",    "[[step]]\\x0a",
     "description", "filter", "stack", "disable", "enable", "true", "false",   "auto",
     "0",           "1",      "1/9",   "4",       "8",      "0+2",  "8x4+2+1", "10%x5%-3+4|",
     "gt(t,1)"});

void add_names(const FilterDef& filter, std::set<std::string_view>& words) {
    words.insert(filter.name);
    words.insert(filter.aliases.begin(), filter.aliases.end());
    for (const ParamDef* param : all_params(filter)) {
        words.insert(param->name);
        words.insert(param->aliases.begin(), param->aliases.end());
        words.insert(param->choices.begin(), param->choices.end());
    }
    for (const RefusedParam& refused : filter.refused) words.insert(refused.name);
}

}  // namespace

std::string stack_dictionary() {
    std::set<std::string_view> words(kSigns.begin(), kSigns.end());
    for (const FilterDef& filter : filters()) add_names(filter, words);
    std::string text;
    for (const std::string_view word : words) text += fmt::format("\"{}\"\n", word);
    return text;
}

// Any text gives a stack that round-trips and can be made, or a FilterError whose caret is inside
// it.
void fuzz_stack(Bytes bytes) {
    try {
        const Stack stack = parse_stack(text_of(bytes));
        const std::string printed = print_stack(stack);
        require(parse_stack(printed) == stack);
        require(print_stack(parse_stack(printed)) == printed);
        if (stack.size() <= 4) make_all(stack);
    } catch (const FilterError& error) {
        require(error.position() <= error.text().size());
        require(!error.with_caret().empty());
    }
}

// Any text gives a preset whose stack round-trips, or a FilterError that names the file.
void fuzz_preset(Bytes bytes) {
    try {
        const Preset preset = parse_preset(text_of(bytes), "p.toml");
        require(parse_stack(print_stack(preset.stack)) == preset.stack);
    } catch (const FilterError& error) {
        require(std::string_view(error.what()).starts_with("p.toml:"));
        require(error.position() <= error.text().size());
    }
}

// Any text gives matrices that round-trip, or a TextError whose offset is inside it.
void fuzz_matrix(Bytes bytes) {
    try {
        const std::vector<MatrixText> all = parse_matrices(text_of(bytes));
        require(parse_matrices(print_matrices(all)) == all);
        for (const MatrixText& text : all)
            for (const int width : {0, 3}) (void)shape_matrix(text, MatrixShape::automatic, width);
    } catch (const TextError& error) {
        require(error.offset() <= bytes.size());
    }
}

// Any text gives boxes that round-trip and that hold in frames, or a FilterError that names the
// file.
void fuzz_boxes(Bytes bytes) {
    try {
        const BoxTracks tracks = parse_boxes(text_of(bytes), "b.txt");
        require(parse_boxes(print_boxes(tracks), "b.txt") == tracks);
        const BoxSize largest = tracks.largest();
        for (const double place : {0.0, 1.0, 2.5, tracks.boxes().front().place + 1.0, 0x1p53})
            for (const Gap gap : {Gap::interpolate, Gap::hold, Gap::off})
                for (const ObjectBox& box : tracks.at({.number = static_cast<std::int64_t>(place),
                                            .seconds = place,
                                            .duration = 0.5},
                                                      gap)) {
                    require(std::isfinite(box.left) && std::isfinite(box.top) && !box.empty());
                    require(box.width <= largest.width && box.height <= largest.height);
                }
    } catch (const FilterError& error) {
        require(std::string_view(error.what()).starts_with("b.txt:"));
        require(error.position() <= error.text().size());
    }
}

}  // namespace weft::fuzz
