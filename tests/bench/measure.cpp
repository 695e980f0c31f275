#include "tests/bench/measure.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "kernels/pixel_ops.h"
#include "kernels/timer.h"
#include "tests/bench/launch_graph.h"
#include "tests/bench/verify.h"

namespace weft::bench {

namespace {

constexpr double kColdBytes = 120e6;  // twice the 60 MB L2 cache of an H200
constexpr int kLeastLaunches = 8;     // of a sample: an event's half µs is then under a percent

// Full-range noise; f32 in 0..1.
void fill_with_noise(const ImageView& image) {
    std::mt19937 random(1);
    const std::size_t samples = static_cast<std::size_t>(image.width) * image.channels;
    for (int y = 0; y < image.height; ++y) {
        std::byte* const row = image.row(y);
        if (image.type == PixelType::f32) {
            for (std::size_t k = 0; k < samples; ++k) {
                const float v = static_cast<float>(random() >> 8) / 16777216.0F;
                std::memcpy(row + k * sizeof v, &v, sizeof v);
            }
        } else {
            for (std::size_t k = 0; k < image.row_bytes(); ++k)
                row[k] = static_cast<std::byte>(random() & 0xFFU);
        }
    }
}

// Puts one launch from pair `k` on the stream.
using Enqueue = std::function<void(std::size_t k, StreamView stream)>;

Timing time_launches(const Enqueue& enqueue, std::size_t pairs, const Effort& effort) {
    const Stream stream;
    GpuTimer timer;
    const std::size_t launches = (kLeastLaunches + pairs - 1) / pairs * pairs;
    const LaunchGraph graph(stream.view(), [&] {
        for (std::size_t k = 0; k < launches; ++k) enqueue(k % pairs, stream.view());
    });
    std::vector<double> seconds;
    for (int k = 0; k < effort.warm_up + effort.samples; ++k) {
        timer.start(stream.view());
        graph.replay(stream.view());
        timer.stop(stream.view());
        const double sample = timer.seconds() / static_cast<double>(launches);
        if (k >= effort.warm_up) seconds.push_back(sample);
    }
    std::ranges::sort(seconds);
    const auto at = [&](double quantile) {
        return seconds[static_cast<std::size_t>(quantile *
                                                static_cast<double>(seconds.size() - 1))];
    };
    return {.median = at(0.5),
            .p95 = at(0.95),
            .samples = effort.samples,
            .launches_per_sample = static_cast<int>(launches)};
}

void time_both(const Enqueue& enqueue, std::size_t pairs, const Effort& effort, Measurement& m) {
    m.cold = time_launches(enqueue, pairs, effort);
    m.hot = time_launches(enqueue, 1, effort);
}

double bytes_moved(const ConvProblem& p) {
    return 2.0 * p.width * p.height * p.channels * static_cast<double>(bytes_per_sample(p.type));
}

// Runs the row once on a poisoned output. Empty if it is right.
std::string check(PreparedConv& conv, Arithmetic arithmetic, const BenchCase& c,
                  BenchImages& images) {
    const Stream stream;
    const BenchImages::Pair& pair = images.pairs().front();
    poison(pair.dst.view(), 0xA5, stream.view());
    conv.launch(pair.src.view(), pair.dst.view(), stream.view());
    return why_wrong(c.problem, arithmetic, images.source(), images.download(stream.view()));
}

}  // namespace

BenchImages::BenchImages(const ConvProblem& p)
    : source_(p.width, p.height, p.channels, p.type, Allocation::host),
      result_(p.width, p.height, p.channels, p.type, Allocation::host) {
    fill_with_noise(source_.view());
    const Stream stream;
    const int count = static_cast<int>(std::ceil(kColdBytes / bytes_moved(p))) + 1;
    for (int k = 0; k < count; ++k) {
        pairs_.push_back({ImageBuffer(p.width, p.height, p.channels, p.type, Allocation::device),
                          ImageBuffer(p.width, p.height, p.channels, p.type, Allocation::device)});
        copy_image(source_.view(), pairs_.back().src.view(), stream.view());
    }
    stream.synchronize();
}

const ImageView& BenchImages::download(StreamView stream) {
    copy_image(pairs_.front().dst.view(), result_.view(), stream);
    GpuTimer done;
    done.start(stream);
    done.stop(stream);
    (void)done.seconds();  // waits for the stream
    return result_.view();
}

Measurement measure_copy(const BenchCase& c, BenchImages& images, const Effort& effort) {
    Measurement m{.case_name = c.name,
                  .kernel = "copy",
                  .why_not = {},
                  .wrong = false,
                  .cold = {},
                  .hot = {},
                  .bytes = bytes_moved(c.problem)};
    const auto enqueue = [&](std::size_t k, StreamView stream) {
        const BenchImages::Pair& pair = images.pairs()[k];
        copy_bytes(pair.src.view(), pair.dst.view(), stream);
    };
    time_both(enqueue, images.pairs().size(), effort, m);
    return m;
}

Measurement measure_row(const ConvKernel& row, const Device& device, const BenchCase& c,
                        BenchImages& images, const Effort& effort) {
    Measurement m{.case_name = c.name,
                  .kernel = std::string(row.name),
                  .why_not = row.why_not(c.problem, device),
                  .wrong = false,
                  .cold = {},
                  .hot = {},
                  .bytes = bytes_moved(c.problem)};
    if (!m.why_not.empty()) return m;
    const std::unique_ptr<PreparedConv> conv = row.prepare(c.problem, device);
    m.why_not = check(*conv, row.arithmetic, c, images);
    m.wrong = !m.why_not.empty();
    if (m.wrong) return m;
    const auto enqueue = [&](std::size_t k, StreamView stream) {
        const BenchImages::Pair& pair = images.pairs()[k];
        conv->launch(pair.src.view(), pair.dst.view(), stream);
    };
    time_both(enqueue, images.pairs().size(), effort, m);
    return m;
}

}  // namespace weft::bench
