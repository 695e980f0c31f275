#include "tests/kernels/emulated/emulated_gpu.h"

#include <array>
#include <csetjmp>
#include <exception>
#include <memory>
#include <stdexcept>
#include <ucontext.h>
#include <utility>
#include <vector>

// AddressSanitizer's copies of local variables would be freed as soon as another lane runs, because
// it takes the jump to another stack for the end of the functions there.
extern "C" const char* __asan_default_options() {  // NOLINT(bugprone-reserved-identifier)
    return "detect_stack_use_after_return=0";
}

namespace weft::emulated {

namespace {

constexpr int kLanes = 32;
constexpr std::size_t kStackBytes = 256 * 1024;

// From a stack to another. swapcontext() takes two system calls per switch for the mask of signals,
// which were three quarters of this tier's time.
void leave(jmp_buf& from, jmp_buf& to) {
    if (_setjmp(from) == 0) _longjmp(to, 1);
}

struct Fiber {
    ucontext_t context{};  // its beginning
    jmp_buf place{};
    Index index;
    unsigned shuffles = 0;  // that this lane has entered
    unsigned barriers = 0;
    bool started = false;
    bool done = false;
};

void begin(jmp_buf& from, const Fiber& fiber) {
    if (_setjmp(from) == 0) setcontext(&fiber.context);
}

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
    std::size_t shuffles = 0;  // the sum of its lanes
};

class Block {
 public:
    Block(int warps, const std::function<void()>& kernel)
        : kernel_(kernel), warps_(warps), fibers_(static_cast<std::size_t>(warps) * kLanes) {}

    void run(const Index& block) {
        for (std::size_t k = 0; k < fibers_.size(); ++k) start(k);
        for (Warp& warp : warps_) warp.shuffles = 0;
        barriers_ = 0;
        block_index = block;
        while (turn()) {
        }
        if (error_) std::rethrow_exception(error_);
    }

    // Valid until this lane's next shuffle but one.
    const std::array<std::uint32_t, kLanes>& exchange(std::uint32_t value) {
        Fiber& self = fibers_[current_];
        Warp& warp = warps_[current_ / kLanes];
        auto& slots = warp.given[self.shuffles % 2];
        slots[current_ % kLanes] = value;
        wait_for_all(++self.shuffles, warp.shuffles, kLanes);
        return slots;
    }

    void barrier() { wait_for_all(++fibers_[current_].barriers, barriers_, fibers_.size()); }

 private:
    static void enter();

    void start(std::size_t k) {
        Fiber& f = fibers_[k];
        f.index = {static_cast<unsigned>(k % kLanes), static_cast<unsigned>(k / kLanes), 0};
        f.shuffles = f.barriers = 0;
        f.started = f.done = false;
        getcontext(&f.context);
        f.context.uc_stack.ss_sp = stack_of(k);
        f.context.uc_stack.ss_size = kStackBytes;
        makecontext(&f.context, enter, 0);
    }

    // Until all fibers have entered their call of this number. None enters the next one before, so
    // the sum of their numbers shows it.
    void wait_for_all(unsigned number, std::size_t& sum, std::size_t fibers) {
        ++sum;
        Fiber& self = fibers_[current_];
        while (sum < fibers * number) leave(self.place, scheduler_);
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
        Fiber& fiber = fibers_[current_];
        if (fiber.done || error_) return false;
        thread_index = fiber.index;
        if (std::exchange(fiber.started, true))
            leave(scheduler_, fiber.place);
        else
            begin(scheduler_, fiber);
        return true;
    }

    const std::function<void()>& kernel_;
    std::vector<Warp> warps_;
    std::vector<Fiber> fibers_;
    std::size_t barriers_ = 0;  // the sum of the lanes
    jmp_buf scheduler_{};
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
    _longjmp(block.scheduler_, 1);
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
