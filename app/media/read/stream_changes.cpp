#include "app/media/read/stream_changes.h"

#include <utility>

#include <fmt/format.h>

#include "app/media/libav/ffmpeg.h"

namespace weft {
namespace {

std::optional<AdtsHeader> header_of(const AVPacket& packet, const AVStream& stream) {
    if (stream.codecpar->codec_id != AV_CODEC_ID_AAC || packet.data == nullptr) return {};
    return read_adts({packet.data, static_cast<std::size_t>(packet.size)});
}

}  // namespace

std::string change_text(const Change& change) {
    return fmt::format("at {:.3f} s {}", change.seconds, change_text(change.difference));
}

void StreamChanges::frame(const Frame& frame, int stream, AVRational time_base) {
    FrameFormat format = frame_format(*frame.av);
    if (format_) format = with_tags_of(*format_, format);
    const double seconds = static_cast<double>(frame.pts) * av_q2d(time_base);
    for (Difference& difference : differences(format_.value_or(format), format))
        add({seconds, stream, std::move(difference)});
    format_ = format;
}

void StreamChanges::packet(const AVPacket& packet, const AVStream& stream) {
    const std::optional<AdtsHeader> now = header_of(packet, stream);
    if (!now) return;
    const auto [known, first] = sounds_.try_emplace(stream.index, *now);
    if (first || known->second == *now) return;
    const AdtsHeader before = std::exchange(known->second, *now);
    const double seconds = packet_seconds(packet, stream.time_base);
    if (before.sample_rate != now->sample_rate)
        add({seconds,
             stream.index,
             {Property::sample_rate, fmt::format("{} Hz", before.sample_rate),
              fmt::format("{} Hz", now->sample_rate)}});
    if (before.channels != now->channels)
        add({seconds,
             stream.index,
             {Property::channels, std::to_string(before.channels), std::to_string(now->channels)}});
}

void StreamChanges::add(Change change) {
    if (list_.size() < kMost)
        list_.push_back(std::move(change));
    else
        ++left_out_;
}

}  // namespace weft
