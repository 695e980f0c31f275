#include "tests/bench/layer_work.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <random>

#include "kernels/common/half_bits.h"
#include "kernels/device/stream.h"
#include "tests/bench/device_bytes.h"
#include "tests/bench/layer_reference.h"
#include "tests/bench/peers.h"
#include "tests/support/device_bytes.h"

namespace weft::bench {

namespace {

constexpr double kColdBytes = 120e6;  // twice the 60 MB L2 cache of an H200
constexpr std::size_t kAlignment = 256;

// A prime number of values, repeated: no channel or row equals another.
std::vector<float> noise(std::size_t count, bool half) {
    constexpr std::size_t kPeriod = 1'048'583;
    std::mt19937 random(1);
    std::vector<float> out(count);
    for (std::size_t k = 0; k < std::min(kPeriod, count); ++k) {
        const float v = static_cast<float>(random() >> 8) / 8388608.0F - 1.0F;
        out[k] = half ? half_value(half_bits(v)) : v;
    }
    for (std::size_t done = kPeriod; done < count; done += kPeriod)
        std::copy_n(out.begin(), std::min(kPeriod, count - done),
                    out.begin() + static_cast<std::ptrdiff_t>(done));
    return out;
}

std::vector<std::byte> elements_of(const std::vector<float>& values, LayerType type) {
    std::vector<std::byte> out(values.size() * bytes_per_element(type));
    if (type == LayerType::f32) {
        std::memcpy(out.data(), values.data(), out.size());
        return out;
    }
    for (std::size_t k = 0; k < values.size(); ++k) {
        const std::uint16_t bits = half_bits(values[k]);
        std::memcpy(out.data() + k * sizeof bits, &bits, sizeof bits);
    }
    return out;
}

double value_of(const std::byte* at, LayerType type) {
    if (type == LayerType::f16) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, at, sizeof bits);
        return half_value(bits);
    }
    float v = 0;
    std::memcpy(&v, at, sizeof v);
    return v;
}

// Tensors of equal size, consecutive in one allocation.
class Tensors {
 public:
    Tensors(std::size_t bytes, std::size_t sets)
        : stride_((bytes + kAlignment - 1) / kAlignment * kAlignment), memory_(stride_ * sets) {}

    std::byte* at(std::size_t set) const { return memory_.data() + set * stride_; }

 private:
    std::size_t stride_;
    test::DeviceBytes memory_;
};

class LayerWork : public Work {
 public:
    LayerWork(LayerProblem problem, const Device& device)
        : problem_(std::move(problem)), device_(device) {
        if (!device.is_gpu()) return;
        const std::size_t size = bytes_per_element(problem_.type);
        input_bytes_ = static_cast<std::size_t>(problem_.inputs()) * size;
        output_bytes_ = static_cast<std::size_t>(problem_.outputs()) * size;
        sets_ = static_cast<std::size_t>(kColdBytes / layer_cost(problem_).bytes) + 2;
        values_ =
            noise(static_cast<std::size_t>(problem_.inputs()), problem_.type == LayerType::f16);
        inputs_.emplace(input_bytes_, sets_);
        outputs_.emplace(output_bytes_, sets_);
        copy_bytes_ = static_cast<std::size_t>(layer_cost(problem_).bytes / 2);
        copy_from_.emplace(copy_bytes_, sets_);
        copy_to_.emplace(copy_bytes_, sets_);
        const std::vector<std::byte> elements = elements_of(values_, problem_.type);
        upload_bytes(elements.data(), inputs_->at(0), input_bytes_);
        const Stream stream;
        for (std::size_t set = 1; set < sets_; ++set)
            copy_on_device(inputs_->at(0), inputs_->at(set), input_bytes_, stream.view());
        stream.synchronize();
    }

    Cost floor() const override { return layer_cost(problem_); }
    std::size_t sets() const override { return sets_; }

    std::vector<Contender> contenders() override {
        std::vector<Contender> out;
        for (const LayerKernel& row : layer_kernels()) out.push_back(contender(row));
        for (const LayerPeer& peer : layer_peers()) {
            out.push_back(contender(peer.row));
            out.back().peer = true;
            out.back().allowance.relative = peer.relative(problem_);
        }
        return out;
    }

    void copy(std::size_t set, StreamView stream) override {
        copy_on_device(copy_from_->at(set), copy_to_->at(set), copy_bytes_, stream);
    }

    void poison(MemorySpace, StreamView stream) override {
        constexpr unsigned char kPoison = 0xFF;  // NaN
        fill_on_device(outputs_->at(0), kPoison, output_bytes_, stream);
    }

    std::string why_wrong(const Contender& c, StreamView stream) override {
        if (!reference_) reference_.emplace(problem_, values_);
        const std::size_t size = bytes_per_element(problem_.type);
        std::vector<std::size_t> offsets = reference_->places();
        for (std::size_t& at : offsets) at *= size;
        const std::vector<std::byte> bytes = gather(outputs_->at(0), offsets, size, stream);
        std::vector<double> got;
        for (std::size_t k = 0; k < offsets.size(); ++k)
            got.push_back(value_of(bytes.data() + k * size, problem_.type));
        return reference_->why_wrong(c.allowance, got);
    }

 private:
    Contender contender(const LayerKernel& row) {
        return {.name = std::string(row.name),
                .allowance = {.arithmetic = row.arithmetic},
                .why_not = why_cannot(row, problem_, device_),
                .prepare = [this, &row](std::string& note) { return prepare(row, note); }};
    }

    Enqueue prepare(const LayerKernel& row, std::string& note) const {
        const std::shared_ptr<PreparedLayer> layer = row.prepare(problem_, device_);
        if (const auto* peer = dynamic_cast<const PeerLayer*>(layer.get())) note = peer->note();
        return [this, layer](std::size_t set, StreamView stream) {
            layer->launch(inputs_->at(set), outputs_->at(set), stream);
        };
    }

    LayerProblem problem_;
    Device device_;
    std::size_t sets_ = 0, input_bytes_ = 0, output_bytes_ = 0;
    std::vector<float> values_;
    std::optional<Tensors> inputs_, outputs_;
    std::size_t copy_bytes_ = 0;  // the layer's bytes, half of them read and half written
    std::optional<Tensors> copy_from_, copy_to_;
    std::optional<LayerReference> reference_;
};

}  // namespace

std::unique_ptr<Work> make_layer_work(LayerProblem problem, const Device& device) {
    validate(problem);
    return std::make_unique<LayerWork>(std::move(problem), device);
}

}  // namespace weft::bench
