#include "filters/ffmpeg_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "filters/common.h"
#include "filters/planes.h"
#include "filters/where.h"

namespace weft {

FrameInfo ffmpeg_video() {
    constexpr int kWidth = 1280;
    constexpr int kHeight = 720;
    FrameInfo info{.width = kWidth, .height = kHeight, .planes = {}};
    for (Component c : {Component::y, Component::u, Component::v, Component::a})
        info.planes.push_back({.width = kWidth, .height = kHeight, .components = {c}});
    return info;
}

std::string FfmpegPlanes::finish(std::string chain) const {
    return neutral_chroma ? std::move(chain) + ",hue=s=0" : chain;
}

FfmpegPlanes ffmpeg_planes(const Params& params) {
    std::vector<std::string> notes;
    const ComponentSelection selection = selected(params, ffmpeg_video(), notes);
    FfmpegPlanes planes{.neutral_chroma = selection.neutral_chroma};
    for (Component c : selection.filtered) planes.mask |= 1U << component_number(c);
    return planes;
}

FfmpegText no_ffmpeg_text(std::string why) {
    return {.chain = "", .remarks = {std::move(why)}};
}

namespace {

// Options that ffmpeg's filters have here and not there.
constexpr std::array<std::string_view, 4> kOwnParams{"border", "border_value", "direction",
                                                     "radius"};

// A step of one of ffmpeg's filters, as it is.
FfmpegText own_text(const Step& step) {
    Step theirs = step;
    for (const ParamDef& param : step.filter->params) {
        const bool ours = std::ranges::find(kOwnParams, param.name) != kOwnParams.end() ||
                          (step.filter->name == "unsharp" && param.name == "planes");
        if (ours && step.params.canonical(param) != default_text(param))
            return no_ffmpeg_text(
                fmt::format("ffmpeg's {} has no {}", step.filter->name, param.name));
    }
    const bool has_planes = find_param(*step.filter, "planes") != nullptr;
    if (!has_planes || step.params.ffmpeg_mask("planes"))
        return {.chain = print_stack({theirs}, Names::typed)};
    const FfmpegPlanes planes = ffmpeg_planes(step.params);
    theirs.params.set("planes", fmt::format("{}", planes.mask));
    return {.chain = planes.finish(print_stack({theirs}, Names::typed))};
}

FfmpegText whole_text(const Step& step) {
    try {
        if (step.filter->of_ffmpeg) return own_text(step);
        if (step.filter->check != nullptr) step.filter->check(step.params);
        return step.filter->ffmpeg != nullptr ? step.filter->ffmpeg(step.params)
                                              : ffmpeg_convolution(step.params);
    } catch (const FilterError& error) {
        return no_ffmpeg_text(error.what());
    }
}

// As ffmpeg's expressions take it, where `whole` is the picture's side.
std::string length_text(const Length& length, std::string_view whole) {
    return length.percent ? fmt::format("{}*{}", whole, length.value / 100)
                          : fmt::format("{}", length.value);
}

// The step on a copy of each region, which then covers the region.
FfmpegText on_regions(const FfmpegText& whole, const Params& params, const std::string& enable) {
    FfmpegText text{.chain = "", .remarks = whole.remarks};
    for (const RegionText& region : parse_regions(params.text("region"))) {
        if (region.left.value < 0 || region.top.value < 0)
            return no_ffmpeg_text("ffmpeg's crop takes no region that begins outside the picture");
        text.chain += fmt::format(
            "{}split[whole][part];[part]crop={}:{}:{}:{},{}[part];[whole][part]overlay={}:{}{}",
            text.chain.empty() ? "" : ",", length_text(region.width, "iw"),
            length_text(region.height, "ih"), length_text(region.left, "iw"),
            length_text(region.top, "ih"), whole.chain, length_text(region.left, "W"),
            length_text(region.top, "H"), enable);
    }
    text.remarks.emplace_back(
        "ffmpeg's filter sees the region's edge as that of the picture, and its crop and overlay "
        "begin at whole chroma samples");
    return text;
}

}  // namespace

FfmpegText ffmpeg_text(const Step& step) {
    for (const std::string_view name : {"boxes", "mask", "shape", "feather", "grow", "invert"})
        if (step.params.is_set(name))
            return no_ffmpeg_text(fmt::format("ffmpeg's filters have no {}", name));
    for (const std::string_view name : {"light", "alpha", "dither"})
        if (find_param(*step.filter, name) != nullptr && step.params.choice(name) != "off")
            return no_ffmpeg_text(fmt::format("ffmpeg's filters have no {} of their own", name));
    const bool somewhere = step.params.is_set("region");
    const bool sometimes = step.params.is_set("enable");
    Step plain = step;
    plain.params.unset("region");
    plain.params.unset("enable");
    FfmpegText text = whole_text(plain);
    if (!text.exists() || (!somewhere && !sometimes)) return text;
    const std::string enable =
        sometimes ? ":enable=" + quote_token(escape_token(step.params.text("enable"), ":"), "[],;")
                  : "";
    if (somewhere) return on_regions(text, step.params, enable);
    if (text.chain.find(',') != std::string::npos)
        return no_ffmpeg_text(
            "ffmpeg needs several filters for this one, each with its own enable");
    text.chain += text.chain.find('=') == std::string::npos ? "=" + enable.substr(1) : enable;
    return text;
}

FfmpegText ffmpeg_text(const Stack& stack) {
    FfmpegText all;
    bool complete = true;
    for (const Step& step : stack) {
        const FfmpegText one = ffmpeg_text(step);
        complete = complete && one.exists();
        all.chain += (all.chain.empty() ? "" : ",") + one.chain;
        for (const std::string& remark : one.remarks)
            all.remarks.push_back(remark.starts_with(step.filter->name)
                                      ? remark
                                      : fmt::format("{}: {}", step.filter->name, remark));
    }
    if (!complete) all.chain.clear();
    return all;
}

}  // namespace weft
