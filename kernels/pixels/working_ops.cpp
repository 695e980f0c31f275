#include "kernels/pixels/working_ops.h"

#include <stdexcept>

#include "kernels/pixels/working_ops_backend.h"

namespace weft {
namespace {

int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

bool covers(const WorkingComponent& c, const ImageView& plane) {
    return c.image.width == ceil_div(plane.width, c.columns) &&
           c.image.height == ceil_div(plane.height, c.rows);
}

void check(const WorkingRule& rule, std::span<const WorkingComponent> components,
           std::span<const ImageView> planes) {
    const auto count = static_cast<std::size_t>(rule.components);
    if (count < 1 || count > 4 || components.size() != count || planes.size() != count)
        throw std::invalid_argument("working: as many components as planes are needed, 1 to 4");
    for (std::size_t k = 0; k < count; ++k) {
        const WorkingComponent& c = components[k];
        const ImageView& plane = planes[k];
        const bool alike = plane.width == planes[0].width && plane.height == planes[0].height &&
                           plane.type == planes[0].type && plane.space == c.image.space &&
                           plane.channels == 1 && plane.type != PixelType::u8 &&
                           c.image.type == components[0].image.type;
        if (!alike || !covers(c, plane) || c.channel < 0 || c.channel >= c.image.channels)
            throw std::invalid_argument("working: images differ in size, type or memory");
    }
}

}  // namespace

void to_working(const WorkingRule& rule, std::span<const WorkingComponent> from,
                std::span<const ImageView> to, StreamView stream) {
    check(rule, from, to);
    if (to[0].space == MemorySpace::device)
        device_ops::to_working(rule, from, to, stream);
    else
        host_ops::to_working(rule, from, to);
}

void from_working(const WorkingRule& rule, std::span<const ImageView> from,
                  std::span<const WorkingComponent> source, std::span<const WorkingTarget> to,
                  StreamView stream) {
    check(rule, source, from);
    if (to.size() != from.size()) throw std::invalid_argument("working: a target is missing");
    if (from[0].space == MemorySpace::device)
        device_ops::from_working(rule, from, source, to, stream);
    else
        host_ops::from_working(rule, from, source, to);
}

}  // namespace weft
