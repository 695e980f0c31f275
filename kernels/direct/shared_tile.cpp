#include "kernels/direct/shared_tile.h"

#include "kernels/common/kernel_terms.h"
#include "kernels/common/quotient.h"
#include "kernels/device/cuda_build.h"

namespace weft {

namespace {

int shared_tile_pitch(const ConvProblem& p) {
    return kDirectBlockX + (p.taps().width - 1) * p.channels;
}

}  // namespace

int shared_tile_bytes(const ConvProblem& p) {
    return 4 * shared_tile_pitch(p) * (kSharedTileRows + p.taps().height - 1);
}

TiledLayout<SharedTileArgs> lay_out_shared_tile(const ConvProblem& p) {
    DirectLayout direct = lay_out_direct(p);
    TiledLayout<SharedTileArgs> layout;
    layout.args.direct = direct.args;
    layout.args.pitch = shared_tile_pitch(p);
    layout.borders = std::move(direct.borders);
    layout.taps = std::move(direct.taps);
    layout.blocks = grid_size(direct.args.tiles_x, ceil_div(p.height, kSharedTileRows));
    layout.shared_bytes = shared_tile_bytes(p);
    return layout;
}

extern constinit const ConvKernel kSharedTileKernel = {
    .name = "shared_tile",
    .summary = "a tile and its halo in shared memory, one window per output; for comparison",
    .source = "textbook",
    .limits =
        "NVIDIA GPU; dense taps up to 63×63 and layers, both while a tile with its halo fits into "
        "shared memory",
    .space = MemorySpace::device,
    .why_not = [](const ConvProblem& p, const Device& device) -> std::string {
        std::string reason = why_not_fp32_sums(p);
        return reason.empty() ? why_no_room(shared_tile_bytes(p), device) : reason;
    },
    .prepare = cuda_only<prepare_shared_tile>(),
    .cost = dense_cost,
};

}  // namespace weft
