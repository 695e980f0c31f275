// Events of a window session, as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "app/viewer/shell/view_options.h"

namespace weft {

nlohmann::ordered_json view_json(const SessionReport& report);

}  // namespace weft
