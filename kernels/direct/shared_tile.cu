// Launches shared_tile.cuh.
#include "kernels/common/prepared.cuh"
#include "kernels/direct/shared_tile.cuh"

namespace weft {

std::unique_ptr<PreparedConv> prepare_shared_tile(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    const auto kernel = with_pixel_type(p.type, []<class P>(P) { return shared_tile<P>; });
    return prepared_tiled(p, device, kernel, dim3(kDirectBlockX, kDirectBlockY),
                          lay_out_shared_tile(p));
}

}  // namespace weft
