// The frame properties that a filter may depend on: geometry, samples and colour, no pixels.
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

// A colour component. Gray frames have a single component, y.
enum class Component : std::uint8_t { y, u, v, r, g, b, a };

enum class SampleType : std::uint8_t { u8, u16, f32 };

// Luma coefficients of RGB frames, from the file's colour tag. `unspecified` is treated as BT.709
// for frames of 720 lines and more and as BT.601 below, as mpv does.
enum class ColorMatrix : std::uint8_t { unspecified, bt601, bt709, bt2020 };

// How light becomes sample values, from the file's tag; bt709 is also that of BT.601 and BT.2020.
enum class TransferFunction : std::uint8_t {
    unspecified,
    bt709,
    srgb,
    gamma22,
    gamma28,
    pq,
    hlg,
    linear,
    other
};

// One plane in memory: `components.size()` interleaved channels, in memory order.
// nv12 has planes {y} and {u, v}; bgra has one plane {b, g, r, a}; gbrp has {g}, {b}, {r}.
struct PlaneInfo {
    int width = 0;  // in samples of one component
    int height = 0;
    std::vector<Component> components;
};

// A FrameInfo describes a frame to filters, whereas a FrameFormat describes it to players.
struct FrameInfo {
    int width = 0;  // luma samples, as coded: before rotation
    int height = 0;
    SampleType sample = SampleType::u8;
    int depth_bits = 8;  // significant low bits of a sample; 32 for f32
    std::vector<PlaneInfo> planes;
    ColorMatrix matrix = ColorMatrix::unspecified;
    TransferFunction transfer = TransferFunction::unspecified;
    bool full_range = false;
    int rotation_degrees = 0;  // 0, 90, 180 or 270: clockwise turn that a player applies
    bool interlaced = false;

    // The largest sample value: 2^depth_bits - 1; 1 for f32, where it is a reference, not a limit.
    float max_value() const {
        return sample == SampleType::f32 ? 1.0F : static_cast<float>((1U << depth_bits) - 1U);
    }
    bool is_rgb() const {
        for (const PlaneInfo& plane : planes)
            for (Component c : plane.components)
                if (c == Component::r) return true;
        return false;
    }
};

// The luma coefficients of frames like `info`: the tag's, or the default without a tag.
inline ColorMatrix luma_matrix(const FrameInfo& info) {
    if (info.matrix != ColorMatrix::unspecified) return info.matrix;
    return info.height >= 720 ? ColorMatrix::bt709 : ColorMatrix::bt601;
}

// The transfer function of frames like `info`: the tag's, or without a tag sRGB for RGB and BT.709
// for YUV and gray, as players assume.
inline TransferFunction light_transfer(const FrameInfo& info) {
    if (info.transfer != TransferFunction::unspecified) return info.transfer;
    return info.is_rgb() ? TransferFunction::srgb : TransferFunction::bt709;
}

}  // namespace weft
