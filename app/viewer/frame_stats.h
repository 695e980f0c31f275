// Numbers about one picture, and about two: histograms, waveforms, a region's statistics, PSNR.
// Over host planes as plane_views() gives them, with the FrameInfo of the same frame. Pure;
// everything may run on any thread. Samples of floats that are no numbers are left out.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "filters/frame_info.h"
#include "kernels/image_view.h"

namespace weft {

inline constexpr int kLevels = 256;

struct ComponentHistogram {
    Component component = Component::y;
    std::array<std::uint32_t, kLevels> bins{};  // of equal width over the range of the depth
    double min = 0;                             // in the samples' own steps
    double max = 0;
    double mean = 0;
    std::int64_t samples = 0;  // looked at
};

// How many rows apart to look so that no plane costs more than 540 rows: 2 at 1080p, 4 at 2160p.
// All three planes of 1080p then take one core about 2 ms for histograms or errors and 3 ms for
// waveforms.
int sampled_row_step(const FrameInfo& info);

// One a component, in the planes' order. Every row_step-th row is looked at, from the first on.
// Floats count from 0 to 1; what lies outside goes to the outermost bins.
std::vector<ComponentHistogram> histograms(std::span<const ImageView> planes, const FrameInfo& info,
                                           int row_step);

// How often each level occurs in each of `columns` equal strips of the picture's width.
struct Waveform {
    Component component = Component::y;
    int columns = 0;
    std::vector<std::uint32_t> counts;  // kLevels rows of `columns`; the darkest level first

    std::uint32_t at(int column, int level) const {
        return counts[static_cast<std::size_t>(level) * static_cast<std::size_t>(columns) +
                      static_cast<std::size_t>(column)];
    }
};

// One a component; no more columns than the plane has. Rows as for histograms().
std::vector<Waveform> waveforms(std::span<const ImageView> planes, const FrameInfo& info,
                                int columns, int row_step);

// log(1 + count) over log(1 + the largest count), 0..255, in the same order.
std::vector<std::uint8_t> log_brightness(const Waveform& waveform);

// Luma samples as coded; what lies outside the picture is left out. Chroma that is shared with
// samples outside counts.
struct Region {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;
};

struct RegionStatistics {
    Component component = Component::y;
    double min = 0;  // in the samples' own steps, as all of these; 0 where there are no samples
    double max = 0;
    double mean = 0;
    double deviation = 0;  // standard, of the region's samples themselves
    std::int64_t samples = 0;
};

// Every sample of the region is looked at, a component after the other.
std::vector<RegionStatistics> region_statistics(std::span<const ImageView> planes,
                                                const FrameInfo& info, const Region& region);

struct ComponentError {
    Component component = Component::y;
    double largest = 0;       // difference of any sample; infinite for NaN beside a number
    double mean_squared = 0;  // of the differences
    double psnr_db = 0;       // 10·log10(max² / mean_squared); infinite for equal pictures
};

// Of two pictures of one format and size. Rows as for histograms().
std::vector<ComponentError> picture_error(std::span<const ImageView> want,
                                          std::span<const ImageView> got, const FrameInfo& info,
                                          int row_step);

}  // namespace weft
