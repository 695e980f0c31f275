#include "app/pipeline/size_estimate.h"

#include <algorithm>

extern "C" {
#include <libavutil/eval.h>
#include <libavutil/imgutils.h>
}

#include "app/media/write/encoder_traits.h"

namespace weft {
namespace {

// The part of the input between -ss and -to, if its duration is known.
struct Part {
    double seconds = 0;
    double fraction = 1;
};

std::optional<Part> selected_part(const ReaderOptions& options, const Reader& reader) {
    const std::int64_t all = reader.source().duration;
    if (all == AV_NOPTS_VALUE || all <= 0) return std::nullopt;
    const std::int64_t begin = std::clamp<std::int64_t>(options.start_us.value_or(0), 0, all);
    const std::int64_t end = std::clamp(options.end_us.value_or(all), begin, all);
    const double seconds = static_cast<double>(end - begin) / AV_TIME_BASE;
    return Part{seconds, static_cast<double>(end - begin) / static_cast<double>(all)};
}

// Returns the size of the frames of the selected part.
std::optional<double> uncompressed_bytes(const Reader& reader, const WriteReport& plan) {
    const AVFrame& first = *reader.first_frame().av;
    const int frame = av_image_get_buffer_size(av_get_pix_fmt(plan.pixel_format.c_str()),
                                               first.width, first.height, 1);
    const std::int64_t frames = reader.estimated_frames();
    if (frame <= 0 || frames <= 0) return std::nullopt;
    return static_cast<double>(frame) * static_cast<double>(frames);
}

bool is_lossless(const FileJob& job, const WriteReport& plan) {
    return job.writer.lossless || encoder_traits(plan.video_codec).always_lossless;
}

// Bits per second of the streams that are kept besides the video.
double other_bit_rate(const Reader& reader, const WriteReport& plan) {
    double sum = 0;
    for (const StreamOutcome& stream : plan.streams)
        if (stream.outcome != "dropped" && stream.source_index != reader.video_stream().index)
            sum += static_cast<double>(
                reader.source().streams[stream.source_index]->codecpar->bit_rate);
    return sum;
}

std::optional<double> by_bit_rate(const FileJob& job, const Reader& reader,
                                  const WriteReport& plan) {
    const auto part = selected_part(job.reader, reader);
    const double rate = av_strtod(job.writer.bit_rate.c_str(), nullptr);
    if (!part || !(rate > 0)) return std::nullopt;
    return (rate + other_bit_rate(reader, plan)) * part->seconds / 8;
}

std::optional<double> from_input(const FileJob& job, const Reader& reader,
                                 const WriteReport& plan) {
    const AVFormatContext& source = reader.source();
    const std::int64_t input = source.pb == nullptr ? -1 : avio_size(source.pb);
    if (input <= 0) return std::nullopt;
    const auto part = selected_part(job.reader, reader);
    const double guess = static_cast<double>(input) * (part ? part->fraction : 1);
    return std::min(guess, uncompressed_bytes(reader, plan).value_or(4 * guess) / 4);
}

}  // namespace

std::optional<SizeEstimate> estimate_size(const FileJob& job, const Reader& reader,
                                          const WriteReport& plan) {
    const auto estimate = [](std::optional<double> bytes, const char* basis) {
        return bytes ? std::optional(SizeEstimate{static_cast<std::int64_t>(*bytes), basis})
                     : std::nullopt;
    };
    if (is_lossless(job, plan))
        return estimate(uncompressed_bytes(reader, plan), "at most, uncompressed");
    if (!job.writer.bit_rate.empty()) return estimate(by_bit_rate(job, reader, plan), "by -b:v");
    return estimate(from_input(job, reader, plan), "estimated from the input's size");
}

}  // namespace weft
