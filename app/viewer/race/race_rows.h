// A race as table rows and curves for a panel to draw, and as a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/media/output/atomic_output.h"
#include "app/pipeline/race/race_limits.h"
#include "app/viewer/race/log_axis.h"
#include "app/viewer/race/race_rounds.h"

namespace weft {

enum class RaceColumn : std::uint8_t {
    kernel,
    median,
    spread,
    change,
    bound,
    peak,
    rate,
    speed_up,
    error,
    differing
};

// A kernel's median as a part of the recorded one.
struct RaceChange {
    double ratio = 0;  // 0: unknown
    bool tie = false;  // see is_tie(); for the record, its 5th to 95th percentile
    double recorded_seconds = 0;
};
RaceChange change_since(const RaceSnapshot& recorded, const KernelResult& kernel);
// "-12 %", "+3 %"; from tenfold on "12×" or "1/12×"; "-" if unknown.
std::string change_text(const RaceChange& change);

// One kernel. Numbers are 0 until known.
struct RaceRow {
    std::size_t index = 0;  // in the step's kernels
    double median_seconds = 0;
    double p5_seconds = 0;
    double p95_seconds = 0;
    double gigabytes_per_second = 0;
    RaceChange change = {};
    Bound bound;
    double fraction_of_peak = 0;
    double speed_up = 0;
    bool races = false;    // selected, or needed, and able to run
    bool fastest = false;  // among the correct ones, or tied with the fastest
    bool baseline = false;
    bool ties_with_baseline = false;  // without being it
    bool wrong = false;               // see is_wrong()

    bool measured() const { return median_seconds > 0; }
};

struct RaceOrder {
    RaceColumn column = RaceColumn::median;
    bool descending = false;
};

// Measured kernels first, in the given order; then unmeasured ones, then those that cannot run,
// both in registry order. `recorded` is the race that `change` is measured against; null: none.
std::vector<RaceRow> race_rows(const RaceSnapshot& snapshot, RaceOrder order,
                               const RaceSnapshot* recorded = nullptr);

// The axis that the samples and recorded medians of all measured rows, and the samples of the copy
// and of the empty launch, share. It ends at the slowest kernel's 99th percentile: a sample during
// which the system did something else is at the edge. `other` has rows in the same table; null:
// none.
LogAxis samples_axis(const RaceSnapshot& snapshot, std::span<const RaceRow> rows,
                     const RaceSnapshot* other = nullptr);

// For each sample, the median and 95th percentile of the last `window` samples.
struct RunningBand {
    std::vector<double> median;
    std::vector<double> p95;
};
RunningBand running_band(std::span<const double> samples, std::size_t window);

// Provenance of a race.
struct RaceOrigin {
    std::string program;  // its version
    std::string input;    // the displayed file
    std::string stack;    // all of it, in -vf's grammar
};

// One object for each kernel that took part: the fields of `weft compare --json`, then those that
// are the same in all of them.
nlohmann::ordered_json race_csv_rows(const RaceSnapshot& snapshot, const RaceOrigin& origin);
// A line for each object, after one with their keys. Quoted as in RFC 4180.
std::string csv_text(const nlohmann::ordered_json& rows);
// Both together.
std::string race_csv(const RaceSnapshot& snapshot, const RaceOrigin& origin);

// Same format as `weft compare --json`, with the raced step only.
std::string race_json(const RaceSnapshot& snapshot, const RaceOrigin& origin);

// Writes CSV if the name ends in .csv, else JSON. Throws Error(usage or not_written), as
// AtomicOutput does.
void write_race(const std::string& path, const RaceSnapshot& snapshot, const RaceOrigin& origin,
                Overwrite overwrite);

}  // namespace weft
