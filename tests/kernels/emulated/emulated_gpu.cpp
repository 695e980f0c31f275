#include "tests/kernels/emulated/emulated_gpu.h"

#include <array>
#include <exception>
#include <memory>
#include <stdexcept>
#include <ucontext.h>
#include <vector>

namespace weft::emulated {

namespace {

constexpr int kLanes = 32;
constexpr std::size_t kStackBytes = 256 * 1024;

struct Fiber {
    ucontext_t context{};
    Index index;
    unsigned shuffles = 0;  // that this lane has entered
    unsigned barriers = 0;
    bool done = false;
};

// Stacks are kept for the next launch: touching fresh pages takes longer than the kernels do.
std::byte* stack_of(std::size_t fiber) {
    thread_local std::vector<std::unique_ptr<std::byte[]>> stacks;
    while (stacks.size() <= fiber)
        stacks.push_back(std::make_unique_for_overwrite<std::byte[]>(kStackBytes));
    return stacks[fiber].get();
}

// A warp's shuffles alternate between two rows of slots: a lane can only be one shuffle ahead.
struct Warp {
    std::array<std::array<std::uint32_t, kLanes>, 2> given{};
};

class Block {
 public:
    Block(int warps, const std::function<void()>& kernel)
        : kernel_(kernel), warps_(warps), fibers_(static_cast<std::size_t>(warps) * kLanes) {}

    void run(const Index& block) {
        for (std::size_t k = 0; k < fibers_.size(); ++k) start(k);
        block_index = block;
        while (turn()) {
        }
        if (error_) std::rethrow_exception(error_);
    }

    // Valid until this lane's next shuffle but one.
    const std::array<std::uint32_t, kLanes>& exchange(std::uint32_t value) {
        Fiber& self = fibers_[current_];
        const std::size_t warp = current_ / kLanes;
        auto& slots = warps_[warp].given[self.shuffles % 2];
        slots[current_ % kLanes] = value;
        const unsigned mine = ++self.shuffles;
        wait([&] { return slowest(warp * kLanes, kLanes, &Fiber::shuffles) >= mine; });
        return slots;
    }

    void barrier() {
        const unsigned mine = ++fibers_[current_].barriers;
        wait([&] { return slowest(0, fibers_.size(), &Fiber::barriers) >= mine; });
    }

 private:
    static void enter();

    void start(std::size_t k) {
        Fiber& f = fibers_[k];
        f.index = {static_cast<unsigned>(k % kLanes), static_cast<unsigned>(k / kLanes), 0};
        f.shuffles = f.barriers = 0;
        f.done = false;
        getcontext(&f.context);
        f.context.uc_stack.ss_sp = stack_of(k);
        f.context.uc_stack.ss_size = kStackBytes;
        f.context.uc_link = &scheduler_;
        makecontext(&f.context, enter, 0);
    }

    unsigned slowest(std::size_t first, std::size_t count, unsigned Fiber::*counter) const {
        unsigned least = ~0U;
        for (std::size_t k = first; k < first + count; ++k)
            least = std::min(least, fibers_[k].*counter);
        return least;
    }

    template <class Ready>
    void wait(const Ready& ready) {
        const std::size_t self = current_;
        while (!ready()) swapcontext(&fibers_[self].context, &scheduler_);
        progress_ = true;
    }

    // Runs warp after warp, each until it waits for another, so that a missing barrier shows. False
    // when all are done. A round in which no lane gets past its wait is a deadlock.
    bool turn() {
        bool moved = false;
        bool alive = false;
        for (std::size_t warp = 0; warp < warps_.size(); ++warp) {
            do {
                progress_ = false;
                for (std::size_t lane = 0; lane < kLanes; ++lane) alive |= run_lane(warp, lane);
                moved |= progress_;
            } while (progress_ && !error_);
        }
        if (error_ || !alive) return false;
        if (!moved) throw std::logic_error("not all lanes reach a shuffle or a barrier");
        return true;
    }

    bool run_lane(std::size_t warp, std::size_t lane) {
        current_ = warp * kLanes + lane;
        if (fibers_[current_].done || error_) return false;
        thread_index = fibers_[current_].index;
        swapcontext(&scheduler_, &fibers_[current_].context);
        return true;
    }

    const std::function<void()>& kernel_;
    std::vector<Warp> warps_;
    std::vector<Fiber> fibers_;
    ucontext_t scheduler_{};
    std::size_t current_ = 0;
    bool progress_ = false;
    std::exception_ptr error_;
};

thread_local Block* running = nullptr;

void Block::enter() {
    Block& block = *running;
    Fiber& self = block.fibers_[block.current_];
    try {
        block.kernel_();
    } catch (...) {
        block.error_ = std::current_exception();
    }
    self.done = true;
    block.progress_ = true;
}

}  // namespace

void run_blocks(Grid grid, int warps, const std::function<void()>& kernel) {
    Block block(warps, kernel);
    running = &block;
    for (int y = 0; y < grid.y; ++y)
        for (int x = 0; x < grid.x; ++x)
            block.run({static_cast<unsigned>(x), static_cast<unsigned>(y), 0});
    running = nullptr;
}

std::uint32_t shuffle(std::uint32_t value, int source_lane) {
    return running->exchange(value)[static_cast<std::size_t>(source_lane) % kLanes];
}

std::array<std::uint32_t, 32> gather(std::uint32_t value) {
    return running->exchange(value);
}

void block_barrier() {
    running->barrier();
}

}  // namespace weft::emulated
