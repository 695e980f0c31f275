#include "app/viewer/edit/filter_search.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>

namespace weft {
namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

// Words for the purpose of a group, besides those of its filters' summaries.
std::string_view words_of(FilterGroup group) {
    switch (group) {
        case FilterGroup::blur:
            return "blur soften smooth denoise noise";
        case FilterGroup::sharpen:
            return "detail";
        case FilterGroup::edges:
            return "edges outline contour";
        case FilterGroup::time:
            return "time temporal movement denoise noise";
        case FilterGroup::matrix:
            return "matrix matrices kernel custom own";
    }
    return "";
}

std::string searched_text(const FilterDef& filter) {
    std::string text = name_of(filter, Names::typed);
    for (std::string_view alias : aliases_of(filter, Names::typed))
        text += " " + std::string(alias);
    for (std::string_view word : filter.customary_for) text += " " + std::string(word);
    return text + " " + lower(filter.summary) + " " + std::string(words_of(filter.group));
}

bool holds_all_words(const std::string& text, const std::string& query) {
    std::istringstream words(query);
    for (std::string word; words >> word;)
        if (text.find(word) == std::string::npos) return false;
    return true;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
    return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// Lower is closer.
int distance(const FilterDef& filter, std::string_view query) {
    const std::string name = name_of(filter, Names::typed);
    const std::vector<std::string_view> aliases = aliases_of(filter, Names::typed);
    const auto is = [&](std::string_view word) { return word == query; };
    const auto begins = [&](std::string_view word) { return word.starts_with(query); };
    const auto holds = [&](std::string_view word) {
        return word.find(query) != std::string_view::npos;
    };
    const bool ranks[] = {
        is(name) || std::ranges::any_of(aliases, is),
        std::ranges::any_of(filter.customary_for, is),
        begins(name),
        std::ranges::any_of(aliases, begins),
        std::ranges::any_of(filter.customary_for, begins),
        holds(name) || std::ranges::any_of(aliases, holds),
    };
    return static_cast<int>(std::ranges::find(ranks, true) - std::begin(ranks));
}

}  // namespace

std::vector<const FilterDef*> found_filters(std::string_view query) {
    const std::string wanted = lower(trimmed(query));
    std::vector<const FilterDef*> found;
    for (const auto list : {filters(), ffmpeg_filters()})
        for (const FilterDef& filter : list)
            if (holds_all_words(searched_text(filter), wanted)) found.push_back(&filter);
    std::ranges::stable_sort(found, {}, [&](const FilterDef* filter) {
        return std::pair(distance(*filter, wanted), filter->group);
    });
    return found;
}

}  // namespace weft
