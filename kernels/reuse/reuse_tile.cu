// Launches reuse_tile.cuh.
#include <array>

#include "kernels/common/kernel_launch.cuh"
#include "kernels/reuse/reuse_variants.cuh"

namespace weft {

namespace {

template <class S>
bool can_be_early() {
    return can_start_early(reuse_tile<S>);
}

template <class S>
void launch_tile(const TileArgs& args, int blocks, bool early, StreamView stream) {
    launch(
        reuse_tile<S>,
        {.blocks = static_cast<unsigned>(blocks), .threads = dim3(32, kReuseWarps), .early = early},
        stream, args, "launch column_row_reuse");
}

template <class... S>
constexpr std::array<TileVariant, sizeof...(S)> compiled_tiles(Variants<S...>) {
    return {TileVariant{pixel_type_of<typename S::Pixel>(), S::kChannels, S::kSize, S::kBlock,
                        S::kRows, 16, can_be_early<S>, launch_tile<S>}...};
}

}  // namespace

std::span<const TileVariant> tile_variants() {
    static constexpr auto variants = compiled_tiles(TileForms{});
    return variants;
}

}  // namespace weft
