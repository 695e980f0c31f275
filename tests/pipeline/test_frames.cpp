#include "tests/pipeline/test_frames.h"

#include "tests/support/blank_frame.h"
#include "tests/support/conv_translation.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>

#include <fmt/format.h>

namespace weft::test {
namespace {

using C = Component;

int sample_bytes(const FormatRow& row) {
    return row.depth > 8 ? 2 : 1;
}

int side_of(int side, int shift) {
    return (side + (1 << shift) - 1) >> shift;
}

std::uint8_t* sample_at(const AVFrame& frame, const FormatRow& row, const ComponentPlace& place,
                        int x, int y) {
    return frame.data[place.plane] + y * frame.linesize[place.plane] +
           (x * place.channels + place.channel) * sample_bytes(row);
}

}  // namespace

const std::vector<FormatRow>& format_rows() {
    static const std::vector<FormatRow> rows = {
        {AV_PIX_FMT_GRAY8, 8, {{C::y}}},
        {AV_PIX_FMT_YUV420P, 8, {{C::y}, {C::u, 1, 0, 1, 1, 1}, {C::v, 2, 0, 1, 1, 1}}},
        {AV_PIX_FMT_YUV422P10LE, 10, {{C::y}, {C::u, 1, 0, 1, 1, 0}, {C::v, 2, 0, 1, 1, 0}}},
        {AV_PIX_FMT_NV12, 8, {{C::y}, {C::u, 1, 0, 2, 1, 1}, {C::v, 1, 1, 2, 1, 1}}},
        {AV_PIX_FMT_RGB24, 8, {{C::r, 0, 0, 3}, {C::g, 0, 1, 3}, {C::b, 0, 2, 3}}},
        {AV_PIX_FMT_BGRA, 8, {{C::r, 0, 2, 4}, {C::g, 0, 1, 4}, {C::b, 0, 0, 4}, {C::a, 0, 3, 4}}},
        {AV_PIX_FMT_GBRP, 8, {{C::r, 2}, {C::g, 0}, {C::b, 1}}},
        {AV_PIX_FMT_GBRAP12LE, 12, {{C::r, 2}, {C::g, 0}, {C::b, 1}, {C::a, 3}}},
        {AV_PIX_FMT_YUVA444P, 8, {{C::y}, {C::u, 1}, {C::v, 2}, {C::a, 3}}},
    };
    return rows;
}

const FormatRow& format_row(AVPixelFormat format) {
    return *std::ranges::find(format_rows(), format, &FormatRow::format);
}

AVFramePtr random_frame(const FormatRow& row, int width, int height, std::uint32_t seed) {
    AVFramePtr frame = blank_frame(row.format, width, height);
    std::mt19937 random(seed);
    for (const ComponentPlace& place : row.components)
        for (int y = 0; y < side_of(height, place.shift_y); ++y)
            for (int x = 0; x < side_of(width, place.shift_x); ++x) {
                const auto value = static_cast<std::uint32_t>(random() >> (32 - row.depth));
                std::memcpy(sample_at(*frame, row, place, x, y), &value, sample_bytes(row));
            }
    return frame;
}

std::vector<std::byte> bytes_of(const AVFrame& frame) {
    std::vector<std::byte> bytes;
    for (const ImageView& plane : plane_views(frame))
        for (int y = 0; y < plane.height; ++y)
            bytes.insert(bytes.end(), plane.row(y), plane.row(y) + plane.row_bytes());
    return bytes;
}

oracle::Image component_image(const AVFrame& frame, const FormatRow& row, Component component) {
    const ComponentPlace& place =
        *std::ranges::find(row.components, component, &ComponentPlace::component);
    oracle::Image image{
        side_of(frame.width, place.shift_x), side_of(frame.height, place.shift_y), 1, {}};
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x) {
            std::uint32_t value = 0;
            std::memcpy(&value, sample_at(frame, row, place, x, y), sample_bytes(row));
            image.samples.push_back(value);
        }
    return image;
}

oracle::Answer expected(const oracle::Image& image, const Convolution& convolution, std::size_t k,
                        int depth) {
    oracle::Problem problem;
    problem.image = image;
    problem.sums_channels = convolution.sums_rgb;
    for (std::size_t c = 0; c < static_cast<std::size_t>(image.channels); ++c) {
        const ComponentTaps& taps =
            convolution.components.at(convolution.components.size() == 1 ? 0 : k + c);
        problem.channels.push_back({{}, taps.scale, taps.bias});
        for (const Taps& t : taps.taps) {
            problem.channels[c].matrices.push_back(oracle_matrix(t));
            const double gain = absolute_sum(t) * std::fabs(static_cast<double>(taps.scale));
            if (t.separable() && gain > 0)  // Arithmetic::fixed_point
                problem.sum_error = std::max(problem.sum_error, 0.1 / gain);
        }
    }
    problem.combination = oracle_combination(convolution.combine);
    problem.edge_x = oracle_edge(convolution.border.x);
    problem.edge_y = oracle_edge(convolution.border.y);
    problem.edge_value = convolution.border_value;
    problem.max_value = (1 << depth) - 1;
    return oracle::convolve(problem);
}

std::string first_difference(const oracle::Answer& answer, const oracle::Image& got) {
    if (answer.want.samples.size() != got.samples.size()) return "other size";
    for (std::size_t k = 0; k < got.samples.size(); ++k)
        if (!answer.accepts(k, got.samples[k]))
            return fmt::format("{}x{} at {},{}: want {}..{}, got {}", got.width, got.height,
                               k % static_cast<std::size_t>(got.width),
                               k / static_cast<std::size_t>(got.width), answer.low[k],
                               answer.high[k], got.samples[k]);
    return "";
}

}  // namespace weft::test
