#include "app/media/picture/picture_scaler.h"

#include "app/media/picture/frame.h"
#include "app/media/picture/picture_format.h"
#include "app/media/picture/pixel_traits.h"
#include "kernels/pixels/pixel_ops.h"

namespace weft {
namespace {

ScalerSide side_of(const AVFrame& frame) {
    return {frame.width, frame.height, without_range(static_cast<AVPixelFormat>(frame.format)),
            is_full_range(frame), matrix_of(frame)};
}

AVFramePtr on_host(const AVFrame& frame) {
    AVFramePtr copy = new_frame_like(frame);
    const auto from = plane_views(frame);
    const auto to = plane_views(*copy);
    for (std::size_t p = 0; p < from.size(); ++p) copy_image(from[p], to[p], nullptr);
    return copy;
}

// Copies the properties that results share with the given picture.
void take_format(AVFrame& frame, const AVFrame& like) {
    frame.format = sample_format(like);
    frame.width = like.width;
    frame.height = like.height;
    frame.color_range = like.color_range;
    frame.colorspace = like.colorspace;
    frame.chroma_location = like.chroma_location;
    frame.sample_aspect_ratio = like.sample_aspect_ratio;
}

}  // namespace

PictureScaler::PictureScaler(const AVFrame& like, std::string path)
    : like_(make_frame()), path_(std::move(path)) {
    take_format(*like_, like);
}

AVFramePtr PictureScaler::scale(const AVFrame& frame) {
    if (in_gpu_memory(frame)) return scale(*on_host(frame));
    prepare(frame);
    AVFramePtr result = blank_like(frame);
    av_check(sws_scale(sws_.get(), frame.data, frame.linesize, 0, frame.height, result->data,
                       result->linesize),
             "converting a picture", path_);
    return result;
}

AVFramePtr PictureScaler::blank_like(const AVFrame& frame) const {
    AVFramePtr result = make_frame();
    av_check(av_frame_copy_props(result.get(), &frame), "copying frame properties", path_);
    take_format(*result, *like_);
    av_check(av_frame_get_buffer(result.get(), 0), "allocating a frame", path_);
    return result;
}

void PictureScaler::prepare(const AVFrame& frame) {
    const ScalerSide from = side_of(frame);
    if (sws_ && from == from_) return;
    sws_ = open_scaler(from, side_of(*like_), path_);
    from_ = from;
}

}  // namespace weft
