#include "app/pipeline/race/error_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/with_sample_type.h"

namespace weft {
namespace {

double distance(double want, double got) {
    if (want == got || (std::isnan(want) && std::isnan(got))) return 0;
    const double apart = std::fabs(want - got);
    return std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
}

// The largest distance among the samples of each pixel.
template <class Sample>
std::vector<double> distances(const ImageView& want, const ImageView& got) {
    std::vector<double> all;
    all.reserve(static_cast<std::size_t>(want.width) * want.height);
    for (int y = 0; y < want.height; ++y) {
        const Sample* a = reinterpret_cast<const Sample*>(want.row(y));
        const Sample* b = reinterpret_cast<const Sample*>(got.row(y));
        for (int x = 0; x < want.width; ++x) {
            double largest = 0;
            for (int c = 0; c < want.channels; ++c)
                largest = std::max(largest,
                                   distance(static_cast<double>(*a++), static_cast<double>(*b++)));
            all.push_back(largest);
        }
    }
    return all;
}

std::size_t bin_of(double error) {
    std::size_t bin = 0;
    for (double most = 0; error > most && bin + 1 < ErrorMap::kBins; ++bin)
        most = std::max(2 * most, 1.0);
    return bin;
}

std::uint8_t level_of(double error, double largest) {
    if (error <= 0) return 0;
    if (!std::isfinite(error)) return 255;
    const double share = std::isfinite(largest) ? error / largest : 0;
    return static_cast<std::uint8_t>(1 + std::lround(254 * share));
}

}  // namespace

ErrorMap map_errors(const std::string& kernel, const ImageView& want, const ImageView& got) {
    ErrorMap map;
    map.kernel = kernel;
    map.width = want.width;
    map.height = want.height;
    std::vector<double> errors;
    with_sample_type(want.type,
                     [&](auto sample) { errors = distances<decltype(sample)>(want, got); });
    for (const double error : errors) map.largest = std::max(map.largest, error);
    map.levels.reserve(errors.size());
    for (const double error : errors) {
        map.levels.push_back(level_of(error, map.largest));
        ++map.pixels[bin_of(error)];
    }
    return map;
}

}  // namespace weft
