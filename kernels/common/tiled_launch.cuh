// A kernel of a TiledLayout made ready for one problem. For CUDA sources only.
#pragma once

#include "kernels/common/device_borders.cuh"
#include "kernels/common/direct_layout.h"
#include "kernels/common/kernel_launch.cuh"
#include "kernels/conv_kernel.h"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"

namespace weft {

template <class Args>
class PreparedTiled : public PreparedConv {
 public:
    using Kernel = void (*)(Args);

    PreparedTiled(const ConvProblem& p, const Device& device, Kernel kernel, dim3 block,
                  const TiledLayout<Args>& layout)
        : problem_(p),
          device_(device),
          kernel_(kernel),
          block_(block),
          taps_(upload(layout.taps)),
          borders_(layout.borders),
          args_(layout.args),
          blocks_(layout.blocks),
          shared_bytes_(layout.shared_bytes) {
        borders_.point(args_.direct.images);
        args_.direct.taps = taps_.get();
        if (shared_bytes_ > 48 * 1024) allow_all_shared_memory(kernel_);
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        set_images(src, dst, args_.direct.images);
        kernel_<<<blocks_, block_, shared_bytes_, stream>>>(args_);
        cuda_check(cudaGetLastError(), "launch a tiled kernel");
    }

 private:
    ConvProblem problem_;
    Device device_;
    Kernel kernel_;
    dim3 block_;
    DeviceArray<float> taps_;
    DeviceBorders borders_;
    Args args_;
    int blocks_;
    int shared_bytes_;
};

}  // namespace weft
