#include "kernels/cpu/cpu_terms.h"

#include <algorithm>
#include <cstring>

#include "kernels/common/kernel_terms.h"

namespace weft {
namespace {

bool is_one_at(const std::vector<float>& factors, int anchor) {
    for (std::size_t i = 0; i < factors.size(); ++i)
        if (factors[i] != (static_cast<int>(i) == anchor ? 1.0F : 0.0F)) return false;
    return true;
}

bool copies(const Taps& t) {
    return t.dense() ? is_one_at(t.weights, t.anchor_y * t.width + t.anchor_x)
                     : is_one_at(t.row, t.anchor_x) && is_one_at(t.column, t.anchor_y);
}

bool passes_through(const ChannelConv& c) {
    return c.taps.size() == 1 && c.scale == 1.0F && c.bias == 0.0F && copies(c.taps.front());
}

}  // namespace

std::string why_not_on_cpu(const Device& device) {
    if (!device.is_gpu()) return {};
    return "it runs on the CPU, and the device is " + device.name + ": use --gpu off";
}

std::string why_not_dense_on_cpu(const ConvProblem& p, const Device& device) {
    if (std::string reason = why_not_on_cpu(device); !reason.empty()) return reason;
    if (std::string reason = why_not_fp32_sums(p); !reason.empty()) return reason;
    return why_no_common_taps(p);
}

double cpu_time(const ConvProblem& p, double nanoseconds) {
    constexpr double kStart = 10;
    return kStart + 1e-3 * nanoseconds * p.width * p.height * p.channels;
}

CommonTaps common_taps(const ConvProblem& p) {
    CommonTaps common{.conv = p.conv.front(), .untouched = {}};
    if (p.conv.size() == 1) return common;
    const auto filtered = std::ranges::find_if_not(p.conv, passes_through);
    if (filtered == p.conv.end()) return common;
    common.conv = *filtered;
    for (int c = 0; c < p.channels; ++c)
        if (passes_through(p.conv[c])) common.untouched.push_back(c);
    return common;
}

std::string why_no_common_taps(const ConvProblem& p) {
    const CommonTaps common = common_taps(p);
    const bool alike = std::ranges::all_of(
        p.conv, [&](const ChannelConv& c) { return c == common.conv || passes_through(c); });
    return alike ? "" : "its channels share their taps, and these have taps of their own";
}

void copy_untouched(const CommonTaps& common, const ImageView& src, const ImageView& dst) {
    const std::size_t bytes = bytes_per_sample(src.type);
    for (const int c : common.untouched)
        for (int y = 0; y < src.height; ++y)
            for (int x = 0; x < src.width; ++x) {
                const std::size_t at = (static_cast<std::size_t>(x) * src.channels + c) * bytes;
                std::memcpy(dst.row(y) + at, src.row(y) + at, bytes);
            }
}

}  // namespace weft
