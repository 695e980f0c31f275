// The compiled kernels of column_row_reuse for layers, and which of them a plan means.
#pragma once

#include "kernels/layers/layer_lanes.cuh"
#include "kernels/layers/layer_pixels.cuh"
#include "kernels/layers/layer_planes.cuh"
#include "kernels/layers/layer_small_planes.cuh"

namespace weft {

using DepthwiseKernel = void (*)(DepthwiseArgs);

// Calls the member template of `kernels` for the plan's cut (lanes, small_planes, planes or pixels)
// with its compiled form. `kernels` returns the kernel: the program and the tests each have one of
// the same name.
template <class E, int K, int S, int C, class Kernels>
DepthwiseKernel pick_lanes(const DepthwisePlan& plan, const Kernels& kernels) {
    if constexpr (C == 2 && (K == 5 || S == 2))
        if (plan.form.lanes.whole) return kernels.template lanes<LaneForm<E, K, S, C, true>>();
    return kernels.template lanes<LaneForm<E, K, S, C, false>>();
}

template <class E, int K, int S, class Kernels>
DepthwiseKernel pick_nchw(const DepthwisePlan& plan, const Kernels& kernels) {
    if constexpr (K <= 5) {
        if (plan.form.lanes.columns == 2) return pick_lanes<E, K, S, 2>(plan, kernels);
        if (plan.form.lanes.columns == 4) return pick_lanes<E, K, S, 4>(plan, kernels);
    }
    if constexpr (K <= 5 && S == 1)
        if (plan.form.cut == DepthwiseCut::small_planes)
            return kernels.template small_planes<SmallForm<E, K>>();
    return plan.whole_groups ? kernels.template planes<PlaneForm<E, K, S, true>>()
                             : kernels.template planes<PlaneForm<E, K, S, false>>();
}

template <class E, int K, int S, class Kernels>
DepthwiseKernel pick_layout(const DepthwisePlan& plan, const Kernels& kernels) {
    if (plan.form.cut != DepthwiseCut::pixels) return pick_nchw<E, K, S>(plan, kernels);
    return plan.whole_vectors ? kernels.template pixels<PixelForm<E, K, S, true>>()
                              : kernels.template pixels<PixelForm<E, K, S, false>>();
}

template <class E, int K, class Kernels>
DepthwiseKernel pick_stride(const DepthwisePlan& plan, const Kernels& kernels) {
    return plan.form.stride == 1 ? pick_layout<E, K, 1>(plan, kernels)
                                 : pick_layout<E, K, 2>(plan, kernels);
}

template <class E, class Kernels>
DepthwiseKernel pick_taps(const DepthwisePlan& plan, const Kernels& kernels) {
    if (plan.form.taps == 3) return pick_stride<E, 3>(plan, kernels);
    return plan.form.taps == 5 ? pick_stride<E, 5>(plan, kernels)
                               : pick_stride<E, 7>(plan, kernels);
}

template <class Kernels>
DepthwiseKernel pick_depthwise(const DepthwisePlan& plan, LayerType type, const Kernels& kernels) {
    return type == LayerType::f32 ? pick_taps<ElementF32>(plan, kernels)
                                  : pick_taps<ElementF16>(plan, kernels);
}

}  // namespace weft
