#include "app/pipeline/stages.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "kernels/image_buffer.h"

namespace weft {
namespace {

using SteadyClock = std::chrono::steady_clock;

std::size_t frame_bytes(const AVFrame& frame) {
    const int bytes = av_image_get_buffer_size(static_cast<AVPixelFormat>(frame.format),
                                               frame.width, frame.height, 1);
    return static_cast<std::size_t>(std::max(bytes, 1));
}

std::string shape_text(AVPixelFormat format, int width, int height) {
    const char* name = av_get_pix_fmt_name(format);
    return fmt::format("{}x{} {}", width, height, name != nullptr ? name : "unknown");
}

}  // namespace

std::size_t weight_of(const MediaItem& item) {
    constexpr std::size_t kOverhead = 256;  // of a packet without data
    if (const auto* frame = std::get_if<Frame>(&item)) return frame_bytes(*frame->av);
    if (const auto* packet = std::get_if<SourcePacket>(&item))
        return kOverhead + static_cast<std::size_t>(std::max(packet->packet->size, 0));
    return 0;
}

std::size_t queue_capacity(const Frame& frame) {
    constexpr std::size_t kMost = std::size_t{64} << 20;
    constexpr std::size_t kRoomForPackets = std::size_t{1} << 20;
    const std::size_t bytes = frame_bytes(*frame.av);
    return std::min(4 * bytes, std::max(bytes, kMost)) + kRoomForPackets;
}

std::int64_t read_stage(Reader& reader, MediaQueue& out, Samples& decode,
                        const std::stop_token& stop) {
    std::int64_t frames = 0;
    auto started = SteadyClock::now();
    double busy = 0;
    while (!stop.stop_requested()) {
        started = SteadyClock::now();
        MediaItem item = reader.next();
        busy += std::chrono::duration<double>(SteadyClock::now() - started).count();
        if (std::holds_alternative<EndOfInput>(item)) break;
        if (std::holds_alternative<Frame>(item)) {
            decode.add(busy);
            busy = 0;
            ++frames;
        }
        const std::size_t weight = weight_of(item);
        if (!out.push(std::move(item), weight, stop)) break;
    }
    out.close();
    return frames;
}

FilterStage::FilterStage(FrameFilter& filter, const Reader& reader, std::string path,
                         Composition composition)
    : filter_(&filter),
      width_(reader.first_frame().av->width),
      height_(reader.first_frame().av->height),
      format_(reader.first_frame().format()),
      time_base_(reader.time_base()),
      path_(std::move(path)),
      composition_(std::move(composition)),
      still_(reader.is_still_image()) {}

void FilterStage::run(MediaQueue& in, MediaQueue& out, const std::stop_token& stop) {
    use_device(filter_->device());
    while (auto item = in.pop(stop)) {
        if (auto* frame = std::get_if<Frame>(&*item)) *item = filter(std::move(*frame));
        const std::size_t weight = weight_of(*item);
        if (!out.push(std::move(*item), weight, stop)) return;
    }
    out.close();
}

Frame FilterStage::filter(Frame frame) {
    try {
        refuse_change(frame);
        Frame filtered{pool_.get(*frame.av), frame.pts, frame.duration, frame.index};
        const auto source_read = [&] {
            if (!composition_.compose) frame.av.reset();
        };
        filter_->run(plane_views(*frame.av), plane_views(*filtered.av), source_read);
        if (composition_.compose) filtered.av = composed(*frame.av, *filtered.av);
        if (still_) release();
        return filtered;
    } catch (const Error& error) {
        const double seconds = static_cast<double>(frame.pts) * av_q2d(time_base_);
        throw Error(error.code(), fmt::format("{}: at {:.3f} s: {}", path_, seconds, error.what()));
    }
}

AVFramePtr FilterStage::composed(const AVFrame& original, const AVFrame& filtered) {
    if (composition_.compared == nullptr) return composition_.compose(original, filtered);
    const AVFramePtr compared = pool_.get(original);
    composition_.compared->run(plane_views(original), plane_views(*compared));
    return composition_.compose(*compared, filtered);
}

// No picture comes after a still one, and encoding a giant one takes as much memory again.
void FilterStage::release() {
    filter_->release();
    if (composition_.compared != nullptr) composition_.compared->release();
    pool_ = {};
}

void FilterStage::refuse_change(const Frame& frame) const {
    const AVFrame& av = *frame.av;
    if (av.width == width_ && av.height == height_ && frame.format() == format_) return;
    throw Error(ExitCode::failed,
                fmt::format("the picture changes from {} to {}, but an output file holds one size "
                            "and format: cut the input there with -ss and -to",
                            shape_text(format_, width_, height_),
                            shape_text(frame.format(), av.width, av.height)));
}

}  // namespace weft
