#include "app/media/picture/palette.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>
#include <vector>

namespace weft {
namespace {

constexpr std::size_t kEntries = 256;
constexpr std::uint32_t kTransparent = 0;
constexpr std::uint32_t kOpaque = 0xFF000000U;
// If there are too many colours, they are counted at 5 bits per channel: 32768 bins.
constexpr std::uint32_t kBinMask = 0xF8F8F8U;

struct Colour {
    std::array<int, 3> channel{};  // b, g, r
    std::int64_t count = 0;
};

using Counts = std::unordered_map<std::uint32_t, std::int64_t>;

std::uint32_t pixel_at(const AVFrame& frame, int x, int y) {
    std::uint32_t value = 0;
    std::memcpy(&value, frame.data[0] + y * frame.linesize[0] + x * 4, sizeof value);
    return value;
}

bool is_transparent(std::uint32_t pixel) {
    return (pixel >> 24U) < 128;
}

Counts count_colours(const AVFrame& frame, std::uint32_t mask, bool& transparent) {
    Counts counts;
    for (int y = 0; y < frame.height; ++y)
        for (int x = 0; x < frame.width; ++x) {
            const std::uint32_t pixel = pixel_at(frame, x, y);
            if (is_transparent(pixel))
                transparent = true;
            else
                ++counts[pixel & mask];
        }
    return counts;
}

int channel_of(std::uint32_t pixel, unsigned c) {
    return static_cast<int>((pixel >> (8 * c)) & 0xFFU);
}

struct Box {
    std::size_t begin = 0;
    std::size_t end = 0;
    unsigned widest = 0;      // channel
    std::int64_t weight = 0;  // width of that channel times the pixels: the box to split next
};

Box measure(const std::vector<Colour>& colours, std::size_t begin, std::size_t end) {
    Box box{.begin = begin, .end = end};
    std::int64_t pixels = 0;
    int width = -1;
    for (std::size_t i = begin; i < end; ++i) pixels += colours[i].count;
    for (unsigned c = 0; c < 3; ++c) {
        int low = 255;
        int high = 0;
        for (std::size_t i = begin; i < end; ++i) {
            low = std::min(low, colours[i].channel[c]);
            high = std::max(high, colours[i].channel[c]);
        }
        if (high - low > width) {
            width = high - low;
            box.widest = c;
        }
    }
    box.weight = end - begin > 1 ? width * pixels : 0;
    return box;
}

// Splits the box's pixels in half; both sides keep at least one colour.
std::size_t median(const std::vector<Colour>& colours, const Box& box) {
    std::int64_t total = 0;
    for (std::size_t i = box.begin; i < box.end; ++i) total += colours[i].count;
    std::int64_t seen = 0;
    for (std::size_t i = box.begin; i < box.end - 1; ++i) {
        seen += colours[i].count;
        if (seen * 2 >= total) return i + 1;
    }
    return box.end - 1;
}

std::uint32_t mean(const std::vector<Colour>& colours, const Box& box) {
    std::array<std::int64_t, 3> sum{};
    std::int64_t total = 0;
    for (std::size_t i = box.begin; i < box.end; ++i) {
        for (unsigned c = 0; c < 3; ++c) sum[c] += colours[i].channel[c] * colours[i].count;
        total += colours[i].count;
    }
    std::uint32_t pixel = kOpaque;
    for (unsigned c = 0; c < 3; ++c)
        // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): no box is empty
        pixel |= static_cast<std::uint32_t>((sum[c] + total / 2) / total) << (8 * c);
    return pixel;
}

std::vector<std::uint32_t> median_cut(const Counts& counts, std::size_t entries) {
    std::vector<Colour> colours;
    colours.reserve(counts.size());
    for (const auto& [pixel, count] : counts)
        colours.push_back(
            {{channel_of(pixel, 0), channel_of(pixel, 1), channel_of(pixel, 2)}, count});
    std::vector<Box> boxes{measure(colours, 0, colours.size())};
    while (boxes.size() < entries) {
        const auto next = std::max_element(boxes.begin(), boxes.end(),
                                           [](auto& a, auto& b) { return a.weight < b.weight; });
        if (next->weight == 0) break;
        const Box box = *next;
        std::sort(colours.begin() + static_cast<std::ptrdiff_t>(box.begin),
                  colours.begin() + static_cast<std::ptrdiff_t>(box.end),
                  [&](const Colour& a, const Colour& b) {
                      return a.channel[box.widest] < b.channel[box.widest];
                  });
        const std::size_t middle = median(colours, box);
        *next = measure(colours, box.begin, middle);
        boxes.push_back(measure(colours, middle, box.end));
    }
    std::vector<std::uint32_t> palette;
    palette.reserve(boxes.size());
    for (const Box& box : boxes) palette.push_back(mean(colours, box));
    return palette;
}

// The palette of opaque colours. `exact`: it contains every pixel's colour.
std::vector<std::uint32_t> choose_palette(const AVFrame& frame, bool& transparent, bool& exact) {
    const Counts counts = count_colours(frame, 0xFFFFFFU, transparent);
    const std::size_t room = kEntries - (transparent ? 1 : 0);
    exact = counts.size() <= room;
    if (!exact) {
        bool ignored = false;
        return median_cut(count_colours(frame, kBinMask, ignored), room);
    }
    std::vector<std::uint32_t> palette;
    for (const auto& [pixel, count] : counts) palette.push_back(pixel | kOpaque);
    std::sort(palette.begin(), palette.end());
    return palette;
}

// Finds nearest entries and caches them per colour.
class NearestEntry {
 public:
    // `mask` drops low bits before the search: diffused errors would make every pixel a new colour.
    NearestEntry(const std::vector<std::uint32_t>& palette, std::uint32_t mask)
        : palette_(palette), mask_(mask) {}

    std::uint8_t find(std::uint32_t pixel) {
        const auto [at, added] = known_.try_emplace(pixel & mask_, std::uint8_t{0});
        if (added) at->second = search(pixel & mask_);
        return at->second;
    }

 private:
    std::uint8_t search(std::uint32_t pixel) const {
        std::size_t best = 0;
        int least = 1 << 30;
        for (std::size_t i = 0; i < palette_.size(); ++i) {
            int distance = 0;
            for (unsigned c = 0; c < 3; ++c) {
                const int d = channel_of(pixel, c) - channel_of(palette_[i], c);
                distance += d * d;
            }
            if (distance < least) {
                least = distance;
                best = i;
            }
        }
        return static_cast<std::uint8_t>(best);
    }

    const std::vector<std::uint32_t>& palette_;
    std::uint32_t mask_;
    std::unordered_map<std::uint32_t, std::uint8_t> known_;
};

using Error3 = std::array<int, 3>;

// Adds the error carried to this pixel, which is in sixteenths.
std::uint32_t corrected(std::uint32_t pixel, const Error3& error) {
    std::uint32_t result = kOpaque;
    for (unsigned c = 0; c < 3; ++c) {
        const int value = std::clamp(channel_of(pixel, c) + error[c] / 16, 0, 255);
        result |= static_cast<std::uint32_t>(value) << (8 * c);
    }
    return result;
}

void diffuse(std::vector<Error3>& here, std::vector<Error3>& below, std::size_t x,
             const Error3& error) {
    for (unsigned c = 0; c < 3; ++c) {
        here[x + 2][c] += error[c] * 7;
        below[x][c] += error[c] * 3;
        below[x + 1][c] += error[c] * 5;
        below[x + 2][c] += error[c];
    }
}

void map_pixels(const AVFrame& frame, const std::vector<std::uint32_t>& palette, bool dither,
                AVFrame& out) {
    NearestEntry nearest(palette, dither ? 0xFCFCFCU : 0xFFFFFFU);
    const auto transparent_entry = static_cast<std::uint8_t>(kEntries - 1);
    const auto width = static_cast<std::size_t>(frame.width);
    std::vector<Error3> here(width + 2);
    std::vector<Error3> below(width + 2);
    for (int y = 0; y < frame.height; ++y) {
        for (std::size_t x = 0; x < width; ++x) {
            const std::uint32_t pixel = pixel_at(frame, static_cast<int>(x), y);
            std::uint8_t& entry = out.data[0][y * out.linesize[0] + static_cast<int>(x)];
            if (is_transparent(pixel)) {
                entry = transparent_entry;
                continue;
            }
            const std::uint32_t wanted = dither ? corrected(pixel, here[x + 1]) : pixel;
            entry = nearest.find(wanted);
            if (!dither) continue;
            Error3 error{};
            for (unsigned c = 0; c < 3; ++c)
                error[c] = channel_of(wanted, c) - channel_of(palette[entry], c);
            diffuse(here, below, x, error);
        }
        here.swap(below);
        std::fill(below.begin(), below.end(), Error3{});
    }
}

}  // namespace

AVFramePtr to_palette(const AVFrame& frame) {
    AVFramePtr out = make_frame();
    av_check(av_frame_copy_props(out.get(), &frame), "copying frame properties", "palette");
    out->format = AV_PIX_FMT_PAL8;
    out->width = frame.width;
    out->height = frame.height;
    av_check(av_frame_get_buffer(out.get(), 0), "allocating a frame", "palette");
    bool transparent = false;
    bool exact = false;
    const std::vector<std::uint32_t> palette = choose_palette(frame, transparent, exact);
    std::array<std::uint32_t, kEntries> table{};
    table.fill(palette.empty() ? kOpaque : palette.front());
    std::copy(palette.begin(), palette.end(), table.begin());
    if (transparent) table.back() = kTransparent;
    std::memcpy(out->data[1], table.data(), sizeof table);
    map_pixels(frame, palette, !exact, *out);
    return out;
}

}  // namespace weft
