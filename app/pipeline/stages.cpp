#include "app/pipeline/stages.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernels/device/image_buffer.h"
#include "kernels/device/stream.h"

namespace weft {
namespace {

std::size_t frame_bytes(const AVFrame& frame) {
    const int bytes = av_image_get_buffer_size(sample_format(frame), frame.width, frame.height, 1);
    return static_cast<std::size_t>(std::max(bytes, 1));
}

// Traces each frame, and other items that took time.
double note_read(const MediaItem& item, StageClock& clock) {
    const auto* frame = std::get_if<Frame>(&item);
    return frame != nullptr ? clock.was_busy("decode", frame->index) : clock.was_busy("read", -1);
}

// Kept buffers would take that much memory for each file at work.
bool is_giant(const AVFrame& frame) {
    constexpr std::size_t kMost = std::size_t{40} << 20;
    return frame_bytes(frame) > kMost;
}

// A GPU writes directly to page-locked frames. Not for a still: locking takes longer than a copy.
Allocation memory_of_results(const Device& device, const Reader& reader) {
    return device.is_gpu() && !reader.is_still_image() ? Allocation::pinned : Allocation::host;
}

std::int64_t begin_of(const Reader& reader) {
    const std::int64_t begin = reader.source().start_time;
    return begin == AV_NOPTS_VALUE ? 0
                                   : av_rescale_q(begin, av_get_time_base_q(), reader.time_base());
}

}  // namespace

std::size_t weight_of(const MediaItem& item) {
    constexpr std::size_t kOverhead = 256;  // for a packet without data
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

std::int64_t read_stage(Reader& reader, MediaQueue& out, ReadTimes times,
                        const std::stop_token& stop, std::optional<std::int64_t> end) {
    StageClock& clock = times.clock;
    std::int64_t frames = reader.frames_skipped();
    double busy = 0;
    while (!stop.stop_requested() && frames != end) {
        MediaItem item = reader.next();
        busy += note_read(item, clock);
        if (std::holds_alternative<EndOfInput>(item)) break;
        if (std::holds_alternative<Frame>(item)) {
            times.frames.add(busy);
            busy = 0;
            ++frames;
        }
        const std::size_t weight = weight_of(item);
        const bool pushed = out.push(std::move(item), weight, stop);
        clock.waited_for_room();
        if (!pushed) break;
    }
    out.close();
    return frames;
}

FilterStage::FilterStage(StackRunner& filter, const Reader& reader, FilterStageOptions options)
    : filter_(&filter),
      own_results_(memory_of_results(filter.device(), reader)),
      results_(options.results != nullptr ? options.results : &own_results_),
      keeper_(*reader.first_frame().av, options.on_change, options.path),
      time_base_(reader.time_base()),
      begin_pts_(begin_of(reader)),
      frames_before_start_(reader.frames_before_start()),
      options_(std::move(options)),
      box_counts_(filter.plan()),
      releases_(reader.is_still_image() &&
                (options_.results == nullptr || is_giant(*reader.first_frame().av))) {}

void FilterStage::begin_at(std::int64_t frame) {
    const int before = filter_->plan().frames_before();
    first_filtered_ = std::max<std::int64_t>(frame - before, 0);
}

void FilterStage::run(MediaQueue& in, MediaQueue& out, StageClock& clock,
                      const std::stop_token& stop) {
    use_device(filter_->device());
    try {
        pass(in, out, clock, stop);
    } catch (...) {
        abandon();
        throw;
    }
    abandon();
}

// While no input is available, delivers the frames in flight.
void FilterStage::pass(MediaQueue& in, MediaQueue& out, StageClock& clock,
                       const std::stop_token& stop) {
    for (;;) {
        auto item = in.try_pop();
        if (!item && !passing_.empty()) {
            if (!deliver(out, clock, stop)) return;
            continue;
        }
        if (!item) item = in.pop(stop);
        clock.waited_for_input();
        if (!item) break;
        if (!accept(std::move(*item), out, clock, stop)) return;
    }
    out.close();
}

// False when a stop was requested, like deliver().
bool FilterStage::accept(MediaItem item, MediaQueue& out, StageClock& clock,
                         const std::stop_token& stop) {
    auto* frame = std::get_if<Frame>(&item);
    if (frame != nullptr && frame->index >= options_.begin) box_counts_.add(place_of(*frame));
    if (frame != nullptr && frame->index < first_filtered_) {
        filter_->pass_over(place_of(*frame));
        av_frame_unref(frame->av.get());
        return forward(std::move(item), out, clock, stop);  // no item precedes it
    }
    if (frame != nullptr) {
        while (in_flight_ >= filter_->most_in_flight())
            if (!deliver(out, clock, stop)) return false;
        const std::int64_t index = frame->index;
        submit(std::move(*frame));
        clock.was_busy("submit", index);
    } else {
        append({std::move(item), {}});
    }
    while (!passing_.empty() && !passing_.front().in_flight())
        if (!deliver(out, clock, stop)) return false;
    return true;
}

bool FilterStage::deliver(MediaQueue& out, StageClock& clock, const std::stop_token& stop) {
    MediaItem item = take_oldest();
    if (const auto* frame = std::get_if<Frame>(&item)) clock.was_busy("finish", frame->index);
    return forward(std::move(item), out, clock, stop);
}

bool FilterStage::forward(MediaItem item, MediaQueue& out, StageClock& clock,
                          const std::stop_token& stop) {
    const std::size_t weight = weight_of(item);
    const bool pushed = out.push(std::move(item), weight, stop);
    clock.waited_for_room();
    return pushed;
}

FilterStage::Passing& FilterStage::append(Passing passing) {
    if (spare_.empty()) return passing_.emplace_back(std::move(passing));
    passing_.splice(passing_.end(), spare_, spare_.begin());
    return passing_.back() = std::move(passing);
}

void FilterStage::submit(Frame frame) {
    Passing& passing = append({EndOfInput{}, std::move(frame)});
    Frame& original = passing.original;
    try {
        keeper_.fit(original);
        Frame filtered{new_result(*original.av), original.pts, original.duration, original.index};
        const auto source = plane_views(*original.av);
        const auto target = plane_views(*filtered.av);
        passing.item = std::move(filtered);
        filter_->submit(
            source, target,
            [&original, keep = static_cast<bool>(options_.compose)] {
                if (!keep) original.av.reset();
            },
            place_of(original));
    } catch (const Error& error) {
        throw at(original, error);
    }
    ++in_flight_;
}

MediaItem FilterStage::take_oldest() {
    Passing& oldest = passing_.front();
    spare_.splice(spare_.begin(), passing_, passing_.begin());
    if (!oldest.in_flight()) return std::move(oldest.item);
    --in_flight_;
    auto& filtered = std::get<Frame>(oldest.item);
    try {
        filter_->finish();
        if (options_.compose) filtered.av = composed(oldest.original, *filtered.av);
    } catch (const Error& error) {
        throw at(filtered, error);
    }
    oldest.original.av.reset();
    if (releases_) release();
    return std::move(oldest.item);
}

Frame FilterStage::filter(Frame frame) {
    try {
        submit(std::move(frame));
        return std::get<Frame>(take_oldest());
    } catch (...) {
        abandon();
        throw;
    }
}

AVFramePtr FilterStage::new_result(const AVFrame& like) {
    return options_.surfaces ? options_.surfaces->get(like) : results_->get(like);
}

// The GPU writes to frames in flight until the wait.
void FilterStage::abandon() noexcept {
    for (; in_flight_ > 0; --in_flight_) filter_->give_up();
    passing_.clear();
}

FramePlace FilterStage::place_of(const Frame& frame) const {
    return {frames_before_start_ + frame.index,
            static_cast<double>(frame.pts - begin_pts_) * av_q2d(time_base_),
            static_cast<double>(frame.duration) * av_q2d(time_base_)};
}

Error FilterStage::at(const Frame& frame, const Error& error) const {
    const double seconds = static_cast<double>(frame.pts) * av_q2d(time_base_);
    return {error.outcome(),
            fmt::format("{}: at {:.3f} s: {}", options_.path, seconds, error.what()),
            error.cause()};
}

AVFramePtr FilterStage::composed(const Frame& original, const AVFrame& filtered) {
    if (options_.compared == nullptr) return options_.compose(*original.av, filtered);
    const AVFramePtr compared = results_->get(*original.av);
    options_.compared->run(plane_views(*original.av), plane_views(*compared), {},
                           place_of(original));
    return options_.compose(*compared, filtered);
}

// No picture follows a still one, and encoding a giant one takes as much memory again.
void FilterStage::release() {
    filter_->release();
    if (options_.compared != nullptr) options_.compared->release();
    *results_ = FrameMemory(results_->where());
}

EncodeStage::EncodeStage(Writer* writer, const Reader& reader, FileResult& result,
                         const ProgressCallback& progress)
    : writer_(writer),
      result_(&result),
      progress_(&progress),
      tick_(av_q2d(reader.time_base())),
      first_pts_(reader.first_frame().pts),
      estimated_(reader.estimated_frames()),
      stored_(writer != nullptr ? writer->frames_stored() : 0) {}

void EncodeStage::run(MediaQueue& in, StageClock& clock, const std::stop_token& stop) {
    for (;;) {
        auto item = in.pop(stop);
        clock.waited_for_input();
        if (!item) return;
        if (auto* frame = std::get_if<Frame>(&*item))
            write(std::move(*frame), clock);
        else if (auto* packet = std::get_if<SourcePacket>(&*item); packet && writer_)
            write(std::move(*packet), clock);
        clock.was_busy();
    }
}

void EncodeStage::write(SourcePacket packet, StageClock& clock) {
    writer_->write(std::move(packet));
    clock.was_busy("copy", -1);
}

void EncodeStage::write(Frame frame, StageClock& clock) {
    const double end = static_cast<double>(frame.pts + frame.duration - first_pts_) * tick_;
    const std::int64_t index = frame.index;
    if (writer_) {
        writer_->write(std::move(frame));
        result_->written.segments = writer_->segments();
    }
    result_->stages.encode.add(clock.was_busy("encode", index));
    result_->media_seconds = std::max(result_->media_seconds, end);
    ++result_->frames_out;
    if (*progress_)
        (*progress_)({result_->frames_out, estimated_, result_->media_seconds, stored_,
                      writer_ ? writer_->bytes_so_far() : 0});
}

}  // namespace weft
