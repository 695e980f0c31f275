#include "app/pipeline/stack/enabled_frames.h"

#include <array>
#include <cmath>
#include <stdexcept>

extern "C" {
#include <libavutil/eval.h>
}

namespace weft {
namespace {

constexpr std::array<const char*, 5> kVariables{"t", "n", "w", "h", nullptr};

}  // namespace

void EnabledFrames::Free::operator()(void* expression) const noexcept {
    av_expr_free(static_cast<AVExpr*>(expression));
}

EnabledFrames::EnabledFrames(const std::string& text) {
    constexpr int kSilent = 1000;  // is added to the level of libavutil's messages
    AVExpr* parsed = nullptr;
    const int result = av_expr_parse(&parsed, text.c_str(), kVariables.data(), nullptr, nullptr,
                                     nullptr, nullptr, kSilent, nullptr);
    if (result < 0)
        throw std::invalid_argument(
            "is no expression that ffmpeg's enable accepts: an example is "
            "between(t,2,5)+gte(n,100)");
    expression_.reset(parsed);
}

bool EnabledFrames::at(const FramePlace& frame, int width, int height) const {
    const std::array<double, 4> values{frame.seconds, static_cast<double>(frame.number),
                                       static_cast<double>(width), static_cast<double>(height)};
    const double value =
        av_expr_eval(static_cast<AVExpr*>(expression_.get()), values.data(), nullptr);
    return std::fabs(value) >= 0.5;
}

void check_enable(const Params& params) {
    try {
        const EnabledFrames frames(params.text("enable"));
    } catch (const std::invalid_argument& error) {
        params.fail("enable", error.what());
    }
}

}  // namespace weft
