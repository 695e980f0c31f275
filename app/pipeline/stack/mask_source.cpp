#include "app/pipeline/stack/mask_source.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/media/demux/image_sequence.h"
#include "filters/text/number_text.h"
#include "filters/text/text_error.h"

namespace weft {
namespace {

constexpr double kSequenceRate = 25;  // of numbered pictures in the reader: they have no times
// Seconds. Matroska rounds the times of a mask and those of a film by up to half a millisecond.
constexpr double kRounding = 0.0015;
constexpr double kLeap = 10;        // seconds that are decoded rather than left out
constexpr double kEarlier = 1;      // seconds: the frame that holds begins before the wanted time
constexpr double kOtherLength = 2;  // seconds

double seconds_of(std::int64_t ticks, AVRational time_base) {
    return static_cast<double>(ticks) * av_q2d(time_base);
}

// How long the video is according to its container; nothing if only all streams together are known.
std::optional<double> length_of(const Reader& reader) {
    const AVFormatContext& context = reader.source();
    const AVStream& video = reader.video_stream();
    if (video.duration > 0) return seconds_of(video.duration, video.time_base);
    if (const AVDictionaryEntry* tag = av_dict_get(video.metadata, "DURATION", nullptr, 0)) try {
            return parse_seconds(tag->value);
        } catch (const TextError&) {
        }
    const bool alone = context.nb_streams == 1 &&
                       context.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE;
    if (alone && context.duration > 0) return seconds_of(context.duration, av_get_time_base_q());
    return {};
}

Reader open_mask(const std::string& path, const MaskedFilm& film,
                 std::optional<std::int64_t> start_us) {
    ReaderOptions options;
    options.path = path;
    options.start_us = start_us;
    options.audio = options.subtitles = false;
    if (is_sequence(path)) options.frame_rate = kSequenceRate;
    options.heartbeat = film.heartbeat;
    return Reader(std::move(options));
}

Reader open_first(const std::string& path, const MaskedFilm& film) {
    constexpr std::string_view kRemedy =
        "; a mask is a picture, numbered pictures (mask_%04d.png) or a video";
    if (path == "-")
        throw Error(Outcome::usage,
                    fmt::format("a mask cannot come from standard input{}", kRemedy));
    try {
        return open_mask(path, film, {});
    } catch (const MediaError& error) {
        if (error.av_code() == AVERROR(ENOMEM)) throw;
        throw Error(Outcome::usage, fmt::format("{}{}", error.what(), kRemedy));
    }
}

}  // namespace

struct MaskSource::Impl {
    Impl(std::string mask, MaskedFilm of)
        : path(std::move(mask)),
          film(std::move(of)),
          in_sequence(is_sequence(path)),
          reader(open_first(path, film)),
          first_pts(reader.first_frame().pts) {
        require_size(*reader.first_frame().av, Outcome::usage);
        read_first();
        still = !ahead;
    }

    // Seconds from the mask's first frame.
    double time_of(const Frame& frame) const {
        return seconds_of(frame.pts - first_pts, reader.time_base());
    }

    void require_size(const AVFrame& frame, Outcome outcome) const {
        const bool across = (reader.rotation_degrees() + film.rotation_degrees) % 180 != 0;
        const int width = across ? frame.height : frame.width;
        const int height = across ? frame.width : frame.height;
        if (width <= kMaxMaskReduction * film.width && height <= kMaxMaskReduction * film.height)
            return;
        throw Error(outcome,
                    fmt::format("{}: {}x{} is more than {} times as large as the frames, {}x{}; "
                                "scale the mask down",
                                path, frame.width, frame.height, kMaxMaskReduction, film.width,
                                film.height));
    }

    void read_first() {
        current = *read();
        ahead = read();
        ++number;
        weights.reset();
    }

    // The next frame, or nothing at the end.
    std::optional<Frame> read() {
        while (true) {
            MediaItem item = reader.next();
            if (auto* frame = std::get_if<Frame>(&item)) return std::move(*frame);
            if (std::holds_alternative<EndOfInput>(item)) break;
        }
        if (reader.damage().damaged) {
            damage.damaged = true;
            damage.reason = fmt::format("the mask {}: {}", path, reader.damage().reason);
            damage.first_bad_seconds = reader.damage().first_bad_seconds;
            damage.corrupt_frames = reader.damage().corrupt_frames;
            damage.decode_errors = reader.damage().decode_errors;
        }
        return {};
    }

    // Continues at a frame at or before `time`.
    void go_to(double time) {
        const std::int64_t start_time = reader.source().start_time;
        const double origin =
            seconds_of(first_pts, reader.time_base()) -
            (start_time == AV_NOPTS_VALUE ? 0 : seconds_of(start_time, av_get_time_base_q()));
        const double start = origin + time - kEarlier;
        if (start <= 0 || !reads_from(std::llround(start * AV_TIME_BASE), time)) reopen({});
    }

    // Whether the frame that holds at `time` is found from `start_us` on.
    bool reads_from(std::int64_t start_us, double time) {
        try {
            reopen(start_us);
        } catch (const MediaError&) {
            return false;  // the mask has ended before, or cannot be read at all
        }
        return time_of(current) <= time;
    }

    void reopen(std::optional<std::int64_t> start_us) {
        reader = open_mask(path, film, start_us);
        read_first();
    }

    void advance_to(double time) {
        while (ahead) {
            const double next = time_of(*ahead);
            const double gap = next - time_of(current);
            if (time < next - std::min(kRounding, gap / 2)) return;
            step = gap;
            current = std::move(*ahead);
            ahead = read();
            ++number;
            weights.reset();
        }
    }

    void note_early_end(double time, double duration_of_film_frame) {
        double duration = seconds_of(current.duration, reader.time_base());
        if (duration <= 0) duration = step > 0 ? step : duration_of_film_frame;
        const double end = time_of(current) + duration;
        if (time < end - std::min(kRounding, duration / 2) || ended_early) return;
        ended_early = true;
        const std::string sentence =
            in_sequence ? fmt::format(
                              "the mask {} ends before the film's frame {}, and its last "
                              "picture holds from there on",
                              path, std::llround(time * kSequenceRate) + 1)
                        : fmt::format(
                              "the mask {} ends at {:.3f} s, before the film, and its last "
                              "frame holds from there on",
                              path, end);
        damage.damaged = true;
        damage.reason += (damage.reason.empty() ? "" : "; ") + sentence;
        if (!damage.first_bad_seconds && !in_sequence) damage.first_bad_seconds = end;
    }

    void compute_weights() {
        require_size(*current.av, Outcome::failed);
        const int degrees = (reader.rotation_degrees() + 360 - film.rotation_degrees) % 360;
        weights = scaled(turned(mask_weights(*current.av), degrees), film.width, film.height);
    }

    std::int64_t move_to(const FramePlace& frame) {
        const double time = in_sequence ? static_cast<double>(frame.number) / kSequenceRate
                                        : frame.seconds - film.first_seconds;
        if (!still) {
            const bool before = current.pts > first_pts && time < time_of(current) - kRounding;
            if (before || (ahead && time > time_of(*ahead) + kLeap)) go_to(time);
            advance_to(time);
            if (!ahead) note_early_end(time, frame.duration);
        }
        return number;
    }

    std::string path;
    MaskedFilm film;
    bool in_sequence;
    Reader reader;
    std::int64_t first_pts;
    bool still = false;
    Frame current;
    std::optional<Frame> ahead;          // nothing: the mask has ended
    double step = 0;                     // seconds between the last two frames; 0: unknown
    std::optional<MaskWeights> weights;  // of the current frame
    std::int64_t number = 0;
    bool ended_early = false;
    DamageReport damage;
};

MaskedFilm masked_film(const Reader& film) {
    const AVFrame& frame = *film.first_frame().av;
    const AVStream& video = film.video_stream();
    const std::int64_t begin = film.source().start_time;
    const bool known = video.start_time != AV_NOPTS_VALUE && begin != AV_NOPTS_VALUE;
    return {.width = frame.width,
            .height = frame.height,
            .rotation_degrees = film.rotation_degrees(),
            .first_seconds = known ? seconds_of(video.start_time, video.time_base) -
                                         seconds_of(begin, av_get_time_base_q())
                                   : 0};
}

MaskSource::MaskSource(std::string path, MaskedFilm film)
    : impl_(std::make_unique<Impl>(std::move(path), std::move(film))) {}
MaskSource::~MaskSource() = default;
MaskSource::MaskSource(MaskSource&&) noexcept = default;
MaskSource& MaskSource::operator=(MaskSource&&) noexcept = default;

void MaskSource::require_length_of(const Reader& film) const {
    if (impl_->still) return;
    const std::optional<double> wanted = length_of(film);
    std::optional<double> length = length_of(impl_->reader);
    const AVRational rate = film.video_stream().avg_frame_rate;
    if (impl_->in_sequence) {
        if (rate.num <= 0 || rate.den <= 0) return;
        length = static_cast<double>(impl_->reader.estimated_frames()) / av_q2d(rate);
    }
    if (!wanted || !length || std::fabs(*wanted - *length) <= kOtherLength) return;
    throw Error(Outcome::usage,
                fmt::format("{}: the mask is {:.1f} s long and the film {:.1f} s; give a mask of "
                            "the same length, or one picture",
                            impl_->path, *length, *wanted));
}

std::int64_t MaskSource::move_to(const FramePlace& frame) {
    return impl_->move_to(frame);
}
std::span<const std::uint16_t> MaskSource::weights() {
    if (!impl_->weights) impl_->compute_weights();
    return impl_->weights->values;
}
bool MaskSource::is_still() const {
    return impl_->still;
}
const DamageReport& MaskSource::damage() const {
    return impl_->damage;
}

StepMasks open_masks(const Stack& stack, const MaskedFilm& film) {
    StepMasks masks;
    for (const Step& step : stack) {
        masks.emplace_back();
        if (!step.params.is_set("mask")) continue;
        try {
            masks.back() =
                std::make_shared<MaskSource>(std::string(step.params.text("mask")), film);
        } catch (const Error& error) {
            if (error.outcome() != Outcome::usage) throw;
            step.params.fail("mask", error.what());
        }
    }
    return masks;
}

}  // namespace weft
