#include "app/pipeline/frame_pool.h"

namespace weft {
namespace {

bool same_shape(const AVFrame& a, const AVFrame& b) {
    return sample_format(a) == sample_format(b) && a.width == b.width && a.height == b.height;
}

// Pixels without properties, so that the pool holds no side data of frames long gone.
AVFramePtr bare_frame(const AVFrame& like) {
    AVFramePtr frame = make_frame();
    frame->format = sample_format(like);
    frame->width = like.width;
    frame->height = like.height;
    av_check(av_frame_get_buffer(frame.get(), 0), "allocating a frame", "memory");
    return frame;
}

// A second owner of the pixels of `pooled`, with the properties of `like`.
AVFramePtr lend(const AVFrame& pooled, const AVFrame& like) {
    AVFramePtr frame = make_frame();
    av_check(av_frame_ref(frame.get(), &pooled), "sharing a frame's pixels", "memory");
    av_check(av_frame_copy_props(frame.get(), &like), "copying a frame's tags", "memory");
    return frame;
}

}  // namespace

AVFramePtr FramePool::get(const AVFrame& like) {
    for (const AVFramePtr& frame : frames_)
        if (same_shape(*frame, like) && av_frame_is_writable(frame.get()) != 0)
            return lend(*frame, like);
    frames_.push_back(bare_frame(like));
    return lend(*frames_.back(), like);
}

}  // namespace weft
