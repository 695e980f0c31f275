// Races kernels during playback: in the filter thread while the video plays, for a few milliseconds
// per frame, and in a separate thread while it is paused. That thread also prepares the kernels,
// which can take a second, while the video continues.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "app/viewer/race/race_rounds.h"
#include "app/viewer/race/sweep.h"

namespace weft {

struct StepPlace {
    std::size_t stack = 0;
    std::size_t step = 0;
};

class LiveRace {
 public:
    // `on_change` is called from either thread when the snapshot changes, at most ten times per
    // second while it fills. Must not block.
    explicit LiveRace(Device device, std::function<void()> on_change = {});
    ~LiveRace();
    LiveRace(const LiveRace&) = delete;
    LiveRace& operator=(const LiveRace&) = delete;

    // For the window's thread: these never wait for kernels.
    void set(RaceSettings settings);
    RaceSettings settings() const;
    std::shared_ptr<const RaceSnapshot> snapshot() const;  // never null

    // Likewise. While the video is paused, a sweep is measured before the race continues. Without a
    // request it pauses, see Sweep::set().
    void set_sweep(std::optional<SweepRequest> request);
    std::shared_ptr<const SweepResult> sweep() const;  // never null

    // A LiveRace::Frame is a lock, not a picture: while it exists no other thread launches, except
    // to prepare kernels, and its constructor waits for the launch in progress. For the filter
    // thread, with the device current.
    class Frame {
     public:
        explicit Frame(LiveRace& race);
        ~Frame();
        Frame(const Frame&) = delete;
        Frame& operator=(const Frame&) = delete;

     private:
        LiveRace* race_;
    };
    // The stacks for the frames that follow.
    void set_stacks(StackPlans stacks);
    // For StepObservers, within a Frame. Copies the pixels and takes turns until the frame's budget
    // is spent; a turn that exceeds it is compensated by frames without turns. Returns immediately
    // while a kernel is prepared.
    void on_step(StepPlace place, std::span<const ImageView> sources, StreamView stream);

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft
