// Access to one picture of a shown frame, as planes or as a host frame.
#pragma once

#include "app/media/picture/frame.h"
#include "app/viewer/screen/shown_frame.h"
#include "app/viewer/view/view_state.h"

namespace weft {

// The picture of a side: 0 is the original, k the result of stack k - 1, or of the last stack if
// there are fewer.
const Picture& picture_of(const ShownFrame& shown, Side side);

// The same picture as a frame with the decoded one's tags. The original shares its pixels; others
// are copied, if necessary from the GPU, on a thread that has made the device current. Blocks.
// Throws MediaError or CudaError.
AVFramePtr frame_of(const ShownFrame& shown, Side side);

}  // namespace weft
