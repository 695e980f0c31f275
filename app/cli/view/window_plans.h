// Plans of `weft batch` for the window.
#pragma once

#include "app/viewer/plan/plan_progress.h"

namespace weft {

// Reads plans as `weft batch --run FILE --check` does and refuses them with the same sentences.
PlanOpener window_plans();

}  // namespace weft
