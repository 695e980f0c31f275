// A race of kernels that goes on for as long as there is time: one turn after the other on the
// pixels of the last frame.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/pipeline/step_race.h"

namespace weft {

struct RaceSettings {
    bool enabled = false;
    std::size_t stack = 0;
    std::size_t step = 0;                   // of the stack
    std::vector<std::string> kernels = {};  // rows by name; empty: all that can run the step
    std::string baseline = {};              // empty: the reference
    CacheState caches = CacheState::warm;
    double budget_seconds = 0.004;  // of each frame that plays, on the average
    std::int64_t samples = 240;     // of each kernel on a frame that stands
    std::uint64_t start = 0;        // raise it to begin anew

    bool operator==(const RaceSettings&) const = default;
};

// What a panel shows. A value: it shares nothing with the race.
struct RaceSnapshot {
    RaceSettings settings;  // that it was made with
    Device device;
    // Every kernel that filters images, whether it takes part or not: those that do not have a
    // reason or no samples. No kernels: nothing is raced, and `step.work` or `trouble` says why.
    StepResult step;
    std::string trouble;       // a sentence, or empty
    bool wants_frame = false;  // no frame has come since the step was chosen
    bool complete = false;     // the frame stands, and each kernel has its samples
    std::int64_t frames = 0;   // that were raced on
    std::uint64_t revision = 0;
};

// The rows of a table: chosen, or needed as the reference or the baseline.
bool takes_part(const RaceSettings& settings, const StepResult& step, const KernelResult& kernel);

// The steps of each stack that is filtered with.
using StackPlans = std::vector<std::vector<StepPlan>>;

// Keeps the newest kWindow samples of each kernel. Not thread-safe; calls need the device to be
// current. Never throws: what fails is told in the snapshot.
class RaceRounds {
 public:
    static constexpr std::size_t kWindow = 240;

    explicit RaceRounds(Device device) : device_(std::move(device)) {}

    // Samples stay while the step computes the same and caches are left alike.
    void set(const RaceSettings& settings);
    void set_stacks(StackPlans stacks);

    // Copies what the step that is raced has read: `sources` as StepObserver has them.
    void keep(std::span<const ImageView> sources, StreamView stream);

    // One sample of the next kernel that has fewer than `most` on this frame. Blocks until done and
    // returns the seconds that it cost; nothing if there is none.
    std::optional<double> take_turn(std::int64_t most, StreamView stream);
    // The same on a stream of its own.
    std::optional<double> take_turn(std::int64_t most);

    RaceSnapshot snapshot() const;

 private:
    void forget();
    void build();
    const StepPlan* planned() const;
    bool same_work(const StepPlan& step) const;
    void keep_image(std::size_t k, const ImageView& source, StreamView stream);
    std::optional<std::size_t> next_turn(std::int64_t most);
    bool is_due(std::size_t turn, std::int64_t most) const;
    void fail(std::size_t turn, const std::string& sentence);

    Device device_;
    RaceSettings settings_;
    StackPlans stacks_;
    StepPlan raced_;  // what race_ points into
    StepResult result_;
    std::unique_ptr<StepRace> race_;
    std::vector<ImageBuffer> kept_;  // one a plan of the step; empty where nothing is convolved
    std::vector<ImageView> sources_;
    std::vector<std::int64_t> taken_;  // on this frame, by turn
    std::size_t last_turn_ = 0;
    std::int64_t frames_ = 0;
    std::string trouble_;
    std::optional<Stream> stream_;
};

}  // namespace weft
