// Races that were written as JSON, by this window or by `weft compare --json`, here or elsewhere.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/viewer/race/race_rows.h"

namespace weft {

// What race_json() was given, as far as a file has it: of samples their count, the median, the 5th
// and the 95th percentile. `allowed_difference` is infinite, because files have no verdict.
struct RaceRecord {
    RaceOrigin origin;
    std::vector<RaceSnapshot> steps;  // those that were raced, one at least
};

// Texts are printable_line(). Unknown members are ignored. Throws JsonError, with a clause about
// the mistake, for any other text than that of a race.
RaceRecord parse_race_record(std::string_view text);

// Throws std::runtime_error with a sentence that names the file. At most kMaxTextFile bytes.
RaceRecord read_race_record(const std::filesystem::path& file);

// Whether both are races of one filter, with its parameters, on pictures of one kind and size, with
// the same caches. The devices may be different.
bool is_same_work(const RaceSnapshot& a, const RaceSnapshot& b);
// Likewise the same device, and of a CPU as many cores.
bool is_same_race(const RaceSnapshot& a, const RaceSnapshot& b);

// The step to show next to `race`: of the same work or else of the same filter; otherwise the
// first.
const RaceSnapshot& step_next_to(const RaceSnapshot& race, const RaceRecord& record);

// The filter, the picture and the program: "gaussian=sigma=2, 1280×720 u8, 13×13 taps, mirror, warm
// caches, weft 0.2.0".
std::string work_of(const RaceSnapshot& step, const RaceOrigin& origin);

}  // namespace weft
