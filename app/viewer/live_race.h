// Kernels that race beside a playing video: in the filter thread while it plays, for a few
// milliseconds a frame, and in a thread of its own while the frame stands.
#pragma once

#include <functional>
#include <memory>

#include "app/viewer/race_rounds.h"

namespace weft {

struct StepPlace {
    std::size_t stack = 0;
    std::size_t step = 0;
};

class LiveRace {
 public:
    // `on_change` is called from either of these threads when the snapshot changed, ten times a
    // second at most while it fills. It must not block.
    explicit LiveRace(Device device, std::function<void()> on_change = {});
    ~LiveRace();
    LiveRace(const LiveRace&) = delete;
    LiveRace& operator=(const LiveRace&) = delete;

    // For the window's thread: never wait for kernels.
    void set(RaceSettings settings);
    RaceSettings settings() const;
    std::shared_ptr<const RaceSnapshot> snapshot() const;  // never null

    // For the filter thread, with the device current. While a Frame lives no other thread
    // launches; making one waits for the launch that is in work.
    class Frame {
     public:
        explicit Frame(LiveRace& race);
        ~Frame();
        Frame(const Frame&) = delete;
        Frame& operator=(const Frame&) = delete;

     private:
        LiveRace* race_;
    };
    // What the frames to come go through.
    void set_stacks(StackPlans stacks);
    // For StepObservers: within Frame. Keeps a copy of the pixels and takes turns until the budget
    // of the frame is spent; a turn that costs more is made up for by frames without any.
    void on_step(StepPlace place, std::span<const ImageView> sources, StreamView stream);

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft
