// An export that was interrupted and has left finished segments: the panel offers to resume it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/viewer/export/export_estimate.h"

namespace weft {

// `output`, or the same name in another container if only an export to that was interrupted.
std::string interrupted_output(const std::string& output);

enum class Unfinished : std::uint8_t {
    none,
    unknown,  // its settings have not been compared yet
    fits,     // the same settings: it can be resumed
    differs,
};

// `interrupted` and the forecast of the request with it.
Unfinished unfinished_of(bool interrupted, const std::optional<ExportForecast>& forecast);

// "An unfinished export with these settings exists: 250 of 2000 frames are finished."; "" without
// one.
std::string unfinished_text(Unfinished unfinished, const std::optional<ExportForecast>& forecast);

// The question before the finished frames are removed.
std::string start_over_text(const std::string& output,
                            const std::optional<ExportForecast>& forecast);

}  // namespace weft
