#include "app/pipeline/stack/plane_route.h"

#include <algorithm>

#include "kernels/pixel_type.h"

namespace weft {
namespace {

std::vector<ImageView> plane_shapes(const FrameInfo& info, MemorySpace space) {
    std::vector<ImageView> shapes;
    for (const PlaneInfo& plane : info.planes) {
        ImageView view;
        view.width = plane.width;
        view.height = plane.height;
        view.channels = static_cast<int>(plane.components.size());
        view.type = pixel_type(info.sample);
        view.space = space;
        shapes.push_back(view);
    }
    return shapes;
}

}  // namespace

PlaneRoute::PlaneRoute(const StackPlan& plan)
    : plan_(&plan),
      shapes_(
          plane_shapes(plan.info, plan.device.is_gpu() ? MemorySpace::device : MemorySpace::host)),
      writers_(shapes_.size()),
      scratch_(shapes_.size()),
      views_((plan.steps.size() + 1) * shapes_.size()) {
    count_writers();
    allocate();
}

void PlaneRoute::count_writers() {
    for (std::size_t s = 0; s < plan_->steps.size(); ++s)
        for (std::size_t p = 0; p < shapes_.size(); ++p) {
            moves_.push_back(plan_->moves(s, p));
            if (moves_.back() && writers_[p]++ == 0) reading_steps_ = s + 1;
        }
}

void PlaneRoute::allocate() {
    const bool on_gpu = plan_->device.is_gpu();
    for (std::size_t p = 0; p < shapes_.size(); ++p) {
        const ImageView& shape = shapes_[p];
        const auto make = [&]() -> ImageBuffer {
            return {shape.width, shape.height, shape.channels, shape.type,
                    on_gpu ? Allocation::device : Allocation::host};
        };
        if (writers_[p] > 1) scratch_[p].even = make();
        if (writers_[p] > 2 && on_gpu) scratch_[p].odd = make();
    }
}

ImageView PlaneRoute::buffer(std::size_t plane, std::size_t left, const ImageView& target) const {
    if (left % 2 == 0) return scratch_[plane].even.view();
    return left == 1 || !plan_->device.is_gpu() ? target : scratch_[plane].odd.view();
}

void PlaneRoute::bind(std::span<const ImageView> source, std::span<const ImageView> target) {
    const std::size_t planes = shapes_.size();
    std::ranges::copy(source, views_.begin());
    left_ = writers_;
    for (std::size_t s = 0; s < plan_->steps.size(); ++s)
        for (std::size_t p = 0; p < planes; ++p)
            views_[(s + 1) * planes + p] =
                moves_[s * planes + p] ? buffer(p, left_[p]--, target[p]) : views_[s * planes + p];
}

std::span<const ImageView> PlaneRoute::row(std::size_t step) const {
    return std::span(views_).subspan(step * shapes_.size(), shapes_.size());
}

}  // namespace weft
