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
