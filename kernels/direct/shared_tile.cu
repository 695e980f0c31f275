// Launches shared_tile.cuh.
#include "kernels/common/tiled_launch.cuh"
#include "kernels/device/stream.h"
#include "kernels/direct/shared_tile.cuh"

namespace weft {

namespace {

void (*shared_tile_for(PixelType type))(SharedTileArgs) {
    switch (type) {
        case PixelType::u8:
            return shared_tile<U8>;
        case PixelType::u16:
            return shared_tile<U16>;
        case PixelType::f32:
            break;
    }
    return shared_tile<F32>;
}

}  // namespace

std::unique_ptr<PreparedConv> prepare_shared_tile(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedTiled<SharedTileArgs>>(p, device, shared_tile_for(p.type),
                                                           dim3(kDirectBlockX, kDirectBlockY),
                                                           lay_out_shared_tile(p));
}

}  // namespace weft
