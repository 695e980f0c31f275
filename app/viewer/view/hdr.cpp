#include "app/viewer/view/hdr.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace weft {
namespace {

constexpr double kPqNits = 10000;
constexpr double kHlgNits = 1000;
constexpr double kM1 = 2610.0 / 16384, kM2 = 2523.0 / 4096 * 128;
constexpr double kC1 = 3424.0 / 4096, kC2 = 2413.0 / 4096 * 32, kC3 = 2392.0 / 4096 * 32;

double pq_nits(double value) {
    const double p = std::pow(std::clamp(value, 0.0, 1.0), 1 / kM2);
    return kPqNits * std::pow(std::max(p - kC1, 0.0) / (kC2 - kC3 * p), 1 / kM1);
}

// Scene light, 0 to 1.
double hlg_scene(double value) {
    constexpr double kA = 0.17883277, kB = 0.28466892, kC = 0.55991073;
    const double v = std::clamp(value, 0.0, 1.0);
    return v <= 0.5 ? v * v / 3 : (std::exp((v - kC) / kA) + kB) / 12;
}

HdrColour nits_of(HdrTransfer transfer, HdrColour colour) {
    if (transfer == HdrTransfer::pq) {
        for (double& value : colour) value = pq_nits(value);
        return colour;
    }
    constexpr double kSystemGamma = 1.2;
    for (double& value : colour) value = hlg_scene(value);
    const double luma = 0.2627 * colour[0] + 0.678 * colour[1] + 0.0593 * colour[2];
    for (double& value : colour) value *= kHlgNits * std::pow(luma, kSystemGamma - 1);
    return colour;
}

// BT.2390-10, 5.4.1: a Hermite spline above the knee.
double compressed(double nits, double peak_nits) {
    const double peak = pq_of(peak_nits);
    const double e = std::min(pq_of(nits) / peak, 1.0);
    const double most = pq_of(kScreenWhiteNits) / peak;
    const double knee = 1.5 * most - 0.5;
    if (e <= knee) return nits;
    const double t = (e - knee) / (1 - knee);
    const double t2 = t * t;
    const double t3 = t2 * t;
    return pq_nits(peak * ((2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) +
                           (3 * t2 - 2 * t3) * most));
}

HdrColour in_bt709(const HdrColour& c) {
    return {1.660491 * c[0] - 0.587641 * c[1] - 0.072850 * c[2],
            -0.124550 * c[0] + 1.132900 * c[1] - 0.008349 * c[2],
            -0.018151 * c[0] - 0.100579 * c[1] + 1.118730 * c[2]};
}

HdrTransfer transfer_of(const AVFrame& frame) {
    switch (frame.color_trc) {
        case AVCOL_TRC_SMPTE2084:
            return HdrTransfer::pq;
        case AVCOL_TRC_ARIB_STD_B67:
            return HdrTransfer::hlg;
        default:
            return HdrTransfer::none;
    }
}

double peak_of(const SideData& side_data) {
    constexpr double kUsual = 1000;
    if (side_data.light && side_data.light->MaxCLL > 0) return side_data.light->MaxCLL;
    if (side_data.mastering) return av_q2d(side_data.mastering->max_luminance);
    return kUsual;
}

}  // namespace

HdrPicture hdr_of(const AVFrame& frame, const SideData& side_data) {
    HdrPicture hdr;
    hdr.transfer = transfer_of(frame);
    hdr.wide = frame.color_primaries == AVCOL_PRI_BT2020;
    hdr.peak_nits = hdr.transfer == HdrTransfer::pq
                        ? std::clamp(peak_of(side_data), kScreenWhiteNits, kPqNits)
                        : kHlgNits;
    return hdr;
}

double pq_of(double nits) {
    const double p = std::pow(std::clamp(nits / kPqNits, 0.0, 1.0), kM1);
    return std::pow((kC1 + kC2 * p) / (1 + kC3 * p), kM2);
}

HdrColour shown_colour(const HdrPicture& hdr, const HdrColour& coded) {
    if (!hdr) return coded;
    HdrColour light = nits_of(hdr.transfer, coded);
    const double most = std::max(std::ranges::max(light), 1e-4);
    const double factor = compressed(most, hdr.peak_nits) / most / kScreenWhiteNits;
    for (double& value : light) value *= factor;
    if (hdr.wide) light = in_bt709(light);
    constexpr double kScreenGamma = 2.2;
    for (double& value : light) value = std::pow(std::clamp(value, 0.0, 1.0), 1 / kScreenGamma);
    return light;
}

std::string hdr_text(const HdrPicture& hdr) {
    if (!hdr) return "";
    return fmt::format("{} tone-mapped to SDR (BT.2390), peak {:.0f} cd/m²",
                       hdr.transfer == HdrTransfer::pq ? "PQ" : "HLG", hdr.peak_nits);
}

}  // namespace weft
