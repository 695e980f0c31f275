// Software decoders that write straight to memory from which a GPU reads.
#pragma once

#include <mutex>

#include "app/media/frame_memory.h"
#include "app/media/log_watch.h"
#include "kernels/device.h"

namespace weft {

// A decoder's watch that also gives it page-locked frames, so that they are uploaded without a copy
// in between (2.5 ms for 4K). Decoders that need memory of their own, and machines that have no
// page-locked memory left, get libav's.
class PageLockedDecoding : public LogWatch {
 public:
    // As LogWatch: outlives the codec context. Call before the codec is opened. `gpu` will read.
    PageLockedDecoding(AVCodecContext& codec, Device gpu);

 private:
    static int get_buffer(AVCodecContext* codec, AVFrame* frame, int flags);
    void fill(AVCodecContext& codec, AVFrame& frame);

    Device gpu_;
    std::mutex mutex_;  // a decoder's threads ask at once
    FrameMemory memory_{Allocation::pinned};
};

}  // namespace weft
