#include "kernels/cpu/cpu_terms.h"

#include <algorithm>

#include "kernels/common/kernel_terms.h"
#include "kernels/device/cgroup.h"
#include "kernels/device/parallel_slots.h"
#include "kernels/with_sample_type.h"

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
    if (common.untouched.empty()) return;
    const int threads = usable_cores();
    with_sample_type(src.type, [&](auto zero) {
        using T = decltype(zero);
        parallel_slots(threads, [&](int slot) {
            for (int y = slot; y < src.height; y += threads) {
                const T* const from = reinterpret_cast<const T*>(src.row(y));
                T* const to = reinterpret_cast<T*>(dst.row(y));
                for (const int c : common.untouched)
                    for (int x = c; x < src.width * src.channels; x += src.channels)
                        to[x] = from[x];
            }
        });
    });
}

}  // namespace weft
