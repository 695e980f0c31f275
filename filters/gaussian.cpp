#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "filters/common.h"
#include "filters/ffmpeg_text.h"
#include "filters/made_taps.h"
#include "filters/text/number_text.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 1> kAliases{"gblur"};
constexpr std::array<std::string_view, 4> kCustomaryFor{"blur", "smooth", "smoothing", "soften"};
constexpr std::array<std::string_view, 1> kSigmaVAliases{"sigma_v"};
constexpr double kMaxSigma = 1024;  // as in ffmpeg's gblur

constexpr ParamDef sigma_param(double def) {
    return {.name = "sigma",
            .help = "horizontal standard deviation; 0 leaves the picture unchanged",
            .unit = "px",
            .def = def,
            .min = 0,
            .max = kMaxSigma,
            .logarithmic = true};
}

constexpr std::array<ParamDef, 7> kParams{{
    sigma_param(2),
    {.name = "steps",
     .help =
         "accepted for compatibility with ffmpeg, without effect: the Gaussian is computed exactly",
     .kind = ParamKind::integer,
     .def = 1,
     .min = 1,
     .max = 6,
     .advanced = true},
    kPlanesAll,
    {.name = "sigmaV",
     .help = "vertical standard deviation; -1: same as sigma",
     .unit = "px",
     .def = -1,
     .min = -1,
     .max = kMaxSigma,
     .aliases = kSigmaVAliases,
     .label = "Vertical sigma",
     .automatic = -1,
     .logarithmic = true},
    {.name = "radius",
     .help = "where the Gaussian is cut off; 0: so far out that it misses 0.24 levels at most",
     .unit = "px",
     .kind = ParamKind::integer,
     .def = 0,
     .min = 0,
     .max = 255,
     .label = "Cut-off radius",
     .automatic = 0,
     .logarithmic = true},
    kBorder,
    kBorderValue,
}};

constexpr std::array<ParamDef, 7> kFfmpegParams{{sigma_param(0.5), kParams[1], kFfmpegPlanes,
                                                 kParams[3], kParams[4],
                                                 border_of_ffmpeg("replicate"), kBorderValue}};

// Where the factors of the whole Gaussian end. The part of the bell outside bounds the error in two
// dimensions: 0.24 of 255 levels at 3.5 sigma, and 1.2 millionths of full scale at 5, where a
// picture is white outside the factors and black inside.
int whole_radius(double sigma, const FrameInfo& info) {
    return static_cast<int>(std::ceil((info.max_value() == 255.0F ? 3.5 : 5) * sigma));
}

std::vector<float> cut_factor(double sigma, int radius) {
    const std::vector<double> samples = gaussian_samples(sigma, sigma > 0 ? radius : 0);
    return {samples.begin(), samples.end()};
}

double sigma_down(const Params& params) {
    const double sigma = params.number("sigmaV");
    return sigma < 0 ? params.number("sigma") : sigma;
}

void check(const Params& params) {
    const double sigma = params.number("sigmaV");
    if (sigma < 0 && sigma != -1)
        params.fail("sigmaV", fmt::format("it must be 0 to {} px, or -1 for sigma", kMaxSigma));
}

Operation make(const Params& params, const FrameInfo& info) {
    check(params);
    const double across = params.number("sigma");
    const double down = sigma_down(params);
    const int radius = params.integer("radius");
    Taps taps = radius > 0 ? separable_taps(cut_factor(across, radius), cut_factor(down, radius))
                           : gaussian_taps(across, down, whole_radius(across, info),
                                           whole_radius(down, info));
    Operation operation =
        convolution_operation({.components = {{.taps = {std::move(taps)}}}}, params, info);
    if (params.integer("steps") != 1 && !params.filter().of_ffmpeg)
        operation.notes.emplace_back("steps has no effect, the Gaussian is exact");
    return operation;
}

// The first one was cut off at 3 sigma at 8 bits and at 4 above. A radius has kept its meaning.
int definition(const Params& params) {
    return params.integer("radius") > 0 ? 1 : 2;
}

std::string unlike_ffmpeg(const Params& /*params*/) {
    return "the Gaussian is exact, so steps has no effect; ffmpeg only approximates it";
}

// gblur is a recursion that approximates the bell: at sigma 2 and 6 steps its middle is off by a
// quarter, below 1 by half. Small bells fit the 7×7 of `convolution`, which computes them: outside
// is 0.14 of 255 levels at sigma 1.
FfmpegText as_ffmpeg(const Params& params) {
    constexpr int kReach = 3;
    const double down = sigma_down(params);
    const double larger = std::max(params.number("sigma"), down);
    if (larger <= 1) {
        Params small = params;
        if (params.integer("radius") == 0 && whole_radius(larger, ffmpeg_video()) > kReach)
            small.set("radius", kReach);
        return ffmpeg_convolution(small);
    }
    const FfmpegPlanes planes = ffmpeg_planes(params);
    return {.chain = planes.finish(fmt::format("gblur=sigma={}:sigmaV={}:steps=6:planes={}",
                                               format_number(params.number("sigma")),
                                               format_number(down), planes.mask)),
            .remarks = {"gblur only approximates the Gaussian, better for larger sigmas"}};
}

}  // namespace

extern constinit const FilterDef kGaussianFilter{
    .name = "gaussian",
    .summary = "Gaussian blur",
    .group = FilterGroup::blur,
    .aliases = kAliases,
    .customary_for = kCustomaryFor,
    .params = kParams,
    .differs =
        "sigma is 2 unless given (ffmpeg: 0.5); the Gaussian is exact, so steps has no effect; "
        "planes=15 leaves alpha alone",
    .make = make,
    .check = check,
    .smooths = true,
    .ffmpeg = as_ffmpeg,
    .definition = definition};

extern constinit const FilterDef kFfmpegGblur{.name = "gblur",
                                              .summary = "ffmpeg's Gaussian blur, computed exactly",
                                              .group = FilterGroup::blur,
                                              .params = kFfmpegParams,
                                              .make = make,
                                              .check = check,
                                              .smooths = true,
                                              .of_ffmpeg = true,
                                              .unlike_ffmpeg = unlike_ffmpeg,
                                              .definition = definition};

}  // namespace weft
