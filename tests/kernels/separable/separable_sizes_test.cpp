#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/separable/separable_reuse.h"

namespace weft {

namespace {

// Not a box.
std::vector<float> factors(int count) {
    std::vector<float> values(static_cast<std::size_t>(count), 0.1F);
    values.front() = 0.2F;
    return values;
}

}  // namespace

TEST(KernelsSeparableSizes, PadFactorsToCompiledOnes) {
    struct Row {
        PixelType type;
        int channels, width, height;
        int size;  // 0: the small form does not take them
    };
    constexpr PixelType kU16 = PixelType::u16, kF32 = PixelType::f32;
    for (const Row& row :
         {Row{kU16, 1, 1, 1, 3},    Row{kU16, 1, 15, 2, 15},  Row{kU16, 1, 3, 16, 17},
          Row{kU16, 1, 18, 18, 21}, Row{kU16, 1, 26, 1, 31},  Row{kU16, 1, 33, 33, 33},
          Row{kU16, 1, 34, 5, 41},  Row{kU16, 1, 49, 49, 49}, Row{kU16, 1, 7, 50, 65},
          Row{kU16, 1, 66, 2, 0},   Row{kU16, 2, 4, 4, 5},    Row{kU16, 3, 10, 9, 17},
          Row{kU16, 4, 18, 24, 25}, Row{kU16, 4, 34, 1, 0},   Row{kF32, 1, 1, 1, 1},
          Row{kF32, 1, 33, 33, 33}, Row{kF32, 1, 2, 2, 0},    Row{kF32, 1, 3, 5, 0},
          Row{kF32, 4, 9, 9, 9},    Row{kF32, 4, 11, 11, 0},  Row{kF32, 2, 3, 3, 0}}) {
        ConvProblem p;
        p.width = 1920;
        p.height = 1080;
        p.conv = {{.taps = {separable_taps(factors(row.width), factors(row.height))}}};
        p.type = row.type;
        p.max_value = 65535;
        p.channels = row.channels;
        const std::optional<std::size_t> variant = find_small_variant(p);
        EXPECT_EQ(variant ? small_size(p, kSmallVariants[*variant]) : 0, row.size) << describe(p);
    }
}

}  // namespace weft
