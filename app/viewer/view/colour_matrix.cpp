#include "app/viewer/view/colour_matrix.h"

namespace weft {

LumaShares luma_shares(const FrameInfo& info) {
    switch (luma_matrix(info)) {
        case ColorMatrix::bt601:
            return {0.299, 0.114};
        case ColorMatrix::bt2020:
            return {0.2627, 0.0593};
        case ColorMatrix::bt709:
        case ColorMatrix::unspecified:
            return {0.2126, 0.0722};
    }
    return {0.2126, 0.0722};
}

const char* name_of_luma(const FrameInfo& info) {
    switch (luma_matrix(info)) {
        case ColorMatrix::bt601:
            return "BT.601";
        case ColorMatrix::bt2020:
            return "BT.2020";
        case ColorMatrix::bt709:
        case ColorMatrix::unspecified:
            return "BT.709";
    }
    return "BT.709";
}

ColourTransform to_rgb(const FrameInfo& info) {
    if (info.is_rgb()) return {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
    const auto [kr, kb] = luma_shares(info);
    const double kg = 1 - kr - kb;
    const double largest = info.max_value();
    const bool whole = info.sample == SampleType::f32;
    // Limited range: black at 16, 219 steps of luma and 224 of chroma, all times 2^(depth - 8).
    const double step = whole ? 1.0 / 255 : (largest + 1) / 256 / largest;
    const double luma = info.full_range ? 1 : 1 / (219 * step);
    const double chroma = info.full_range ? 1 : 1 / (224 * step);
    const double middle = whole ? 0.5 : (largest + 1) / 2 / largest;
    const double red = 2 * (1 - kr) * chroma;
    const double blue = 2 * (1 - kb) * chroma;
    return {{luma, 0, red,                           //
             luma, -blue * kb / kg, -red * kr / kg,  //
             luma, blue, 0},
            {info.full_range ? 0 : 16 * step, middle, middle}};
}

}  // namespace weft
