// The two compilations of the row loops give the same bits.
#include "kernels/pixels/host_rows.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace weft {

namespace {

constexpr PixelType kTypes[] = {PixelType::u8, PixelType::u16, PixelType::f32};
constexpr std::size_t kCounts[] = {0, 1, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 257};

// Ordinary sums, ties, both ends of the range, and values that no sum should have.
std::vector<float> sums(std::size_t count) {
    std::mt19937 random(static_cast<std::uint32_t>(count));
    const float special[] = {
        0.5F,   1.5F,     2.5F,  -0.5F,  254.5F,
        255.5F, 65534.5F, 1e30F, -1e30F, std::numeric_limits<float>::infinity(),
        NAN,    -0.0F,    1e-42F};
    std::vector<float> out;
    out.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(random() % 4 == 0 ? special[random() % std::size(special)]
                                        : static_cast<float>(random() % 1000000) * 0.37F - 1e4F);
    return out;
}

// Bits of the floats, with all NaNs alike: the sign and payload of a NaN are unspecified.
std::vector<std::uint32_t> bits(const std::vector<float>& values) {
    std::vector<std::uint32_t> out;
    out.reserve(values.size());
    for (const float v : values)
        out.push_back(std::isnan(v) ? 0x7FC00000U : std::bit_cast<std::uint32_t>(v));
    return out;
}

std::vector<float> as_floats(const std::vector<std::byte>& bytes) {
    std::vector<float> out(bytes.size() / sizeof(float));
    std::memcpy(out.data(), bytes.data(), out.size() * sizeof(float));
    return out;
}

std::vector<std::byte> finished(const RowOps& ops, PixelType type, std::size_t count,
                                const RowFinish& how) {
    const std::vector<float> in = sums(count);
    std::vector<std::byte> out(count * bytes_per_sample(type) + 8, std::byte{0x5A});
    ops.finish(in.data(), out.data(), type, count, how);
    return out;
}

// Random bytes that serve as samples of any type.
std::vector<std::byte> noise(std::size_t bytes) {
    std::mt19937 random(99);
    std::vector<std::byte> out(bytes);
    for (std::byte& b : out) b = static_cast<std::byte>(random() & 0x3F);
    return out;
}

}  // namespace

TEST(KernelsRows, FinishGivesTheSameBits) {
    const RowFinish finishes[] = {
        {1.0F, 0.0F, 255.0F}, {0.04F, 0.5F, 1023.0F}, {-1.5F, 1e4F, 65535.0F}};
    for (const PixelType type : kTypes) {
        for (const std::size_t count : kCounts) {
            for (const RowFinish& how : finishes) {
                const auto fast = finished(row_ops(), type, count, how);
                const auto plain = finished(baseline_row_ops(), type, count, how);
                if (type == PixelType::f32)
                    EXPECT_EQ(bits(as_floats(fast)), bits(as_floats(plain)));
                else
                    EXPECT_EQ(fast, plain) << "count " << count << ", scale " << how.scale;
            }
        }
    }
}

TEST(KernelsRows, FinishRoundsHalvesToEvenAndSaturates) {
    const float in[] = {0.5F, 1.5F, 2.5F, 3.5F, 254.5F, 255.5F, -0.5F, -7.0F, 1e30F, NAN};
    const std::uint8_t want[] = {0, 2, 2, 4, 254, 255, 0, 0, 255, 0};
    for (const RowOps* ops : {&row_ops(), &baseline_row_ops()}) {
        std::uint8_t out[10];
        ops->finish(in, out, PixelType::u8, 10, {1.0F, 0.0F, 255.0F});
        for (int i = 0; i < 10; ++i) EXPECT_EQ(out[i], want[i]) << ops->name << " " << in[i];
    }
}

TEST(KernelsRows, FinishFusesItsMultiplyAndAdd) {
    // 1 + 2^-12 squared is 1 + 2^-11 + 2^-24: only a fused multiply-add keeps the last term.
    const float x = 1.0F + 0x1p-12F;
    for (const RowOps* ops : {&row_ops(), &baseline_row_ops()}) {
        float out = 0;
        ops->finish(&x, &out, PixelType::f32, 1, {x, -(1.0F + 0x1p-11F), 0.0F});
        EXPECT_EQ(out, 0x1p-24F) << ops->name;
    }
}

TEST(KernelsRows, FloatLoopsGiveTheSameBits) {
    for (const std::size_t count : kCounts) {
        std::vector<float> fast = sums(count);
        std::vector<float> plain = fast;
        const std::vector<float> b = sums(count + 1);
        row_ops().magnitude(fast.data(), b.data(), count);
        baseline_row_ops().magnitude(plain.data(), b.data(), count);
        EXPECT_EQ(bits(fast), bits(plain));
        const RowBlend how{.scale = 0.7F, .bias = -3.0F, .threshold = 2.0F, .absolute = true};
        row_ops().blend(fast.data(), count, how);
        baseline_row_ops().blend(plain.data(), count, how);
        EXPECT_EQ(bits(fast), bits(plain));
    }
}

TEST(KernelsRows, WeighingGivesTheSameBits) {
    const std::vector<std::byte> in = noise(257 * 4);
    for (const PixelType type : kTypes) {
        for (const std::size_t count : kCounts) {
            std::vector<float> fast(count), plain(count);
            row_ops().weigh(0.3F, in.data(), type, fast.data(), count);
            row_ops().add_weighed(-1.7F, in.data(), type, fast.data(), count);
            baseline_row_ops().weigh(0.3F, in.data(), type, plain.data(), count);
            baseline_row_ops().add_weighed(-1.7F, in.data(), type, plain.data(), count);
            EXPECT_EQ(bits(fast), bits(plain));
        }
    }
}

TEST(KernelsRows, GatherAndScatterAreInverse) {
    const std::vector<std::byte> in = noise(257 * 4 * 4);
    for (const PixelType type : kTypes) {
        for (std::size_t step = 1; step <= 4; ++step) {
            std::vector<float> channel(257);
            row_ops().gather(in.data(), type, step, channel.data(), 257);
            std::vector<std::byte> samples(257 * bytes_per_sample(type));
            row_ops().finish(channel.data(), samples.data(), type, 257, {1, 0, 65535.0F});
            std::vector<std::byte> out(257 * step * bytes_per_sample(type), std::byte{0xEE});
            row_ops().scatter(samples.data(), out.data(), type, step, 257);
            for (std::size_t i = 0; i < out.size(); ++i) {
                const bool ours = i / bytes_per_sample(type) % step == 0;
                ASSERT_EQ(out[i], ours ? in[i] : std::byte{0xEE}) << "byte " << i;
            }
        }
    }
}

}  // namespace weft
