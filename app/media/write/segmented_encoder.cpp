#include "app/media/write/segmented_encoder.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace weft {
namespace {

// The frame that an encoder is opened with, without pixels, which would stay for the whole run.
AVFramePtr without_pixels(const AVFrame& frame) {
    AVFramePtr shape = make_frame();
    av_check(av_frame_copy_props(shape.get(), &frame), "copying a frame's tags", "memory");
    shape->format = frame.format;
    shape->width = frame.width;
    shape->height = frame.height;
    if (frame.hw_frames_ctx != nullptr) shape->hw_frames_ctx = av_buffer_ref(frame.hw_frames_ctx);
    return shape;
}

std::span<const std::uint8_t> headers_of(const AVCodecContext& context) {
    return {context.extradata, static_cast<std::size_t>(context.extradata_size)};
}

void refuse_pointers(const EncoderSettings& settings) {
    const AVCodec& codec = *settings.choice.encoder;
    if (codec.id == AV_CODEC_ID_WRAPPED_AVFRAME)
        throw Error(Outcome::usage, fmt::format("{}: --resume cannot store the packets of {}",
                                                settings.path, codec.name));
}

}  // namespace

SegmentedEncoder::SegmentedEncoder(EncoderSettings settings, const AVFrame& sample,
                                   SegmentStore* store)
    : settings_(std::move(settings)), sample_(without_pixels(sample)), store_(store) {
    if (store_ != nullptr) {
        refuse_pointers(settings_);
        settings_.threads = store_->encoder_threads();
        settings_.repeatable = true;
    }
    encoder_ = std::make_unique<VideoEncoder>(settings_, sample);
    if (store_ == nullptr) return;
    store_->require_headers(headers_of(context()));
    stored_ = store_->segments().size();
    counts_.frames_finished = store_->frames();
}

void SegmentedEncoder::take_over(FrameTime time, const PacketSink& sink) {
    const StoredSegment& segment = store_->segments()[next_];
    times_.push_back(time.pts);
    if (static_cast<std::int64_t>(times_.size()) < segment.frames) return;
    check_times(segment.times);
    store_->replay(segment, sink);
    ++next_;
    ++counts_.taken_over;
    counts_.frames_taken_over += segment.frames;
    times_.clear();
}

void SegmentedEncoder::check_times(std::vector<std::int64_t> stored) const {
    std::ranges::sort(stored);
    if (stored == times_) return;
    throw SegmentsDiffer(fmt::format("{}: the frames of the interrupted run were shown at other "
                                     "times: remove {} to start over",
                                     settings_.path, segment_file(settings_.path).string()),
                         next_);
}

const Hash128& SegmentedEncoder::stored_hash() const {
    return store_->segments()[next_].hashes[times_.size()];
}

void SegmentedEncoder::encode(AVFramePtr frame, FrameTime time, const Hash128& hash,
                              const PacketSink& sink) {
    if (ended_) begin_segment();
    if (store_ != nullptr) hashes_.push_back(hash);
    encoder_->encode(std::move(frame), time, storing(sink));
    if (std::ssize(hashes_) == kSegmentFrames) end_segment(sink);
}

void SegmentedEncoder::begin_segment() {
    auto next = std::make_unique<VideoEncoder>(settings_, *sample_);
    if (!std::ranges::equal(headers_of(next->context()), headers_of(context())))
        throw Error(Outcome::failed,
                    fmt::format("{}: {} begins its segments with different headers: this encoder "
                                "cannot be used with --resume",
                                settings_.path, context().codec->name));
    encoder_ = std::move(next);
    ended_ = false;
}

void SegmentedEncoder::end_segment(const PacketSink& sink) {
    encoder_->flush(storing(sink));
    const auto frames = static_cast<std::int64_t>(hashes_.size());
    if (packets_ != frames)
        throw Error(Outcome::failed, fmt::format("{}: the encoder made {} pictures of {}",
                                                 settings_.path, packets_, frames));
    store_->finish_segment(std::move(hashes_));
    ++counts_.done;
    counts_.frames_finished += frames;
    hashes_.clear();
    packets_ = 0;
    ended_ = true;
}

void SegmentedEncoder::flush(const PacketSink& sink) {
    if (store_ == nullptr) return encoder_->flush(sink);
    if (takes_over())
        throw SegmentsDiffer(
            fmt::format("{}: the interrupted run had more frames: remove {} to start over",
                        settings_.path, segment_file(settings_.path).string()),
            next_);
    if (!hashes_.empty()) end_segment(sink);
}

// Stores packets before they are written to the output.
PacketSink SegmentedEncoder::storing(const PacketSink& sink) {
    if (store_ == nullptr) return sink;
    return [this, &sink](AVPacketPtr packet) {
        store_->add(*packet);
        ++packets_;
        sink(std::move(packet));
    };
}

}  // namespace weft
