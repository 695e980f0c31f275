#include "app/media/picture/scaler.h"

extern "C" {
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "app/media/picture/frame.h"
#include "app/media/picture/frame_format.h"
#include "app/media/picture/pixel_traits.h"
#include "kernels/pixels/pixel_ops.h"

namespace weft {

namespace {

constexpr int kFlags =
    SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT;
constexpr int kOne = 1 << 16;  // neutral contrast and saturation, 16.16 fixed point

// Null if libswscale cannot convert. It must know the ranges at init: between equal formats it
// copies, and ignores ranges set later without an error.
SwsContextPtr make_context(const ScalerSide& from, const ScalerSide& to) {
    if (sws_isSupportedInput(from.format) == 0 || sws_isSupportedOutput(to.format) == 0)
        return nullptr;
    SwsContextPtr sws(sws_alloc_context());
    if (!sws) return nullptr;
    const std::pair<const char*, std::int64_t> options[] = {
        {"srcw", from.width},        {"srch", from.height},
        {"src_format", from.format}, {"src_range", from.full_range ? 1 : 0},
        {"dstw", to.width},          {"dsth", to.height},
        {"dst_format", to.format},   {"dst_range", to.full_range ? 1 : 0},
        {"sws_flags", kFlags},
    };
    for (const auto& [name, value] : options)
        if (av_opt_set_int(sws.get(), name, value, 0) < 0) return nullptr;
    if (sws_init_context(sws.get(), nullptr, nullptr) < 0) return nullptr;
    return sws;
}

}  // namespace

SwsContextPtr open_scaler(const ScalerSide& from, const ScalerSide& to, const std::string& path) {
    SwsContextPtr sws = make_context(from, to);
    if (!sws)
        throw MediaError(Outcome::failed, fmt::format("{}: cannot convert {} to {}", path,
                                                      av_get_pix_fmt_name(from.format),
                                                      av_get_pix_fmt_name(to.format)));
    // Fails for pairs that need no matrix, which is harmless.
    (void)sws_setColorspaceDetails(sws.get(), sws_getCoefficients(from.matrix),
                                   from.full_range ? 1 : 0, sws_getCoefficients(to.matrix),
                                   to.full_range ? 1 : 0, 0, kOne, kOne);
    return sws;
}

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

// Copies the properties that results share with the given frame.
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

FrameScaler::FrameScaler(const AVFrame& like, std::string path)
    : like_(make_frame()), path_(std::move(path)) {
    take_format(*like_, like);
}

AVFramePtr FrameScaler::scale(const AVFrame& frame) {
    if (in_gpu_memory(frame)) return scale(*on_host(frame));
    prepare(frame);
    AVFramePtr result = blank_like(frame);
    av_check(sws_scale(sws_.get(), frame.data, frame.linesize, 0, frame.height, result->data,
                       result->linesize),
             "converting a picture", path_);
    return result;
}

AVFramePtr FrameScaler::blank_like(const AVFrame& frame) const {
    AVFramePtr result = make_frame();
    av_check(av_frame_copy_props(result.get(), &frame), "copying frame properties", path_);
    take_format(*result, *like_);
    av_check(av_frame_get_buffer(result.get(), 0), "allocating a frame", path_);
    return result;
}

void FrameScaler::prepare(const AVFrame& frame) {
    const ScalerSide from = side_of(frame);
    if (sws_ && from == from_) return;
    sws_ = open_scaler(from, side_of(*like_), path_);
    from_ = from;
}

}  // namespace weft
