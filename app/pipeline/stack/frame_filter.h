// Filters whole frames, or the two fields of interlaced frames each as its own picture.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "app/pipeline/stack/filter_chain.h"
#include "kernels/plane_views.h"

namespace weft {

enum class Fields : std::uint8_t { together, split };

// One plan for whole frames, or two for the fields: even lines (0, 2, …), then odd lines. Frames of
// a single line have no second field and are filtered whole. Throws as plan_chain().
std::vector<ChainPlan> plan_frames(const Stack& stack, const FrameInfo& info, const Device& device,
                                   const ForcedKernels& forced, Fields fields);

// The lines of one field: every second line of each plane, starting at line `field` (0 or 1).
PlaneViews field_views(std::span<const ImageView> planes, int field);

// Steps in time keep a history for each field.
class FrameFilter {
 public:
    explicit FrameFilter(const std::vector<ChainPlan>& plans, const ChainOptions& options = {});

    // As FilterChain's.
    void submit(std::span<const ImageView> src, std::span<const ImageView> dst,
                std::function<void()> source_read = {});
    void finish();
    void give_up() noexcept;
    std::size_t most_in_flight() const { return chains_.front().most_in_flight(); }
    void run(std::span<const ImageView> src, std::span<const ImageView> dst,
             std::function<void()> source_read = {});
    void observe(const StepObserver& observer);  // by the chain of each field
    void trace(const FileTrace& file);           // as FilterChain's
    void release();

    const Device& device() const { return chains_.front().plan().device; }
    const ChainPlan& plan() const { return chains_.front().plan(); }
    // One sample per filtered picture: a frame, or a field.
    ChainTimes times() const;

 private:
    std::vector<FilterChain> chains_;
    std::deque<std::function<void()>> source_read_;  // of unfinished frames, with two fields
};

}  // namespace weft
