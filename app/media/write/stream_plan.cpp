#include "app/media/write/stream_plan.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/media/metadata/embedded_blocks.h"
#include "app/media/write/muxer.h"
#include "filters/text/nearest.h"

namespace weft {
namespace {

constexpr unsigned kTimecodeTag = MKTAG('t', 'm', 'c', 'd');
constexpr unsigned kGoProTag = MKTAG('g', 'p', 'm', 'd');
constexpr unsigned kTextTag = MKTAG('t', 'e', 'x', 't');

void free_dynamic_io(AVIOContext* io) noexcept {
    std::uint8_t* buffer = nullptr;
    avio_close_dyn_buf(io, &buffer);
    av_free(buffer);
}

// Whether the muxer can start a file with only this stream.
bool muxer_starts(const AVOutputFormat& muxer, const AVStream& source) {
    AVFormatContext* raw = nullptr;
    av_check(avformat_alloc_output_context2(&raw, &muxer, nullptr, nullptr),
             "starting a trial output", muxer.name);
    const OutputContextPtr context(raw);
    AVStream* stream = avformat_new_stream(raw, nullptr);
    if (stream == nullptr) throw_no_memory();
    copy_parameters(source, muxer, *stream->codecpar);
    stream->time_base = source.time_base;
    if (stream->codecpar->codec_type == AVMEDIA_TYPE_ATTACHMENT) return true;
    AVIOContext* io = nullptr;
    av_check(avio_open_dyn_buf(&io), "starting a trial output", muxer.name);
    const std::unique_ptr<AVIOContext, CDelete<free_dynamic_io>> owner(io);
    raw->pb = io;
    raw->strict_std_compliance = compliance_of(muxer);
    const ShortageWatch watch;
    const bool starts = avformat_write_header(raw, nullptr) >= 0;
    raw->pb = nullptr;
    watch.check("starting a trial output", muxer.name);
    return starts;
}

class Planner {
 public:
    Planner(const Container& container, const AVFormatContext& source, const StreamRequest& request)
        : container_(container), source_(source), request_(request) {
        if (!container.muxer.empty())
            muxer_ = av_guess_format(std::string(container.muxer).c_str(), nullptr, nullptr);
        // A wrong encoder name is an error for files without audio too.
        if (audio_named() && !container.audio_codec.empty()) (void)named_encoder();
    }

    StreamPlan plan(const AVStream& stream) const {
        if (stream.index == request_.video_index)
            return {.source_index = stream.index, .action = StreamAction::encode};
        StreamPlan result = by_kind(stream);
        result.source_index = stream.index;
        return result;
    }

 private:
    StreamPlan by_kind(const AVStream& stream) const {
        const AVCodecParameters& par = *stream.codecpar;
        if (request_.redacted && may_be_picture(stream))
            return {.action = StreamAction::hidden, .reason = "it may show what the filters hide"};
        if (is_cover(stream)) return cover(stream);
        if (is_chapter_track(stream)) return chapter_track();
        if (stream.discard == AVDISCARD_ALL) return not_wanted();
        switch (par.codec_type) {
            case AVMEDIA_TYPE_AUDIO:
                return audio(stream);
            case AVMEDIA_TYPE_SUBTITLE:
                return subtitle(stream);
            case AVMEDIA_TYPE_ATTACHMENT:
                return container_.supports(kAttachments) ? copied() : drop("holds no attachments");
            case AVMEDIA_TYPE_DATA:
                return data(stream);
            default:
                return takes(stream) ? copied() : drop_codec(stream);
        }
    }

    // Attachments may be pictures of any type, also under another name, except fonts and texts that
    // hold none.
    static bool may_be_picture(const AVStream& stream) {
        if (stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO) return true;
        if (stream.codecpar->codec_type != AVMEDIA_TYPE_ATTACHMENT) return false;
        const AVDictionaryEntry* type = av_dict_get(stream.metadata, "mimetype", nullptr, 0);
        const std::string_view name = type == nullptr ? "" : type->value;
        const bool is_font = name.find("font") != std::string_view::npos ||
                             name.find("opentype") != std::string_view::npos;
        const std::string_view content(reinterpret_cast<const char*>(stream.codecpar->extradata),
                                       static_cast<std::size_t>(stream.codecpar->extradata_size));
        return !is_font && (!name.starts_with("text/") || may_hold_picture(content));
    }

    static StreamPlan not_wanted() {
        return {.action = StreamAction::not_wanted, .reason = "excluded by an option"};
    }

    static StreamPlan copied() { return {.action = StreamAction::copy}; }

    StreamPlan drop(std::string_view what) const {
        return {.action = StreamAction::drop,
                .reason = fmt::format("{} {}", container_.name, what)};
    }

    StreamPlan drop_codec(const AVStream& stream) const {
        return drop(fmt::format("does not take {}", avcodec_get_name(stream.codecpar->codec_id)));
    }

    bool takes(const AVStream& stream) const {
        if (muxer_ == nullptr) return false;
        if (stream.codecpar->codec_type != AVMEDIA_TYPE_DATA &&
            avformat_query_codec(muxer_, stream.codecpar->codec_id, FF_COMPLIANCE_NORMAL) != 1)
            return false;
        return muxer_starts(*muxer_, stream);
    }

    bool is_chapter_track(const AVStream& stream) const {
        return stream.codecpar->codec_type == AVMEDIA_TYPE_DATA &&
               stream.codecpar->codec_tag == kTextTag && source_.nb_chapters > 0;
    }

    // The chapters are copied, or reported lost, independently of their text track.
    StreamPlan chapter_track() const {
        if (container_.supports(kChapters))
            return {.action = StreamAction::kept_elsewhere, .reason = "written as chapters"};
        return {.action = StreamAction::not_wanted, .reason = drop("stores no chapters").reason};
    }

    StreamPlan cover(const AVStream& stream) const {
        switch (container_.cover) {
            case CoverStorage::none:
                return drop("holds no cover pictures");
            case CoverStorage::attachment:
                return {.action = StreamAction::cover_attachment};
            case CoverStorage::picture_stream:
                break;
        }
        return takes(stream) ? StreamPlan{.action = StreamAction::cover_picture}
                             : drop_codec(stream);
    }

    // Of mov's and mp4's data, libav writes the description of these alone: other tracks could be
    // read by no program.
    static bool is_described(const AVStream& stream) {
        const unsigned tag = stream.codecpar->codec_tag;
        return tag == kTimecodeTag || tag == kGoProTag;
    }

    // The start time code as libav reads it from the track, if the output's video has it as a tag.
    bool has_timecode_tag() const {
        const AVStream& video = *source_.streams[request_.video_index];
        return av_dict_get(video.metadata, "timecode", nullptr, 0) != nullptr ||
               av_dict_get(source_.metadata, "timecode", nullptr, 0) != nullptr;
    }

    StreamPlan data(const AVStream& stream) const {
        const unsigned tag = stream.codecpar->codec_tag;
        const bool timecode = tag == kTimecodeTag;
        if (timecode && container_.name == "mp4" && has_timecode_tag())
            return {.action = StreamAction::kept_elsewhere, .reason = "written as time code"};
        if (container_.supports(kDataStreams) && is_described(stream) &&
            (!timecode || container_.name == "mov") && takes(stream))
            return copied();
        if (timecode && has_timecode_tag() && container_.supports(kGlobalTags) &&
            container_.tag_names.empty())
            return drop("holds no data streams; the start time code stays as a tag");
        return drop(fmt::format("does not hold this kind of data ({})", data_name(stream)));
    }

    // "mebx" as in the file, or libav's name: "klv".
    static std::string data_name(const AVStream& stream) {
        const AVCodecParameters& par = *stream.codecpar;
        if (par.codec_id != AV_CODEC_ID_NONE || par.codec_tag == 0)
            return avcodec_get_name(par.codec_id);
        std::array<char, AV_FOURCC_MAX_STRING_SIZE> text{};
        return av_fourcc_make_string(text.data(), par.codec_tag);
    }

    StreamPlan audio(const AVStream& stream) const {
        if (!request_.audio) return not_wanted();
        if (container_.audio_codec.empty()) return drop("holds no audio");
        const bool forced = audio_named();
        if (!forced && takes(stream)) return copied();
        const AVCodec* encoder =
            forced ? &named_encoder() : avcodec_find_encoder_by_name(fallback(stream).c_str());
        if (encoder == nullptr || avcodec_find_decoder(stream.codecpar->codec_id) == nullptr)
            return drop_codec(stream);
        return {.action = StreamAction::convert_audio,
                .codec = encoder->name,
                .reason = forced ? "requested with -c:a" : drop_codec(stream).reason};
    }

    bool audio_named() const {
        return !request_.audio_codec.empty() && request_.audio_codec != "copy";
    }

    // Lossless audio stays lossless in mov, whose players know ALAC as well as AAC, and with
    // --lossless in any container that has a codec for it.
    std::string fallback(const AVStream& stream) const {
        const AVCodecDescriptor* desc = avcodec_descriptor_get(stream.codecpar->codec_id);
        const bool exact = desc != nullptr && (desc->props & AV_CODEC_PROP_LOSSLESS) != 0 &&
                           (desc->props & AV_CODEC_PROP_LOSSY) == 0;
        if (exact && container_.name == "mov") return "alac";
        if (request_.lossless && exact && container_.name == "mp4") return "flac";
        return std::string(container_.audio_codec);
    }

    const AVCodec& named_encoder() const {
        const std::string& name = request_.audio_codec;
        const AVCodec* encoder = avcodec_find_encoder_by_name(name.c_str());
        if (encoder == nullptr)
            if (const AVCodecDescriptor* desc = avcodec_descriptor_get_by_name(name.c_str()))
                encoder = avcodec_find_encoder(desc->id);
        if (encoder == nullptr || encoder->type != AVMEDIA_TYPE_AUDIO)
            throw Error(Outcome::usage, unknown_audio(name));
        if (avformat_query_codec(muxer_, encoder->id, FF_COMPLIANCE_NORMAL) != 1)
            throw Error(Outcome::usage,
                        fmt::format("-c:a {0}: {1} cannot hold audio of {0}; try {2}", name,
                                    container_.name, container_.audio_codec));
        return *encoder;
    }

    static std::string unknown_audio(const std::string& name) {
        std::vector<std::string_view> names;
        void* state = nullptr;
        while (const AVCodec* codec = av_codec_iterate(&state))
            if (av_codec_is_encoder(codec) != 0 && codec->type == AVMEDIA_TYPE_AUDIO)
                names.emplace_back(codec->name);
        return fmt::format("-c:a {}: no such audio encoder; similar names: {}", name,
                           fmt::join(nearest_names(name, names), ", "));
    }

    StreamPlan subtitle(const AVStream& stream) const {
        if (takes(stream)) return copied();
        const AVCodecDescriptor* desc = avcodec_descriptor_get(stream.codecpar->codec_id);
        const bool text = desc != nullptr && (desc->props & AV_CODEC_PROP_TEXT_SUB) != 0;
        if (container_.subtitle_codec.empty()) return drop("holds no subtitles");
        if (!text) return drop_codec(stream);
        return {.action = StreamAction::convert_subtitle,
                .codec = std::string(container_.subtitle_codec),
                .reason = drop_codec(stream).reason};
    }

    const Container& container_;
    const AVFormatContext& source_;
    const StreamRequest& request_;
    const AVOutputFormat* muxer_ = nullptr;
};

}  // namespace

std::vector<StreamPlan> plan_streams(const Container& container, const AVFormatContext& source,
                                     const StreamRequest& request) {
    const Planner planner(container, source, request);
    std::vector<StreamPlan> plans;
    for (unsigned i = 0; i < source.nb_streams; ++i)
        plans.push_back(planner.plan(*source.streams[i]));
    return plans;
}

bool is_cover(const AVStream& stream) {
    return (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0 &&
           (stream.disposition & AV_DISPOSITION_TIMED_THUMBNAILS) == 0;
}

std::string stream_kind(const AVStream& stream) {
    if (is_cover(stream)) return "cover";
    const char* name = av_get_media_type_string(stream.codecpar->codec_type);
    return name == nullptr ? "data" : name;
}

std::string stream_name(const AVStream& stream) {
    return fmt::format("stream {} ({}, {})", stream.index, stream_kind(stream),
                       avcodec_get_name(stream.codecpar->codec_id));
}

CodecContextPtr open_decoder(const AVStream& stream) {
    const std::string name = stream_name(stream);
    const AVCodec* codec = avcodec_find_decoder(stream.codecpar->codec_id);
    if (codec == nullptr)
        throw MediaError(Outcome::failed, name + ": this FFmpeg has no decoder for it");
    CodecContextPtr decoder(avcodec_alloc_context3(codec));
    if (!decoder) throw_no_memory();
    av_check(avcodec_parameters_to_context(decoder.get(), stream.codecpar), "reading parameters",
             name);
    decoder->pkt_timebase = stream.time_base;
    av_check(avcodec_open2(decoder.get(), codec, nullptr),
             fmt::format("opening the {} decoder", stream_kind(stream)), name);
    return decoder;
}

void copy_parameters(const AVStream& from, const AVOutputFormat& muxer, AVCodecParameters& to) {
    av_check(avcodec_parameters_copy(&to, from.codecpar), "copying stream parameters", muxer.name);
    if (to.codec_type == AVMEDIA_TYPE_DATA || muxer.codec_tag == nullptr) return;
    const unsigned tag = to.codec_tag;
    unsigned own = 0;
    const bool same = av_codec_get_id(muxer.codec_tag, tag) == to.codec_id;
    if (!same && av_codec_get_tag2(muxer.codec_tag, to.codec_id, &own) != 0) to.codec_tag = 0;
}

}  // namespace weft
