#include "app/media/check/stream_watch.h"

extern "C" {
#include <libavutil/parseutils.h>
}

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/media/libav/ffmpeg.h"
#include "app/media/libav/shortage.h"

namespace weft {

namespace {

// A recording may begin inside a packet, or some packets before the next header (TrueHD).
constexpr int kMostTries = 32;

std::string name_of(const AVStream& stream) {
    const char* type = av_get_media_type_string(stream.codecpar->codec_type);
    return fmt::format("{} stream {} ({})", type == nullptr ? "data" : type, stream.index,
                       avcodec_get_name(stream.codecpar->codec_id));
}

bool is_attached(const AVStream& stream) {
    return (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
}

std::string_view tag(const AVDictionary* tags, const char* name) {
    const AVDictionaryEntry* entry = av_dict_get(tags, name, nullptr, 0);
    return entry == nullptr ? "" : entry->value;
}

CodecContextPtr decoder_for(const AVStream& stream, const AVCodec& codec) {
    CodecContextPtr decoder(avcodec_alloc_context3(&codec));
    if (!decoder) throw_no_memory();
    av_check(avcodec_parameters_to_context(decoder.get(), stream.codecpar), "reading parameters",
             name_of(stream));
    decoder->pkt_timebase = stream.time_base;
    decoder->thread_count = 1;
    return decoder;
}

// This FFmpeg knows the codec, but not this kind of it (USAC in AAC).
bool lacks_kind(int result) {
    return result == AVERROR_PATCHWELCOME || result == AVERROR(ENOSYS) ||
           result == AVERROR_EXPERIMENTAL;
}

// 0, or the error of a decoder that takes one packet.
int try_packet(AVCodecContext& decoder, const AVPacket& packet) {
    const int sent = avcodec_send_packet(&decoder, &packet);
    if (sent < 0 && sent != AVERROR(EAGAIN)) return sent;
    const AVFramePtr frame = make_frame();
    const int received = avcodec_receive_frame(&decoder, frame.get());
    return received == AVERROR(EAGAIN) ? 0 : received;
}

}  // namespace

void StreamWatch::packet(const AVPacket& packet) {
    const auto index = static_cast<std::size_t>(packet.stream_index);
    if (tallies_.size() <= index) tallies_.resize(index + 1);
    Tally& tally = tallies_[index];
    const AVStream& stream = *demuxer_.context().streams[packet.stream_index];
    if (packet.size > 0) ++tally.packets;
    tally.bytes += packet.size;
    if ((packet.flags & AV_PKT_FLAG_DISCARD) != 0) {
        ++tally.discarded_packets;
        tally.discarded_bytes += packet.size;
    }
    if (tally.first_byte < 0) tally.first_byte = packet.pos;
    tally.last_byte = std::max(tally.last_byte, packet.pos);
    tally.open_end = packet.duration == 0;
    if (const std::int64_t ts = packet_time(packet); ts != AV_NOPTS_VALUE)
        tally.end_us = std::max(tally.end_us, av_rescale_q(ts + packet.duration, stream.time_base,
                                                           av_get_time_base_q()));
    if (is_judged(stream) && stream.index != video_.index) try_decoder(stream, packet, tally);
}

bool StreamWatch::is_judged(const AVStream& stream) const {
    return stream.discard != AVDISCARD_ALL && !is_attached(stream);
}

void StreamWatch::try_decoder(const AVStream& stream, const AVPacket& packet, Tally& tally) const {
    if (tally.tried && !tally.decoder) return;
    const ShortageWatch watch;
    if (!std::exchange(tally.tried, true)) {
        const AVCodec* codec = avcodec_find_decoder(stream.codecpar->codec_id);
        if (codec == nullptr) return;
        CodecContextPtr decoder = decoder_for(stream, *codec);
        const int opened = avcodec_open2(decoder.get(), codec, nullptr);
        watch.check("opening a decoder", name_of(stream));
        if (opened < 0 && !lacks_kind(opened))
            tally.objection = "the header of {} is not one that its decoder accepts";
        if (opened < 0 || codec->type != AVMEDIA_TYPE_AUDIO) return;
        tally.decoder = std::move(decoder);
    }
    const int result = packet.size > 0 ? try_packet(*tally.decoder, packet) : 0;
    watch.check("decoding", name_of(stream));
    if (result >= 0 || lacks_kind(result))
        tally.objection.clear();
    else
        tally.objection = "no packet at the beginning of {} can be decoded";
    if (result >= 0 ? packet.size > 0 : ++tally.packets_tried == kMostTries) tally.decoder.reset();
}

void StreamWatch::judge_decoders() {
    for (std::size_t k = 0; k < tallies_.size(); ++k)
        if (!tallies_[k].objection.empty())
            doubts_.push_back(fmt::format(fmt::runtime(tallies_[k].objection),
                                          name_of(*demuxer_.context().streams[k])));
}

void StreamWatch::judge_content(const AVStream& stream, const Tally& tally,
                                const StreamContent& stated, DamageCollector& collector) {
    // The decoder drops such pictures; packets of sound are copied.
    const bool dropped = stream.index == video_.index && !stated.trimmed;
    const std::int64_t packets = tally.packets - (dropped ? tally.discarded_packets : 0);
    const std::int64_t bytes = tally.bytes - (dropped ? tally.discarded_bytes : 0);
    if (stated.bytes >= 0 ? bytes >= stated.bytes : packets >= stated.packets) return;
    const bool counted = packets < stated.packets;
    const std::string part =
        fmt::format("{} of {} {}", counted ? packets : bytes,
                    counted ? stated.packets : stated.bytes, counted ? "packets" : "bytes");
    if (stated.trimmed) {
        if (stream.index != video_.index)
            notes_.push_back(
                fmt::format("{} of {} are read, because the file's edit list hides the others",
                            part, name_of(stream)));
        return;
    }
    const std::string sentence = fmt::format("only {} of {} can be read", part, name_of(stream));
    const AVMediaType type = stream.codecpar->codec_type;
    const bool media = type == AVMEDIA_TYPE_VIDEO || type == AVMEDIA_TYPE_AUDIO;
    if (stated.one_format && media)
        collector.structure(sentence, {});
    else
        doubts_.push_back(sentence);
}

// FFmpeg's muxer states where each track of a Matroska file ends.
std::string StreamWatch::end_problem(const AVStream& stream, const Tally& tally) const {
    constexpr std::int64_t kRoundingUs = 50'000;
    const std::string_view muxer = tag(demuxer_.context().metadata, "encoder");
    std::int64_t stated_us = 0;
    const std::string duration(tag(stream.metadata, "DURATION"));
    if (!muxer.starts_with("Lavf") || duration.empty() ||
        av_parse_time(&stated_us, duration.c_str(), 1) < 0)
        return "";
    const std::int64_t end_us = tally.packets > 0 ? tally.end_us : 0;
    // WavPack has no durations in Matroska.
    if (tally.open_end || stated_us - end_us <= kRoundingUs) return "";
    return fmt::format("{} ends at {:.3f} s instead of {:.3f} s", name_of(stream),
                       static_cast<double>(end_us) * 1e-6, static_cast<double>(stated_us) * 1e-6);
}

void StreamWatch::judge_whole(const std::vector<StreamContent>& stated,
                              DamageCollector& collector) {
    const AVFormatContext& context = demuxer_.context();
    const Tally empty;
    const auto tally_of = [&](const AVStream& stream) -> const Tally& {
        const auto index = static_cast<std::size_t>(stream.index);
        return index < tallies_.size() ? tallies_[index] : empty;
    };
    const Tally& video = tally_of(video_);
    const std::string_view format = demuxer_.format_name();
    const bool transport = format == "mpegts" || format == "mpeg";
    const bool matroska = format == "matroska,webm";
    const auto is_of = [&](const StreamContent& row, const AVStream* stream) {
        return row.id == (matroska ? stream->index : stream->id);
    };
    const std::span streams(context.streams, context.nb_streams);
    for (const StreamContent& row : stated) {
        const auto matches = [&](const AVStream* stream) { return is_of(row, stream); };
        if ((row.packets > 0 || row.bytes > 0) && std::ranges::none_of(streams, matches))
            doubts_.push_back(fmt::format("FFmpeg does not read stream {}", row.id));
    }
    for (const AVStream* stream : streams) {
        if (!is_judged(*stream)) continue;
        const Tally& tally = tally_of(*stream);
        const auto row = std::ranges::find_if(
            stated, [&](const StreamContent& one) { return is_of(one, stream); });
        if (row != stated.end()) judge_content(*stream, tally, *row, collector);
        if (matroska)
            if (std::string late = end_problem(*stream, tally); !late.empty())
                doubts_.push_back(std::move(late));
        // A transport stream may change the number of its video; libav takes that for another one.
        const bool follows = transport && stream->index != video_.index && tally.first_byte >= 0 &&
                             tally.first_byte > video.last_byte;
        if (follows && stream->codecpar->codec_type == AVMEDIA_TYPE_VIDEO)
            doubts_.push_back(fmt::format(
                "{} begins where the filtered video ends, and is not filtered", name_of(*stream)));
    }
}

}  // namespace weft
