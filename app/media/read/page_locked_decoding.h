// Lets software decoders write straight into memory that a GPU can read.
#pragma once

#include <mutex>

#include "app/media/libav/log_watch.h"
#include "app/media/picture/frame_memory.h"
#include "kernels/device/device.h"

namespace weft {

// A LogWatch that also gives the decoder page-locked frames, so that uploading them needs no
// intermediate copy (2.5 ms for 4K). Decoders that need their own memory, and machines without free
// page-locked memory, use libav's.
class PageLockedDecoding : public LogWatch {
 public:
    // As LogWatch, must outlive the codec context. Construct before the codec is opened. `gpu`
    // reads the frames.
    PageLockedDecoding(AVCodecContext& codec, Device gpu);

 private:
    static int get_buffer(AVCodecContext* codec, AVFrame* frame, int flags);
    void fill(AVCodecContext& codec, AVFrame& frame);

    Device gpu_;
    std::mutex mutex_;  // several decoder threads allocate at once
    FrameMemory memory_{Allocation::pinned};
};

}  // namespace weft
