#include "app/media/read/comparing_decoder.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/media/check/packet_check.h"
#include "kernels/device/cgroup.h"

namespace weft {

namespace {

DecoderTrial::Terms terms_for(const AVStream& stream, const ReaderOptions& options) {
    const AVRational rate = stream.avg_frame_rate;
    DecoderTrial::Terms terms;
    if (rate.num > 0 && rate.den > 0)
        terms.frames = std::max(terms.frames, static_cast<int>(std::ceil(av_q2d(rate))));
    terms.software_start =
        2 * std::max(1, options.decoder_threads > 0 ? options.decoder_threads : usable_cores());
    return terms;
}

}  // namespace

void DecoderTrial::add_work(double busy, double wall, int frames) {
    if (over()) return;
    Part& now = part();
    const int start = phase_ == Phase::gpu ? terms_.gpu_start : terms_.software_start;
    if (now.seen >= start) {
        now.frames += frames;
        now.busy += busy;
        now.wall += wall;
    }
    now.seen += frames;
}

DecoderKind DecoderTrial::at_key() {
    if (!over() && part().frames >= terms_.frames) {
        if (phase_ == Phase::gpu)
            judge_gpu();
        else
            judge_software();
    }
    return kind_;
}

// If something else is the bottleneck, software would only take cores away from it.
void DecoderTrial::judge_gpu() {
    const bool bounds = gpu_.busy >= kBusy * gpu_.wall;
    phase_ = bounds ? Phase::software : Phase::over;
    if (bounds) kind_ = DecoderKind::software;
}

void DecoderTrial::judge_software() {
    phase_ = Phase::over;
    const bool faster = software_.per_frame() <= kFaster * gpu_.per_frame();
    kind_ = faster ? DecoderKind::software : DecoderKind::gpu;
}

std::string DecoderTrial::text() const {
    if (!over() || software_.frames == 0) return "";
    return fmt::format("GPU {:.0f}, software {:.0f} frames/s", 1 / gpu_.per_frame(),
                       1 / software_.per_frame());
}

ComparingDecoder::ComparingDecoder(const AVStream& stream, bool is_image,
                                   const ReaderOptions& options)
    : Decoder(stream, is_image, options), stream_(stream) {
    if (options.compare_decoders && options.hwaccel == Hwaccel::automatic)
        trial_.emplace(terms_for(stream, options));
}

void ComparingDecoder::send(const AVPacket& packet) {
    compare(packet);
    const Clock::time_point began = Clock::now();
    Decoder::send(packet);
    account(began, 0);
}

AVFramePtr ComparingDecoder::receive() {
    if (has_waiting()) return Decoder::receive();
    const Clock::time_point began = Clock::now();
    AVFramePtr frame = Decoder::receive();
    account(began, frame ? 1 : 0);
    return frame;
}

Decoding ComparingDecoder::decoding() const {
    Decoding decoding = Decoder::decoding();
    decoding.compared = compared_;
    return decoding;
}

void ComparingDecoder::account(Clock::time_point began, int frames) {
    if (!comparing()) return;
    const Clock::time_point now = Clock::now();
    const auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };
    busy_ += seconds(now - began);
    if (frames == 0) return;
    trial_->add_work(busy_, seconds(now - last_frame_), frames);
    busy_ = 0;
    last_frame_ = now;
}

// The decoder may change only at packets whose times need no guess from earlier ones.
void ComparingDecoder::compare(const AVPacket& packet) {
    if (gpu_gave_up()) trial_.reset();
    const bool gave_up = gpu_gave_up() && kind() == DecoderKind::gpu;
    if ((!comparing() && !gave_up) || packet.size == 0 || packet.pts == AV_NOPTS_VALUE ||
        !is_closed_key(packet, *stream_.codecpar))
        return;
    if (gave_up) return change_to(DecoderKind::software);
    const DecoderKind faster = trial_->at_key();
    if (faster != kind()) change_to(faster);
    if (!trial_->over()) return;
    if (const std::string speeds = trial_->text(); !speeds.empty())
        compared_ = fmt::format("{} after comparing: {}",
                                kind() == DecoderKind::gpu ? "by the GPU" : "in software", speeds);
    trial_.reset();
}

}  // namespace weft
