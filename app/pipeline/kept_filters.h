// Filters that are ready to run, kept from one file of a run to the next.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "app/media/picture/frame_memory.h"
#include "app/pipeline/stack/mask_source.h"
#include "app/pipeline/stack/stack_runner.h"
#include "kernels/device/device.h"

namespace weft {

// The stack, the plans and the memory that a filter needs. Filters of equal orders are
// interchangeable.
struct FilterOrder {
    std::string stack;             // in full, as print_stack() writes it
    std::vector<StackPlan> plans;  // of plan_frames()
    bool graphs = true;            // see StackRunner
    Allocation results = Allocation::host;
};

// A prepared stack with its buffers, and the memory of its results.
struct ReadyFilter {
    // `key` is that of the order. Throws as StackRunner's constructor.
    ReadyFilter(std::string key, const FilterOrder& order);

    std::string key;
    StackRunner runner;
    FrameMemory results;
};

// Allocating and page-locking the buffers of a 12 megapixel photo takes 74 ms on an H200, its
// copies and kernels 0.7 ms. Photos of one camera have two shapes, so filters are lent from file to
// file. For any number of threads.
class KeptFilters {
 public:
    // Holds at most `at_once` filters, counting those on loan: they take no more memory than the
    // files at work do.
    explicit KeptFilters(std::size_t at_once) : at_once_(at_once) { kept_.reserve(at_once); }

    // A kept filter with no earlier frames, or a new one. Throws as StackRunner's constructor.
    std::unique_ptr<ReadyFilter> take(const FilterOrder& order);
    // Takes back a filter that has no frame in flight; null stands for one that failed.
    void give_back(std::unique_ptr<ReadyFilter> filter) noexcept;
    // A mask of one picture that an earlier file of the run has decoded; null without one. `key`
    // names the picture as it is now, and the shape of the file's frames.
    std::shared_ptr<MaskSource> mask(const std::string& key);
    // Keeps a mask whose weights are computed, since any thread may then read them.
    void keep_mask(const std::string& key, std::shared_ptr<MaskSource> mask);

    // Frees all kept filters of the device.
    void clear(const Device& device) noexcept;

 private:
    std::unique_ptr<ReadyFilter> find(const std::string& key);

    std::size_t at_once_;
    std::mutex mutex_;
    std::size_t lent_ = 0;
    std::vector<std::unique_ptr<ReadyFilter>> kept_;  // the longest unused first
    // By key, the oldest first; at most as many as filters.
    std::vector<std::pair<std::string, std::shared_ptr<MaskSource>>> masks_;
};

// A filter on loan. Unless it is given back it is destroyed, as after a failure.
class FilterLoan {
 public:
    // Without `kept`, the filter is made for this loan alone. Throws as StackRunner's constructor.
    FilterLoan(std::shared_ptr<KeptFilters> kept, const FilterOrder& order);
    ~FilterLoan();
    FilterLoan(const FilterLoan&) = delete;
    FilterLoan& operator=(const FilterLoan&) = delete;

    ReadyFilter& operator*() const { return *filter_; }
    ReadyFilter* operator->() const { return filter_.get(); }
    void give_back() noexcept;  // it cannot be used any more

 private:
    std::shared_ptr<KeptFilters> kept_;
    std::unique_ptr<ReadyFilter> filter_;
};

}  // namespace weft
