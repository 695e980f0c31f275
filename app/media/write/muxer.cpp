#include "app/media/write/muxer.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "app/media/write/stream_plan.h"

extern "C" {
#include <libavutil/opt.h>
}

namespace weft {
namespace {

constexpr std::int64_t kMaxWaitingBytes = 64 << 20;
constexpr AVRational kMicroseconds{1, AV_TIME_BASE};
constexpr auto kLongAgo = std::numeric_limits<std::int64_t>::min();

// Matroska readers subtract an Opus stream's pre-skip from its timestamps, and libav's muxer writes
// the pre-skip without adding it to them: audio would start 6.5 ms early, more with every copy.
std::int64_t codec_delay(const AVOutputFormat& muxer, const AVStream& stream) {
    const std::string_view name = muxer.name;
    const AVCodecParameters& par = *stream.codecpar;
    const bool subtracted = (name == "matroska" || name == "webm") &&
                            par.codec_id == AV_CODEC_ID_OPUS && par.initial_padding > 0;
    if (!subtracted) return 0;
    constexpr int kOpusRate = 48'000;
    return av_rescale_q(par.initial_padding, {1, kOpusRate}, stream.time_base);
}

// Their muxers draw identifiers at random without this flag. After a crash, the same frames
// must give the same file again, which its receipt is then made for.
bool has_random_ids(std::string_view muxer) {
    return muxer == "matroska" || muxer == "webm";
}

// libav would store other times than these. `last` is the time of the stream's packet before.
void check_gap(const AVFormatContext& context, const AVPacket& packet, std::int64_t last,
               const std::string& path) {
    constexpr std::int64_t kMostGifDelay = 65'535;  // 16 bits
    const std::string_view name = context.oformat->name;
    const bool movie = name == "mp4" || name == "mov";
    if (!movie && name != "gif") return;
    const std::int64_t most = movie ? std::numeric_limits<std::int32_t>::max() : kMostGifDelay;
    // Before a gap, an encoder that reorders gives its next frame an early time of decoding.
    const std::int64_t gap =
        std::max({packet.dts - last, packet.pts - packet.dts, packet.duration});
    if (gap <= most) return;
    const double tick = av_q2d(context.streams[packet.stream_index]->time_base);
    throw MediaError(
        Outcome::failed,
        fmt::format("{}: {} holds at most {:.2f} s between two packets of a stream, but {:.2f} s "
                    "follow {:.2f} s: write mkv",
                    path, name, static_cast<double>(most) * tick, static_cast<double>(gap) * tick,
                    static_cast<double>(last) * tick));
}

class Dictionary {
 public:
    explicit Dictionary(const std::map<std::string, std::string>& entries) {
        for (const auto& [key, value] : entries) set_entry(&dict_, key.c_str(), value.c_str());
    }
    ~Dictionary() { av_dict_free(&dict_); }
    Dictionary(const Dictionary&) = delete;
    Dictionary& operator=(const Dictionary&) = delete;
    AVDictionary** get() { return &dict_; }
    // The first option left unused by the muxer, or empty.
    std::string left_over() const {
        const AVDictionaryEntry* entry = av_dict_get(dict_, "", nullptr, AV_DICT_IGNORE_SUFFIX);
        return entry == nullptr ? std::string() : entry->key;
    }

 private:
    AVDictionary* dict_ = nullptr;
};

}  // namespace

int compliance_of(const AVOutputFormat& muxer) {
    const std::string_view name = muxer.name;
    if (name == "mp4" || name == "mov") return FF_COMPLIANCE_EXPERIMENTAL;
    return name == "yuv4mpegpipe" ? FF_COMPLIANCE_UNOFFICIAL : FF_COMPLIANCE_NORMAL;
}

bool is_gap_filler(const AVPacket& packet, AVCodecID codec) {
    constexpr int kEmptyText = 2;  // the length field alone
    return codec == AV_CODEC_ID_MOV_TEXT && packet.size <= kEmptyText;
}

// FLAC's encoder ends with side data alone, from which the muxer completes the header.
bool completes_header(const AVPacket& packet) {
    return packet.size == 0 &&
           av_packet_get_side_data(&packet, AV_PKT_DATA_NEW_EXTRADATA, nullptr) != nullptr;
}

Muxer::Muxer(const Container& container, FileSink& sink, bool seekable)
    : sink_(sink),
      path_(sink.path()),
      io_(make_avio_writer(sink, seekable)),
      slots_(container.clock == Clock::slots) {
    AVFormatContext* raw = nullptr;
    av_check(avformat_alloc_output_context2(&raw, nullptr, std::string(container.muxer).c_str(),
                                            nullptr),
             "starting the output", path_);
    context_.reset(raw);
    context_->pb = io_.get();
    context_->flags |= AVFMT_FLAG_CUSTOM_IO;
    if (has_random_ids(container.muxer)) context_->flags |= AVFMT_FLAG_BITEXACT;
    // Only this class shifts timestamps, and by the same amount for every stream.
    context_->avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED;
    context_->strict_std_compliance = compliance_of(*context_->oformat);
}

AVStream& Muxer::add_stream() {
    AVStream* stream = avformat_new_stream(context_.get(), nullptr);
    if (stream == nullptr) throw_no_memory();
    return *stream;
}

void Muxer::start(const std::map<std::string, std::string>& options) {
    Dictionary dictionary(options);
    const ShortageWatch watch;
    const int result = avformat_write_header(context_.get(), dictionary.get());
    watch.check("writing the header", path_);
    sink_.check();
    av_check(result, "writing the header", path_);
    if (const std::string option = dictionary.left_over(); !option.empty())
        throw MediaError(Outcome::failed, fmt::format("{}: {} has no option {}", path_,
                                                      context_->oformat->name, option));
    for (unsigned i = 0; i < context_->nb_streams; ++i) {
        const AVStream& stream = *context_->streams[i];
        records_.push_back({.type = stream.codecpar->codec_type,
                            .codec = stream.codecpar->codec_id,
                            .cover = is_cover(stream),
                            .attachment = stream.codecpar->codec_type == AVMEDIA_TYPE_ATTACHMENT,
                            .data_tag = stream.codecpar->codec_type == AVMEDIA_TYPE_DATA
                                            ? stream.codecpar->codec_tag
                                            : 0,
                            .time_base = stream.time_base});
    }
    for (unsigned i = 0; i < context_->nb_streams; ++i)
        delays_.push_back(codec_delay(*context_->oformat, *context_->streams[i]));
    last_dts_.assign(records_.size(), kLongAgo);
}

void Muxer::write(AVPacketPtr packet, int index, AVRational time_base) {
    const AVStream& stream = *context_->streams[index];
    packet->stream_index = index;
    rescale(*packet, stream, time_base);
    if (index == paced_ && shift_is_pending_) measure_shift(*packet);
    if (index == paced_)
        records_[static_cast<std::size_t>(index)].pts.push_back(packet->pts +
                                                                shift_in(stream.time_base));
    keep_increasing(*packet);
    if (index != paced_ && paced_ >= 0) return wait(std::move(packet));
    release(av_rescale_q(packet->dts, stream.time_base, kMicroseconds));
    put(*packet);
}

void Muxer::measure_shift(const AVPacket& first) {
    shift_is_pending_ = false;
    const AVRational tick = context_->streams[paced_]->time_base;
    std::int64_t earliest = std::min<std::int64_t>(first.pts, 0);
    for (const auto& [time, packet] : waiting_)
        earliest =
            std::min(earliest, av_rescale_q_rnd(packet->pts,
                                                context_->streams[packet->stream_index]->time_base,
                                                tick, AV_ROUND_DOWN));
    shift_ = -earliest;
}

std::int64_t Muxer::shift_in(AVRational time_base) const {
    return paced_ < 0 ? 0 : av_rescale_q(shift_, context_->streams[paced_]->time_base, time_base);
}

double Muxer::shift_seconds() const {
    return paced_ < 0 ? 0
                      : static_cast<double>(shift_) * av_q2d(context_->streams[paced_]->time_base);
}

void Muxer::rescale(AVPacket& packet, const AVStream& stream, AVRational from) {
    av_packet_rescale_ts(&packet, from, stream.time_base);
    packet.pos = -1;
    const std::int64_t delay = delays_[static_cast<std::size_t>(packet.stream_index)];
    if (packet.pts != AV_NOPTS_VALUE) packet.pts += delay;
    if (packet.dts != AV_NOPTS_VALUE) packet.dts += delay;
    if (packet.dts == AV_NOPTS_VALUE) packet.dts = packet.pts;
    // Neither timestamp is known: place the packet right after the previous one.
    std::int64_t& last = last_dts_[static_cast<std::size_t>(packet.stream_index)];
    if (packet.dts == AV_NOPTS_VALUE) packet.dts = last == kLongAgo ? 0 : last + 1;
    if (packet.pts == AV_NOPTS_VALUE) packet.pts = packet.dts;
}

void Muxer::keep_increasing(AVPacket& packet) {
    std::int64_t& last = last_dts_[static_cast<std::size_t>(packet.stream_index)];
    const bool equal_is_fine = (context_->oformat->flags & AVFMT_TS_NONSTRICT) != 0;
    if (last != kLongAgo) packet.dts = std::max(packet.dts, equal_is_fine ? last : last + 1);
    check_gap(*context_, packet, last == kLongAgo ? packet.dts : last, path_);
    packet.pts = std::max(packet.pts, packet.dts);
    last = packet.dts;
}

void Muxer::wait(AVPacketPtr packet) {
    const AVStream& stream = *context_->streams[packet->stream_index];
    const std::int64_t time = av_rescale_q(packet->dts, stream.time_base, kMicroseconds);
    waiting_bytes_ += packet->size;
    waiting_.emplace(time, std::move(packet));
    while (waiting_bytes_ > kMaxWaitingBytes) release(waiting_.begin()->first);
}

void Muxer::release(std::int64_t until_us) {
    while (!waiting_.empty() && waiting_.begin()->first <= until_us) {
        auto node = waiting_.extract(waiting_.begin());
        waiting_bytes_ -= node.mapped()->size;
        put(*node.mapped());
    }
}

// AVI's muxer fills up to 60,000 slots between two packets with empty chunks, and none before the
// first packet. An empty packet is a chunk of its own, of 32 bytes with its index.
void Muxer::fill_slots(std::int64_t until) {
    constexpr std::int64_t kMost = 50'000;
    constexpr std::int64_t kMostInAll = 10'000'000;  // 320 MB; 11 hours at 250 per second
    if (until - next_slot_ > kMostInAll)
        throw MediaError(Outcome::failed,
                         fmt::format("{}: there is no frame for {:.0f} s, which needs more empty "
                                     "chunks than an avi may have; write mkv or mp4",
                                     path_,
                                     static_cast<double>(until - next_slot_) *
                                         av_q2d(context_->streams[paced_]->time_base)));
    for (; next_slot_ < until; next_slot_ += kMost) {
        const AVPacketPtr empty = make_packet();
        empty->stream_index = paced_;
        empty->pts = empty->dts = next_slot_;
        av_check(av_write_frame(context_.get(), empty.get()), "writing an empty chunk", path_);
    }
    next_slot_ = until + 1;
}

// Otherwise libav shows the last picture as long as the one before.
void Muxer::set_final_delay(const AVPacket& packet) {
    const std::string_view muxer = context_->oformat->name;
    if (muxer == "gif") av_opt_set_int(context_->priv_data, "final_delay", packet.duration, 0);
    if (muxer != "apng") return;
    constexpr std::int64_t kMost = UINT16_MAX;  // of both numbers of an APNG's delay
    const AVRational tick = context_->streams[packet.stream_index]->time_base;
    AVRational delay{};
    av_reduce(&delay.num, &delay.den, packet.duration * tick.num, tick.den, kMost);
    av_opt_set_q(context_->priv_data, "final_delay", delay, 0);
}

void Muxer::put(AVPacket& packet) {
    if (slots_ && packet.stream_index == paced_) fill_slots(packet.dts);
    StreamRecord& record = records_[static_cast<std::size_t>(packet.stream_index)];
    if (!is_gap_filler(packet, record.codec) && !completes_header(packet)) {
        ++record.packets;
        record.bytes += packet.size;
    }
    const std::int64_t shift = shift_in(context_->streams[packet.stream_index]->time_base);
    packet.pts += shift;
    packet.dts += shift;
    set_final_delay(packet);
    const ShortageWatch watch;
    const int result = av_write_frame(context_.get(), &packet);
    watch.check("writing a packet", path_);
    sink_.check();
    av_check(result, fmt::format("writing stream {}", packet.stream_index), path_);
}

void Muxer::finish() {
    release(std::numeric_limits<std::int64_t>::max());
    const ShortageWatch watch;
    const int result = av_write_trailer(context_.get());
    watch.check("writing the end of the file", path_);
    avio_flush(io_.get());
    sink_.check();
    av_check(result, "writing the end of the file", path_);
    if (io_->error < 0) av_check(io_->error, "writing the file", path_);
}

}  // namespace weft
