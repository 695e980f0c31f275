#include "app/viewer/shell/key_list.h"

namespace weft {

using enum ActionGroup;

std::string_view title(ActionGroup group) {
    switch (group) {
        case file:
            return "File";
        case playback:
            return "Playback";
        case stack:
            return "Filters";
        case view:
            return "View";
        case panel:
            return "Panels";
        case help:
            return "Help";
    }
    return "";
}

std::string keys_text(const KeyRow& row) {
    std::string text;
    for (const std::string_view key : row.keys) {
        if (key.empty()) continue;
        if (!text.empty()) text += " or ";
        text += key;
    }
    return text;
}

}  // namespace weft
