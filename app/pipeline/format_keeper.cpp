#include "app/pipeline/format_keeper.h"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/media/libav/error.h"

namespace weft {
namespace {

// The samples of such a picture do not fit the first one's format.
bool changes_samples(Property property) {
    return property == Property::size || property == Property::pixel_format ||
           property == Property::colour_range || property == Property::colour_matrix;
}

// Such a picture is stored with wrong tags.
bool changes_tags(Property property) {
    return property == Property::display_aspect || property == Property::primaries ||
           property == Property::transfer;
}

}  // namespace

FormatKeeper::FormatKeeper(const AVFrame& first, OnChange policy, std::string path)
    : first_(frame_format(first)), policy_(policy), scaler_(first, std::move(path)) {}

void FormatKeeper::fit(Frame& frame) {
    std::vector<std::string> changes;
    for (const Difference& difference : differences(first_, frame_format(*frame.av)))
        if (changes_samples(difference.property)) changes.push_back(change_text(difference));
    if (changes.empty()) return;
    if (policy_ == OnChange::fail)
        throw Error(
            Outcome::failed,
            fmt::format("{}, but an output file can have only one: --on-change scale converts all "
                        "pictures to the first one, and -ss and -to cut at the change",
                        fmt::join(changes, ", ")));
    frame.av = scaler_.scale(*frame.av);
}

std::vector<std::string> unreported_changes(const StreamChanges& changes) {
    std::vector<std::string> sentences;
    std::set<Property> seen;
    for (const Change& change : changes.list()) {
        const Property property = change.difference.property;
        if (changes_tags(property) && seen.insert(property).second)
            sentences.push_back(change_text(change) +
                                ", but the output keeps that of the first picture throughout");
    }
    return sentences;
}

}  // namespace weft
