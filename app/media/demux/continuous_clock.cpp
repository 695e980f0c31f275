#include "app/media/demux/continuous_clock.h"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weft {

namespace {

constexpr AVRational kTick{1, 90'000};
constexpr std::int64_t kWrap = std::int64_t{1} << 33U;  // the counter has 33 bits
constexpr std::int64_t kBackward = 9'000;
constexpr std::int64_t kForward = 900'000;
constexpr std::int64_t kHeld = 90'000;
constexpr std::int64_t kMostHeldBytes = 8 << 20;
constexpr std::size_t kMostHeldPackets = 4096;

void move_by(AVPacket& packet, std::int64_t offset) {
    if (packet.pts != AV_NOPTS_VALUE) packet.pts += offset;
    if (packet.dts != AV_NOPTS_VALUE) packet.dts += offset;
}

}  // namespace

bool ContinuousClock::is_clock(int stream) const {
    const AVStream& one = *context_->streams[stream];
    const AVMediaType type = one.codecpar->codec_type;
    return (type == AVMEDIA_TYPE_AUDIO || type == AVMEDIA_TYPE_VIDEO) &&
           (one.disposition & AV_DISPOSITION_ATTACHED_PIC) == 0;
}

// Each program has a clock of its own; program streams are one.
int ContinuousClock::program_of(int stream) const {
    const AVProgram* const program = av_find_program_from_stream(context_, nullptr, stream);
    return program == nullptr ? -1 : program->id;
}

std::int64_t ContinuousClock::ticks(std::int64_t time, int stream) const {
    return av_rescale_q(time, context_->streams[stream]->time_base, kTick);
}

bool ContinuousClock::jumps(const AVPacket& packet) const {
    const auto found = tracks_.find(packet.stream_index);
    if (packet.dts == AV_NOPTS_VALUE || !is_clock(packet.stream_index)) return false;
    if (found == tracks_.end() || !found->second.known) return false;
    const std::int64_t dts = ticks(packet.dts, packet.stream_index);
    return dts < found->second.last - kBackward || jumps_forward(packet.stream_index, dts);
}

// A gap in one stream is no jump, and neither is a step of a slide show.
bool ContinuousClock::jumps_forward(int stream, std::int64_t dts) const {
    constexpr int kUsualSteps = 4;
    const Track& own = tracks_.at(stream);
    if (own.longest == 0 || dts - own.last <= kUsualSteps * own.longest) return false;
    return std::ranges::all_of(tracks_, [&](const auto& entry) {
        const auto& [index, track] = entry;
        const bool shared = track.known && is_clock(index) && track.part == own.part &&
                            program_of(index) == program_of(stream);
        return !shared || dts - (track.last + track.step) > kForward;
    });
}

void ContinuousClock::add(AVPacketPtr packet) {
    incoming_.push_back(std::move(packet));
    take_all();
}

void ContinuousClock::end() {
    while (!held_.empty()) {
        decide();
        take_all();
    }
}

void ContinuousClock::take_all() {
    while (!incoming_.empty()) {
        AVPacketPtr first = std::move(incoming_.front());
        incoming_.pop_front();
        take(std::move(first));
    }
}

AVPacketPtr ContinuousClock::next() {
    if (ready_.empty()) return nullptr;
    AVPacketPtr first = std::move(ready_.front());
    ready_.pop_front();
    return first;
}

void ContinuousClock::reset() {
    *this = ContinuousClock(*context_);
}

void ContinuousClock::take(AVPacketPtr packet) {
    unwrap(*packet);
    join_part(*packet);
    const bool held = held_.empty() ? jumps(*packet) : belongs_to_held(*packet);
    if (!held) {
        follow(*packet);
        return deliver(std::move(packet));
    }
    hold(std::move(packet));
    if (is_decided()) decide();
}

// libav unwraps the counter by its first value, and so not in a part whose values are far from it.
void ContinuousClock::unwrap(AVPacket& packet) const {
    const auto latest = latest_.find(program_of(packet.stream_index));
    const std::int64_t time = packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts;
    if (latest == latest_.end() || time == AV_NOPTS_VALUE) return;
    const std::int64_t off = ticks(time, packet.stream_index) - latest->second;
    const std::int64_t wraps = off > kWrap / 2 ? -1 : off < -kWrap / 2 ? 1 : 0;
    move_by(packet,
            av_rescale_q(wraps * kWrap, kTick, context_->streams[packet.stream_index]->time_base));
}

// A stream arrives in the part that another one has begun. One that is neither sound nor video has
// no regular times, and goes by the place of its packets in the file.
void ContinuousClock::join_part(const AVPacket& packet) {
    const auto found = parts_.find(program_of(packet.stream_index));
    if (found == parts_.end()) return;
    Track& track = tracks_[packet.stream_index];
    const std::size_t newest = found->second.size();
    if (track.part == newest) return;
    if (packet.pos < found->second.back().byte && !jumps(packet)) return;
    track.part = newest;
    track.known = false;
}

// Those of other programs wait as well, which may jump at the same place.
bool ContinuousClock::belongs_to_held(const AVPacket& packet) const {
    const AVPacket& first = *held_.front();
    if (program_of(packet.stream_index) != program_of(first.stream_index)) return true;
    if (beginnings_.contains(packet.stream_index)) return true;
    return packet.pos >= first.pos || jumps(packet);
}

void ContinuousClock::hold(AVPacketPtr packet) {
    const int program = program_of(packet->stream_index);
    const bool first = held_.empty();
    if (first || program == program_of(held_.front()->stream_index)) note_beginning(*packet);
    held_bytes_ += packet->size;
    held_.push_back(std::move(packet));
}

void ContinuousClock::note_beginning(const AVPacket& packet) {
    Beginning& beginning = beginnings_[packet.stream_index];
    if (packet.dts == AV_NOPTS_VALUE) return;
    const std::int64_t dts = ticks(packet.dts, packet.stream_index);
    const std::int64_t shown = ticks(packet_time(packet), packet.stream_index);
    if (beginning.packets == 0) beginning = {.first = dts, .latest = dts, .shown = shown};
    if (beginning.packets == 1) beginning.second = dts;
    ++beginning.packets;
    beginning.ended = beginning.ended || dts < beginning.latest - kBackward;
    if (beginning.ended) return;
    beginning.latest = dts;
    beginning.shown = std::min(beginning.shown, shown);
}

// Whether the second packet continues the time before the jump rather than the first one's.
bool ContinuousClock::is_stray(const Beginning& jumped) const {
    const Track& track = tracks_.at(held_.front()->stream_index);
    if (jumped.packets < 2) return false;
    const std::int64_t old = std::abs(jumped.second - (track.last + 2 * track.step));
    return old < std::abs(jumped.second - (jumped.first + track.step));
}

bool ContinuousClock::is_decided() const {
    if (held_bytes_ > kMostHeldBytes || held_.size() > kMostHeldPackets) return true;
    const int stream = held_.front()->stream_index;
    const Beginning& jumped = beginnings_.at(stream);
    if (jumped.ended || is_stray(jumped)) return true;
    if (jumped.latest - jumped.first >= kHeld) return true;
    const std::size_t part = tracks_.at(stream).part;
    return std::ranges::all_of(tracks_, [&](const auto& entry) {
        const auto& [index, track] = entry;
        if (!track.known || !is_clock(index) || track.part != part) return true;
        if (program_of(index) != program_of(stream)) return true;
        const auto found = beginnings_.find(index);
        return found != beginnings_.end() && found->second.packets > 1;
    });
}

// The first held packet goes out, and the others are examined again: the part may be short.
void ContinuousClock::decide() {
    const bool stray = is_stray(beginnings_.at(held_.front()->stream_index));
    if (!stray) start_part();
    AVPacketPtr first = std::move(held_.front());
    held_.pop_front();
    incoming_.insert(incoming_.begin(), std::move_iterator(held_.begin()),
                     std::move_iterator(held_.end()));
    held_.clear();
    held_bytes_ = 0;
    beginnings_.clear();
    if (!stray) follow(*first);
    deliver(std::move(first));
}

void ContinuousClock::start_part() {
    const AVPacket& first = *held_.front();
    const int program = program_of(first.stream_index);
    std::vector<Part>& parts = parts_[program];
    const auto offset_of = [&](const Track& track) {
        return track.part == 0 ? 0 : parts[track.part - 1].offset;
    };
    bool known = false;
    Part part{.byte = first.pos};
    for (const auto& [index, beginning] : beginnings_) {
        const Track& track = tracks_[index];
        if (!track.known || !is_clock(index) || beginning.packets == 0) continue;
        const std::int64_t gap =
            std::max(track.last + track.step - beginning.first, track.end - beginning.shown);
        const std::int64_t offset = offset_of(track) + gap;
        part.offset = known ? std::max(part.offset, offset) : offset;
        known = true;
    }
    restarts_s_.push_back(
        static_cast<double>(beginnings_.at(first.stream_index).first + part.offset) *
        av_q2d(kTick));
    parts.push_back(part);
    for (const auto& [index, beginning] : beginnings_) {
        tracks_[index].part = parts.size();
        tracks_[index].known = false;
    }
}

void ContinuousClock::follow(const AVPacket& packet) {
    if (packet.dts == AV_NOPTS_VALUE) return;
    Track& track = tracks_[packet.stream_index];
    const std::int64_t dts = ticks(packet.dts, packet.stream_index);
    const std::int64_t shown = ticks(packet_time(packet), packet.stream_index);
    const std::int64_t since = track.known ? dts - track.last : 0;
    track.longest = std::max(track.longest, since);
    if (packet.duration > 0)
        track.step = ticks(packet.duration, packet.stream_index);
    else if (since > 0)
        track.step = since;
    const std::int64_t end = shown + track.step;
    track.end = track.known ? std::max(track.end, end) : end;
    track.last = dts;
    if (is_clock(packet.stream_index)) latest_[program_of(packet.stream_index)] = dts;
    track.known = true;
}

void ContinuousClock::deliver(AVPacketPtr packet) {
    const std::size_t part = tracks_[packet->stream_index].part;
    if (part > 0) {
        const std::vector<Part>& parts = parts_.at(program_of(packet->stream_index));
        move_by(*packet, av_rescale_q(parts[part - 1].offset, kTick,
                                      context_->streams[packet->stream_index]->time_base));
    }
    ready_.push_back(std::move(packet));
}

std::string ContinuousClock::note() const {
    constexpr std::size_t kMost = 8;
    if (!has_restarted()) return {};
    const std::span shown = std::span(restarts_s_).first(std::min(restarts_s_.size(), kMost));
    return fmt::format("the input's clock starts again at {:.3f}{}: its times continue from there",
                       fmt::join(shown, " s, "),
                       restarts_s_.size() > kMost
                           ? fmt::format(" s, … ({} times in all)", restarts_s_.size())
                           : " s");
}

}  // namespace weft
