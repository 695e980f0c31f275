#include <algorithm>
#include <array>

#include "filters/filter.h"

// One line per filter, in the order that menus and help show them. Each is defined in the file of
// its family.
#define WEFT_FILTERS(FILTER)       \
    FILTER(kBoxFilter)             \
    FILTER(kGaussianFilter)        \
    FILTER(kMotionFilter)          \
    FILTER(kDiscFilter)            \
    FILTER(kFillFilter)            \
    FILTER(kPixelateFilter)        \
    FILTER(kSharpenFilter)         \
    FILTER(kUnsharpFilter)         \
    FILTER(kEmbossFilter)          \
    FILTER(kHighpassFilter)        \
    FILTER(kSobelFilter)           \
    FILTER(kScharrFilter)          \
    FILTER(kPrewittFilter)         \
    FILTER(kRobertsFilter)         \
    FILTER(kKirschFilter)          \
    FILTER(kRobinsonFilter)        \
    FILTER(kGaborFilter)           \
    FILTER(kLaplacianFilter)       \
    FILTER(kLogFilter)             \
    FILTER(kDogFilter)             \
    FILTER(kFrameDifferenceFilter) \
    FILTER(kTemporalAverageFilter) \
    FILTER(kConvolveFilter)        \
    FILTER(kBankFilter)

#define WEFT_FFMPEG_FILTERS(FILTER) \
    FILTER(kFfmpegAvgblur)          \
    FILTER(kFfmpegBoxblur)          \
    FILTER(kFfmpegConvolution)      \
    FILTER(kFfmpegGblur)            \
    FILTER(kFfmpegKirsch)           \
    FILTER(kFfmpegPrewitt)          \
    FILTER(kFfmpegRoberts)          \
    FILTER(kFfmpegScharr)           \
    FILTER(kFfmpegSobel)            \
    FILTER(kFfmpegTblend)           \
    FILTER(kFfmpegTmix)             \
    FILTER(kFfmpegUnsharp)

namespace weft {

#define WEFT_DECLARE(name) extern const FilterDef name;
WEFT_FILTERS(WEFT_DECLARE)
WEFT_FFMPEG_FILTERS(WEFT_DECLARE)
#undef WEFT_DECLARE

namespace {

bool contains(std::span<const std::string_view> names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

const FilterDef* row_of(std::span<const FilterDef> rows, std::string_view name) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const FilterDef& row) {
        return row.name == name || contains(row.aliases, name);
    });
    return found == rows.end() ? nullptr : &*found;
}

}  // namespace

std::span<const FilterDef> filters() {
#define WEFT_ENTRY(name) name,
    static const std::array list{WEFT_FILTERS(WEFT_ENTRY)};
#undef WEFT_ENTRY
    return list;
}

std::span<const FilterDef> ffmpeg_filters() {
#define WEFT_ENTRY(name) name,
    static const std::array list{WEFT_FFMPEG_FILTERS(WEFT_ENTRY)};
#undef WEFT_ENTRY
    return list;
}

const FilterDef* find_filter(std::string_view name, Names names) {
    const std::string_view maker = name.substr(std::min(name.find('@'), name.size()));
    name.remove_suffix(maker.size());
    if (maker == kFfmpegMaker || (maker.empty() && names == Names::typed))
        if (const FilterDef* row = row_of(ffmpeg_filters(), name)) return row;
    return maker.empty() || maker == kWeftMaker ? row_of(filters(), name) : nullptr;
}

std::string name_of(const FilterDef& filter, Names names) {
    std::string name(filter.name);
    if (find_filter(name, names) != &filter) name += filter.of_ffmpeg ? kFfmpegMaker : kWeftMaker;
    return name;
}

std::vector<std::string_view> aliases_of(const FilterDef& filter, Names names) {
    std::vector<std::string_view> aliases;
    for (const std::string_view alias : filter.aliases)
        if (find_filter(alias, names) == &filter) aliases.push_back(alias);
    return aliases;
}

std::vector<const ParamDef*> all_params(const FilterDef& filter) {
    std::vector<const ParamDef*> all;
    const auto add = [&all](std::span<const ParamDef> rows) {
        for (const ParamDef& row : rows) all.push_back(&row);
    };
    add(filter.params);
    if (filter.smooths) add(smoothing_params());
    add(step_params());
    return all;
}

const ParamDef* find_param(const FilterDef& filter, std::string_view name) {
    const std::vector<const ParamDef*> all = all_params(filter);
    const auto found = std::ranges::find_if(all, [&](const ParamDef* row) {
        return row->name == name || contains(row->aliases, name);
    });
    return found == all.end() ? nullptr : *found;
}

}  // namespace weft
