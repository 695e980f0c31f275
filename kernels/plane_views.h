// The planes of one frame.
#pragma once

#include "kernels/image_view.h"
#include "kernels/inplace_vector.h"

namespace weft {

using PlaneViews = InplaceVector<ImageView, 4>;

}  // namespace weft
