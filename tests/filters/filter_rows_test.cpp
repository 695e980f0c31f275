// Properties that hold for every row of the lists of filters.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <ranges>
#include <set>

#include <gtest/gtest.h>

#include "filters/stack.h"
#include "filters/text/number_text.h"
#include "tests/filters/frames.h"

namespace weft {
namespace {

using test::at;
using test::convolution;
using test::frames;

// Properties that all taps of a filter share, by name; a new row needs an entry.
enum class Sums { to_one, to_zero, no_taps, anything };
enum class Symmetry { even, odd, none };

struct Kind {
    Sums sums;
    Symmetry symmetry;
};

const std::map<std::string_view, Kind>& kinds() {
    using enum Sums;
    using enum Symmetry;
    static const std::map<std::string_view, Kind> all{
        {"box", {to_one, even}},
        {"gaussian", {to_one, even}},
        {"motion", {to_one, even}},
        {"disc", {to_one, even}},
        {"fill", {to_zero, even}},
        {"pixelate", {no_taps, none}},
        {"sharpen", {to_one, even}},
        {"unsharp", {to_one, even}},
        {"emboss", {to_zero, odd}},
        {"highpass", {to_zero, even}},
        {"sobel", {to_zero, odd}},
        {"scharr", {to_zero, odd}},
        {"prewitt", {to_zero, odd}},
        {"roberts", {to_zero, none}},
        {"kirsch", {to_zero, none}},
        {"robinson", {to_zero, odd}},
        {"gabor", {to_zero, even}},
        {"laplacian", {to_zero, even}},
        {"log", {to_zero, even}},
        {"dog", {to_zero, even}},
        {"frame_difference", {no_taps, none}},
        {"temporal_average", {no_taps, none}},
        {"convolve", {anything, none}},
        {"bank", {anything, none}},
    };
    return all;
}

// Ours and ffmpeg's.
auto all_filters() {
    static const std::array lists{filters(), ffmpeg_filters()};
    return lists | std::views::join;
}

Kind kind_of(const FilterDef& filter) {
    const auto found = kinds().find(filter.name);
    if (found == kinds().end())
        throw std::logic_error(std::string(filter.name) + ": kinds() needs its sum and symmetry");
    return found->second;
}

// Stacks of one step that exercise each row; the first is its default.
std::vector<std::string> steps_of(std::string_view name) {
    static const std::map<std::string_view, std::vector<std::string>> more{
        {"box",
         {"box=radius=1:power=3", "box=width=4:height=7", "box=radius=255", "box=40:power=6"}},
        {"gaussian",
         {"gaussian=sigma=0", "gaussian=sigma=0.3", "gaussian=sigma=73", "gaussian=5:sigmaV=0",
          "gaussian=2:radius=3", "gaussian=sigma=60:radius=255"}},
        {"motion", {"motion=63:0", "motion=31.5:90", "motion=7:33", "motion=63:45", "motion=1:10"}},
        {"disc", {"disc=0.5", "disc=31", "disc=3.3"}},
        {"sharpen", {"sharpen=0.3:neighbours=8", "sharpen=20"}},
        {"unsharp", {"unsharp=3:63:5", "unsharp=63:63:-2:7:7:1.5"}},
        {"emboss", {"emboss=30:2", "emboss=-100"}},
        {"highpass", {"highpass=7.75:3", "highpass=0.3"}},
        {"laplacian", {"laplacian=neighbours=8", "laplacian=absolute=0:delta=128"}},
        {"gabor",
         {"gabor=10:63:0:1", "gabor=0.5:2:90:5", "gabor=2:4:33:0.2:180",
          "gabor=angle=45:absolute=0"}},
        {"log", {"log=7.75", "log=0.5:absolute=0"}},
        {"dog", {"dog=4.8", "dog=0.3:7.75"}},
        {"pixelate", {"pixelate=size=2"}},
        {"sobel", {"sobel=direction=x", "sobel=direction=y"}},
        {"frame_difference", {"frame_difference=signed", "frame_difference=gain=4:threshold=9"}},
        {"temporal_average", {"temporal_average=32", "temporal_average=weights='1 2 4 8'"}},
        {"convolve",
         {"convolve=matrix='1 2; 3 4; 5 6':normalize=1",
          "convolve=matrix='1 2 3 4|5|6|7':bias=3:planes=all+a"}},
    };
    if (name == "bank") {
        const std::string bank = "bank=file=" + test::bank_file();
        return {bank, bank + ":combine=sum", bank + ":combine=magnitude:planes=all"};
    }
    std::vector<std::string> steps{name == "convolve" ? "convolve=matrix='0 -1 0; -1 5 -1; 0 -1 0'"
                                                      : std::string(name)};
    if (const auto found = more.find(name); found != more.end())
        steps.insert(steps.end(), found->second.begin(), found->second.end());
    return steps;
}

std::size_t tap_sets(Combine combine, std::size_t given) {
    switch (combine) {
        case Combine::single:
            return 1;
        case Combine::magnitude:
        case Combine::maximum:
            return std::clamp<std::size_t>(given, 2, kMaxTapSets);
    }
    return 0;
}

TEST(FiltersRows, NamesAreUniqueAndKnown) {
    std::set<std::string_view> names;
    for (const FilterDef& filter : filters()) {
        EXPECT_TRUE(names.insert(filter.name).second) << filter.name;
        EXPECT_EQ(find_filter(filter.name), &filter);
        EXPECT_EQ(kinds().count(filter.name), 1U) << filter.name << " needs an entry in kinds()";
        for (std::string_view alias : filter.aliases) {
            EXPECT_TRUE(names.insert(alias).second) << alias;
            EXPECT_EQ(find_filter(alias), &filter);
        }
        EXPECT_FALSE(filter.summary.empty());
        EXPECT_EQ(filter.summary.find('\n'), std::string_view::npos);
        ASSERT_NE(filter.make, nullptr);
    }
    EXPECT_EQ(filters().size(), kinds().size());
    EXPECT_EQ(find_filter("nothing"), nullptr);
}

TEST(FiltersRows, TheListKeepsGroupsTogether) {
    std::vector<FilterGroup> seen;
    for (const FilterDef& row : filters()) {
        EXPECT_FALSE(title(row.group).empty()) << row.name;
        if (!seen.empty() && seen.back() == row.group) continue;
        EXPECT_EQ(std::ranges::count(seen, row.group), 0) << row.name;
        seen.push_back(row.group);
    }
    EXPECT_EQ(find_filter("disc")->group, FilterGroup::blur);
    EXPECT_EQ(find_filter("kirsch")->group, FilterGroup::edges);
    EXPECT_EQ(find_filter("bank")->group, FilterGroup::matrix);
}

TEST(FiltersRows, ParametersAreWellFormed) {
    for (const FilterDef& filter : all_filters()) {
        EXPECT_FALSE(std::ranges::all_of(filter.params, &ParamDef::advanced)) << filter.name;
        std::set<std::string_view> names;
        for (const ParamDef& param : filter.params) {
            SCOPED_TRACE(std::string(filter.name) + " " + std::string(param.name));
            EXPECT_TRUE(names.insert(param.name).second);
            for (std::string_view alias : param.aliases) EXPECT_TRUE(names.insert(alias).second);
            EXPECT_FALSE(param.help.empty());
            EXPECT_LT(param.help.size(), 90U);
            EXPECT_FALSE(accepts_text(param).empty());
            if (param.kind == ParamKind::number || param.kind == ParamKind::integer) {
                EXPECT_LT(param.min, param.max);
                EXPECT_LE(param.min, param.def);
                EXPECT_GE(param.max, param.def);
            }
            if (!param.inherits.empty()) {
                EXPECT_TRUE(param.advanced);
                ASSERT_NE(find_param(filter, param.inherits), nullptr);
                EXPECT_EQ(find_param(filter, param.inherits)->kind, param.kind);
            }
            const std::string def = default_text(param);
            if (def.empty()) continue;
            Params params(filter);
            params.set(param.name, def);
            EXPECT_EQ(params.canonical(param), def);
        }
        for (const RefusedParam& refused : filter.refused)
            EXPECT_TRUE(names.insert(refused.name).second) << refused.name;
        for (const AliasOrder& order : filter.alias_orders) {
            EXPECT_EQ(find_filter(order.alias), &filter);
            for (std::string_view name : order.params) EXPECT_NE(find_param(filter, name), nullptr);
        }
    }
}

// The window adds the filter of such a word when Enter is pressed.
TEST(FiltersRows, PlainWordsBelongToOneFilter) {
    std::set<std::string_view> words;
    for (const FilterDef& filter : all_filters())
        for (const std::string_view word : filter.customary_for) {
            SCOPED_TRACE(std::string(filter.name) + " " + std::string(word));
            EXPECT_TRUE(words.insert(word).second);
            EXPECT_EQ(find_filter(word), nullptr) << "a name wins";
            EXPECT_TRUE(std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; }));
        }
    EXPECT_TRUE(words.contains("blur"));
}

// The window shows them instead of the names.
TEST(FiltersRows, LabelsAreUniqueWordsForPeople) {
    EXPECT_EQ(label_text({.name = "border_value"}), "Border value");
    EXPECT_EQ(label_text({.name = "sigmaV", .label = "Vertical sigma"}), "Vertical sigma");
    constexpr std::size_t kLongest = 16;  // fits the column of the panel
    for (const FilterDef& filter : all_filters()) {
        std::set<std::string> labels;
        for (const ParamDef& param : filter.params) {
            const std::string label = label_text(param);
            SCOPED_TRACE(std::string(filter.name) + " " + label);
            EXPECT_TRUE(labels.insert(label).second);
            EXPECT_TRUE(label[0] >= 'A' && label[0] <= 'Z');
            EXPECT_LE(label.size(), kLongest);
            EXPECT_EQ(label.find('_'), std::string::npos);
            for (const char c : label.substr(1)) EXPECT_FALSE(c >= 'A' && c <= 'Z');
        }
    }
}

// One per choice. The window offers choices of the same label once.
TEST(FiltersRows, ChoicesHaveWordsForPeople) {
    constexpr std::size_t kLongest = 18;  // fits the field of the panel
    for (const FilterDef& filter : all_filters())
        for (const ParamDef& param : filter.params) {
            SCOPED_TRACE(std::string(filter.name) + " " + std::string(param.name));
            ASSERT_EQ(param.choice_labels.size(), param.choices.size());
            for (const std::string_view choice : param.choices) {
                const std::string_view label = choice_label(param, choice);
                ASSERT_FALSE(label.empty());
                EXPECT_TRUE((label[0] >= 'A' && label[0] <= 'Z') || choice[0] == label[0]) << label;
                EXPECT_LE(label.size(), kLongest) << label;
                EXPECT_EQ(label.find('_'), std::string_view::npos) << label;
            }
        }
    const ParamDef& border = *find_param(*find_filter("gaussian"), "border");
    EXPECT_EQ(choice_label(border, "reflect101"), "Mirror");
    EXPECT_EQ(choice_label(border, "replicate"), "Repeat the edge");
    EXPECT_THROW((void)choice_label(border, "Mirror"), std::logic_error);
}

// An automatic value is the default, at the end of the range, so that a slider does not pass it by
// chance.
TEST(FiltersRows, AutomaticValuesAreTheDefaults) {
    for (const FilterDef& filter : all_filters())
        for (const ParamDef& param : filter.params) {
            SCOPED_TRACE(std::string(filter.name) + " " + std::string(param.name));
            if (!param.automatic) continue;
            EXPECT_EQ(*param.automatic, param.def);
            EXPECT_EQ(*param.automatic, param.min);
        }
}

TEST(FiltersRows, MakeEveryStepOnEveryFrame) {
    for (const FilterDef& filter : filters())
        for (const std::string& step : steps_of(filter.name))
            for (const auto& [name, info] : frames()) {
                SCOPED_TRACE(step + " on " + std::string(name));
                const Operation operation = test::make(step, info);
                ASSERT_FALSE(operation.selection.filtered.empty());
                const auto* conv = std::get_if<Convolution>(&operation.compute);
                if (conv == nullptr) {
                    EXPECT_EQ(kind_of(filter).sums, Sums::no_taps);
                    continue;
                }
                const std::size_t count = conv->components.size();
                EXPECT_TRUE(count == 1 || count == frame_components(info).size());
                for (const ComponentTaps& component : conv->components) {
                    EXPECT_EQ(component.taps.size(),
                              tap_sets(conv->combine, component.taps.size()));
                    EXPECT_TRUE(std::isfinite(component.scale) && std::isfinite(component.bias));
                    for (const Taps& taps : component.taps) {
                        EXPECT_TRUE(taps.anchor_x >= 0 && taps.anchor_x < taps.width);
                        EXPECT_TRUE(taps.anchor_y >= 0 && taps.anchor_y < taps.height);
                        EXPECT_TRUE(taps.dense() || taps.separable());
                        EXPECT_TRUE(std::isfinite(absolute_sum(taps)));
                    }
                }
            }
}

// float weights: each is off by half a unit in the last place at most, 2^-24 of its size.
void expect_sum(const ComponentTaps& component, const Taps& taps, double want) {
    const double bound = absolute_sum(taps) * 0x1p-22 * std::fabs(component.scale);
    EXPECT_LE(std::fabs(test::sum(taps) * component.scale - want), bound);
}

TEST(FiltersRows, SmoothingSumsToOneAndDerivativesToZero) {
    for (const FilterDef& filter : filters()) {
        const Sums sums = kind_of(filter).sums;
        if (sums != Sums::to_one && sums != Sums::to_zero) continue;
        for (const std::string& step : steps_of(filter.name))
            for (const char* on : {"yuv420p", "yuv444p10", "grayf32", "rgba"}) {
                SCOPED_TRACE(step + " on " + on);
                for (const ComponentTaps& component : convolution(step, test::frame(on)).components)
                    for (const Taps& taps : component.taps)
                        expect_sum(component, taps, sums == Sums::to_one ? 1 : 0);
            }
    }
}

TEST(FiltersRows, SymmetricRowsAreSymmetric) {
    for (const FilterDef& filter : filters()) {
        const Symmetry symmetry = kind_of(filter).symmetry;
        if (symmetry == Symmetry::none) continue;
        for (const std::string& step : steps_of(filter.name)) {
            if (step == "box=width=4:height=7") continue;  // even: no middle to mirror about
            SCOPED_TRACE(step);
            for (const ComponentTaps& component :
                 convolution(step, test::frame("yuv420p")).components)
                for (const Taps& taps : component.taps)
                    for (int dy = 0; dy <= taps.anchor_y; ++dy)
                        for (int dx = -taps.anchor_x; dx <= taps.anchor_x; ++dx)
                            ASSERT_EQ(at(taps, dx, dy),
                                      (symmetry == Symmetry::odd ? -1 : 1) * at(taps, -dx, -dy))
                                << dx << ' ' << dy;
        }
    }
}

TEST(FiltersRows, FactorsAreTheWeights) {
    for (const FilterDef& filter : filters()) {
        if (kind_of(filter).sums == Sums::no_taps) continue;
        for (const std::string& step : steps_of(filter.name))
            for (const ComponentTaps& component :
                 convolution(step, test::frame("yuva420p")).components)
                for (const Taps& taps : component.taps) {
                    if (!taps.separable() || !taps.dense()) continue;
                    for (int k = 0; k < taps.width * taps.height; ++k)
                        ASSERT_LE(std::fabs(taps.column[k / taps.width] * taps.row[k % taps.width] -
                                            taps.weights[k]),
                                  std::fabs(taps.weights[k]) * 0x1p-23F)
                            << step;
                }
    }
}

TEST(FiltersRows, WholeTapsWherePromised) {
    for (const char* step :
         {"box", "box=radius=255", "box=1:power=3", "sharpen", "emboss", "sobel", "scharr",
          "prewitt", "roberts", "kirsch", "robinson", "laplacian", "laplacian=neighbours=8",
          "convolve=matrix='1 2 1; 2 4 2; 1 2 1':normalize=1"})
        for (const ComponentTaps& component : convolution(step, test::frame("yuv420p")).components)
            for (const Taps& taps : component.taps) EXPECT_TRUE(integer_valued(taps)) << step;
}

TEST(FiltersRows, BlursKeepAlphaAndEdgesWorkOnLuma) {
    for (const FilterDef& filter : filters())
        for (const auto& [name, info] : frames()) {
            SCOPED_TRACE(std::string(filter.name) + " on " + std::string(name));
            const Operation operation = test::make(steps_of(filter.name)[0], info);
            const ParamDef* planes = find_param(filter, "planes");
            if (filter.redacts) {  // hides what alpha shows, too
                EXPECT_EQ(operation.selection.filtered.size(), frame_components(info).size());
                continue;
            }
            for (Component c : operation.selection.filtered) EXPECT_NE(c, Component::a);
            const bool luma = planes->def_text == "luma";
            EXPECT_EQ(operation.selection.rgb_luma, luma && info.is_rgb());
            EXPECT_EQ(operation.notes.empty(), !(luma && info.is_rgb()));
        }
}

TEST(FiltersRows, BorderIsTheRequestedOne) {
    const FrameInfo info = test::frame("yuv444p10");
    EXPECT_EQ(convolution("gaussian", info).border, Border::reflect101);
    EXPECT_EQ(convolution("gaussian=border=reflect", info).border, Border::reflect);
    EXPECT_EQ(convolution("box=border=replicate", info).border, Border::replicate);
    EXPECT_EQ(convolution("sobel=border=wrap", info).border, Border::wrap);
    const Convolution constant = convolution("disc=border=constant:border_value=16", info);
    EXPECT_EQ(constant.border, Border::constant);
    EXPECT_EQ(constant.border_value, 64);
}

// Texts that a parameter accepts, including its limits.
std::vector<std::string> samples(const ParamDef& param) {
    switch (param.kind) {
        case ParamKind::number:
            return {format_number(param.min), format_number(param.max),
                    format_number(param.min + (param.max - param.min) / 3)};
        case ParamKind::integer:
            return {format_number(param.min), format_number(param.max)};
        case ParamKind::boolean:
            return {"0", "1"};
        case ParamKind::choice:
            return {param.choices.begin(), param.choices.end()};
        case ParamKind::matrix:
            return {"1 2 3 4", "1 2; 3 4; 0.5 -1e-05", "1 | 2 | 3 | 4"};
        case ParamKind::planes:
            return {"all", "luma", "y", "yuva", "0+2", "12"};
        case ParamKind::file:
            return {"a.txt", "dir/it's \\ odd:name,[x];y=z.txt", " spaces ", "''", "\\", "ü:\t"};
        case ParamKind::text:  // the colour of fill
            return {"black", "#12aBf0", "0x000000", "FFFFFF"};
    }
    return {};
}

bool goes_together(const Params& params) {
    try {
        if (params.filter().check != nullptr) params.filter().check(params);
        return true;
    } catch (const FilterError&) {
        return false;
    }
}

TEST(FiltersRows, EveryParameterRoundTrips) {
    for (const FilterDef& filter : filters())
        for (const ParamDef& param : filter.params) {
            int tried = 0;
            for (const std::string& value : samples(param)) {
                Params params(filter);
                if (filter.name == "convolve" && param.name != "file")
                    params.set("matrix", "1 0 0 2");
                if (filter.name == "bank" && param.name != "file") params.set("file", "a.txt");
                params.set(param.name, value);
                if (!goes_together(params)) continue;
                ++tried;
                const Stack stack{{.filter = &filter, .params = params}};
                const std::string text = print_stack(stack);
                SCOPED_TRACE(text);
                const Stack again = parse_stack(text);
                EXPECT_TRUE(again == stack);
                EXPECT_EQ(print_stack(again), text);
            }
            EXPECT_GT(tried, 0) << filter.name << ' ' << param.name;
        }
}

bool same(const ComponentTaps& a, const ComponentTaps& b) {
    return a.taps == b.taps && a.scale == b.scale && a.bias == b.bias;
}

bool same(const Convolution& a, const Convolution& b) {
    return std::ranges::equal(
               a.components, b.components,
               [](const auto& one, const auto& other) { return same(one, other); }) &&
           a.combine == b.combine && a.sums_rgb == b.sums_rgb && a.border == b.border &&
           a.border_value == b.border_value;
}

bool same(const TemporalBlend& a, const TemporalBlend& b) {
    return a.weights == b.weights && a.absolute == b.absolute && a.scale == b.scale &&
           a.bias == b.bias && a.threshold == b.threshold && a.black_first == b.black_first;
}

bool same(const SampleMeans& a, const SampleMeans& b) {
    return a.block_px == b.block_px && a.otherwise == b.otherwise;
}

bool same(const Operation& a, const Operation& b) {
    const auto same_as_other = [&b](const auto& one) {
        return same(one, std::get<std::decay_t<decltype(one)>>(b.compute));
    };
    return a.compute.index() == b.compute.index() && std::visit(same_as_other, a.compute) &&
           a.selection.filtered == b.selection.filtered &&
           a.selection.neutral_chroma == b.selection.neutral_chroma &&
           a.selection.rgb_luma == b.selection.rgb_luma;
}

// Returns nothing if the frame has none of the planes, or the parameters need others as well.
std::optional<Operation> made(const Params& params, const FrameInfo& info) {
    try {
        return params.filter().make(params, info);
    } catch (const FilterError&) {
        return std::nullopt;
    }
}

// Each value of each parameter, alone.
TEST(FiltersRows, TextsWithEveryValueMakeTheSamePictures) {
    for (const FilterDef& filter : all_filters())
        for (const ParamDef& param : filter.params)
            for (const std::string& value : samples(param)) {
                if (param.kind == ParamKind::file || filter.name == "bank") continue;
                if (filter.of_ffmpeg && param.kind == ParamKind::matrix) continue;
                Params params(filter);
                if (filter.name == "convolve") params.set("matrix", "1 0 0 2");
                params.set(param.name, value);
                if (!goes_together(params)) continue;
                const std::string text = print_resolved({{.filter = &filter, .params = params}});
                SCOPED_TRACE(text);
                for (const char* on : {"yuva420p", "rgba"}) {
                    const std::optional<Operation> given = made(params, test::frame(on));
                    if (!given) continue;
                    for (const Names names : {Names::stored, Names::typed}) {
                        const Step step = parse_stack(text, names).front();
                        ASSERT_EQ(step.filter, &filter);
                        const std::optional<Operation> again = made(step.params, test::frame(on));
                        EXPECT_TRUE(again && same(*given, *again)) << on;
                    }
                }
            }
}

}  // namespace
}  // namespace weft
