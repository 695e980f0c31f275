// A sweep: the race of a step's kernels, repeated over the values of a parameter or over widths of
// the picture.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/media/output/atomic_output.h"
#include "app/viewer/race/log_axis.h"
#include "app/viewer/race/race_rounds.h"
#include "app/viewer/race/race_rows.h"
#include "filters/stack.h"

namespace weft {

struct SweepRequest {
    Step step;
    FrameInfo info;          // of the step's input
    std::string param = {};  // of the step's filter; empty: the width, at the frame's aspect ratio
    std::vector<std::string> kernels = {};  // as in RaceSettings
    CacheState caches = CacheState::warm;
    std::uint64_t start = 0;  // increment to restart
};

// Whether both give the same results: the step's own value of the parameter does not count.
bool same_sweep(const SweepRequest& a, const SweepRequest& b);

// The parameters that a sweep can vary: lengths in pixels.
std::vector<const ParamDef*> sweep_params(const FilterDef& filter);

// Ascending, half an octave apart, within the parameter's limits. A whole number that the filter
// refuses, because it takes odd ones only, is replaced by the next one.
std::vector<double> sweep_values(const SweepRequest& request);

struct SweepPoint {
    double value = 0;
    std::shared_ptr<const RaceSnapshot> race;
};

// The state shown in a panel. A value: shares only what does not change.
struct SweepResult {
    std::optional<SweepRequest> request;  // its step has no value of the parameter
    std::size_t values = 0;               // points when complete
    std::vector<SweepPoint> points;       // so far, by ascending values
    std::string trouble;                  // a sentence if no point can be measured, or empty
    bool complete = false;
};

// Measures one point after another, on generated pixels: the time of a convolution does not depend
// on them. A kernel that takes longer than kSlowSeconds is not raced at larger values, and the
// sweep ends with the reference, without which results cannot be checked. Not thread-safe; the
// device must be current.
class Sweep {
 public:
    static constexpr double kSlowSeconds = 0.25;
    static constexpr std::int64_t kSamples = 12;  // for each kernel; 3 where they take long

    explicit Sweep(Device device) : device_(std::move(device)) {}

    // Without a request the sweep pauses; complete points are kept for the same request.
    void set(std::optional<SweepRequest> request);
    // A sample of a kernel, or the preparation of a point. Blocks until done; false if nothing is
    // left. Never throws: failures are reported in the result.
    bool take_turn();
    const std::shared_ptr<const SweepResult>& result() const { return result_; }  // never null

 private:
    void begin_point();
    void end_point();
    void publish();
    std::vector<std::string> kernels() const;

    Device device_;
    bool paused_ = true;
    SweepResult now_;
    std::vector<double> values_;
    std::size_t next_ = 0;                // index of the point in work
    std::unique_ptr<RaceRounds> rounds_;  // of this point
    std::int64_t wanted_ = 0;             // samples
    double spent_seconds_ = 0;
    std::set<std::string> slow_;
    std::shared_ptr<const SweepResult> result_ = std::make_shared<const SweepResult>();
};

// ---- the plot ----

struct SweepMark {
    double value = 0;
    double seconds = 0;  // the median
    bool planned = false;
    bool wrong = false;
};

struct SweepLine {
    std::size_t kernel = 0;  // index in the step's kernels
    std::vector<SweepMark> marks;
};

// Where another kernel becomes the fastest by more than the noise: the lines cross there, or the
// kernel that was the fastest is not measured any more.
struct Crossover {
    double value = 0;
    double seconds = 0;
    std::size_t from = 0;  // kernels
    std::size_t to = 0;
};

struct SweepPlot {
    LogAxis values;
    LogAxis times;
    std::vector<SweepLine> lines;  // without lines there is nothing to draw
    std::vector<Crossover> crossovers;
};

SweepPlot sweep_plot(const SweepResult& sweep);

// "The fastest: cpu_reuse up to 2.3 px, then cpu_two_rate." Empty without points.
std::string sweep_sentence(const SweepResult& sweep, const SweepPlot& plot);

// "Sigma" or "Picture width", and its unit.
std::string sweep_label(const SweepRequest& request);

// One line for each kernel at each value: the parameter, its value and the picture's size, then the
// fields of race_csv().
std::string sweep_csv(const SweepResult& sweep, const RaceOrigin& origin);

// Writes that as CSV. Throws Error(usage or not_written), as AtomicOutput does.
void write_sweep(const std::string& path, const SweepResult& sweep, const RaceOrigin& origin,
                 Overwrite overwrite);

}  // namespace weft
