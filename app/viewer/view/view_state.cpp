#include "app/viewer/view/view_state.h"

namespace weft {

CompareMode next_mode(CompareMode mode) {
    switch (mode) {
        case CompareMode::single:
            return CompareMode::wipe;
        case CompareMode::wipe:
            return CompareMode::side_by_side;
        case CompareMode::side_by_side:
            return CompareMode::difference;
        case CompareMode::difference:
            return CompareMode::single;
    }
    return CompareMode::single;
}

}  // namespace weft
