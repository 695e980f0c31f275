// Kernels made ready for one problem. For CUDA sources only.
//
// A family uploads its data, chooses its launch and returns prepared() around a body that sets what
// changes from launch to launch and starts the kernels. The body owns what they need, including
// arrays that only its arguments point to.
#pragma once

#include <utility>

#include "kernels/common/conv_layout.h"
#include "kernels/common/direct_layout.h"
#include "kernels/common/kernel_launch.cuh"
#include "kernels/conv_kernel.h"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"

namespace weft {

// The border tables of an image on the device.
class DeviceBorders {
 public:
    // Uploads to the current device; throws CudaError.
    explicit DeviceBorders(const BorderTables& borders)
        : entries_(upload(borders.entries)), y_table_(borders.y_table) {}

    // `images` is valid while this lives.
    void point(ConvImages& images) const {
        images.x.table = entries_.get();
        images.y.table = entries_.get() + y_table_;
    }

 private:
    DeviceArray<int> entries_;
    std::size_t y_table_;
};

// body(src, dst, stream) runs with the device current and images that match the problem.
template <class Body>
std::unique_ptr<PreparedConv> prepared(const ConvProblem& p, const Device& device, Body body) {
    class Prepared : public PreparedConv {
     public:
        Prepared(const ConvProblem& p, const Device& device, Body&& body)
            : problem_(p), device_(device), body_(std::move(body)) {}

        void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
            check_images(problem_, src, dst, MemorySpace::device);
            use_device(device_);
            body_(src, dst, stream);
        }

     private:
        ConvProblem problem_;
        Device device_;
        Body body_;
    };
    return std::make_unique<Prepared>(p, device, std::move(body));
}

// A kernel of a TiledLayout.
template <class Args>
std::unique_ptr<PreparedConv> prepared_tiled(const ConvProblem& p, const Device& device,
                                             void (*kernel)(Args), dim3 block,
                                             const TiledLayout<Args>& layout) {
    const LaunchShape shape{.blocks = static_cast<unsigned>(layout.blocks),
                            .threads = block,
                            .shared_bytes = layout.shared_bytes};
    if (shape.shared_bytes > 48 * 1024) allow_all_shared_memory(kernel);
    Args args = layout.args;
    DeviceBorders borders(layout.borders);
    borders.point(args.direct.images);
    DeviceArray<float> taps = upload(layout.taps);
    args.direct.taps = taps.get();
    auto body = [=, borders = std::move(borders), taps = std::move(taps)](
                    const ImageView& src, const ImageView& dst, StreamView stream) mutable {
        set_images(src, dst, args.direct.images);
        launch(kernel, shape, stream, args, "launch a tiled kernel");
    };
    return prepared(p, device, std::move(body));
}

}  // namespace weft
