#include "app/viewer/shell/kernel_colours.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace weft {
namespace {

// The sRGB curve.
double linear(double sample) {
    return sample <= 0.04045 ? sample / 12.92 : std::pow((sample + 0.055) / 1.055, 2.4);
}
double encoded(double light) {
    return light <= 0.0031308 ? light * 12.92 : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
}

// Red, green and blue, from 0 to 1.
using Light = std::array<double, 3>;

double luminance(const Light& light) {
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
}

double luminance(const Colour& c) {
    return luminance(Light{linear(c.red / 255.0), linear(c.green / 255.0), linear(c.blue / 255.0)});
}

// HSV with a saturation of 0.6 and a value of 0.95.
Light of_hue(double hue) {
    Light light{};
    for (std::size_t k = 0; k < light.size(); ++k) {
        const double turned = std::fmod(hue * 6 + (k == 0 ? 0.0 : k == 1 ? 4.0 : 2.0), 6.0);
        const double share = std::clamp(std::fabs(turned - 3) - 1, 0.0, 1.0);
        light[k] = linear(0.95 * (1 - 0.6 * (1 - share)));
    }
    return light;
}

Light brightened(Light light, double least) {
    const double has = luminance(light);
    const double white = has < least ? (least - has) / (1 - has) : 0.0;
    for (double& part : light) part += (1 - part) * white;
    return light;
}

Light darkened(Light light, double most) {
    const double factor = std::min(most / luminance(light), 1.0);
    for (double& part : light) part *= factor;
    return light;
}

// Slightly more than 3, because colours are rounded to 8 bits.
constexpr double kContrast = 3.05;

Light contrasting(const Light& light, const Palette& p) {
    const auto [darkest, lightest] =
        std::minmax({luminance(p.window), luminance(p.popup), luminance(p.row),
                     luminance(p.row_hovered), luminance(p.row_active)});
    if (darkest > luminance(p.text)) return darkened(light, (darkest + 0.05) / kContrast - 0.05);
    return brightened(light, (lightest + 0.05) * kContrast - 0.05);
}

std::uint8_t sample_of(double light) {
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp(encoded(light), 0.0, 1.0)));
}

}  // namespace

Colour kernel_colour(std::size_t kernel, const Palette& palette) {
    const double hue = std::fmod(0.58 + 0.618034 * static_cast<double>(kernel), 1.0);
    const Light light = contrasting(of_hue(hue), palette);
    return {sample_of(light[0]), sample_of(light[1]), sample_of(light[2])};
}

}  // namespace weft
