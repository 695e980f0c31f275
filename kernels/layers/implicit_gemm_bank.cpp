#include "kernels/layers/implicit_gemm_bank.h"

#include "kernels/common/half_bits.h"
#include "kernels/common/quotient.h"

namespace weft {

namespace {

constexpr int kMostShared = 99 * 1024;  // per block, on every GPU from Ampere on
constexpr int kLeastWidth = 48;
constexpr int kMostChannels = 4;
constexpr int kFragmentHalves = 32 * 8;  // per chunk of four taps

int weight_bytes(const LayerProblem& p) {
    if (p.type == LayerType::f32)
        return p.in_channels * p.taps.y * p.taps.x * kBankMaps * static_cast<int>(sizeof(float));
    return p.taps.y * ceil_div(p.taps.x, 4) * kFragmentHalves * 2;
}

int shared_bytes(const LayerProblem& p) {
    const int more = p.taps.y - 1;
    if (p.type == LayerType::f32)
        return weight_bytes(p) + p.in_channels * (kBankWarps + more) *
                                     (kBankPixels / 4 + bank_window(p.taps.x) - 1) * 16;
    return weight_bytes(p) +
           (kHalfBankHeight + more) * (kHalfBankPixels + 4 * ceil_div(p.taps.x, 4)) * 8;
}

bool takes_row(const LayerProblem& p) {
    if (p.type == LayerType::f16)
        return p.layout == LayerLayout::nhwc && p.taps.x <= 4 * kMostChunks;
    return p.layout == LayerLayout::nchw && p.taps.x % 2 == 1 && p.taps.x >= 3 && p.taps.x <= 11;
}

// Zero for missing maps, channels and taps.
float weight_at(const LayerProblem& p, const std::vector<float>& used, int map, int channel, int y,
                int x) {
    if (map >= p.out_channels || channel >= p.in_channels || x >= p.taps.x) return 0.0F;
    const int at = ((map * p.in_channels + channel) * p.taps.y + y) * p.taps.x + x;
    return used[static_cast<std::size_t>(at)];
}

std::vector<float> broadcast_weights(const LayerProblem& p, int map_tiles) {
    const std::vector<float> used = used_weights(p);
    std::vector<float> out;
    for (int tile = 0; tile < map_tiles; ++tile)
        for (int c = 0; c < p.in_channels; ++c)
            for (int y = 0; y < p.taps.y; ++y)
                for (int x = 0; x < p.taps.x; ++x)
                    for (int m = 0; m < kBankMaps; ++m)
                        out.push_back(weight_at(p, used, tile * kBankMaps + m, c, y, x));
    return out;
}

std::vector<std::uint16_t> fragment_weights(const LayerProblem& p, int map_tiles, int chunks) {
    const std::vector<float> used = used_weights(p);
    std::vector<std::uint16_t> out;
    for (int tile = 0; tile < map_tiles; ++tile)
        for (int y = 0; y < p.taps.y; ++y)
            for (int chunk = 0; chunk < chunks; ++chunk)
                for (int at = 0; at < kFragmentHalves; ++at) {
                    const int g = at / 8 / 4;
                    const int q = at / 8 % 4;
                    const int eight = at % 8 / 4;  // tile of eight maps
                    const int k = at % 4 / 2 * 8 + 2 * q + at % 2;
                    const int map = tile * kBankMaps + g / 2 * 4 + eight * 2 + g % 2;
                    out.push_back(half_bits(weight_at(p, used, map, k % 4, y, chunk * 4 + k / 4)));
                }
    return out;
}

}  // namespace

bool takes_bank(const LayerProblem& p) {
    const auto is_one = [](const Extent& e) { return e.y == 1 && e.x == 1; };
    return p.groups == 1 && p.in_channels <= kMostChannels && is_one(p.stride) &&
           is_one(p.dilation) && p.out_width() >= kLeastWidth && takes_row(p) &&
           shared_bytes(p) <= kMostShared;
}

BankPlan plan_bank(const LayerProblem& p) {
    const bool half = p.type == LayerType::f16;
    const int height = half ? kHalfBankHeight : kBankWarps;
    BankPlan plan;
    BankArgs& a = plan.args;
    a.shape = layer_shape(p);
    a.weight_vectors = weight_bytes(p) / 16;
    a.tiles_x = ceil_div(p.out_width(), half ? kHalfBankPixels : kBankPixels);
    a.tiles_y = ceil_div(p.out_height(), height);
    a.map_tiles = ceil_div(p.out_channels, kBankMaps);
    a.tile_rows = height + p.taps.y - 1;
    a.whole_vectors = (half ? p.out_channels : p.out_width()) % 4 == 0;
    plan.blocks = a.tiles_x * a.tiles_y * a.map_tiles * p.batch;
    plan.shared_bytes = shared_bytes(p);
    plan.chunks = ceil_div(p.taps.x, 4);
    if (half)
        plan.halves = fragment_weights(p, a.map_tiles, plan.chunks);
    else
        plan.weights = broadcast_weights(p, a.map_tiles);
    return plan;
}

}  // namespace weft
