#include "app/viewer/shell/palette.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <initializer_list>

#include <gtest/gtest.h>

#include "app/viewer/shell/kernel_colours.h"

namespace weft {
namespace {

// Relative luminance and contrast as in the Web Content Accessibility Guidelines 2.1.
double linear(std::uint8_t sample) {
    const double v = sample / 255.0;
    return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}
double luminance(const Colour& c) {
    return 0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue);
}
double contrast(const Colour& a, const Colour& b) {
    const double x = luminance(a);
    const double y = luminance(b);
    return (std::fmax(x, y) + 0.05) / (std::fmin(x, y) + 0.05);
}

TEST(ViewerPalette, ContrastOfBlackAndWhiteIs21) {
    EXPECT_NEAR(contrast(rgb(0x000000), rgb(0xFFFFFF)), 21, 1e-9);
}

constexpr double kText = 7;   // WCAG level AAA
constexpr double kMarks = 3;  // of controls, level AA

TEST(ViewerPalette, TextIsLegibleOnEveryGround) {
    for (const Palette& p : {kDarkPalette, kLightPalette})
        for (const Colour& ground :
             {p.window, p.menu_bar, p.popup, p.field, p.row, p.title, p.field_hovered,
              p.field_active, p.row_hovered, p.row_active, p.button, p.button_hovered,
              p.button_active, p.primary, p.primary_hovered, p.primary_active, p.tab, p.tab_hovered,
              p.tab_active})
            EXPECT_GE(contrast(p.text, ground), kText)
                << +ground.red << " " << +ground.green << " " << +ground.blue;
}

TEST(ViewerPalette, DimAndColouredTextIsLegibleOnPanelsAndPopups) {
    for (const Palette& p : {kDarkPalette, kLightPalette}) {
        for (const Colour& ground : {p.window, p.menu_bar, p.popup, p.field, p.row, p.tab})
            EXPECT_GE(contrast(p.dim_text, ground), kText) << +ground.red;
        for (const Colour& ground : {p.window, p.menu_bar, p.popup})
            for (const Colour& text : {p.error_text, p.good_text})
                EXPECT_GE(contrast(text, ground), kText) << +text.red;
    }
}

// The largest difference of two channels.
int colourfulness(const Colour& c) {
    const auto [least, most] = std::minmax({+c.red, +c.green, +c.blue});
    return most - least;
}

TEST(ViewerPalette, OnlyThePrimaryActionHasAnAccent) {
    constexpr int kGray = 14;  // slightly blue
    for (const Palette& p : {kDarkPalette, kLightPalette}) {
        for (const Colour& gray :
             {p.text,        p.dim_text,    p.window,     p.menu_bar,       p.popup,
              p.field,       p.row,         p.title,      p.field_hovered,  p.field_active,
              p.row_hovered, p.row_active,  p.button,     p.button_hovered, p.button_active,
              p.tab,         p.tab_hovered, p.tab_active, p.line,           p.outline,
              p.mark,        p.played,      p.cached})
            EXPECT_LE(colourfulness(gray), kGray) << +gray.red << " " << +gray.blue;
        for (const Colour& accent : {p.primary, p.primary_hovered, p.primary_active})
            EXPECT_GE(colourfulness(accent), 4 * kGray);
    }
}

// Parts that must be seen to use a control: its edge, its handle, the parts of the timeline.
TEST(ViewerPalette, GraphicsStandOutOnEveryGround) {
    for (const Palette& p : {kDarkPalette, kLightPalette}) {
        for (const Colour& ground : {p.window, p.menu_bar, p.popup, p.field, p.row, p.tab})
            for (const Colour& graphic : {p.outline, p.mark})
                EXPECT_GE(contrast(graphic, ground), kMarks) << +graphic.red << +ground.red;
        for (const Colour& part : {p.played, p.cached, p.loop}) {
            EXPECT_GE(contrast(part, p.field), kMarks) << +part.red;
            EXPECT_GE(contrast(part, p.window), kMarks) << +part.red;
        }
        EXPECT_GE(contrast(p.played, p.cached), kMarks);
    }
}

// In tables and plots, more of them than there are kernels.
TEST(ViewerPalette, KernelsStandOutAndDifferFromTheirNeighbours) {
    constexpr std::size_t kKernels = 64;
    constexpr int kApart = 60;  // in the channel that differs most
    for (const Palette& p : {kDarkPalette, kLightPalette})
        for (std::size_t k = 0; k < kKernels; ++k) {
            const Colour colour = kernel_colour(k, p);
            for (const Colour& ground : {p.window, p.popup, p.row, p.row_hovered, p.row_active})
                EXPECT_GE(contrast(colour, ground), kMarks) << k << " on " << +ground.red;
            const Colour next = kernel_colour(k + 1, p);
            const int apart =
                std::max({std::abs(colour.red - next.red), std::abs(colour.green - next.green),
                          std::abs(colour.blue - next.blue)});
            EXPECT_GE(apart, kApart) << k;
        }
}

}  // namespace
}  // namespace weft
