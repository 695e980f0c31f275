#include "app/media/picture/scaler.h"

#include <cstdint>
#include <utility>

#include <fmt/format.h>

extern "C" {
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

namespace weft {
namespace {

constexpr int kFlags =
    SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT;
constexpr int kOne = 1 << 16;  // neutral contrast and saturation, 16.16 fixed point

// Null if libswscale cannot convert. It must know the ranges at init: between equal formats it
// copies, and ignores ranges set later without an error.
SwsContextPtr make_context(const ScalerSide& from, const ScalerSide& to) {
    if (sws_isSupportedInput(from.format) == 0 || sws_isSupportedOutput(to.format) == 0)
        return nullptr;
    SwsContextPtr sws(sws_alloc_context());
    if (!sws) return nullptr;
    const std::pair<const char*, std::int64_t> options[] = {
        {"srcw", from.width},        {"srch", from.height},
        {"src_format", from.format}, {"src_range", from.full_range ? 1 : 0},
        {"dstw", to.width},          {"dsth", to.height},
        {"dst_format", to.format},   {"dst_range", to.full_range ? 1 : 0},
        {"sws_flags", kFlags},
    };
    for (const auto& [name, value] : options)
        if (av_opt_set_int(sws.get(), name, value, 0) < 0) return nullptr;
    if (sws_init_context(sws.get(), nullptr, nullptr) < 0) return nullptr;
    return sws;
}

}  // namespace

SwsContextPtr open_scaler(const ScalerSide& from, const ScalerSide& to, const std::string& path) {
    SwsContextPtr sws = make_context(from, to);
    if (!sws)
        throw MediaError(ExitCode::failed, fmt::format("{}: no way to convert {} to {}", path,
                                                       av_get_pix_fmt_name(from.format),
                                                       av_get_pix_fmt_name(to.format)));
    // Fails for pairs that need no matrix, which is harmless.
    (void)sws_setColorspaceDetails(sws.get(), sws_getCoefficients(from.matrix),
                                   from.full_range ? 1 : 0, sws_getCoefficients(to.matrix),
                                   to.full_range ? 1 : 0, 0, kOne, kOne);
    return sws;
}

}  // namespace weft
