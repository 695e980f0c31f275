// The host parts of the GPU rows: border tables, layouts, the probe's text.
#include <array>

#include <gtest/gtest.h>

#include "kernels/common/conv_layout.h"
#include "kernels/conv_kernel.h"
#include "kernels/device/device_peak.h"
#include "kernels/device/gpu_rates.h"
#include "kernels/reuse/column_row_reuse.h"
#include "tests/support/gpu_table.h"
#include "tests/support/oracle.h"

#ifdef WEFT_HAVE_CUDA
#include "kernels/device/gpu_probe.h"
#endif

namespace weft::test {

namespace {

struct BorderPair {
    Border product;
    oracle::Edge naive;
};

constexpr std::array<BorderPair, 7> kBorders = {
    {{Border::reflect101, oracle::Edge::reflect101},
     {Border::reflect, oracle::Edge::reflect},
     {Border::replicate, oracle::Edge::replicate},
     {Border::wrap, oracle::Edge::wrap},
     {Border::constant, oracle::Edge::constant},
     {Border::ffmpeg, oracle::Edge::ffmpeg},
     {Border::ffmpeg_backwards, oracle::Edge::ffmpeg_backwards}}};

ConvProblem problem_with(int width, int height, PixelType type) {
    ConvProblem p;
    p.width = 640;
    p.height = 480;
    p.type = type;
    const std::vector<float> weights(static_cast<std::size_t>(width) * height, 1.0F);
    p.conv = {{.taps = {dense_taps(width, height, weights)}, .scale = 1.0F, .bias = 0.0F}};
    return p;
}

}  // namespace

TEST(KernelsBorderTable, AgreesWithTheOracle) {
    for (const BorderPair& border : kBorders) {
        for (const int n : {1, 2, 3, 7, 64}) {
            const std::vector<int> table = border_table(n, 70, 70, border.product);
            ASSERT_EQ(table.size(), 141U);
            for (int k = 0; k < 70; ++k) {
                EXPECT_EQ(table[k], oracle::edge_source(k - 70, n, border.naive)) << n << " " << k;
                EXPECT_EQ(table[70 + k], oracle::edge_source(n + k, n, border.naive)) << n << k;
            }
        }
    }
}

TEST(KernelsBorderTable, IsNeverEmpty) {
    EXPECT_EQ(border_table(5, 0, 0, Border::constant), std::vector<int>{-1});
}

TEST(KernelsReuseLayout, PadsOnlyIntegerPixels) {
    EXPECT_EQ(rolling_size(problem_with(3, 3, PixelType::u8)), 3);
    EXPECT_EQ(rolling_size(problem_with(2, 2, PixelType::u8)), 3);  // anchor (0, 0)
    EXPECT_EQ(rolling_size(problem_with(4, 4, PixelType::u8)), 5);
    EXPECT_EQ(rolling_size(problem_with(4, 4, PixelType::f32)), 0);
    EXPECT_EQ(rolling_size(problem_with(1, 1, PixelType::f32)), 1);
    EXPECT_EQ(rolling_size(problem_with(9, 9, PixelType::f32)), 9);
    EXPECT_EQ(rolling_size(problem_with(1, 9, PixelType::u8)), 0);  // 81 instead of 9
}

#ifdef WEFT_HAVE_CUDA
TEST(KernelsReuseLayout, CountsTheSharedMemoryOfEveryStripVariant) {
    for (const PixelType type : {PixelType::u8, PixelType::u16, PixelType::f32})
        for (const StripVariant& variant : strip_variants(type)) {
            ConvProblem p = problem_with(63, 63, type);
            p.channels = variant.channels;
            p.conv.resize(static_cast<std::size_t>(p.channels), p.conv.front());
            EXPECT_EQ(lay_out(p, variant).shared_bytes, strip_bytes(p)) << p.channels;
        }
}

// At 720p tall strips are fewer blocks than an H100 has multiprocessors.
TEST(KernelsReuseLayout, GivesSmallImagesLowStrips) {
    for (const int side : {11, 13, 31}) {
        ConvProblem p = problem_with(side, side, PixelType::u8);
        p.width = 1280;
        p.height = 720;
        EXPECT_GE(lay_out(p, *find_strip(p, strip_variants(p.type), 132)).blocks, 2 * 132) << side;
    }
}

// Shuffling four times as many words as bytes have, f32 takes a quarter longer in strips of two
// rows than in strips of four (on an H100, 57 µs instead of 46 at 11×11).
TEST(KernelsReuseLayout, GivesFloatsStripsThatAreWorthTheShuffles) {
    for (const int side : {11, 13, 17, 21}) {
        ConvProblem p = problem_with(side, side, PixelType::f32);
        p.width = 1280;
        p.height = 720;
        p.channels = 2;
        EXPECT_GE(find_strip(p, strip_variants(p.type), 132)->strip, 4) << side;
    }
}
#endif

namespace {

// The blocks of an H100, in a form for the problem's taps.
int rolling_blocks(const ConvProblem& p, int resident) {
    const RollingVariant variant{.type = p.type,
                                 .channels = p.channels,
                                 .size = p.taps().width,
                                 .sets = 1,
                                 .block_samples = 8,
                                 .reach = 8,
                                 .alignment_bytes = 8,
                                 .resident_blocks = resident,
                                 .can_be_early = nullptr,
                                 .launch = nullptr};
    RollingLayout layout = lay_out(p, variant, choose_strip(p, variant, 132));
    set_alignment(variant, true, true, layout);
    return layout.blocks;
}

}  // namespace

TEST(KernelsReuseLayout, GivesEveryMultiprocessorWork) {
    ConvProblem p = problem_with(5, 5, PixelType::u8);
    p.width = 3840;
    p.height = 2160;
    EXPECT_GE(rolling_blocks(p, 5), 132);
}

// No small remainder of blocks runs alone after all others are done.
TEST(KernelsReuseLayout, FillsItsLastWave) {
    for (const int resident : {4, 5, 6, 7}) {
        ConvProblem p = problem_with(7, 7, PixelType::f32);
        p.width = 3840;
        p.height = 2160;
        const int slots = 132 * resident;
        const int blocks = rolling_blocks(p, resident);
        const int waves = (blocks + slots - 1) / slots;
        EXPECT_GE(blocks, waves * slots * 3 / 4) << resident << " blocks a multiprocessor";
    }
}

TEST(KernelsGrid, RefusesWhatALaunchCannotHold) {
    EXPECT_EQ(grid_size(3, 70000), 210000);
    EXPECT_THROW(grid_size(1 << 20, 1 << 20), std::runtime_error);
}

TEST(KernelsProbe, GpuRowsSayWhyTheyCannotRunOnTheCpu) {
    for (const ConvKernel& row : conv_kernels()) {
        if (row.space == MemorySpace::host) continue;
        EXPECT_NE(why_cannot(row, problem_with(3, 3, PixelType::u8), cpu_device()), "") << row.name;
    }
}

TEST(KernelsProbe, GivesDevicesOrAReason) {
    const GpuProbe probe = probe_gpus();
    EXPECT_EQ(probe.devices.empty(), !probe.why_none.empty());
}

TEST(KernelsRates, AreOfTheCapabilityAndTheName) {
    struct Row {
        int major, minor;
        const char* name;
        double fmas, half_products, byte_products;
    };
    for (const Row& row :
         {Row{7, 0, "older than the table", 64, 512, 1024}, Row{7, 5, "Tesla T4", 64, 512, 1024},
          Row{7, 5, "NVIDIA GeForce RTX 2080", 64, 256, 1024},
          Row{8, 0, "NVIDIA A100-SXM4-40GB", 64, 1024, 2048},
          Row{8, 6, "NVIDIA RTX A6000", 128, 512, 1024},
          Row{8, 9, "NVIDIA GeForce RTX 4090", 128, 256, 1024},
          Row{9, 0, "NVIDIA H200", 128, 1350, 2700},
          Row{10, 3, "between two rows", 128, 1350, 2700},
          Row{12, 0, "NVIDIA GeForce RTX 5090", 128, 256, 1024},
          Row{13, 0, "newer than the table", 128, 512, 1024}}) {
        Device device;
        device.name = row.name;
        device.compute_major = row.major;
        device.compute_minor = row.minor;
        const GpuRates rates = gpu_rates(device);
        EXPECT_EQ(rates.fmas, row.fmas) << row.name;
        EXPECT_EQ(rates.half_products, row.half_products) << row.name;
        EXPECT_EQ(rates.byte_products, row.byte_products) << row.name;
        EXPECT_EQ(rates.bytes, kHopperRates.bytes) << row.name;
    }
}

TEST(KernelsRates, CountBytesPerClock) {
    EXPECT_NEAR(gpu_rates(device_of(kKnownGpus[6])).bytes, kHopperRates.bytes, 0.05);
    EXPECT_NEAR(gpu_rates(rtx_3060()).bytes, 360e9 / (28 * 1.777e9), 1e-9);
}

// NVIDIA publishes 360 GB/s, 12.7 and 25.5 TFLOPS for the RTX 3060.
TEST(KernelsRates, PeaksAreOfTheWholeGpu) {
    const DevicePeak peak = gpu_peak(rtx_3060());
    EXPECT_NEAR(peak.bytes, 360e9, 1e9);
    EXPECT_NEAR(peak.operations, 12.7e12, 0.1e12);
    EXPECT_NEAR(peak.half_operations, 25.5e12, 0.1e12);
    Device unknown;
    unknown.ordinal = 0;
    EXPECT_EQ(gpu_peak(unknown).operations, 0) << "its clock is unknown";
}

#ifdef WEFT_HAVE_CUDA
TEST(KernelsProbe, ReadsWhatTheChildWrites) {
    const GpuProbe probe = parse_gpu_description(
        "unusable\tOld GPU: this build has no code for it\n"
        "gpu\t1\t132\t9\t0\t150754820096\t62914560\t1980000000\t4916736000000\t13.0\t"
        "NVIDIA H200\n");
    ASSERT_EQ(probe.devices.size(), 1U);
    EXPECT_EQ(probe.devices[0].ordinal, 1);
    EXPECT_EQ(probe.devices[0].name, "NVIDIA H200");
    EXPECT_EQ(probe.devices[0].multiprocessors, 132);
    EXPECT_EQ(probe.devices[0].compute_major, 9);
    EXPECT_EQ(probe.devices[0].memory_bytes, 150754820096U);
    EXPECT_EQ(probe.devices[0].clock_hz, 1980000000U);
    EXPECT_EQ(probe.devices[0].memory_bytes_per_second, 4916736000000U);
    EXPECT_EQ(probe.devices[0].driver_version, "13.0");
    EXPECT_EQ(probe.why_none, "");
}

TEST(KernelsProbe, ReportsTheChildsReason) {
    EXPECT_EQ(parse_gpu_description("none\tno NVIDIA driver is loaded\n").why_none,
              "no NVIDIA driver is loaded");
    EXPECT_EQ(parse_gpu_description("unusable\tA: x\nunusable\tB: y\n").why_none, "A: x; B: y");
    EXPECT_EQ(parse_gpu_description("").why_none, "the NVIDIA driver sees no GPU");
    EXPECT_TRUE(parse_gpu_description("gpu\tgarbage").devices.empty());
}
#endif

}  // namespace weft::test
