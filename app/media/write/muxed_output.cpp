#include "app/media/write/muxed_output.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <unistd.h>

#include <fmt/format.h>

#include "app/media/metadata/embedded_blocks.h"
#include "app/media/write/audio_converter.h"
#include "app/media/write/source_metadata.h"
#include "app/media/write/stream_copier.h"
#include "app/media/write/subtitle_converter.h"

namespace weft {
namespace {

bool makes_stream(StreamAction action) {
    switch (action) {
        case StreamAction::encode:
        case StreamAction::copy:
        case StreamAction::convert_audio:
        case StreamAction::convert_subtitle:
        case StreamAction::cover_picture:
        case StreamAction::cover_attachment:
            return true;
        case StreamAction::kept_elsewhere:
        case StreamAction::drop:
        case StreamAction::not_wanted:
        case StreamAction::hidden:
            return false;
    }
    return false;
}

struct CoverType {
    AVCodecID codec;
    const char* file;
    const char* mime;
};

CoverType cover_type(AVCodecID codec) {
    switch (codec) {
        case AV_CODEC_ID_PNG:
            return {codec, "cover.png", "image/png"};
        case AV_CODEC_ID_BMP:
            return {codec, "cover.bmp", "image/bmp"};
        case AV_CODEC_ID_WEBP:
            return {codec, "cover.webp", "image/webp"};
        case AV_CODEC_ID_TIFF:
            return {codec, "cover.tiff", "image/tiff"};
        case AV_CODEC_ID_GIF:
            return {codec, "cover.gif", "image/gif"};
        default:
            return {codec, "cover.jpg", "image/jpeg"};
    }
}

void set_default(AVDictionary** dict, const char* key, const char* value) {
    set_entry(dict, key, value, AV_DICT_DONT_OVERWRITE);
}

// Matroska stores covers as attached files; their bytes are not changed.
void fill_cover_attachment(const AVStream& from, AVStream& to) {
    const AVPacket& picture = from.attached_pic;
    const CoverType type = cover_type(from.codecpar->codec_id);
    AVCodecParameters& par = *to.codecpar;
    par.codec_type = AVMEDIA_TYPE_ATTACHMENT;
    par.codec_id = type.codec;
    par.extradata = static_cast<std::uint8_t*>(
        av_mallocz(static_cast<std::size_t>(picture.size) + AV_INPUT_BUFFER_PADDING_SIZE));
    if (par.extradata == nullptr) throw_no_memory();
    std::memcpy(par.extradata, picture.data, static_cast<std::size_t>(picture.size));
    par.extradata_size = picture.size;
    set_default(&to.metadata, "filename", type.file);
    set_default(&to.metadata, "mimetype", type.mime);
    to.disposition = 0;
}

void respell_language(AVStream& out) {
    const AVDictionaryEntry* entry = av_dict_get(out.metadata, "language", nullptr, 0);
    if (entry == nullptr) return;
    if (const std::string own = mov_language(entry->value); !own.empty())
        set_entry(&out.metadata, "language", own.c_str());
}

// 90000 unless the start of the video is no multiple of that: frames of 24000/1001 per second in a
// raw stream, which libav counts in 1/1200000 s.
int movie_time_scale(const MuxedOutputSettings& settings) {
    constexpr int kUsual = 90000;
    const AVRational tick = settings.time_base;
    const AVRational source = settings.source->streams[settings.video_index]->time_base;
    const std::int64_t start =
        av_rescale_q(settings.first_frame->pts, source, tick) - settings.shift.in(tick);
    const std::int64_t there = av_rescale_q(start, tick, {1, kUsual});
    if (av_compare_ts(start, tick, there, {1, kUsual}) == 0) return kUsual;
    const std::int64_t common = std::lcm<std::int64_t>(kUsual, tick.den);
    return common <= std::numeric_limits<int>::max() ? static_cast<int>(common) : tick.den;
}

std::map<std::string, std::string> muxer_options(const MuxedOutputSettings& settings) {
    constexpr std::uint32_t kMostPlays = 65535;
    const int plays = static_cast<int>(std::min(settings.plays, kMostPlays));
    if (settings.container->muxer == "apng") return {{"plays", std::to_string(plays)}};
    // The repetitions after the first time; -1 for none, 0 for endless ones.
    if (settings.container->muxer == "gif")
        return {{"loop", std::to_string(plays == 1 ? -1 : std::max(plays - 1, 0))}};
    if (settings.container->muxer != "mp4" && settings.container->muxer != "mov") return {};
    // Edit lists count in the movie's time scale: with libav's 1/1000 s, a start such as 1.466667
    // s, common in transport streams, would be rounded.
    std::map<std::string, std::string> options = {
        {"movie_timescale", std::to_string(movie_time_scale(settings))}};
    // The first fragment's index waits for its packets, whose times its edit lists need.
    if (settings.path == "-")
        options["movflags"] = "frag_keyframe+empty_moov+delay_moov+default_base_moof";
    return options;
}

bool is_mp4(const Container& container) {
    return container.muxer == "mp4" || container.muxer == "mov";
}

// libav's muxer takes either its list of tags or any tags at all, under names that no player knows.
Mp4Additions mp4_additions(const MuxedOutputSettings& settings) {
    const bool mp4 = settings.container->muxer == "mp4";
    Mp4Additions additions;
    if (!is_mp4(*settings.container)) return additions;
    const Tags tags = tags_of(settings.source->metadata);
    for (const std::string& key :
         tags_outside(content_tags(*settings.source), mp4 ? mp4_tags() : mov_tags())) {
        if (settings.redacted && may_hold_picture(tags.at(key))) continue;
        if (key == "xmp")
            additions.xmp = mp4 ? tags.at(key) : "";
        else if (mp4 && key == "location")
            additions.location = tags.at(key);
        else
            additions.keys.emplace(key, tags.at(key));
    }
    if (mp4) additions.list_entries = settings.list_entries;
    return additions;
}

void leave_out_pictures(AVDictionary*& tags) {
    for (const std::string& name : picture_tags(tags)) av_dict_set(&tags, name.c_str(), nullptr, 0);
}

void leave_out_pictures(AVFormatContext& context) {
    leave_out_pictures(context.metadata);
    for (AVStream* stream : std::span(context.streams, context.nb_streams))
        leave_out_pictures(stream->metadata);
    for (AVChapter* chapter : std::span(context.chapters, context.nb_chapters))
        leave_out_pictures(chapter->metadata);
}

}  // namespace

MuxedOutput::MuxedOutput(const MuxedOutputSettings& settings)
    : container_(*settings.container), index_first_(settings.index_first) {
    if (settings.path == "-") {
        standard_output_ = std::make_unique<FileSink>(STDOUT_FILENO, kStandardOutput);
        sink_ = standard_output_.get();
    } else {
        file_ = std::make_unique<AtomicOutput>(settings.path, settings.options);
        sink_ = &file_->sink();
    }
    muxer_ = std::make_unique<Muxer>(container_, *sink_, file_ != nullptr);
    add_streams(settings);
    AVFormatContext& context = muxer_->context();
    if (file_) additions_ = mp4_additions(settings);
    if (container_.supports(kGlobalTags)) copy_tags(*settings.source, context);
    if (container_.muxer != "mov") av_dict_set(&context.metadata, "xmp", nullptr, 0);
    if (container_.supports(kChapters))
        copy_chapters(*settings.source, settings.shift, settings.length_us, context);
    if (settings.redacted) leave_out_pictures(context);
    note_tags(*settings.source);
    muxer_->set_paced_stream(picture_);
    if (container_.negative_start == NegativeStart::none && container_.clock == Clock::source)
        muxer_->shift_negative_start();
    muxer_->start(muxer_options(settings));
    write_covers(settings);
}

void MuxedOutput::note_tags(const AVFormatContext& source) {
    const AVFormatContext& context = muxer_->context();
    if (container_.supports(kGlobalTags)) tags_ = tags_of(context.metadata);
    stream_names_.resize(context.nb_streams);
    for (const AVStream* stream : std::span(context.streams, context.nb_streams))
        stream_tags_.push_back(tags_of(stream->metadata));
    // The tracks' times of creation are the file's.
    if (tags_.contains("creation_time"))
        for (Tags& tags : stream_tags_) tags.erase("creation_time");
    // libav writes the names of tracks, and does not read them.
    if (is_mp4(container_))
        for (Tags& tags : stream_tags_) tags.erase("title");
    for (std::size_t i = 0; i < routes_.size(); ++i)
        if (routes_[i].stream >= 0)
            stream_names_[static_cast<std::size_t>(routes_[i].stream)] =
                stream_name(*source.streams[i]);
}

void MuxedOutput::add_streams(const MuxedOutputSettings& settings) {
    routes_.resize(settings.plans.size());
    for (const StreamPlan& plan : settings.plans) {
        if (!makes_stream(plan.action)) continue;
        const auto index = static_cast<std::size_t>(plan.source_index);
        AVStream& out = muxer_->add_stream();
        const AVStream& in = *settings.source->streams[plan.source_index];
        routes_[index].stream = out.index;
        copy_stream_tags(in, out, plan.action != StreamAction::copy);
        if (container_.name == "mov") respell_language(out);
        if (plan.action == StreamAction::encode)
            add_frame(settings, out);
        else
            routes_[index].handler = make_handler(settings, plan, out);
    }
}

void MuxedOutput::add_frame(const MuxedOutputSettings& settings, AVStream& out) {
    const AVStream& in = *settings.source->streams[settings.video_index];
    const AVCodecContext& encoder = *settings.encoder;
    picture_ = out.index;
    av_check(avcodec_parameters_from_context(out.codecpar, &encoder), "describing the picture",
             settings.path);
    if (encoder.hw_frames_ctx != nullptr) out.codecpar->format = encoder.sw_pix_fmt;
    // Apple's players accept HEVC under this tag only.
    if (encoder.codec_id == AV_CODEC_ID_HEVC && container_.supports(kRotation))
        out.codecpar->codec_tag = MKTAG('h', 'v', 'c', '1');
    out.time_base = settings.time_base;
    out.avg_frame_rate = encoder.framerate;
    out.sample_aspect_ratio = encoder.sample_aspect_ratio;
    copy_frame_side_data(in, *settings.first_frame, settings.keep_matrix, out);
    set_entry(&out.metadata, "encoder", encoder.codec->name);
    if (encoder.pix_fmt == AV_PIX_FMT_YUVA420P) set_entry(&out.metadata, "alpha_mode", "1");
}

MuxedOutput::Handler MuxedOutput::make_handler(const MuxedOutputSettings& settings,
                                               const StreamPlan& plan, AVStream& out) const {
    const AVStream& in = *settings.source->streams[plan.source_index];
    const AVOutputFormat& format = *muxer_->context().oformat;
    const bool global_header = (format.flags & AVFMT_GLOBALHEADER) != 0;
    switch (plan.action) {
        case StreamAction::cover_attachment:
            fill_cover_attachment(in, out);
            return {};
        case StreamAction::cover_picture:
            copy_parameters(in, format, *out.codecpar);
            out.time_base = in.time_base;
            return {};
        case StreamAction::convert_audio:
            return std::make_unique<AudioConverter>(in, out, plan.codec, global_header,
                                                    settings.shift);
        case StreamAction::convert_subtitle:
            return std::make_unique<SubtitleConverter>(in, out, plan.codec, settings.shift);
        default:
            copy_side_data(in, out);
            return std::make_unique<StreamCopier>(
                CopySettings{in, format, settings.shift,
                             settings.source->url != nullptr ? settings.source->url : ""},
                out);
    }
}

void MuxedOutput::write_covers(const MuxedOutputSettings& settings) {
    for (const StreamPlan& plan : settings.plans) {
        if (plan.action != StreamAction::cover_picture) continue;
        const AVStream& in = *settings.source->streams[plan.source_index];
        AVPacketPtr packet = make_packet();
        av_check(av_packet_ref(packet.get(), &in.attached_pic), "copying the cover picture",
                 settings.path);
        packet->pts = packet->dts = 0;
        muxer_->write(std::move(packet),
                      routes_[static_cast<std::size_t>(plan.source_index)].stream, in.time_base);
    }
}

TimedPacketSink MuxedOutput::sink_of(int stream) {
    return [this, stream](AVPacketPtr packet, AVRational time_base) {
        muxer_->write(std::move(packet), stream, time_base);
    };
}

void MuxedOutput::write_frame(AVPacketPtr packet, AVRational time_base) {
    muxer_->write(std::move(packet), picture_, time_base);
}

void MuxedOutput::write_packet(AVPacketPtr packet) {
    const auto index = static_cast<std::size_t>(packet->stream_index);
    if (index >= routes_.size()) return;
    Route& route = routes_[index];
    if (route.handler) route.handler->write(std::move(packet), sink_of(route.stream));
}

std::vector<std::string> MuxedOutput::finish(Verify verify, const FrameHashes* frames) {
    for (Route& route : routes_)
        if (route.handler) route.handler->finish(sink_of(route.stream));
    muxer_->finish();
    if (!additions_.empty()) add_to_mp4(*sink_, additions_);
    if (file_ && index_first_) move_index_first(*sink_);
    return file_ ? verify_file(verify, frames) : std::vector<std::string>();
}

void MuxedOutput::prove(WrittenProof& proof) const {
    FileHash hash;
    proof.bytes = hash.add_file(sink_->fd(), sink_->path());
    proof.mtime_ns = mtime_ns(sink_->fd(), sink_->path());
    proof.sha256 = hash.digest();
}

void MuxedOutput::commit() {
    if (file_) file_->commit();
}

std::vector<std::string> MuxedOutput::verify_file(Verify verify, const FrameHashes* frames) {
    const AVCodecParameters& par = *muxer_->context().streams[picture_]->codecpar;
    // For a single picture libav's APNG muxer writes a plain PNG.
    if (container_.muxer == "apng" && pictures() == 1) {
        verify_still({.fd = sink_->fd(),
                      .path = sink_->path(),
                      .codec = AV_CODEC_ID_PNG,
                      .width = par.width,
                      .height = par.height,
                      .frames = frames});
        return {};
    }
    const MissingTags missing = verify_output(container_, muxer_->records(),
                                              {.fd = sink_->fd(),
                                               .path = sink_->path(),
                                               .picture = picture_,
                                               .parameters = &par,
                                               .verify = verify,
                                               .frames = frames,
                                               .tags = tags_,
                                               .stream_tags = stream_tags_});
    std::vector<std::string> names = missing.file;
    for (std::size_t i = 0; i < missing.streams.size(); ++i)
        for (const std::string& key : missing.streams[i])
            names.push_back(fmt::format("{} of {}", key, stream_names_[i]));
    return names;
}

std::int64_t MuxedOutput::pictures() const {
    return muxer_->records()[static_cast<std::size_t>(picture_)].packets;
}

double MuxedOutput::shift_seconds() const {
    return muxer_->shift_seconds();
}

std::int64_t MuxedOutput::damaged_packets() const {
    std::int64_t count = 0;
    for (const Route& route : routes_)
        if (route.handler) count += route.handler->damaged_packets();
    return count;
}

}  // namespace weft
