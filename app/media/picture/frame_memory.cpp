#include "app/media/picture/frame_memory.h"

extern "C" {
#include <libavutil/hwcontext.h>
}

#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "app/media/picture/frame.h"
#include "kernels/device/stream.h"

namespace weft {

namespace {

constexpr int kRowAlignment = 256;
// Encoders and decoders read whole vectors, past the end of a plane.
constexpr std::size_t kOverrun = 256;
// One row of an ImageBuffer that is used as plain bytes.
constexpr int kByteRow = 1 << 16;

template <class Integer>
Integer rounded_up(Integer value) {
    constexpr auto kStep = static_cast<Integer>(kRowAlignment);
    return (value + kStep - 1) / kStep * kStep;
}

void release(void* owner, std::uint8_t*) {
    delete static_cast<ImageBuffer*>(owner);
}

// Null if memory runs out, as libav expects.
template <Allocation Where>
AVBufferRef* allocate(std::size_t bytes) {
    try {
        const int rows = static_cast<int>((bytes + kByteRow - 1) / kByteRow);
        auto owner = std::make_unique<ImageBuffer>(kByteRow, rows, 1, PixelType::u8, Where);
        auto* data = static_cast<std::uint8_t*>(owner->view().data);
        // Decoders leave out the parts that a damaged stream lacks.
        if constexpr (Where != Allocation::device) std::memset(data, 0, bytes);
        AVBufferRef* buffer = av_buffer_create(data, bytes, release, owner.get(), 0);
        if (buffer != nullptr) (void)owner.release();  // the buffer's now
        return buffer;
    } catch (const std::exception&) {
        return nullptr;
    }
}

auto allocator(Allocation where) {
    switch (where) {
        case Allocation::host:
            return allocate<Allocation::host>;
        case Allocation::pinned:
            return allocate<Allocation::pinned>;
        case Allocation::device:
            break;
    }
    return allocate<Allocation::device>;
}

const char* name_of(Allocation where) {
    return where == Allocation::pinned ? "page-locked" : "GPU";
}

}  // namespace

void FrameMemory::fit(AVPixelFormat format, int width, int height) {
    if (format == format_ && width == width_ && height == height_) return;
    av_check(av_image_fill_linesizes(pitches_, format, width), "laying out a frame", "memory");
    ptrdiff_t pitches[4] = {};
    for (int p = 0; p < 4; ++p) {
        pitches_[p] = rounded_up(pitches_[p]);
        pitches[p] = pitches_[p];
    }
    av_check(av_image_fill_plane_sizes(plane_bytes_, format, height, pitches), "laying out a frame",
             "memory");
    std::size_t bytes = 0;
    for (std::size_t& plane : plane_bytes_) {
        if (plane > 0) plane = rounded_up(plane + kOverrun);
        bytes += plane;
    }
    pool_.reset(av_buffer_pool_init(bytes, allocator(where_)));
    format_ = format;
    width_ = width;
    height_ = height;
}

AVFramePtr FrameMemory::get(AVPixelFormat format, int width, int height) {
    fit(format, width, height);
    AVFramePtr frame = make_frame();
    frame->format = format;
    frame->width = width;
    frame->height = height;
    frame->buf[0] = pool_ ? av_buffer_pool_get(pool_.get()) : nullptr;
    if (frame->buf[0] == nullptr && where_ == Allocation::host) throw_no_memory();
    if (frame->buf[0] == nullptr)
        throw MediaError(Outcome::failed,
                         fmt::format("no {} memory is left for a frame of {}x{}", name_of(where_),
                                     width, height),
                         AVERROR(ENOMEM), Cause::device);
    std::uint8_t* plane = frame->buf[0]->data;
    for (int p = 0; p < 4 && plane_bytes_[p] > 0; ++p) {
        frame->data[p] = plane;
        frame->linesize[p] = pitches_[p];
        plane += plane_bytes_[p];
    }
    return frame;
}

AVFramePtr FrameMemory::get(const AVFrame& like) {
    AVFramePtr frame = get(sample_format(like), like.width, like.height);
    av_check(av_frame_copy_props(frame.get(), &like), "copying a frame's tags", "memory");
    return frame;
}

const Device& made_current(const Device& device) {
    use_device(device);
    return device;
}

BufferPtr describe_cuda_frames(AVBufferRef& hardware, AVPixelFormat format, int width, int height) {
    BufferPtr frames(av_hwframe_ctx_alloc(&hardware));
    if (!frames) throw_no_memory();
    auto* context = reinterpret_cast<AVHWFramesContext*>(frames->data);
    context->format = AV_PIX_FMT_CUDA;
    context->sw_format = format;
    context->width = width;
    context->height = height;
    return frames;
}

}  // namespace weft
