#include "app/media/write/write_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/media/metadata/picture_metadata.h"
#include "app/media/metadata/png_chunks.h"
#include "app/media/metadata/side_data.h"
#include "app/media/metadata/unread_metadata.h"
#include "app/media/picture/pixel_traits.h"
#include "app/media/write/encoder_traits.h"
#include "app/media/write/frame_preparer.h"
#include "app/media/write/gpu_encoder.h"
#include "app/media/write/source_metadata.h"

extern "C" {
#include <libavutil/avstring.h>
#include <libavutil/pixdesc.h>
}

namespace weft {
namespace {

constexpr AVRational kMicroseconds{1, AV_TIME_BASE};
constexpr AVRational kDefaultRate{25, 1};
// Tolerance for two estimates of one constant rate: Matroska's milliseconds give 30.0003 for 30.
constexpr double kSameRate = 0.01;

bool usable(AVRational rate) {
    return rate.num > 0 && rate.den > 0;
}

// The rate of a constant-rate source, else the average.
AVRational frame_rate_of(const AVStream& stream) {
    const AVRational average = stream.avg_frame_rate;
    const AVRational base = stream.r_frame_rate;
    if (!usable(average)) return usable(base) ? base : kDefaultRate;
    if (!usable(base)) return average;
    return std::abs(av_q2d(average) / av_q2d(base) - 1) < kSameRate ? base : average;
}

// The slots per second of a container that stores frames in slots: the rate of a constant-rate
// source; else the first multiple of the rate that libav guessed with slots of at most 4 ms, so
// that frames keep their times within 2 ms. An empty slot costs 32 bytes.
AVRational slot_rate_of(const AVStream& stream, AVRational rate) {
    constexpr int kLeastRate = 250;
    constexpr int kMostRate = 1000;
    const AVRational base = stream.r_frame_rate;
    if (!usable(base)) return rate;
    if (av_cmp_q(base, rate) == 0) return base;
    if (av_cmp_q(base, {kMostRate, 1}) > 0) return {kMostRate, 1};
    const int times = static_cast<int>(std::ceil(kLeastRate / av_q2d(base)));
    return av_mul_q(base, {std::max(times, 1), 1});
}

AVFieldOrder field_order_of(const WriterSource& source, const AVStream& stream) {
    if (!source.interlaced) return AV_FIELD_PROGRESSIVE;
    const AVFieldOrder order = stream.codecpar->field_order;
    if (order != AV_FIELD_UNKNOWN && order != AV_FIELD_PROGRESSIVE) return order;
    return source.first_frame->av->top_field_first != 0 ? AV_FIELD_TT : AV_FIELD_BB;
}

// Encoders of MPEG-2 that are given no time code count frames.
bool counts_from_zero(std::string_view code) {
    return std::ranges::all_of(code, [](char c) { return c == '0' || c == ':' || c == ';'; });
}

class PlanMaker {
 public:
    PlanMaker(const WriterOptions& options, const WriterSource& source)
        : options_(options),
          source_(source),
          stream_(*source.streams->streams[source.video_index]),
          first_(*source.first_frame->av) {}

    WritePlan make() {
        plan_.container = &find_container(options_.path, options_.format);
        check_place();
        plan_.frame_rate = frame_rate_of(stream_);
        plan_.clock_rate = container().clock == Clock::slots
                               ? slot_rate_of(stream_, plan_.frame_rate)
                               : plan_.frame_rate;
        plan_.field_order = field_order_of(source_, stream_);
        choose_turn();
        choose_encoding();
        choose_memory();
        choose_streams();
        choose_quality();
        choose_shift();
        list_lost_properties();
        list_lost_side_data();
        hide_pictures();
        if (options_.strict && !plan_.warnings.empty())
            throw Error(Outcome::usage,
                        fmt::format("{}: --strict: {}", options_.path, plan_.warnings.front()));
        return std::move(plan_);
    }

 private:
    const Container& container() const { return *plan_.container; }
    bool is_movie() const { return container().clock == Clock::movie; }
    void warn(std::string text) { plan_.warnings.push_back(std::move(text)); }

    void check_place() const {
        if (options_.index_first && !is_movie())
            throw Error(Outcome::usage, options_.path +
                                            ": -movflags +faststart: only mp4 and mov have an "
                                            "index that can be first; leave it out");
        if (options_.path != "-" || container().supports(kPipedOutput)) return;
        throw Error(Outcome::usage,
                    fmt::format("a writer of {} goes back in the file, which standard output does "
                                "not allow; use -f nut, -f y4m or -f mkv",
                                container().name));
    }

    void choose_turn() {
        if (container().supports(kRotation)) return;
        plan_.turn = turn_by(source_.rotation_degrees);
        if (const std::uint8_t* data =
                av_stream_get_side_data(&stream_, AV_PKT_DATA_DISPLAYMATRIX, nullptr)) {
            const auto exact = turn_of(reinterpret_cast<const std::int32_t*>(data));
            if (exact)
                plan_.turn = *exact;
            else
                warn(fmt::format(
                    "{} cannot store the source's display matrix, which does not rotate "
                    "by a multiple of 90 degrees",
                    container().name));
        }
        if (!plan_.turn.is_identity())
            plan_.notes.push_back(fmt::format("{} cannot store a rotation, so the pixels are {}",
                                              container().name, describe(plan_.turn)));
    }

    // A lossless WebP stays one, as with ImageMagick 7, unless the encoding is chosen otherwise.
    // libav decodes only these to RGB.
    bool stays_lossless() const {
        const bool chosen = options_.chooses_quality() || !options_.preset.empty() ||
                            !options_.encoder_options.empty() || !options_.video_codec.empty() ||
                            !options_.pixel_format.empty();
        return container().name == "webp" && stream_.codecpar->codec_id == AV_CODEC_ID_WEBP &&
               pixel_traits(source_.first_frame->format()).rgb && !chosen;
    }

    void choose_encoding() {
        plan_.lossless = options_.lossless || stays_lossless();
        if (plan_.lossless && !options_.lossless)
            plan_.notes.emplace_back(
                "the output is lossless because the source is a lossless WebP");
        const bool swap = plan_.turn.transpose;
        const FrameShape shape{.format = turned_format(source_.first_frame->format(), plan_.turn),
                               .width = swap ? first_.height : first_.width,
                               .height = swap ? first_.width : first_.height};
        plan_.video = choose_video(container(), shape,
                                   {.codec = options_.video_codec,
                                    .pixel_format = options_.pixel_format,
                                    .lossless = plan_.lossless,
                                    .preset = !options_.preset.empty(),
                                    .options = options_.encoder_options});
        for (const std::string& loss : plan_.video.losses) warn(loss);
        plan_.notes.insert(plan_.notes.end(), plan_.video.notes.begin(), plan_.video.notes.end());
    }

    // A JPEG made from a JPEG keeps its tables, because finer ones would store the errors of the
    // coarser ones. Each picture of a sequence may have other tables.
    void choose_quality() {
        if (plan_.lossless) return;
        const bool jpeg = container().name == "jpg" && source_.still && source_.picture != nullptr;
        if (jpeg && !options_.chooses_quality()) plan_.jpeg_tables = source_.picture->jpeg_tables();
        const std::string text =
            quality_text(plan_.video, source_.first_frame->format(), options_, plan_.jpeg_tables);
        for (StreamPlan& stream : plan_.streams)
            if (stream.action == StreamAction::encode) stream.reason = text;
    }

    // Frames stay on the GPU unless the CPU has to change them.
    void choose_memory() {
        const VideoChoice& video = plan_.video;
        if (!source_.frames_on_gpu || !takes_gpu_frames(*video.encoder)) return;
        const auto formats = encoder_traits(video.encoder->name).formats;
        std::string they_are = preparation(source_.first_frame->format(), plan_.turn, video.format);
        if (they_are.empty() && std::ranges::find(formats, video.format) == formats.end())
            they_are = fmt::format("in the format {}, which the encoder does not take on the GPU",
                                   av_get_pix_fmt_name(video.format));
        if (they_are.empty() && (options_.lossless || options_.proof != ProofMode::none))
            they_are = "hashed by the CPU";
        plan_.frames_on_gpu = they_are.empty();
        if (!they_are.empty())
            plan_.notes.push_back(fmt::format(
                "{}: frames are copied from the GPU before encoding because they are {}",
                video.encoder->name, they_are));
    }

    void choose_streams() {
        plan_.streams = plan_streams(container(), *source_.streams,
                                     {.video_index = source_.video_index,
                                      .audio_codec = options_.audio_codec,
                                      .audio = options_.audio,
                                      .lossless = options_.lossless,
                                      .redacted = options_.redacted});
        for (const StreamPlan& plan : plan_.streams) warn_about(plan);
        if (container().muxer.empty()) return;
        const AVOutputFormat* muxer =
            av_guess_format(std::string(container().muxer).c_str(), nullptr, nullptr);
        plan_.global_header = muxer != nullptr && (muxer->flags & AVFMT_GLOBALHEADER) != 0;
    }

    void warn_about(const StreamPlan& plan) {
        const std::string name = stream_name(*source_.streams->streams[plan.source_index]);
        const bool asked = !options_.audio_codec.empty() && options_.audio_codec != "copy";
        switch (plan.action) {
            case StreamAction::drop:
                return warn(fmt::format("{} is dropped: {}", name, plan.reason));
            case StreamAction::hidden:
                return plan_.notes.push_back(fmt::format("{} is left out: {}", name, plan.reason));
            case StreamAction::convert_audio:
                if (asked) return;
                [[fallthrough]];
            case StreamAction::convert_subtitle:
                return warn(
                    fmt::format("{} is converted to {}: {}", name, plan.codec, plan.reason));
            case StreamAction::encode:
            case StreamAction::copy:
            case StreamAction::cover_picture:
            case StreamAction::cover_attachment:
            case StreamAction::kept_elsewhere:
            case StreamAction::not_wanted:
                return;
        }
    }

    bool is_kept(const StreamPlan& plan) const {
        return plan.action == StreamAction::copy || plan.action == StreamAction::convert_audio ||
               plan.action == StreamAction::convert_subtitle;
    }

    void choose_shift() {
        const AVRational tick = source_.time_base;
        plan_.shift = {av_rescale_q(options_.shift_us, kMicroseconds, tick), tick};
        if (container().kind == OutputKind::still) return;
        const std::int64_t first = source_.first_frame->pts - plan_.shift.ticks;
        if (container().clock == Clock::constant_rate) return start_together(first);
        if (container().clock == Clock::slots) return start_with_the_earliest(first);
        const std::int64_t earliest = std::min<std::int64_t>(first, 0);
        if (earliest >= 0) return;
        plan_.shift.ticks += earliest;
        plan_.notes.push_back(
            fmt::format("{} cannot start below zero, so every stream starts {:.6f} s later",
                        container().name, -static_cast<double>(earliest) * av_q2d(tick)));
    }

    // The start of a stream that is kept, in ticks of the picture, or nothing if it is unknown. A
    // part of a file (-ss) has the packets from there on.
    std::optional<std::int64_t> start_of(const StreamPlan& plan) const {
        const AVStream& stream = *source_.streams->streams[plan.source_index];
        if (!is_kept(plan) || stream.start_time == AV_NOPTS_VALUE) return std::nullopt;
        const std::int64_t start =
            av_rescale_q(stream.start_time, stream.time_base, source_.time_base);
        return options_.shift_us == 0 ? start : std::max(start, plan_.shift.ticks);
    }

    // Slots before the first frame may be empty, but sound always starts at zero.
    void start_with_the_earliest(std::int64_t first) {
        std::int64_t earliest = plan_.shift.ticks + first;
        for (const StreamPlan& plan : plan_.streams)
            earliest = std::min(earliest, start_of(plan).value_or(earliest));
        start_at(earliest);
    }

    // The container stores frame numbers, which start at zero.
    void start_together(std::int64_t first) { start_at(plan_.shift.ticks + first); }

    // All streams start at zero: names those that do not start at `zero` in the source.
    void start_at(std::int64_t zero) {
        for (const StreamPlan& plan : plan_.streams) {
            const auto start = start_of(plan);
            if (!start) continue;
            const double offset = static_cast<double>(*start - zero) * av_q2d(source_.time_base);
            if (std::abs(offset) >= 0.001)
                warn(fmt::format(
                    "{} starts {:.3f} s {} the picture, but in {} all streams start together",
                    stream_name(*source_.streams->streams[plan.source_index]), std::abs(offset),
                    offset < 0 ? "before" : "after", container().name));
        }
        plan_.shift.ticks = zero;
    }

    // A raw file has no header, so the warning is how to read it.
    void list_lost_header() {
        if (container().kind != OutputKind::raw) return;
        const bool swap = plan_.turn.transpose;
        warn(fmt::format(
            "rawvideo stores neither size, pixel format nor frame rate; to read it: "
            "-f rawvideo -video_size {}x{} -pixel_format {} -framerate {}/{}",
            swap ? first_.height : first_.width, swap ? first_.width : first_.height,
            av_get_pix_fmt_name(plan_.video.format), plan_.frame_rate.num, plan_.frame_rate.den));
    }

    // WebM stores the width on screen, in whole pixels.
    void note_rounded_aspect(AVRational aspect) {
        if (container().name != "webm" || aspect.num <= 0 || aspect.num == aspect.den) return;
        const int width = plan_.turn.transpose ? first_.height : first_.width;
        const std::int64_t shown = av_rescale(width, aspect.num, aspect.den);
        AVRational stored{};
        av_reduce(&stored.num, &stored.den, shown, width, std::numeric_limits<int>::max());
        if (av_cmp_q(stored, aspect) != 0)
            plan_.notes.push_back(
                fmt::format("webm stores the width on screen in whole pixels, so the pixel aspect "
                            "ratio {}:{} becomes {}:{}",
                            aspect.num, aspect.den, stored.num, stored.den));
    }

    // FFmpeg 5.1 is one of the older programs that ignore the chunk.
    void note_new_chunks() {
        const AVCodecID codec = plan_.video.encoder->id;
        if (codec != AV_CODEC_ID_PNG && codec != AV_CODEC_ID_APNG) return;
        for (const PngChunk& chunk : png_chunks_of(first_))
            if (chunk.type == "cICP")
                plan_.notes.push_back(fmt::format(
                    "the transfer curve {} is tagged by a cICP chunk, which older programs ignore",
                    av_color_transfer_name(first_.color_trc)));
    }

    void list_lost_properties() {
        list_lost_header();
        const AVRational aspect = first_.sample_aspect_ratio;
        if (!container().supports(kPixelAspect) && aspect.num > 0 && aspect.num != aspect.den)
            warn(fmt::format("{} cannot store the pixel aspect ratio {}:{}, which is lost",
                             container().name, aspect.num, aspect.den));
        note_rounded_aspect(aspect);
        if (!container().supports(kHdr10) && has_hdr10(stream_, first_))
            warn(fmt::format("{} cannot store HDR10 metadata, which is lost", container().name));
        if (const auto lost = layouts_of(stream_); !container().supports(kLayouts) && !lost.empty())
            warn(fmt::format("{} cannot store how the picture is displayed; lost: {}",
                             container().name, fmt::join(lost, ", ")));
        if (const auto lost = lost_colors(container(), plan_.video.encoder->id, first_);
            !lost.empty())
            warn(
                fmt::format("{}{} cannot store colour tags; lost: {}", container().name,
                            container().color_tags == ColorTags::in_streams
                                ? fmt::format(" with {}", avcodec_get_name(plan_.video.encoder->id))
                                : "",
                            fmt::join(lost, ", ")));
        note_new_chunks();
        if (!container().supports(kChapters) && source_.streams->nb_chapters > 0)
            warn(fmt::format("{} cannot store chapters, so {} are lost", container().name,
                             source_.streams->nb_chapters));
        list_lost_chapter_tags();
        if (const auto programs = program_names(*source_.streams); !programs.empty())
            plan_.notes.push_back(
                fmt::format("the names of programs are not kept: {}", fmt::join(programs, ", ")));
        list_lost_tags();
        list_unread();
        list_lost_metadata();
        for (const StreamPlan& plan : plan_.streams)
            if (is_kept(plan) || plan.action == StreamAction::encode) list_lost_labels(plan);
    }

    // With --strict a frame that loses some is an error: the first one before any work, the others
    // when they come.
    void list_lost_side_data() {
        const std::string encoder = plan_.video.encoder->name;
        const AVFrameSideData* code = av_frame_get_side_data(&first_, AV_FRAME_DATA_GOP_TIMECODE);
        const AVDictionaryEntry* text = av_dict_get(first_.metadata, "timecode", nullptr, 0);
        if (code != nullptr && text != nullptr && !counts_from_zero(text->value))
            warn(fmt::format("the time code of the first frame is lost: {}", text->value));
        if (!container().supports(kLayouts)) list_lost_space();
        if (loses_profile())
            warn(fmt::format("{} cannot store the ICC profile of the video", container().name));
        if (side_data_of(stream_).dolby_vision && !side_data_of(first_).dolby_vision_frame)
            warn(fmt::format("{} cannot store Dolby Vision metadata, which is lost", encoder));
        if (!options_.strict) return;  // they are counted
        for (const std::string& kind :
             unstored_side_data(first_, encoder_traits(encoder).side_data))
            warn(fmt::format("{} cannot store {}", encoder, kind));
    }

    // A mode that the frames alone state, such as that of an H.264 stream.
    void list_lost_space() {
        const auto stereo = side_data_of(first_).stereo;
        if (side_data_of(stream_).stereo || !stereo || stereo->type == AV_STEREO3D_2D) return;
        if (!stores(stereo->type))
            warn(fmt::format("{} cannot store the stereo mode {}, which is lost", container().name,
                             av_stereo3d_type_name(stereo->type)));
    }

    // PNG has a chunk for one of them.
    bool stores(AVStereo3DType mode) const {
        const auto stored = encoder_traits(plan_.video.encoder->name).side_data;
        return std::ranges::find(stored, AV_FRAME_DATA_STEREO3D) != stored.end() ||
               (plan_.video.encoder->id == AV_CODEC_ID_PNG && mode == AV_STEREO3D_SIDEBYSIDE);
    }

    // The profile of a picture file is among its metadata. libav's encoders of PNG and JPEG store
    // the frame's profile.
    bool loses_profile() const {
        if (source_.picture != nullptr) return false;
        const AVCodecID codec = plan_.video.encoder->id;
        const bool stored = codec == AV_CODEC_ID_PNG || codec == AV_CODEC_ID_MJPEG;
        return av_stream_get_side_data(&stream_, AV_PKT_DATA_ICC_PROFILE, nullptr) != nullptr ||
               (!stored && av_frame_get_side_data(&first_, AV_FRAME_DATA_ICC_PROFILE) != nullptr);
    }

    void list_lost_tags() {
        const bool mov = container().muxer == "mov";
        std::vector<std::string> lost = content_tags(*source_.streams);
        if (container().supports(kGlobalTags) && !container().tag_names.empty())
            lost = tags_outside(lost, container().tag_names);
        else if (is_movie() && options_.path == "-")  // nothing can be added once it is sent
            lost = tags_outside(lost, mov ? mov_tags() : mp4_tags());
        else if (container().supports(kGlobalTags))
            std::erase_if(lost, [&](const auto& tag) { return is_movie() || tag != "xmp"; });
        if (mov) std::erase(lost, "xmp");
        for (std::string& text : header_texts(stream_, first_)) lost.push_back(std::move(text));
        plan_.lost_tags = lost;
        if (!lost.empty()) warn(lost_tags_text(container(), lost));
    }

    void list_lost_chapter_tags() {
        if (!container().supports(kChapters) || container().supports(kChapterTags)) return;
        std::set<std::string> names;
        const AVFormatContext& source = *source_.streams;
        for (const AVChapter* chapter : std::span(source.chapters, source.nb_chapters))
            for (const auto& [key, value] : tags_of(chapter->metadata))
                if (av_strcasecmp(key.c_str(), "title") != 0) names.insert(key);
        if (!names.empty())
            warn(fmt::format("{} cannot store tags of chapters other than titles; lost: {}",
                             container().name, fmt::join(names, ", ")));
    }

    void list_unread() {
        if (source_.unread == nullptr) return;
        std::vector<std::string> lost = source_.unread->lost;
        if (container().muxer != "mp4" || options_.path == "-")
            lost.insert(lost.end(), source_.unread->list_names.begin(),
                        source_.unread->list_names.end());
        if (!lost.empty())
            warn(fmt::format("FFmpeg does not read all metadata of the source; lost: {}",
                             fmt::join(lost, "; ")));
        for (const std::string& note : source_.unread->notes) plan_.notes.push_back(note);
    }

    // Pictures in metadata. Streams are named one by one.
    void hide_pictures() {
        if (!options_.redacted) return;
        std::vector<std::string> hidden;
        const auto add = [&hidden](const AVDictionary* tags, const std::string& of) {
            for (const std::string& tag : picture_tags(tags))
                hidden.push_back("the tag " + tag + of);
        };
        const AVFormatContext& source = *source_.streams;
        add(source.metadata, "");
        for (const AVStream* stream : std::span(source.streams, source.nb_streams))
            add(stream->metadata, fmt::format(" of stream {}", stream->index));
        for (unsigned k = 0; k < source.nb_chapters; ++k)
            add(source.chapters[k]->metadata, fmt::format(" of chapter {}", k + 1));
        if (source_.unread != nullptr && source_.unread->may_hold_picture())
            hidden.insert(hidden.end(), source_.unread->list_names.begin(),
                          source_.unread->list_names.end());
        if (source_.picture != nullptr)
            for (std::string& name : source_.picture->pictures()) hidden.push_back(std::move(name));
        if (!hidden.empty())
            plan_.notes.push_back(
                fmt::format("left out, since they may show what the filters hide: {}",
                            fmt::join(hidden, ", ")));
    }

    // Only single pictures are matched with the file that they come from.
    void list_lost_metadata() {
        const PictureMetadata* picture = source_.picture;
        if (picture == nullptr) return;
        const bool swap = plan_.turn.transpose;
        const bool copies = source_.still && !picture->empty();
        plan_.picture = {.blocks = copies ? container().picture_blocks : 0,
                         .gray = pixel_traits(plan_.video.format).gray,
                         .transposed = swap,
                         .width = swap ? first_.height : first_.width,
                         .height = swap ? first_.width : first_.height,
                         .redacted = options_.redacted};
        if (!picture->problem().empty()) warn(picture->problem());
        if (!picture->undecoded().empty())
            warn(fmt::format("FFmpeg decodes only a part of the picture; lost: {}",
                             fmt::join(picture->undecoded(), "; ")));
        const std::vector<std::string> lost = picture->lost_in(plan_.picture);
        if (lost.empty()) return;
        const std::string why =
            source_.still || container().picture_blocks == 0
                ? fmt::format("{} cannot store all metadata of the picture", container().name)
                : "metadata of several pictures is not kept";
        warn(fmt::format("{}; lost: {}", why, fmt::join(lost, ", ")));
    }

    void list_lost_labels(const StreamPlan& plan) {
        const AVStream& stream = *source_.streams->streams[plan.source_index];
        const auto lost = static_cast<unsigned>(stream.disposition & ~container().dispositions);
        std::vector<std::string> names;
        for (unsigned bit = 1; bit != 0 && bit <= lost; bit <<= 1U)
            if ((lost & bit) != 0 && bit != AV_DISPOSITION_DEFAULT)
                if (const char* name = av_disposition_to_string(static_cast<int>(bit)))
                    names.emplace_back(name);
        if (plan.action == StreamAction::copy) list_lost_display(stream, names);
        const AVDictionaryEntry* entry = av_dict_get(stream.metadata, "language", nullptr, 0);
        const std::string language = entry == nullptr ? "" : entry->value;
        const bool spoken = !language.empty() && language != "und";
        const bool no_code = container().name == "mov" && mov_language(language).empty();
        if (spoken && (!container().supports(kLanguages) || no_code))
            names.push_back("language " + language);
        if (!names.empty())
            warn(fmt::format("{}: {} cannot store all labels of the stream; lost: {}",
                             stream_name(stream), container().name, fmt::join(names, ", ")));
    }

    // The pixels of a copied video are not turned.
    void list_lost_display(const AVStream& stream, std::vector<std::string>& names) const {
        const std::uint8_t* const matrix =
            av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, nullptr);
        if (matrix != nullptr && !container().supports(kRotation)) {
            const auto turn = turn_of(reinterpret_cast<const std::int32_t*>(matrix));
            if (!turn || !turn->is_identity())
                names.push_back(turn ? fmt::format("rotation (shown {})", describe(*turn))
                                     : "display matrix");
        }
        if (container().supports(kLayouts)) return;
        for (std::string& layout : layouts_of(stream)) names.push_back(std::move(layout));
    }

    const WriterOptions& options_;
    const WriterSource& source_;
    const AVStream& stream_;
    const AVFrame& first_;
    WritePlan plan_;
};

std::string outcome_text(const StreamPlan& plan, const AVStream& stream,
                         const std::string& encoder) {
    switch (plan.action) {
        case StreamAction::encode:
            return "encoded " + encoder;
        case StreamAction::copy:
        case StreamAction::cover_picture:
        case StreamAction::cover_attachment:
        case StreamAction::kept_elsewhere:
            return "copied";
        case StreamAction::convert_audio:
        case StreamAction::convert_subtitle:
            return fmt::format("converted {} to {}", avcodec_get_name(stream.codecpar->codec_id),
                               plan.codec);
        case StreamAction::drop:
        case StreamAction::not_wanted:
        case StreamAction::hidden:
            return "dropped";
    }
    return "dropped";
}

std::string outcome_reason(const StreamPlan& plan) {
    if (plan.action == StreamAction::cover_attachment) return "cover picture, as an attachment";
    if (plan.action == StreamAction::cover_picture) return "cover picture";
    return plan.reason;
}

}  // namespace

std::string lost_tags_text(const Container& container, const std::vector<std::string>& tags) {
    return fmt::format("{} cannot store all tags; lost: {}", container.name, fmt::join(tags, ", "));
}

WritePlan make_write_plan(const WriterOptions& options, const WriterSource& source) {
    return PlanMaker(options, source).make();
}

std::vector<StreamOutcome> outcomes(const WritePlan& plan, const AVFormatContext& source,
                                    const std::string& encoder) {
    std::vector<StreamOutcome> result;
    for (const StreamPlan& stream : plan.streams) {
        const AVStream& from = *source.streams[stream.source_index];
        result.push_back({.source_index = stream.source_index,
                          .kind = is_cover(from) ? "video" : stream_kind(from),
                          .outcome = outcome_text(stream, from, encoder),
                          .reason = outcome_reason(stream)});
    }
    return result;
}

}  // namespace weft
