#include "filters/edge_params.h"

#include <algorithm>
#include <utility>

namespace weft {
ComponentTaps finished_edges(std::vector<Taps> taps, double gain, const Params& params,
                             const FrameInfo& info) {
    return {.taps = std::move(taps),
            .scale = static_cast<float>(gain * params.number("scale")),
            .bias = static_cast<float>(params.number("delta")) * samples_per_level(info)};
}

Operation compass_edges(const std::array<float, 8>& ring, const Params& params,
                        const FrameInfo& info) {
    // The neighbours' places in a 3×3 matrix.
    constexpr std::array<std::size_t, 8> kPlaces{5, 2, 1, 0, 3, 6, 7, 8};
    std::vector<Taps> compass;
    for (std::size_t direction = 0; direction < ring.size(); ++direction) {
        std::vector<float> weights(9, 0.0F);
        for (std::size_t k = 0; k < ring.size(); ++k)
            weights[kPlaces[(direction + k) % ring.size()]] = ring[k];
        compass.push_back(dense_taps(3, 3, std::move(weights)));
    }
    return convolution_operation(
        {.components = {finished_edges(std::move(compass), 1.0, params, info)},
         .combine = Combine::maximum},
        params, info);
}

Operation signed_or_absolute(const Taps& taps, const Params& params, const FrameInfo& info) {
    const bool absolute = params.boolean("absolute");
    std::vector<Taps> sets{taps};
    if (absolute) sets.push_back(negated(taps));
    return convolution_operation(
        {.components = {finished_edges(std::move(sets), 1.0, params, info)},
         .combine = absolute ? Combine::maximum : Combine::single},
        params, info);
}

}  // namespace weft
