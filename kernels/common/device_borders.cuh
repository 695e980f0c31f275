// The border tables of an image on the device. For CUDA sources only.
#pragma once

#include "kernels/common/conv_layout.h"
#include "kernels/device/device_array.cuh"

namespace weft {

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

}  // namespace weft
