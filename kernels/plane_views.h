// The planes of one frame.
#pragma once

#include "kernels/device/inplace_vector.h"
#include "kernels/image_view.h"

namespace weft {

using PlaneViews = InplaceVector<ImageView, 4>;

}  // namespace weft
