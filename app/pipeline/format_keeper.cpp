#include "app/pipeline/format_keeper.h"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/media/libav/error.h"

namespace weft {
namespace {

enum class Consequence { samples, tags, none };

Consequence consequence(Property property) {
    switch (property) {
        case Property::size:
        case Property::pixel_format:
        case Property::colour_range:
        case Property::colour_matrix:
            return Consequence::samples;
        case Property::display_aspect:
        case Property::primaries:
        case Property::transfer:
            return Consequence::tags;
        case Property::scan:
        case Property::sample_rate:
        case Property::channels:
            return Consequence::none;
    }
    return Consequence::none;
}

}  // namespace

FormatKeeper::FormatKeeper(const AVFrame& first, OnChange policy, std::string path)
    : first_(picture_format(first)), policy_(policy), scaler_(first, std::move(path)) {}

void FormatKeeper::fit(Frame& frame) {
    std::vector<std::string> changes;
    for (const Difference& difference : differences(first_, picture_format(*frame.av)))
        if (consequence(difference.property) == Consequence::samples)
            changes.push_back(change_text(difference));
    if (changes.empty()) return;
    if (policy_ == OnChange::fail)
        throw Error(ExitCode::failed,
                    fmt::format("{}, but an output file holds one: --on-change scale brings all "
                                "pictures to the first one's, -ss and -to cut there",
                                fmt::join(changes, ", ")));
    frame.av = scaler_.scale(*frame.av);
}

std::vector<std::string> untold_changes(const StreamChanges& changes) {
    std::vector<std::string> sentences;
    std::set<Property> told;
    for (const Change& change : changes.list()) {
        const Property property = change.difference.property;
        if (consequence(property) == Consequence::tags && told.insert(property).second)
            sentences.push_back(change_text(change) +
                                ", but the output keeps the first picture's throughout");
    }
    return sentences;
}

}  // namespace weft
