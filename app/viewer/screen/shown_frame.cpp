#include "app/viewer/screen/shown_frame.h"

#include "kernels/pixels/pixel_ops.h"

namespace weft {

AVFramePtr frame_of(const ShownFrame& shown, Side side) {
    const AVFrame& decoded = *shown.played.frame->av;
    const Picture& picture = shown.side(side);
    if (&picture == &shown.original && !in_gpu_memory(decoded)) {
        AVFramePtr frame = make_frame();
        av_check(av_frame_ref(frame.get(), &decoded), "sharing a frame's pixels", "memory");
        return frame;
    }
    AVFramePtr frame = new_frame_like(decoded);
    const PlaneViews planes = plane_views(*frame);
    for (std::size_t p = 0; p < planes.size(); ++p)
        copy_image(picture.planes[p], planes[p], nullptr);
    return frame;
}

}  // namespace weft
