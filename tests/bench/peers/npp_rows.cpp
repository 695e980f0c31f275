// NPP's filters as rows. Their border is replicate where ours is reflect101, so results are
// compared in the interior; theirs is the cheaper of the two.
#include <algorithm>

#include "tests/bench/peers/npp.h"
#include "tests/bench/peers/npp_conv.h"
#include "tests/bench/peers/table.h"

namespace weft::bench {

namespace {

constexpr std::string_view kInterior = "border replicate: the interior is compared";
constexpr std::string_view kTwice = "border replicate: the interior is compared; rounds twice";

std::string why_no_npp(const ConvProblem& p, const Device& device) {
    if (!device.is_gpu()) return "it runs on an NVIDIA GPU, and the device is the CPU";
    if (!npp::functions().why_not.empty()) return npp::functions().why_not;
    if (p.conv.size() != 1) return "it takes the same taps for all channels";
    if (p.conv.front().bias != 0.0F) return "it adds no bias";
    return "";
}

bool is_f32_gray(const ConvProblem& p) {
    return p.type == PixelType::f32 && p.channels == 1;
}

bool is_u8(const ConvProblem& p, std::initializer_list<int> channels) {
    return p.type == PixelType::u8 && std::ranges::find(channels, p.channels) != std::end(channels);
}

std::string why_not_filter(const ConvProblem& p, const Device& device) {
    if (std::string why = why_no_npp(p, device); !why.empty()) return why;
    if (p.combine != Combine::single) return "it takes one tap set";
    if (!p.taps().dense()) return "its taps are dense, and these are larger than 63×63";
    return is_u8(p, {1, 2, 4}) || is_f32_gray(p) ? "" : "it has no form for these channels";
}

std::string why_not_filter_integer(const ConvProblem& p, const Device& device) {
    if (std::string why = why_not_filter(p, device); !why.empty()) return why;
    return is_u8(p, {1, 4}) ? "" : "it takes u8 with 1 or 4 channels";
}

std::string why_not_row_column(const ConvProblem& p, const Device& device) {
    if (std::string why = why_no_npp(p, device); !why.empty()) return why;
    if (p.combine != Combine::single || !p.taps().separable())
        return "it takes one tap set that is a row times a column";
    return is_u8(p, {1, 4}) || is_f32_gray(p) ? "" : "it has no form for these channels";
}

bool is_box(const ConvProblem& p) {
    const Taps& t = p.taps();
    const auto ones = [](const std::vector<float>& v) {
        return std::ranges::all_of(v, [](float w) { return w == 1.0F; });
    };
    const float area = static_cast<float>(t.width * t.height);
    return p.combine == Combine::single && t.separable() && ones(t.row) && ones(t.column) &&
           p.conv.front().scale == 1.0F / area;
}

// Two channels use the dense filter: NPP has no such form of the Gaussian.
std::string why_not_gauss(const ConvProblem& p, const Device& device) {
    if (std::string why = why_no_npp(p, device); !why.empty()) return why;
    const Taps& t = p.taps();
    if (p.combine != Combine::single || !t.separable() || t.row != t.column || is_box(p))
        return "it takes Gaussians";
    return is_u8(p, {1, 2, 4}) ? "" : "it takes u8";
}

// Its masks end at 15×15 and have taps of their own.
std::string why_not_gauss_mask(const ConvProblem& p, const Device& device) {
    if (std::string why = why_not_gauss(p, device); !why.empty()) return why;
    if (p.taps().width > 15) return "its masks end at 15×15";
    return is_u8(p, {1, 4}) ? "" : "it takes u8 with 1 or 4 channels";
}

std::string why_not_box(const ConvProblem& p, const Device& device) {
    if (std::string why = why_no_npp(p, device); !why.empty()) return why;
    return is_box(p) && is_u8(p, {1}) ? "" : "it takes boxes on u8 with 1 channel";
}

std::string why_not_sobel(const ConvProblem& p, const Device& device) {
    if (std::string why = why_no_npp(p, device); !why.empty()) return why;
    const bool sobel = p.combine == Combine::magnitude && p.taps().width == 3 &&
                       p.taps().weights == std::vector<float>{-1, 0, 1, -2, 0, 2, -1, 0, 1};
    return sobel && is_u8(p, {1}) ? "" : "it takes the Sobel magnitude of u8 with 1 channel";
}

int margin_of(const ConvProblem& p) {
    return std::max(p.taps().width, p.taps().height) / 2;
}

double one_step(const ConvProblem& p) {
    return p.type == PixelType::f32 ? 0 : 1;
}

// The result is truncated or rounded in NPP's own way.
Allowance one_rounding(const ConvProblem& p) {
    return {.steps = one_step(p), .margin = margin_of(p)};
}

// The result of the row pass is an image of the same type.
Allowance two_roundings(const ConvProblem& p) {
    return {.relative = p.type == PixelType::f32 ? 1e-6 : 0,
            .steps = 2 * one_step(p),
            .margin = margin_of(p)};
}

// Integer taps: half a step of each, times 255.
Allowance whole_taps(const ConvProblem& p) {
    const double count = static_cast<double>(p.taps().width) * p.taps().height;
    return {.steps = 1 + 255 * count * 0.5 / npp_integer_scale(p), .margin = margin_of(p)};
}

// The problem with the taps that NPP's mask actually has.
ConvProblem gauss_mask_of(const ConvProblem& p) {
    ConvProblem own = p;
    own.conv.front().taps = {npp_gauss_taps(p.taps().width)};
    return own;
}

// Its border can be the same as ours.
Allowance mirrored(const ConvProblem& p) {
    Allowance allowance = two_roundings(p);
    if (p.channels != 2) allowance.margin = 0;
    return allowance;
}

ImagePeer peer(std::string_view name, std::string_view summary, std::string_view limits) {
    return {.row = {.name = name,
                    .summary = summary,
                    .source = "NVIDIA Performance Primitives",
                    .limits = limits,
                    .space = MemorySpace::device,
                    .arithmetic = Arithmetic::fp32}};
}

}  // namespace

std::vector<ImagePeer> npp_peers() {
    std::vector<ImagePeer> out;
    const auto add = [&](ImagePeer p, auto why_not, auto prepare, auto allowance) {
        p.row.why_not = why_not;
        p.row.prepare = prepare;
        p.allowance = allowance;
        out.push_back(p);
    };
    add(peer("npp/filter_border_f32", "nppiFilterBorder32f, float taps", kInterior), why_not_filter,
        prepare_npp_filter, one_rounding);
    add(peer("npp/filter_border_s32", "nppiFilterBorder, whole taps and a divisor", kInterior),
        why_not_filter_integer, prepare_npp_filter_integer, whole_taps);
    add(peer("npp/row_column", "nppiFilterRowBorder32f, then nppiFilterColumnBorder32f", kTwice),
        why_not_row_column, prepare_npp_row_column, two_roundings);
    add(peer("npp/gauss", "nppiFilterGaussBorder with a mask of its own",
             "border replicate, taps of its own, known by what its f32 form makes of a single "
             "pixel: "
             "the interior is compared"),
        why_not_gauss_mask, prepare_npp_gauss_mask, two_roundings);
    out.back().solves = gauss_mask_of;
    add(peer("npp/gauss_advanced", "nppiFilterGaussAdvancedBorder; two channels by filter_border",
             "border mirror"),
        why_not_gauss, prepare_npp_gauss, mirrored);
    add(peer("npp/box", "nppiFilterBoxBorder", kInterior), why_not_box, prepare_npp_box,
        one_rounding);
    add(peer("npp/box_advanced", "nppiFilterBoxBorderAdvanced, with a buffer", kInterior),
        why_not_box, prepare_npp_box_advanced, one_rounding);
    add(peer("npp/sobel", "nppiGradientVectorSobelBorder to 16 bits, then nppiConvert to 8",
             kInterior),
        why_not_sobel, prepare_npp_sobel, one_rounding);
    return out;
}

}  // namespace weft::bench
