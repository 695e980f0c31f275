#include "tests/kernels/layers/layer_case.h"

#include <algorithm>
#include <cstring>
#include <span>

#include <fmt/format.h>

#include "kernels/common/half_bits.h"
#include "tests/kernels/cases/dice.h"
#include "tests/support/device_bytes.h"
#include "tests/support/layer_error.h"
#include "tests/support/layer_oracle.h"
#include "tests/support/layer_translation.h"

namespace weft::test {

namespace {

// Around the input, where no kernel may look (NaN in either type), and in and around the output.
constexpr std::byte kUnread{0xFF};
constexpr std::byte kUnwritten{0xA5};
constexpr std::size_t kGuard = 256;

// A dense tensor with guard bytes around it.
class GuardedTensor {
 public:
    GuardedTensor(std::size_t size, std::byte poison)
        : size_(size), poison_(poison), bytes_(size + 2 * kGuard, poison) {}

    std::vector<std::byte>& bytes() { return bytes_; }
    std::span<std::byte> elements() { return std::span(bytes_).subspan(kGuard, size_); }
    bool guards_untouched() const {
        const auto is_poison = [&](std::byte b) { return b == poison_; };
        return std::all_of(bytes_.begin(), bytes_.begin() + kGuard, is_poison) &&
               std::all_of(bytes_.end() - kGuard, bytes_.end(), is_poison);
    }

 private:
    std::size_t size_;
    std::byte poison_;
    std::vector<std::byte> bytes_;
};

void store(const std::vector<float>& values, LayerType type, std::span<std::byte> to) {
    if (type == LayerType::f32) {
        std::memcpy(to.data(), values.data(), to.size());
        return;
    }
    for (std::size_t k = 0; k < values.size(); ++k) {
        const std::uint16_t bits = half_bits(values[k]);
        std::memcpy(to.data() + 2 * k, &bits, 2);
    }
}

std::vector<float> load(std::span<const std::byte> from, LayerType type) {
    std::vector<float> out(from.size() / bytes_per_element(type));
    if (type == LayerType::f32) {
        std::memcpy(out.data(), from.data(), from.size());
        return out;
    }
    for (std::size_t k = 0; k < out.size(); ++k) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, from.data() + 2 * k, 2);
        out[k] = half_value(bits);
    }
    return out;
}

void run_on_device(PreparedLayer& layer, GuardedTensor& input, GuardedTensor& output,
                   const Stream& stream) {
    DeviceBytes in(input.bytes().size());
    DeviceBytes out(output.bytes().size());
    in.upload(input.bytes(), stream.view());
    out.upload(output.bytes(), stream.view());
    layer.launch(in.data() + kGuard, out.data() + kGuard, stream.view());
    in.download(input.bytes(), stream.view());
    out.download(output.bytes(), stream.view());
    stream.synchronize();
}

}  // namespace

LayerRunner::LayerRunner(const LayerKernel& row, const Device& device)
    : row_(row), device_(device) {
    if (row.space == MemorySpace::host) return;
    use_device(device_);
    stream_ = std::make_unique<Stream>();
}

std::vector<float> LayerRunner::run(const LayerCase& c, std::string& failure) const {
    const LayerProblem& p = c.problem;
    const std::size_t size = bytes_per_element(p.type);
    GuardedTensor input(static_cast<std::size_t>(p.inputs()) * size, kUnread);
    GuardedTensor output(static_cast<std::size_t>(p.outputs()) * size, kUnwritten);
    store(layer_input(c), p.type, input.elements());
    const std::vector<std::byte> before = input.bytes();
    const std::unique_ptr<PreparedLayer> layer = row_.prepare(p, device_);
    if (row_.space == MemorySpace::host)
        layer->launch(input.elements().data(), output.elements().data(), nullptr);
    else
        run_on_device(*layer, input, output, *stream_);
    if (input.bytes() != before) failure = "the input was written";
    if (!output.guards_untouched()) failure = "bytes outside the output were written";
    return load(output.elements(), p.type);
}

std::vector<float> layer_input(const LayerCase& c) {
    Dice dice(c.seed);
    std::vector<float> out(static_cast<std::size_t>(c.problem.inputs()));
    for (float& v : out) {
        v = static_cast<float>(dice.fraction() * 3.0 - 1.0);
        if (c.problem.type == LayerType::f16) v = static_cast<float>(oracle::round_to_half(v));
    }
    return out;
}

std::string check_layer(const LayerRunner& runner, const LayerCase& c) {
    std::string failure;
    const std::vector<float> got = runner.run(c, failure);
    const std::string where =
        fmt::format("{}: {}, seed {}", runner.row().name, describe(c.problem), c.seed);
    if (!failure.empty()) return where + "\n  " + failure;
    const std::vector<float> input = layer_input(c);
    const oracle::Layer layer = oracle_layer(c.problem, input, c.problem.weights);
    if (layer.outputs() != got.size())
        return fmt::format("{}\n  {} outputs, want {}", where, got.size(), layer.outputs());
    const LayerError error(c.problem, input);
    std::string first;
    std::size_t bad = 0;
    for (std::size_t k = 0; k < got.size(); ++k) {
        const oracle::Interval right =
            oracle::layer_output(layer, k, error.at(runner.row().arithmetic, k));
        if (got[k] >= right.low && got[k] <= right.high) continue;
        if (bad++ == 0)
            first = fmt::format("element {}: got {}, want {}, right from {} to {}", k, got[k],
                                right.want, right.low, right.high);
    }
    if (bad == 0) return {};
    return fmt::format("{}\n  first bad {}; {} of {} bad", where, first, bad, got.size());
}

}  // namespace weft::test
