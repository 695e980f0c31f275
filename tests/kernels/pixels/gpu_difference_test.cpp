// Images compared on the GPU give the host's counts.
#include <limits>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/device/image_buffer.h"
#include "kernels/device/stream.h"
#include "kernels/pixels/image_difference.h"
#include "kernels/pixels/pixel_ops.h"
#include "tests/kernels/device/gpu.h"

namespace weft::test {

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

void set_sample(const ImageView& image, int x, int y, float value) {
    std::byte* const at = image.row(y) + static_cast<std::size_t>(x) * bytes_per_sample(image.type);
    if (image.type == PixelType::u8) *reinterpret_cast<std::uint8_t*>(at) = value > 0 ? 200 : 3;
    if (image.type == PixelType::u16) *reinterpret_cast<std::uint16_t*>(at) = value > 0 ? 999 : 3;
    if (image.type == PixelType::f32) *reinterpret_cast<float*>(at) = value;
}

// The same noise in both, except for about one sample in `gap`.
void fill_pair(const ImageView& want, const ImageView& got, int gap, std::uint32_t seed) {
    std::mt19937 random(seed);
    for (int y = 0; y < want.height; ++y) {
        for (int x = 0; x < want.width * want.channels; ++x) {
            const float value = random() % 2 == 0 ? 0.0F : 0.75F;
            set_sample(want, x, y, value);
            const bool differs = gap > 0 && random() % static_cast<unsigned>(gap) == 0;
            set_sample(got, x, y, !differs ? value : value > 0 ? -1.5F : random() % 2 ? kNan : 2);
        }
    }
}

class GpuImageDifference : public NeedsGpu<testing::Test> {};

TEST_F(GpuImageDifference, IsTheHosts) {
    use_device(first_gpu());
    const Stream stream;
    GpuDifference difference;
    for (const PixelType type : {PixelType::u8, PixelType::u16, PixelType::f32}) {
        for (int channels = 1; channels <= 4; ++channels) {
            for (const auto& [width, height] :
                 {std::pair{1, 1}, {31, 5}, {257, 3}, {1021, 7}, {3, 5000}}) {
                ImageDifference expected;
                for (const int gap : {0, 1, 5, 1000}) {
                    const ImageBuffer host[] = {
                        {width, height, channels, type, Allocation::pinned},
                        {width, height, channels, type, Allocation::pinned}};
                    const ImageBuffer device[] = {
                        {width, height, channels, type, Allocation::device},
                        {width, height, channels, type, Allocation::device}};
                    fill_pair(host[0].view(), host[1].view(), gap, 7U * gap + width);
                    for (int k = 0; k < 2; ++k)
                        copy_image(host[k].view(), device[k].view(), stream.view());
                    difference.add(device[0].view(), device[1].view(), stream.view());
                    stream.synchronize();
                    expected.add(host[0].view(), host[1].view());
                }
                const ImageDifference found = difference.take(stream.view());
                const std::string where = fmt::format("{}×{}×{} of {} bytes", width, height,
                                                      channels, bytes_per_sample(type));
                EXPECT_EQ(found.pixels, expected.pixels) << where;
                EXPECT_EQ(found.differing, expected.differing) << where;
                EXPECT_EQ(found.largest, expected.largest) << where;
                EXPECT_EQ(difference.take(stream.view()).pixels, 0) << where;
            }
        }
    }
}

}  // namespace

}  // namespace weft::test
