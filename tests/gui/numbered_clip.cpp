#include "tests/gui/numbered_clip.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <string>

namespace weft::gui {
namespace {

constexpr int kBits = 8;
constexpr std::array<int, 3> kMagenta = {107, 202, 222};  // Y, Cb, Cr of BT.601

bool in_border(int x, int y) {
    return x < kClipBorder || y < kClipBorder || x >= kClipWidth - kClipBorder ||
           y >= kClipHeight - kClipBorder;
}

int inner_luma(int x, int y, int number) {
    if (y >= kClipHeight / 2) return x < kClipWidth / 2 ? kDark : kBright;
    const int bit = (x - kClipBorder) * kBits / (kClipWidth - 2 * kClipBorder);
    return (number >> bit & 1) != 0 ? 235 : 16;
}

std::string picture(int number) {
    std::string bytes;
    for (int plane = 0; plane < 3; ++plane)
        for (int y = 0; y < kClipHeight; ++y)
            for (int x = 0; x < kClipWidth; ++x) {
                const int inner = plane == 0 ? inner_luma(x, y, number) : 128;
                bytes.push_back(static_cast<char>(in_border(x, y) ? kMagenta[plane] : inner));
            }
    return bytes;
}

bool is_magenta(const Rgb& c) {
    return c.r > 200 && c.b > 200 && c.g < 60;
}

}  // namespace

void write_numbered_clip(const std::filesystem::path& path, int frames) {
    std::ofstream file(path, std::ios::binary);
    file << "YUV4MPEG2 W" << kClipWidth << " H" << kClipHeight << " F30:1 Ip A1:1 C444\n";
    for (int number = 0; number < frames; ++number) file << "FRAME\n" << picture(number);
    if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

int screen_level(int luma) {
    return static_cast<int>(std::lround((luma - 16) * 255.0 / 219.0));
}

std::optional<PixelRect> find_clip(const Screenshot& shot) {
    int left = shot.width;
    int right = -1;
    int top = shot.height;
    int bottom = -1;
    for (int y = 0; y < shot.height; ++y)
        for (int x = 0; x < shot.width; ++x) {
            if (!is_magenta(shot.at(x, y))) continue;
            left = std::min(left, x);
            right = std::max(right, x);
            top = std::min(top, y);
            bottom = std::max(bottom, y);
        }
    const PixelRect found{left, top, right - left + 1, bottom - top + 1};
    const double aspect = 1.0 * found.width / found.height;
    const bool whole = right > left && std::abs(aspect - 1.0 * kClipWidth / kClipHeight) < 0.05;
    return whole ? std::optional(found) : std::nullopt;
}

Rgb clip_pixel(const Screenshot& shot, const PixelRect& place, double x, double y) {
    return shot.at(place.x + static_cast<int>(x * place.width),
                   place.y + static_cast<int>(y * place.height));
}

int frame_number(const Screenshot& shot, const PixelRect& place) {
    constexpr double kInner = 1.0 - 2.0 * kClipBorder / kClipWidth;
    int number = 0;
    for (int bit = 0; bit < kBits; ++bit) {
        const double x = 1.0 * kClipBorder / kClipWidth + (bit + 0.5) / kBits * kInner;
        if (clip_pixel(shot, place, x, 0.3).g > 128) number |= 1 << bit;
    }
    return number;
}

}  // namespace weft::gui
