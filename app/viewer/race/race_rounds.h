// An open-ended kernel race: takes turns on the pixels of the last frame for as long as time
// allows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/pipeline/race/step_race.h"
#include "kernels/device/stream.h"

namespace weft {

struct RaceSettings {
    bool enabled = false;
    std::size_t stack = 0;
    std::size_t step = 0;                   // index in the stack
    std::vector<std::string> kernels = {};  // names of kernels; empty: all that can run the step
    std::string baseline = {};              // empty: the reference
    CacheState caches = CacheState::warm;
    double budget_seconds = 0.004;  // average per frame during playback
    std::int64_t samples = 240;     // for each kernel on a paused frame
    std::string map_of = {};        // the kernel whose errors are mapped; empty: none
    std::uint64_t start = 0;        // increment to restart

    bool operator==(const RaceSettings&) const = default;
};

// The state shown in a panel. A value: shares nothing with the race.
struct RaceSnapshot {
    RaceSettings settings;  // used for this race
    Device device;
    // All image filtering kernels, participating or not: those that did not run have a reason or no
    // samples. No kernels: nothing is raced, and `step.work` or `trouble` explains why.
    StepResult step;
    std::shared_ptr<const ErrorMap> map;  // of settings.map_of, on the newest frame; may be null
    std::string trouble;                  // a sentence, or empty
    bool wants_frame = false;             // the newest frame since the step was chosen is missing
    bool complete = false;                // the frame is paused, and each kernel has its samples
    std::int64_t frames = 0;              // frames raced on
    std::uint64_t revision = 0;
};

// Whether a kernel is raced: chosen, or needed as the reference or baseline.
bool takes_part(const RaceSettings& settings, const StepResult& step, const KernelResult& kernel);

// The steps of each stack in use.
using StackPlans = std::vector<std::vector<StepPlan>>;

// Keeps the latest kWindow samples of each kernel. Not thread-safe; the device must be current.
// Never throws: failures are reported in the snapshot.
class RaceRounds {
 public:
    static constexpr std::size_t kWindow = 240;

    explicit RaceRounds(Device device) : device_(std::move(device)) {}

    // Keeps samples while the step's computation and the cache setting are unchanged.
    void set(const RaceSettings& settings);
    void set_stacks(StackPlans stacks);

    // Copies the inputs of the raced step: `sources` as passed to StepObserver.
    void keep(std::span<const ImageView> sources, StreamView stream);
    // A newer frame than the kept one was not kept: the snapshot asks for it.
    void miss_frame() { missed_ = true; }

    // Allocates the race of the kept frame, or prepares the next kernel, while other threads may
    // launch: the rest of a race only takes turns. Returns false if nothing was left to prepare.
    bool prepare();
    bool is_prepared() const;

    // Takes one sample of the next kernel that has fewer than `most` on this frame, or maps the
    // errors that the settings ask for. Prepares a kernel that is not prepared. Blocks until done
    // and returns its cost in seconds; nullopt if nothing is left.
    std::optional<double> take_turn(std::int64_t most, StreamView stream);
    // The same on its own stream.
    std::optional<double> take_turn(std::int64_t most);

    RaceSnapshot snapshot() const;

 private:
    void forget();
    bool can_race() const;
    void build();
    std::optional<std::size_t> unprepared() const;
    const StepPlan* planned() const;
    bool same_work(const StepPlan& step) const;
    void keep_image(std::size_t k, const ImageView& source, StreamView stream);
    std::optional<std::size_t> next_turn(std::int64_t most);
    bool takes_turns(std::size_t turn) const;
    bool wants_map() const;
    void make_map(StreamView stream);
    void fail(std::size_t turn, const std::string& sentence);

    Device device_;
    RaceSettings settings_;
    StackPlans stacks_;
    StepPlan raced_;  // referenced by race_
    StepResult result_;
    std::unique_ptr<StepRace> race_;
    std::vector<ImageBuffer> kept_;  // one per plan of the step; empty where nothing is convolved
    std::vector<ImageView> sources_;
    std::vector<std::int64_t> taken_;  // on this frame, per turn
    std::size_t last_turn_ = 0;
    std::int64_t frames_ = 0;
    bool missed_ = false;  // a frame, since the kept one
    std::shared_ptr<const ErrorMap> map_;
    std::int64_t mapped_frame_ = 0;  // by frames_; 0: none
    std::string mapped_kernel_;
    std::string trouble_;
    std::optional<Stream> stream_;
};

}  // namespace weft
