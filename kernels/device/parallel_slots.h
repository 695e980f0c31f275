// Work on all cores, in OpenCV's thread pool, which all kernels of the process share.
#pragma once

#include <functional>

namespace weft {

// Calls body(slot) once for each slot of 0..slots-1, on up to that many threads, and returns when
// all are done. A body may find no work left: with a busy pool one thread runs them all. The
// caller's earlier writes are visible to the bodies, and theirs to the caller afterwards. Throws
// what a body throws, after all have ended.
void parallel_slots(int slots, const std::function<void(int)>& body);

}  // namespace weft
