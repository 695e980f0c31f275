#include "app/media/write/subtitle_converter.h"

#include <cstring>

#include "app/media/write/stream_plan.h"

namespace weft {
namespace {

// ffmpeg's own limit for an encoded event.
constexpr int kMaxEventBytes = 1 << 20;

struct SubtitleOwner {
    AVSubtitle event{};
    SubtitleOwner() = default;
    ~SubtitleOwner() { avsubtitle_free(&event); }
    SubtitleOwner(const SubtitleOwner&) = delete;
    SubtitleOwner& operator=(const SubtitleOwner&) = delete;
};

}  // namespace

SubtitleConverter::SubtitleConverter(const AVStream& in, AVStream& out, const std::string& encoder,
                                     TimeShift shift)
    : in_(in), name_(stream_name(in)), shift_(shift.in(in.time_base)) {
    decoder_ = open_decoder(in);
    open_encoder(encoder);
    av_check(avcodec_parameters_from_context(out.codecpar, encoder_.get()),
             "describing the new subtitles", name_);
    out.time_base = in.time_base;
}

void SubtitleConverter::open_encoder(const std::string& name) {
    const AVCodec* codec = avcodec_find_encoder_by_name(name.c_str());
    if (codec == nullptr)
        throw MediaError(Outcome::failed, name_ + ": this FFmpeg has no encoder " + name);
    encoder_.reset(avcodec_alloc_context3(codec));
    if (!encoder_) throw_no_memory();
    encoder_->time_base = {1, 1000};
    encoder_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    if (decoder_->subtitle_header != nullptr) {
        // Every text decoder describes its styles as an ASS header, and every encoder needs one.
        const auto size = static_cast<std::size_t>(decoder_->subtitle_header_size);
        encoder_->subtitle_header = static_cast<std::uint8_t*>(av_mallocz(size + 1));
        if (encoder_->subtitle_header == nullptr) throw_no_memory();
        std::memcpy(encoder_->subtitle_header, decoder_->subtitle_header, size);
        encoder_->subtitle_header_size = decoder_->subtitle_header_size;
    }
    av_check(avcodec_open2(encoder_.get(), codec, nullptr), "opening the subtitle encoder " + name,
             name_);
}

void SubtitleConverter::write(AVPacketPtr packet, const TimedPacketSink& sink) {
    SubtitleOwner owner;
    int got = 0;
    const ShortageWatch watch;
    const int result = avcodec_decode_subtitle2(decoder_.get(), &owner.event, &got, packet.get());
    watch.check("decoding subtitles", name_);
    if (result < 0) ++damaged_packets_;
    if (result < 0 || got == 0 || owner.event.num_rects == 0) return;
    AVPacketPtr encoded = encode(owner.event);
    encoded->pts = encoded->dts = packet->pts - shift_;
    encoded->duration = packet->duration;
    sink(std::move(encoded), in_.time_base);
}

AVPacketPtr SubtitleConverter::encode(const AVSubtitle& event) {
    buffer_.resize(kMaxEventBytes);
    const int size =
        av_check(avcodec_encode_subtitle(encoder_.get(), buffer_.data(), kMaxEventBytes, &event),
                 "encoding subtitles", name_);
    AVPacketPtr packet = make_packet();
    av_check(av_new_packet(packet.get(), size), "encoding subtitles", name_);
    std::memcpy(packet->data, buffer_.data(), static_cast<std::size_t>(size));
    return packet;
}

}  // namespace weft
