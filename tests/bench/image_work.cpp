#include "tests/bench/image_work.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <random>

#include "kernels/device/image_buffer.h"
#include "kernels/device/stream_fork.h"
#include "kernels/planner.h"
#include "tests/bench/device_bytes.h"
#include "tests/bench/image_reference.h"
#include "tests/bench/peers.h"

namespace weft::bench {

namespace {

constexpr double kColdBytes = 120e6;  // twice the 60 MB L2 cache of an H200

// u16 samples up to `max_value`, 2^n - 1.
void fill_with_noise(const ImageView& image, float max_value) {
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
            const std::uint32_t high =
                image.type == PixelType::u16 ? static_cast<std::uint32_t>(max_value) >> 8 : 0xFFU;
            for (std::size_t k = 0; k < image.row_bytes(); ++k)
                row[k] = static_cast<std::byte>(random() & (k % 2 == 0 ? 0xFFU : high));
        }
    }
}

ImageBuffer image_for(const ConvProblem& p, int channels, Allocation where) {
    return {p.width, p.height, channels, p.type, where};
}

std::size_t all_bytes(const ImageView& v) {
    return static_cast<std::size_t>(v.pitch_bytes) * static_cast<std::size_t>(v.height);
}

double least_bytes(const ConvProblem& p) {
    return static_cast<double>(p.width) * p.height * (p.channels + p.out_channels()) *
           static_cast<double>(bytes_per_sample(p.type));
}

struct Pair {
    Pair(const ConvProblem& p, Allocation where)
        : src(image_for(p, p.channels, where)), dst(image_for(p, p.out_channels(), where)) {
        if (p.sums_channels) copied = image_for(p, p.channels, where);
    }

    // Target of a copy: the output is too small if channels are summed.
    const ImageView& copy_to() const { return copied.view().data ? copied.view() : dst.view(); }

    ImageBuffer src, dst, copied;
};

// Bytes read by a copy of least_bytes(): half of them, or all with the rows' padding.
std::size_t copied_bytes(const ConvProblem& p, const ImageView& src) {
    return p.sums_channels ? static_cast<std::size_t>(least_bytes(p) / 2) : all_bytes(src);
}

// One plane: its images and its reference.
class Plane {
 public:
    Plane(ConvProblem problem, std::size_t sets)
        : problem_(std::move(problem)), host_(problem_, Allocation::host), reference_() {
        fill_with_noise(host_.src.view(), problem_.max_value);
        for (std::size_t k = 0; k < sets; ++k) {
            pairs_.emplace_back(problem_, Allocation::device);
            upload(pairs_.back().src.view());
        }
    }

    const ConvProblem& problem() const { return problem_; }
    const Pair& host() const { return host_; }
    const Pair& pair(std::size_t set) const { return pairs_[set]; }

    std::string why_wrong(const Contender& c, StreamView stream) {
        if (!reference_) reference_.emplace(problem_, host_.src.view());
        const std::vector<double> got =
            c.space == MemorySpace::device ? device_values(stream) : host_values();
        if (c.solves == nullptr) return reference_->why_wrong(c.allowance, got);
        return ImageReference(c.solves(problem_), host_.src.view()).why_wrong(c.allowance, got);
    }

 private:
    // Row padding differs between host and device.
    void upload(const ImageView& to) const {
        std::vector<std::byte> rows(all_bytes(to));
        for (int y = 0; y < to.height; ++y)
            std::memcpy(rows.data() + y * to.pitch_bytes, host_.src.view().row(y), to.row_bytes());
        upload_bytes(rows.data(), to.data, rows.size());
    }

    std::size_t offset_of(const Place& at, const ImageView& v) const {
        return static_cast<std::size_t>(at.y) * static_cast<std::size_t>(v.pitch_bytes) +
               (static_cast<std::size_t>(at.x) * v.channels + at.channel) *
                   bytes_per_sample(v.type);
    }

    std::vector<double> host_values() const {
        const ImageView& v = host_.dst.view();
        std::vector<double> out;
        for (const Place& at : reference_->places())
            out.push_back(sample_value(v.row(0) + offset_of(at, v), v.type));
        return out;
    }

    std::vector<double> device_values(StreamView stream) const {
        const ImageView& v = pairs_.front().dst.view();
        std::vector<std::size_t> offsets;
        for (const Place& at : reference_->places()) offsets.push_back(offset_of(at, v));
        const std::size_t size = bytes_per_sample(v.type);
        const std::vector<std::byte> bytes = gather(v.data, offsets, size, stream);
        std::vector<double> out;
        for (std::size_t k = 0; k < offsets.size(); ++k)
            out.push_back(sample_value(bytes.data() + k * size, v.type));
        return out;
    }

    ConvProblem problem_;
    Pair host_;
    std::vector<Pair> pairs_;
    std::optional<ImageReference> reference_;
};

class ImageWork : public Work {
 public:
    ImageWork(std::vector<ConvProblem> problems, const Device& device) : device_(device) {
        double bytes = 0;
        for (const ConvProblem& p : problems) bytes += least_bytes(p);
        if (device.is_gpu()) sets_ = static_cast<std::size_t>(std::ceil(kColdBytes / bytes)) + 1;
        for (ConvProblem& p : problems) planes_.emplace_back(std::move(p), sets_);
        copies_.emplace(device.is_gpu() ? planes_.size() : 0);
    }

    Cost floor() const override {
        Cost sum;
        for (const Plane& plane : planes_) {
            const ConvProblem& p = plane.problem();
            sum.bytes += least_bytes(p);
            sum.flops += 2.0 * p.width * p.height * p.channels * p.taps().width * p.taps().height *
                         static_cast<double>(p.conv.front().taps.size());
        }
        return sum;
    }

    std::size_t sets() const override { return sets_; }

    std::vector<Contender> contenders() override {
        std::vector<Contender> out;
        for (const ConvKernel& row : conv_kernels())
            out.push_back(contender(row, {.arithmetic = row.arithmetic}));
        for (const ImagePeer& peer : image_peers()) {
            out.push_back(contender(peer.row, allowance_of(peer)));
            out.back().peer = true;
            out.back().note = peer.row.limits;
            out.back().solves = peer.solves;
        }
        return out;
    }

    void copy(std::size_t set, StreamView stream) override {
        copies_->run(stream, planes_.size(), [&](std::size_t k, StreamView side) {
            const Plane& plane = planes_[k];
            const Pair& pair = sets_ == 0 ? plane.host() : plane.pair(set);
            const ImageView& v = pair.src.view();
            const std::size_t bytes = copied_bytes(plane.problem(), v);
            if (sets_ == 0)
                std::memcpy(pair.copy_to().data, v.data, bytes);
            else
                copy_on_device(v.data, pair.copy_to().data, bytes, side);
        });
    }

    void poison(MemorySpace space, StreamView stream) override {
        constexpr unsigned char kPoison = 0xA5;
        for (const Plane& plane : planes_) {
            const ImageView& host = plane.host().dst.view();
            if (space == MemorySpace::host) {
                std::memset(host.data, kPoison, all_bytes(host));
            } else {
                const ImageView& v = plane.pair(0).dst.view();
                fill_on_device(v.data, kPoison, all_bytes(v), stream);
            }
        }
    }

    std::string why_wrong(const Contender& c, StreamView stream) override {
        for (Plane& plane : planes_)
            if (std::string why = plane.why_wrong(c, stream); !why.empty()) return why;
        return {};
    }

 private:
    Contender contender(const ConvKernel& row, const Allowance& allowance) {
        Contender c{.name = std::string(row.name), .space = row.space, .allowance = allowance};
        for (const Plane& plane : planes_)
            if (c.why_not.empty()) c.why_not = why_cannot(row, plane.problem(), device_of(row));
        c.planned = plan(planes_.front().problem(), device_).kernel == &row;
        c.prepare = [this, &row](std::string&) { return prepare(row); };
        return c;
    }

    Allowance allowance_of(const ImagePeer& peer) const {
        Allowance widest = peer.allowance(planes_.front().problem());
        for (const Plane& plane : planes_) {
            const Allowance one = peer.allowance(plane.problem());
            widest.relative = std::max(widest.relative, one.relative);
            widest.steps = std::max(widest.steps, one.steps);
            widest.margin = std::max(widest.margin, one.margin);
        }
        return widest;
    }

    Device device_of(const ConvKernel& row) const {
        return row.space == MemorySpace::host ? cpu_device() : device_;
    }

    Enqueue prepare(const ConvKernel& row) const {
        auto convs = std::make_shared<std::vector<std::unique_ptr<PreparedConv>>>();
        for (const Plane& plane : planes_)
            convs->push_back(row.prepare(plane.problem(), device_of(row)));
        const bool on_host = row.space == MemorySpace::host;
        const auto fork = std::make_shared<StreamFork>(on_host ? 0 : planes_.size());
        return [this, convs, fork, on_host](std::size_t set, StreamView stream) {
            fork->run(stream, planes_.size(), [&](std::size_t k, StreamView side) {
                const Pair& pair = on_host ? planes_[k].host() : planes_[k].pair(set);
                (*convs)[k]->launch(pair.src.view(), pair.dst.view(), side);
            });
        };
    }

    Device device_;
    std::vector<Plane> planes_;
    std::optional<StreamFork> copies_;  // planes at the same time, as kernels filter them
    std::size_t sets_ = 0;
};

}  // namespace

std::unique_ptr<Work> make_image_work(std::vector<ConvProblem> planes, const Device& device) {
    return std::make_unique<ImageWork>(std::move(planes), device);
}

}  // namespace weft::bench
