// One of the pictures of a shown frame as frames and planes on the host.
#pragma once

#include "app/media/frame.h"
#include "app/viewer/shown_frame.h"
#include "app/viewer/view_state.h"

namespace weft {

// The picture of that side: 0 is the original, k the result of stack k - 1, or of the last one
// that there is.
const Picture& picture_of(const ShownFrame& shown, Side side);

// The same as a frame with the decoded one's tags. The original shares its pixels; others are
// copied, from the GPU if need be: on a thread that has made the device current. Blocks. Throws
// MediaError or CudaError.
AVFramePtr frame_of(const ShownFrame& shown, Side side);

}  // namespace weft
