#include "app/viewer/play/media_info.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "app/media/picture/frame.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace weft {
namespace {

double positive(AVRational ratio) {
    return ratio.num > 0 && ratio.den > 0 ? av_q2d(ratio) : 0;
}

double first_seconds(const Reader& reader) {
    return static_cast<double>(reader.first_frame().pts) * av_q2d(reader.time_base());
}

double seconds_before_first(const Reader& reader) {
    const std::int64_t start = reader.source().start_time;
    if (start == AV_NOPTS_VALUE) return first_seconds(reader);
    return first_seconds(reader) - static_cast<double>(start) / AV_TIME_BASE;
}

double frame_rate(const AVStream& video) {
    const double average = positive(video.avg_frame_rate);
    return average > 0 ? average : positive(video.r_frame_rate);
}

// The video's own duration if the container stores it, else the file's.
double duration(const Reader& reader) {
    const AVStream& video = reader.video_stream();
    if (video.duration > 0) return static_cast<double>(video.duration) * av_q2d(video.time_base);
    const AVFormatContext& source = reader.source();
    if (source.duration <= 0) return 0;
    const std::int64_t start = source.start_time == AV_NOPTS_VALUE ? 0 : source.start_time;
    const double end = static_cast<double>(start + source.duration) / AV_TIME_BASE;
    return std::max(end - first_seconds(reader), 0.0);
}

bool has_audio(const AVFormatContext& source) {
    const std::span streams(source.streams, source.nb_streams);
    return std::any_of(streams.begin(), streams.end(), [](const AVStream* stream) {
        return stream->codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
    });
}

std::vector<Chapter> chapters(const Reader& reader) {
    std::vector<Chapter> all;
    const AVFormatContext& source = reader.source();
    for (const AVChapter* chapter : std::span(source.chapters, source.nb_chapters)) {
        const double start = static_cast<double>(chapter->start) * av_q2d(chapter->time_base);
        const AVDictionaryEntry* title = av_dict_get(chapter->metadata, "title", nullptr, 0);
        all.push_back({std::max(start - first_seconds(reader), 0.0), title ? title->value : ""});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Chapter& a, const Chapter& b) { return a.seconds < b.seconds; });
    return all;
}

}  // namespace

std::optional<double> chapter_from(const std::vector<Chapter>& chapters, double seconds, int by) {
    // Going back, the first second of a chapter counts as the previous one.
    const double from = by < 0 ? seconds - 1 : seconds + 1e-3;
    const auto after = std::find_if(chapters.begin(), chapters.end(),
                                    [&](const Chapter& chapter) { return chapter.seconds > from; });
    const auto at = after - chapters.begin() + (by > 0 ? by - 1 : by);
    if (by < 0) return at < 0 ? 0.0 : chapters[static_cast<std::size_t>(at)].seconds;
    if (at >= static_cast<std::ptrdiff_t>(chapters.size())) return std::nullopt;
    return chapters[static_cast<std::size_t>(at)].seconds;
}

MediaInfo media_info(const Reader& reader, const std::string& path) {
    const AVStream& video = reader.video_stream();
    const AVFrame& first = *reader.first_frame().av;
    MediaInfo info;
    info.path = path;
    info.video_codec = avcodec_get_name(video.codecpar->codec_id);
    info.pixel_format = av_get_pix_fmt_name(sample_format(first));
    info.decoding = reader.decoding();
    info.frame = frame_info(first, reader.rotation_degrees());
    info.frame.interlaced = reader.interlaced();
    info.time_base = reader.time_base();
    info.side_data = completed(side_data_of(first), side_data_of(video));
    const double aspect = positive(first.sample_aspect_ratio);
    info.sample_aspect = aspect > 0 ? aspect : 1;
    info.rotation_degrees = reader.rotation_degrees();
    info.still = reader.is_still_image();
    info.origin = first_seconds(reader);
    info.duration = info.still ? 0 : duration(reader);
    info.frame_rate = info.still ? 0 : frame_rate(video);
    info.first_frame_seconds = seconds_before_first(reader);
    info.frames = reader.estimated_frames();
    info.has_audio = has_audio(reader.source());
    info.chapters = chapters(reader);
    info.notes = reader.notes();
    return info;
}

std::string codec_text(const MediaInfo& media) {
    if (!media.still) return media.video_codec;
    if (media.video_codec == "mjpeg") return "JPEG";
    std::string text = media.video_codec;
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
    return text;
}

std::string time_text(double seconds) {
    const long long ms = std::llround(std::max(seconds, 0.0) * 1000);
    const long long hours = ms / 3'600'000;
    const std::string rest = fmt::format("{:02}.{:03}", ms / 1000 % 60, ms % 1000);
    const long long minutes = ms / 60'000 % 60;
    if (hours > 0) return fmt::format("{}:{:02}:{}", hours, minutes, rest);
    return fmt::format("{}:{}", minutes, rest);
}

}  // namespace weft
