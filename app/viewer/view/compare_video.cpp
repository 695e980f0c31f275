#include "app/viewer/view/compare_video.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "app/media/picture/pixel_traits.h"
#include "app/viewer/view/false_colour.h"
#include "kernels/with_sample_type.h"

namespace weft {
namespace {

// The coded direction along which the displayed pictures are next to each other.
enum class Axis : std::uint8_t { x, y };

struct Seam {
    Axis axis = Axis::x;
    bool backwards = false;  // the coded start is shown on the right, or below
    int log2_chroma = 0;     // subsampling along the axis

    int chroma_step() const { return 1 << log2_chroma; }
    int aligned(int length) const { return (length + chroma_step() - 1) & ~(chroma_step() - 1); }
    // Converts a luma position to the plane's; `chroma`: the plane holds chroma.
    int on_plane(int place, bool chroma) const {
        return chroma ? AV_CEIL_RSHIFT(place, log2_chroma) : place;
    }
};

// `line` separates the pictures as they are displayed.
Seam seam_of(AVPixelFormat format, int rotation_degrees, WipeOrientation line) {
    const PixelTraits pixel = pixel_traits(format);
    const bool upright = line == WipeOrientation::vertical;
    const bool along_x = (rotation_degrees % 180 == 0) == upright;
    const int turned = upright ? 90 : 270;  // moves the coded start to the right, or below
    return {.axis = along_x ? Axis::x : Axis::y,
            .backwards = rotation_degrees == turned || rotation_degrees == 180,
            .log2_chroma = along_x ? pixel.log2_chroma_w : pixel.log2_chroma_h};
}

int length_along(Axis axis, const ImageView& view) {
    return axis == Axis::x ? view.width : view.height;
}

// `length` columns or rows starting at `start`.
ImageView part(ImageView view, Axis axis, int start, int length) {
    if (axis == Axis::x) {
        const auto pixel = static_cast<std::size_t>(view.channels) * bytes_per_sample(view.type);
        view.data = view.row(0) + static_cast<std::size_t>(start) * pixel;
        view.width = length;
    } else {
        view.data = view.row(start);
        view.height = length;
    }
    return view;
}

void copy(const ImageView& from, const ImageView& to) {
    for (int y = 0; y < from.height; ++y) std::memcpy(to.row(y), from.row(y), from.row_bytes());
}

AVFramePtr new_frame(const AVFrame& like, int width, int height) {
    AVFramePtr frame = make_frame();
    frame->format = like.format;
    frame->width = width;
    frame->height = height;
    av_check(av_frame_copy_props(frame.get(), &like), "copying a frame's tags", "memory");
    av_check(av_frame_get_buffer(frame.get(), 0), "allocating a frame", "memory");
    return frame;
}

// The two pictures in coded order.
struct Pair {
    const AVFrame* first;
    const AVFrame* second;
};

Pair in_coded_order(const Seam& seam, const AVFrame& left, const AVFrame& right) {
    if (seam.backwards) return {&right, &left};
    return {&left, &right};
}

AVFramePtr wipe(const CompareVideo& how, const Seam& seam, const Pair& pair) {
    const std::vector<PlaneInfo> planes = frame_info(*pair.first, 0).planes;
    const int length = seam.axis == Axis::x ? pair.first->width : pair.first->height;
    const double shown = std::clamp(how.position, 0.0, 1.0);
    const double coded = (seam.backwards ? 1 - shown : shown) * length / seam.chroma_step();
    const int split = std::min(static_cast<int>(std::lround(coded)) * seam.chroma_step(), length);

    AVFramePtr made = new_frame(*pair.first, pair.first->width, pair.first->height);
    const PlaneViews first = plane_views(*pair.first);
    const PlaneViews second = plane_views(*pair.second);
    const PlaneViews out = plane_views(*made);
    for (std::size_t p = 0; p < out.size(); ++p) {
        const int at = seam.on_plane(split, is_chroma(planes[p].components.front()));
        const int rest = length_along(seam.axis, out[p]) - at;
        copy(part(first[p], seam.axis, 0, at), part(out[p], seam.axis, 0, at));
        copy(part(second[p], seam.axis, at, rest), part(out[p], seam.axis, at, rest));
    }
    return made;
}

// Copies `from` to position `at`, then repeats its last column or row up to `end`.
void place(const ImageView& from, const ImageView& to, Axis axis, int at, int end) {
    const int length = length_along(axis, from);
    copy(from, part(to, axis, at, length));
    for (int k = at + length; k < end; ++k)
        copy(part(from, axis, length - 1, 1), part(to, axis, k, 1));
}

AVFramePtr side_by_side(const Seam& seam, const Pair& pair) {
    const AVFrame& like = *pair.first;
    const std::vector<PlaneInfo> planes = frame_info(like, 0).planes;
    const int half = seam.aligned(seam.axis == Axis::x ? like.width : like.height);
    AVFramePtr made = new_frame(like, seam.axis == Axis::x ? 2 * half : like.width,
                                seam.axis == Axis::y ? 2 * half : like.height);
    const PlaneViews first = plane_views(*pair.first);
    const PlaneViews second = plane_views(*pair.second);
    const PlaneViews out = plane_views(*made);
    for (std::size_t p = 0; p < out.size(); ++p) {
        const int middle = seam.on_plane(half, is_chroma(planes[p].components.front()));
        place(first[p], out[p], seam.axis, 0, middle);
        place(second[p], out[p], seam.axis, middle, 2 * middle);
    }
    return made;
}

// The sample value for a difference of zero, and the largest one.
struct Range {
    double middle;
    double max;
};

template <class Sample>
Sample shown_difference(Sample left, Sample right, double gain, const Range& range) {
    const double value =
        range.middle + gain * (static_cast<double>(right) - static_cast<double>(left));
    if constexpr (std::is_floating_point_v<Sample>) {
        return static_cast<Sample>(value);
    } else {  // not negative, so that truncating value + 0.5 rounds
        const double half_more = std::clamp(value, 0.0, range.max) + 0.5;
        return static_cast<Sample>(half_more);
    }
}

template <class Sample>
void subtract_row(const Sample* left, const Sample* right, Sample* out, std::size_t count,
                  double gain, const Range& range) {
    for (std::size_t k = 0; k < count; ++k)
        out[k] = shown_difference(left[k], right[k], gain, range);
}

template <class Sample>
void fill_channel(const ImageView& plane, std::size_t channel, double value) {
    for (int y = 0; y < plane.height; ++y) {
        auto* row = reinterpret_cast<Sample*>(plane.row(y));
        for (int x = 0; x < plane.width; ++x)
            row[static_cast<std::size_t>(x) * plane.channels + channel] =
                static_cast<Sample>(value);
    }
}

struct PlaneOperands {
    ImageView left, right, out;
};

template <class Sample>
void subtract(const PlaneOperands& operands, const PlaneInfo& plane, double gain,
              const Range& range) {
    const std::size_t count = static_cast<std::size_t>(operands.out.width) * operands.out.channels;
    for (int y = 0; y < operands.out.height; ++y)
        subtract_row(reinterpret_cast<const Sample*>(operands.left.row(y)),
                     reinterpret_cast<const Sample*>(operands.right.row(y)),
                     reinterpret_cast<Sample*>(operands.out.row(y)), count, gain, range);
    for (std::size_t c = 0; c < plane.components.size(); ++c)
        if (plane.components[c] == Component::a) fill_channel<Sample>(operands.out, c, range.max);
}

Range range_of(const FrameInfo& info) {
    const double max = info.max_value();
    return {info.sample == SampleType::f32 ? max / 2 : (max + 1) / 2, max};
}

AVFramePtr difference(double gain, const AVFrame& left, const AVFrame& right) {
    AVFramePtr made = new_frame(right, right.width, right.height);
    const FrameInfo info = frame_info(right, 0);
    const PlaneViews a = plane_views(left);
    const PlaneViews b = plane_views(right);
    const PlaneViews out = plane_views(*made);
    for (std::size_t p = 0; p < out.size(); ++p) {
        const PlaneOperands operands{a[p], b[p], out[p]};
        with_sample_type(out[p].type, [&](auto sample) {
            subtract<decltype(sample)>(operands, info.planes[p], gain, range_of(info));
        });
    }
    return made;
}

AVFramePtr false_colours(double gain, const AVFrame& left, const AVFrame& right) {
    AVFramePtr made = new_frame(right, right.width, right.height);
    paint_false_colours(gain, left, right, *made);
    return made;
}

}  // namespace

AVFramePtr compare_frames(const CompareVideo& how, const AVFrame& left, const AVFrame& right) {
    if (how.layout == CompareLayout::difference && how.false_colour)
        return false_colours(how.gain, left, right);
    if (how.layout == CompareLayout::difference) return difference(how.gain, left, right);
    const auto format = static_cast<AVPixelFormat>(left.format);
    const bool wipes = how.layout == CompareLayout::wipe;
    const Seam seam = seam_of(format, how.rotation_degrees, how.line);
    const Pair pair = in_coded_order(seam, left, right);
    return wipes ? wipe(how, seam, pair) : side_by_side(seam, pair);
}

FrameComposer compare_composer(const CompareVideo& how) {
    return [how](const AVFrame& left, const AVFrame& right) {
        return compare_frames(how, left, right);
    };
}

}  // namespace weft
