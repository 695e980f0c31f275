#include "app/pipeline/kept_filters.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace weft {
namespace {

std::string plane_text(const PlaneInfo& plane) {
    std::string text = fmt::format(" {}x{}", plane.width, plane.height);
    for (const Component component : plane.components)
        text += fmt::format(":{}", static_cast<int>(component));
    return text;
}

std::string plan_text(const StackPlan& plan) {
    const FrameInfo& info = plan.info;
    std::string text = fmt::format(
        "\n{}: {}x{} {} {} {} {} {} {} {}", plan.device.ordinal, info.width, info.height,
        static_cast<int>(info.sample), info.depth_bits, static_cast<int>(info.matrix),
        static_cast<int>(info.transfer), info.full_range, info.rotation_degrees, info.interlaced);
    for (const PlaneInfo& plane : info.planes) text += plane_text(plane);
    for (const StepPlan& step : plan.steps) text += ", " + step.kernel_names();
    return text;
}

std::string key_of(const FilterOrder& order) {
    std::string key =
        fmt::format("{}\n{} {}", order.stack, order.graphs, static_cast<int>(order.results));
    for (const StackPlan& plan : order.plans) key += plan_text(plan);
    return key;
}

}  // namespace

ReadyFilter::ReadyFilter(std::string its_key, const FilterOrder& order)
    : key(std::move(its_key)), runner(order.plans, order.graphs), results(order.results) {}

std::unique_ptr<ReadyFilter> KeptFilters::take(const FilterOrder& order) {
    std::string key = key_of(order);
    std::unique_ptr<ReadyFilter> filter = find(key);
    if (filter) {
        filter->runner.restart();
        return filter;
    }
    try {
        return std::make_unique<ReadyFilter>(std::move(key), order);
    } catch (...) {
        give_back(nullptr);
        throw;
    }
}

// Null: none fits. One of the others was then freed if that many cannot be kept.
std::unique_ptr<ReadyFilter> KeptFilters::find(const std::string& key) {
    std::unique_ptr<ReadyFilter> found;
    std::unique_ptr<ReadyFilter> surplus;  // freed without the lock, which takes as long
    const std::scoped_lock lock(mutex_);
    ++lent_;
    const auto same = std::ranges::find(kept_, key, &ReadyFilter::key);
    if (same != kept_.end()) {
        found = std::move(*same);
        kept_.erase(same);
    } else if (!kept_.empty() && lent_ + kept_.size() > at_once_) {
        surplus = std::move(kept_.front());
        kept_.erase(kept_.begin());
    }
    return found;
}

void KeptFilters::give_back(std::unique_ptr<ReadyFilter> filter) noexcept {
    const std::scoped_lock lock(mutex_);
    --lent_;
    if (filter && lent_ + kept_.size() < at_once_) kept_.push_back(std::move(filter));
}

std::shared_ptr<MaskSource> KeptFilters::mask(const std::string& key) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find(masks_, key, [](const auto& kept) { return kept.first; });
    return found == masks_.end() ? nullptr : found->second;
}

void KeptFilters::keep_mask(const std::string& key, std::shared_ptr<MaskSource> mask) {
    const std::scoped_lock lock(mutex_);
    if (!masks_.empty() && masks_.size() >= at_once_) masks_.erase(masks_.begin());
    masks_.emplace_back(key, std::move(mask));
}

void KeptFilters::clear(const Device& device) noexcept {
    const std::scoped_lock lock(mutex_);
    std::erase_if(kept_, [&device](const std::unique_ptr<ReadyFilter>& filter) {
        return filter->runner.device().ordinal == device.ordinal;
    });
}

FilterLoan::FilterLoan(std::shared_ptr<KeptFilters> kept, const FilterOrder& order)
    : kept_(std::move(kept)),
      filter_(kept_ ? kept_->take(order) : std::make_unique<ReadyFilter>("", order)) {}

FilterLoan::~FilterLoan() {
    if (!filter_) return;
    filter_.reset();
    if (kept_) kept_->give_back(nullptr);
}

void FilterLoan::give_back() noexcept {
    if (kept_)
        kept_->give_back(std::move(filter_));
    else
        filter_.reset();
}

}  // namespace weft
