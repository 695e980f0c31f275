#include "app/viewer/view/frame_stats.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <gtest/gtest.h>

#include "tests/pipeline/test_frames.h"

namespace weft::test {
namespace {

constexpr int kSizes[][2] = {{1, 1}, {2, 3}, {7, 5}, {64, 33}, {35, 18}};

// Runs `check` on a random frame of each format and size.
template <class Check>
void for_each_picture(const Check& check) {
    for (const FormatRow& row : format_rows())
        for (const auto& [width, height] : kSizes) {
            SCOPED_TRACE(testing::Message()
                         << av_get_pix_fmt_name(row.format) << " " << width << "x" << height);
            const AVFramePtr frame = random_frame(row, width, height, 11);
            check(row, *frame, frame_info(*frame, 0));
        }
}

TEST(ViewerStats, HistogramsCountEverySampleOfTheRows) {
    for_each_picture([](const FormatRow& row, const AVFrame& frame, const FrameInfo& info) {
        for (const int step : {1, 2, 3}) {
            const auto result = histograms(plane_views(frame), info, step);
            ASSERT_EQ(result.size(), row.components.size());
            for (const ComponentHistogram& h : result) {
                const oracle::Image image = component_image(frame, row, h.component);
                std::map<int, std::uint32_t> bins;
                double sum = 0, least = 1e9, most = -1;
                int count = 0;
                for (int y = 0; y < image.height; y += step)
                    for (int x = 0; x < image.width; ++x, ++count) {
                        const double v = image.samples[image.index(x, y, 0)];
                        ++bins[static_cast<int>(std::floor(v * 256 / std::exp2(row.depth)))];
                        sum += v;
                        least = std::min(least, v);
                        most = std::max(most, v);
                    }
                for (int level = 0; level < kLevels; ++level)
                    EXPECT_EQ(h.bins.at(static_cast<std::size_t>(level)), bins[level]) << level;
                EXPECT_EQ(h.samples, count);
                EXPECT_EQ(h.min, least);
                EXPECT_EQ(h.max, most);
                EXPECT_NEAR(h.mean, sum / count, 1e-9 * most);
            }
        }
    });
}

TEST(ViewerStats, WaveformsCountEachStripOfTheWidth) {
    for_each_picture([](const FormatRow& row, const AVFrame& frame, const FrameInfo& info) {
        for (const int columns : {1, 5, 64, 1000})
            for (const Waveform& w : waveforms(plane_views(frame), info, columns, 2)) {
                const oracle::Image image = component_image(frame, row, w.component);
                ASSERT_EQ(w.columns, std::min(columns, image.width));
                std::map<std::pair<int, int>, std::uint32_t> counts;
                for (int y = 0; y < image.height; y += 2)
                    for (int x = 0; x < image.width; ++x) {
                        const double v = image.samples[image.index(x, y, 0)];
                        const int level = static_cast<int>(v * 256 / std::exp2(row.depth));
                        ++counts[{static_cast<int>(1.0 * x * w.columns / image.width), level}];
                    }
                for (int column = 0; column < w.columns; ++column)
                    for (int level = 0; level < kLevels; ++level)
                        ASSERT_EQ(w.at(column, level), (counts[{column, level}]))
                            << column << "," << level;
            }
    });
}

// Quarters of 2^bits, and the largest value in place of 2^bits.
TEST(ViewerStats, ScalesHaveRoundValues) {
    const auto values = [](SampleType sample, int bits) {
        FrameInfo info;
        info.sample = sample;
        info.depth_bits = bits;
        std::vector<double> found;
        for (const ScaleMark& mark : scale_marks(info)) {
            EXPECT_DOUBLE_EQ(mark.place, mark.value / info.max_value());
            found.push_back(mark.value);
        }
        return found;
    };
    EXPECT_EQ(values(SampleType::u8, 8), (std::vector<double>{0, 64, 128, 192, 255}));
    EXPECT_EQ(values(SampleType::u16, 10), (std::vector<double>{0, 256, 512, 768, 1023}));
    EXPECT_EQ(values(SampleType::f32, 32), (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
}

TEST(ViewerStats, BrightnessIsTheLogOfTheCount) {
    Waveform w;
    w.columns = 4;
    w.counts.assign(4 * kLevels, 0);
    EXPECT_EQ(log_brightness(w.counts), std::vector<std::uint8_t>(4 * kLevels, 0));
    w.counts[1] = 1;
    w.counts[2] = 7;
    w.counts[3] = 63;
    const std::vector<std::uint8_t> b = log_brightness(w.counts);
    EXPECT_EQ(b[0], 0);
    EXPECT_EQ(b[1], 43);   // 255 · log 2 / log 64
    EXPECT_EQ(b[2], 128);  // 255 · log 8 / log 64
    EXPECT_EQ(b[3], 255);
}

TEST(ViewerStats, ErrorsOfTwoPictures) {
    for_each_picture([](const FormatRow& row, const AVFrame& frame, const FrameInfo& info) {
        const AVFramePtr other = random_frame(row, frame.width, frame.height, 12);
        for (const ComponentError& e :
             picture_error(plane_views(frame), plane_views(*other), info)) {
            const oracle::Image a = component_image(frame, row, e.component);
            const oracle::Image b = component_image(*other, row, e.component);
            double largest = 0, squares = 0;
            for (std::size_t k = 0; k < a.samples.size(); ++k) {
                const double apart = std::abs(a.samples[k] - b.samples[k]);
                largest = std::max(largest, apart);
                squares += apart * apart / static_cast<double>(a.samples.size());
            }
            EXPECT_EQ(e.largest, largest);
            EXPECT_NEAR(e.mean_squared, squares, 1e-9 * squares);
            const double max = std::exp2(row.depth) - 1;
            EXPECT_NEAR(e.psnr_db, 20 * std::log10(max) - 10 * std::log10(squares), 1e-9);
        }
        for (const ComponentError& e :
             picture_error(plane_views(frame), plane_views(frame), info)) {
            EXPECT_EQ(e.largest, 0);
            EXPECT_EQ(e.psnr_db, std::numeric_limits<double>::infinity());
        }
    });
}

TEST(ViewerStats, NanIsIgnored) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> a{0.0F, 0.5F, nan, 2.0F, -1.0F, 0.999F};
    std::vector<float> b{0.0F, 0.25F, nan, 2.0F, -1.0F, nan};
    const auto view = [](std::vector<float>& v) {
        return std::vector<ImageView>{
            {.data = v.data(), .width = 6, .height = 1, .pitch_bytes = 24, .type = PixelType::f32}};
    };
    FrameInfo info;
    info.width = 6;
    info.height = 1;
    info.sample = SampleType::f32;
    info.depth_bits = 32;
    info.planes = {{6, 1, {Component::y}}};
    const ComponentHistogram h = histograms(view(a), info, 1)[0];
    EXPECT_EQ(h.samples, 5);
    EXPECT_EQ(h.bins[0], 2U);
    EXPECT_EQ(h.bins[128], 1U);
    EXPECT_EQ(h.bins[255], 2U);
    EXPECT_EQ(h.min, -1);
    EXPECT_EQ(h.max, 2);
    EXPECT_EQ(picture_error(view(a), view(b), info)[0].largest,
              std::numeric_limits<double>::infinity());
    b[5] = a[5];
    EXPECT_EQ(picture_error(view(a), view(b), info)[0].largest, 0.25);
}

TEST(ViewerStats, SamplesFewRowsOfLargePictures) {
    FrameInfo info;
    for (const auto& [height, step] : {std::pair{1, 1}, {540, 1}, {541, 2}, {1080, 2}, {2160, 4}}) {
        info.height = height;
        EXPECT_EQ(sampled_row_step(info), step) << height;
    }
}

}  // namespace
}  // namespace weft::test
