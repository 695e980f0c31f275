// Decoder's comparison of GPU and software, and its change from one to the other.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/media/check/closed_key.h"
#include "app/media/read/decoder.h"
#include "app/media/read/software_decoder.h"
#include "kernels/device/cgroup.h"

namespace weft {

void Decoder::account(Clock::time_point began, int pictures) {
    if (!trial_) return;
    const Clock::time_point now = Clock::now();
    const auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };
    busy_ += seconds(now - began);
    if (pictures == 0) return;
    trial_->worked(busy_, seconds(now - last_picture_), pictures);
    busy_ = 0;
    last_picture_ = now;
}

void Decoder::begin_trial() {
    if (!options_.compare_decoders || options_.hwaccel != Hwaccel::automatic) return;
    const AVRational rate = stream_.avg_frame_rate;
    DecoderTrial::Terms terms;
    if (rate.num > 0 && rate.den > 0)
        terms.pictures = std::max(terms.pictures, static_cast<int>(std::ceil(av_q2d(rate))));
    terms.software_start =
        2 * std::max(1, options_.decoder_threads > 0 ? options_.decoder_threads : usable_cores());
    trial_.emplace(terms);
    last_picture_ = Clock::now();
}

// Only at packets whose times need no guess from earlier ones.
void Decoder::compare(const AVPacket& packet) {
    const bool gave_up = gpu_gave_up_ && who_ == DecoderTrial::Who::gpu;
    if ((!trial_ && !gave_up) || packet.pts == AV_NOPTS_VALUE ||
        !is_closed_key(packet, *stream_.codecpar))
        return;
    if (gave_up) {
        trial_.reset();
        return change_to(DecoderTrial::Who::software);
    }
    const DecoderTrial::Who who = trial_->at_key();
    if (who != who_) change_to(who);
    if (!trial_->over()) return;
    if (const std::string speeds = trial_->text(); !speeds.empty())
        decoding_.compared =
            fmt::format("{} after comparing: {}",
                        who_ == DecoderTrial::Who::gpu ? "by the GPU" : "in software", speeds);
    trial_.reset();
}

// False if the GPU has no room for it any more.
bool Decoder::reopen_on_gpu() {
    try {
        std::string why_not;
        open(*find_gpu_decoder(stream_.codecpar->codec_id, why_not), DecoderTrial::Who::gpu);
        return true;
    } catch (const std::exception& error) {
        notes_.push_back(fmt::format("software continues: {}", error.what()));
        return false;
    }
}

void Decoder::change_to(DecoderTrial::Who who) {
    const ShortageWatch ending;
    count(avcodec_send_packet(codec_.get(), nullptr), ending);
    while (AVFramePtr frame = take()) waiting_.push_back(from_surface(std::move(frame)));
    errors_ += log_->errors();
    codec_.reset();
    surfaces_.reset();
    if (who != DecoderTrial::Who::gpu || !reopen_on_gpu())
        open(*find_software_decoder(stream_, notes_), DecoderTrial::Who::software);
    if (!first_) return;
    const std::int64_t before = all_errors();
    const ShortageWatch watch;
    count(avcodec_send_packet(codec_.get(), first_.get()), watch);
    avcodec_flush_buffers(codec_.get());
    forgiven_ += all_errors() - before;
}

}  // namespace weft
