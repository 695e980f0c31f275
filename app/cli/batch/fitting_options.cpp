#include "app/cli/batch/fitting_options.h"

#include <algorithm>
#include <array>

extern "C" {
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include "app/media/write/container_table.h"
#include "app/media/write/encoder_traits.h"
#include "app/media/write/video_choice.h"
#include "app/pipeline/file_job.h"
#include "app/pipeline/names.h"

namespace weft {
namespace {

bool takes_codec(const Container& container, const WriterOptions& request) {
    const AVCodec* encoder = find_encoder(request.video_codec);
    return encoder != nullptr && container_takes(container, encoder->id);
}

// The encoders that may be chosen for the container.
std::vector<const AVCodec*> encoders_for(const Container& container, const WriterOptions& request) {
    if (!request.video_codec.empty() && takes_codec(container, request))
        return {find_encoder(request.video_codec)};
    std::vector<const AVCodec*> encoders;
    for (std::string_view name :
         request.lossless ? container.lossless_codecs : container.video_codecs)
        if (const AVCodec* encoder = find_encoder(name)) encoders.push_back(encoder);
    return encoders;
}

const AVOption* option_of(const AVCodec& encoder, std::string_view name) {
    const AVClass* options = encoder.priv_class;
    return options == nullptr ? nullptr
                              : av_opt_find(&options, std::string(name).c_str(), nullptr, 0,
                                            AV_OPT_SEARCH_FAKE_OBJ);
}

// A preset is either free text or one of the constants of the encoder's option.
bool has_preset(const AVCodec& encoder, const std::string& preset) {
    const AVOption* option = option_of(encoder, "preset");
    if (option == nullptr) return false;
    if (option->unit == nullptr) return true;
    const AVClass* options = encoder.priv_class;
    return av_opt_find(&options, preset.c_str(), option->unit, 0, AV_OPT_SEARCH_FAKE_OBJ) !=
           nullptr;
}

bool takes_format(const AVCodec& encoder, const std::string& name) {
    const AVPixelFormat format = av_get_pix_fmt(name.c_str());
    if (encoder.pix_fmts == nullptr) return true;
    for (const AVPixelFormat* f = encoder.pix_fmts; *f != AV_PIX_FMT_NONE; ++f)
        if (*f == format) return true;
    return false;
}

bool has_index(const Container& container, const WriterOptions& /*request*/) {
    return container.clock == Clock::movie;
}

struct Rule {
    const char* name = nullptr;
    bool (*is_given)(const WriterOptions& request) = nullptr;
    // One of these is set and returns whether the container, or one of its encoders, can use the
    // option.
    bool (*fits)(const Container& container, const WriterOptions& request) = nullptr;
    bool (*is_usable)(const AVCodec& encoder, const WriterOptions& request) = nullptr;
    void (*leave_out)(WriterOptions& request) = nullptr;
    bool tunes = false;  // a setting of some outputs alone: dropped for videos as well
};

constexpr std::array kRules{
    Rule{"-c:v", [](const WriterOptions& w) { return !w.video_codec.empty(); }, takes_codec,
         nullptr, [](WriterOptions& w) { w.video_codec.clear(); }},
    Rule{"--lossless", [](const WriterOptions& w) { return w.lossless; }, nullptr,
         [](const AVCodec& encoder, const WriterOptions&) {
             const EncoderTraits& traits = encoder_traits(encoder.name);
             return traits.always_lossless || !traits.lossless.empty();
         },
         [](WriterOptions& w) { w.lossless = false; }},
    Rule{"-crf", [](const WriterOptions& w) { return w.crf.has_value(); }, nullptr,
         [](const AVCodec& encoder, const WriterOptions&) {
             const EncoderTraits& traits = encoder_traits(encoder.name);
             return traits.scale || option_of(encoder, traits.crf) != nullptr;
         },
         [](WriterOptions& w) { w.crf.reset(); }, true},
    Rule{"-q:v", [](const WriterOptions& w) { return w.quality.has_value(); }, nullptr,
         [](const AVCodec& encoder, const WriterOptions&) {
             return encoder_traits(encoder.name).scale.has_value();
         },
         [](WriterOptions& w) { w.quality.reset(); }, true},
    Rule{"-preset", [](const WriterOptions& w) { return !w.preset.empty(); }, nullptr,
         [](const AVCodec& encoder, const WriterOptions& w) {
             return has_preset(encoder, w.preset);
         },
         [](WriterOptions& w) { w.preset.clear(); }, true},
    Rule{"--encoder-option", [](const WriterOptions& w) { return !w.encoder_options.empty(); },
         nullptr,
         [](const AVCodec& encoder, const WriterOptions& w) {
             return std::ranges::all_of(w.encoder_options, [&](const auto& option) {
                 return takes_option(encoder, option.first);
             });
         },
         [](WriterOptions& w) { w.encoder_options.clear(); }, true},
    Rule{"-pix_fmt", [](const WriterOptions& w) { return !w.pixel_format.empty(); }, nullptr,
         [](const AVCodec& encoder, const WriterOptions& w) {
             return takes_format(encoder, w.pixel_format);
         },
         [](WriterOptions& w) { w.pixel_format.clear(); }},
    Rule{"-movflags", [](const WriterOptions& w) { return w.index_first; }, has_index, nullptr,
         [](WriterOptions& w) { w.index_first = false; }, true},
};

bool can_use(const Rule& rule, const Container& container, const WriterOptions& request) {
    if (rule.fits != nullptr) return rule.fits(container, request);
    return std::ranges::any_of(encoders_for(container, request), [&](const AVCodec* encoder) {
        return rule.is_usable(*encoder, request);
    });
}

std::vector<const Container*> containers_of(std::span<const JobFile> files,
                                            const std::string& format) {
    std::vector<const Container*> used;
    for (const JobFile& file : files) {
        if (file.output == kNoOutput) continue;
        const Container* container = &find_container(file.output, format);
        if (std::ranges::find(used, container) == used.end()) used.push_back(container);
    }
    return used;
}

bool has(const std::vector<std::string>& names, const char* name) {
    return std::ranges::find(names, name) != names.end();
}

}  // namespace

FittingOptions::FittingOptions(std::span<const JobFile> files, const WriterOptions& request)
    : request_(request) {
    const std::vector<const Container*> used = containers_of(files, request.format);
    for (const Rule& rule : kRules)
        for (const Container* container : used)
            if (rule.is_given(request) && can_use(rule, *container, request))
                (container->kind == OutputKind::still ? for_pictures_ : for_videos_)
                    .emplace_back(rule.name);
    std::vector<std::string> parts;
    for (const Container* container : used) {
        WriterOptions options = request;
        if (const auto names = leave_out(*container, options); !names.empty())
            parts.push_back(fmt::format("{} ({})", container->name, fmt::join(names, ", ")));
    }
    if (!parts.empty())
        note_ = fmt::format("some outputs cannot use these options and ignore them: {}",
                            fmt::join(parts, ", "));
}

WriterOptions FittingOptions::for_output(const std::string& output) const {
    WriterOptions options = request_;
    if (output != kNoOutput) (void)leave_out(find_container(output, request_.format), options);
    return options;
}

// In the order of the rules: dropping --lossless changes the encoders for the rules after it.
std::vector<std::string> FittingOptions::leave_out(const Container& container,
                                                   WriterOptions& options) const {
    std::vector<std::string> names;
    if (options.strict) return names;
    for (const Rule& rule : kRules) {
        const bool optional = rule.tunes || container.kind == OutputKind::still;
        const bool elsewhere =
            has(for_videos_, rule.name) ? optional : has(for_pictures_, rule.name);
        if (!rule.is_given(options) || !elsewhere || can_use(rule, container, options)) continue;
        rule.leave_out(options);
        names.emplace_back(rule.name);
    }
    return names;
}

}  // namespace weft
