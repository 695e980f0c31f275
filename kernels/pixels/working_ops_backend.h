// The two implementations of working_ops.h, which checks their arguments and has no other callers.
#pragma once

#include <span>

#include "kernels/pixels/working_ops.h"

namespace weft {

namespace host_ops {

void to_working(const WorkingRule& rule, std::span<const WorkingComponent> from,
                std::span<const ImageView> to);
void from_working(const WorkingRule& rule, std::span<const ImageView> from,
                  std::span<const WorkingComponent> source, std::span<const WorkingTarget> to);

}  // namespace host_ops

// In a CPU-only build each throws std::runtime_error with a sentence.
namespace device_ops {

void to_working(const WorkingRule& rule, std::span<const WorkingComponent> from,
                std::span<const ImageView> to, StreamView stream);
void from_working(const WorkingRule& rule, std::span<const ImageView> from,
                  std::span<const WorkingComponent> source, std::span<const WorkingTarget> to,
                  StreamView stream);

}  // namespace device_ops

}  // namespace weft
