#include "tests/bench/peers/npp_conv.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "kernels/device/device_array.cuh"
#include "tests/bench/peers/npp.h"

namespace weft::bench {

namespace {

using npp::Context;
using npp::Images;

constexpr npp::Point kOrigin{0, 0};

Context context_of(const Device& device) {
    cudaDeviceProp properties{};
    cuda_check(cudaGetDeviceProperties(&properties, device.ordinal), "read the GPU's properties");
    return {.stream = nullptr,
            .device = device.ordinal,
            .multiprocessors = properties.multiProcessorCount,
            .max_threads_per_multiprocessor = properties.maxThreadsPerMultiProcessor,
            .max_threads_per_block = properties.maxThreadsPerBlock,
            .shared_bytes_per_block = properties.sharedMemPerBlock,
            .compute_major = properties.major,
            .compute_minor = properties.minor,
            .stream_flags = cudaStreamNonBlocking,
            .reserved = 0};
}

// A call with all arguments bound except the images and the stream.
using Call = std::function<npp::Status(const Images&, const Context&)>;

class NppConv : public PreparedConv {
 public:
    NppConv(const Device& device, Call call)
        : context_(context_of(device)), call_(std::move(call)) {}

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        context_.stream = stream;
        const npp::Status status = call_({.src = src.data,
                                          .src_step = static_cast<int>(src.pitch_bytes),
                                          .size = {src.width, src.height},
                                          .dst = dst.data,
                                          .dst_step = static_cast<int>(dst.pitch_bytes)},
                                         context_);
        if (status != 0)
            throw std::runtime_error("NPP refuses with status " + std::to_string(status));
    }

 private:
    Context context_;
    Call call_;
};

Prepared make(const Device& device, Call call) {
    return std::make_unique<NppConv>(device, std::move(call));
}

// The taps on the device, in NPP's order, multiplied by `scale`.
template <class T>
std::shared_ptr<T[]> reversed(std::vector<float> taps, double scale) {
    std::reverse(taps.begin(), taps.end());
    std::vector<T> out;
    for (const float w : taps) {
        const double v = static_cast<double>(w) * scale;
        out.push_back(static_cast<T>(std::is_same_v<T, int> ? std::nearbyint(v) : v));
    }
    return upload(out);
}

npp::Size size_of(const Taps& t) {
    return {t.width, t.height};
}

// The anchor of the reversed taps.
npp::Point anchor_of(const Taps& t) {
    return {t.width - 1 - t.anchor_x, t.height - 1 - t.anchor_y};
}

// 3×3 and 5×5 are 200 and 201, 7×7 is 400, 9×9 500 …
int mask_of(int size) {
    return size <= 5 ? npp::kMask3x3 + size / 2 - 1 : 100 * (size / 2 + 1);
}

}  // namespace

double npp_integer_scale(const ConvProblem& p) {
    const double largest = 255 * absolute_sum(p.taps()) * std::fabs(p.conv.front().scale);
    return std::exp2(std::floor(std::log2(1073741824.0 / largest)));
}

Prepared prepare_npp_filter(const ConvProblem& p, const Device& device) {
    const npp::Functions& f = npp::functions();
    const auto taps = reversed<float>(p.taps().weights, p.conv.front().scale);
    const auto filter = p.type == PixelType::f32 ? f.filter_f32 : f.filter_u8[p.channels];
    const npp::Size size = size_of(p.taps());
    const npp::Point anchor = anchor_of(p.taps());
    return make(device, [=](const Images& i, const Context& c) {
        return filter(i.src, i.src_step, i.size, kOrigin, i.dst, i.dst_step, i.size, taps.get(),
                      size, anchor, npp::kReplicate, c);
    });
}

Prepared prepare_npp_filter_integer(const ConvProblem& p, const Device& device) {
    const double scale = npp_integer_scale(p);
    const auto taps = reversed<int>(p.taps().weights, p.conv.front().scale * scale);
    const auto filter = npp::functions().filter_integer_u8[p.channels];
    const npp::Size size = size_of(p.taps());
    const npp::Point anchor = anchor_of(p.taps());
    const int divisor = static_cast<int>(scale);
    return make(device, [=](const Images& i, const Context& c) {
        return filter(i.src, i.src_step, i.size, kOrigin, i.dst, i.dst_step, i.size, taps.get(),
                      size, anchor, divisor, npp::kReplicate, c);
    });
}

// The scale is split between the passes, so that the intermediate image keeps the pixels' range.
Prepared prepare_npp_row_column(const ConvProblem& p, const Device& device) {
    const npp::Functions& f = npp::functions();
    const Taps& t = p.taps();
    const double sum = std::accumulate(t.row.begin(), t.row.end(), 0.0);
    const double scale = sum == 0 ? 1 : 1 / sum;
    const auto row = reversed<float>(t.row, scale);
    const auto column = reversed<float>(t.column, p.conv.front().scale / scale);
    const bool f32 = p.type == PixelType::f32;
    const auto along_row = f32 ? f.row_f32 : f.row_u8[p.channels];
    const auto along_column = f32 ? f.column_f32 : f.column_u8[p.channels];
    const auto between =
        std::make_shared<ImageBuffer>(p.width, p.height, p.channels, p.type, Allocation::device);
    const npp::Size size = size_of(t);
    const npp::Point anchor = anchor_of(t);
    return make(device, [=](const Images& i, const Context& c) {
        void* const middle = between->view().data;
        const int step = static_cast<int>(between->view().pitch_bytes);
        const npp::Status status =
            along_row(i.src, i.src_step, i.size, kOrigin, middle, step, i.size, row.get(),
                      size.width, anchor.x, npp::kReplicate, c);
        if (status != 0) return status;
        return along_column(middle, step, i.size, kOrigin, i.dst, i.dst_step, i.size, column.get(),
                            size.height, anchor.y, npp::kReplicate, c);
    });
}

Prepared prepare_npp_gauss_mask(const ConvProblem& p, const Device& device) {
    const auto filter = npp::functions().gauss_u8[p.channels];
    const int mask = mask_of(p.taps().width);
    return make(device, [=](const Images& i, const Context& c) {
        return filter(i.src, i.src_step, i.size, kOrigin, i.dst, i.dst_step, i.size, mask,
                      npp::kReplicate, c);
    });
}

Taps npp_gauss_taps(int size) {
    const int side = 4 * size;
    const std::size_t at = static_cast<std::size_t>(2 * size) * side + 2 * size;
    std::vector<float> pixels(static_cast<std::size_t>(side) * side, 0.0F);
    pixels[at] = 1.0F;
    const DeviceArray<float> src = upload(pixels);
    const DeviceArray<float> dst = device_array<float>(pixels.size());
    Device device = cpu_device();
    cuda_check(cudaGetDevice(&device.ordinal), "read the current GPU");
    const int step = side * static_cast<int>(sizeof(float));
    const npp::Size image{side, side};
    const npp::Status status =
        npp::functions().gauss_f32(src.get(), step, image, kOrigin, dst.get(), step, image,
                                   mask_of(size), npp::kReplicate, context_of(device));
    if (status != 0) throw std::runtime_error("NPP refuses with status " + std::to_string(status));
    cuda_check(
        cudaMemcpy(pixels.data(), dst.get(), pixels.size() * sizeof(float), cudaMemcpyDeviceToHost),
        "read NPP's taps");
    std::vector<float> taps;
    for (int j = size / 2; j >= -(size / 2); --j)
        for (int i = size / 2; i >= -(size / 2); --i)
            taps.push_back(pixels[at + static_cast<std::size_t>(j) * side + i]);
    return dense_taps(size, size, taps);
}

Prepared prepare_npp_gauss(const ConvProblem& p, const Device& device) {
    if (p.channels == 2) return prepare_npp_filter(p, device);
    const auto filter = npp::functions().gauss_advanced_u8[p.channels];
    const auto taps = reversed<float>(p.taps().row, 1);
    const int count = p.taps().width;
    return make(device, [=](const Images& i, const Context& c) {
        return filter(i.src, i.src_step, i.size, kOrigin, i.dst, i.dst_step, i.size, count,
                      taps.get(), npp::kMirror, c);
    });
}

Prepared prepare_npp_box(const ConvProblem& p, const Device& device) {
    const auto filter = npp::functions().box_u8;
    const npp::Size size = size_of(p.taps());
    const npp::Point anchor{p.taps().anchor_x, p.taps().anchor_y};
    return make(device, [=](const Images& i, const Context& c) {
        return filter(i.src, i.src_step, i.size, kOrigin, i.dst, i.dst_step, i.size, size, anchor,
                      npp::kReplicate, c);
    });
}

Prepared prepare_npp_box_advanced(const ConvProblem& p, const Device& device) {
    const npp::Functions& f = npp::functions();
    int bytes = 0;
    if (f.box_buffer_bytes({p.width, p.height}, 1, &bytes) != 0)
        throw std::runtime_error("NPP does not say how large the buffer of its box has to be");
    const std::shared_ptr<unsigned char[]> buffer =
        device_array<unsigned char>(static_cast<std::size_t>(bytes));
    const auto filter = f.box_advanced_u8;
    const npp::Size size = size_of(p.taps());
    const npp::Point anchor{p.taps().anchor_x, p.taps().anchor_y};
    return make(device, [=](const Images& i, const Context& c) {
        return filter(i.src, i.src_step, i.size, kOrigin, i.dst, i.dst_step, i.size, size, anchor,
                      npp::kReplicate, buffer.get(), c);
    });
}

Prepared prepare_npp_sobel(const ConvProblem& p, const Device& device) {
    const npp::Functions& f = npp::functions();
    const std::shared_ptr<short[]> magnitude =
        device_array<short>(static_cast<std::size_t>(p.width) * p.height);
    const int step = p.width * static_cast<int>(sizeof(short));
    const auto sobel = f.sobel_u8;
    const auto convert = f.to_u8;
    return make(device, [=](const Images& i, const Context& c) {
        const npp::Status status =
            sobel(i.src, i.src_step, i.size, kOrigin, nullptr, 0, nullptr, 0, magnitude.get(), step,
                  nullptr, 0, i.size, npp::kMask3x3, npp::kNormL2, npp::kReplicate, c);
        if (status != 0) return status;
        return convert(magnitude.get(), step, i.dst, i.dst_step, i.size, c);
    });
}

}  // namespace weft::bench
