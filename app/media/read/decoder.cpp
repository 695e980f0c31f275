#include "app/media/read/decoder.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "app/media/check/jpeg_scan.h"
#include "app/media/check/packet_check.h"
#include "app/media/demux/frame_limits.h"
#include "app/media/demux/image_sequence.h"
#include "app/media/demux/video_stream.h"
#include "app/media/libav/undecodable.h"
#include "app/media/picture/frame.h"
#include "app/media/picture/gpu_jpegs.h"
#include "app/media/picture/pixel_traits.h"

namespace weft {

namespace {

// A stream that yields no frame after this many packets is not for the GPU: decoders hold back at
// most 16, and as many may precede the first key frame.
constexpr std::size_t kMostTried = 64;

// These decoders take what a picture leaves unsaid, such as its palette or its planes, from the
// picture before.
bool keeps_state(AVCodecID codec) {
    return codec == AV_CODEC_ID_TIFF || codec == AV_CODEC_ID_DDS;
}

constexpr const char* kNoSurface = "the GPU's decoder has no memory left for a picture";
constexpr const char* kGray =
    "GPUs leave the chroma of gray H.264 unset, and the software decoder sets it to gray";
constexpr const char* kCpuMirrors =
    "the display matrix mirrors the picture, which only the CPU can do";

}  // namespace

Decoder::Decoder(const AVStream& stream, bool is_image, const ReaderOptions& options)
    : stream_(stream), options_(options), is_image_(is_image) {
    const AVCodecParameters& parameters = *stream.codecpar;
    check_size(parameters.width, parameters.height, options_.limits, options_.path);
    const AVCodec* codec = find_software_decoder(stream, notes_);
    if (!codec)
        throw Undecodable(fmt::format("{}: FFmpeg has no decoder for {}", options_.path,
                                      avcodec_get_name(parameters.codec_id)));
    // Notes are about alpha, which a GPU cannot decode.
    if (options_.hwaccel != Hwaccel::none && !is_image && notes_.empty()) open_on_gpu();
    if (!gpu_) open(*codec, DecoderKind::software);
    if (!has_gpu_jpegs()) return;
    tries_jpeg_ = !mirrors(stream_);
    if (!tries_jpeg_) decoding_.why_not = kCpuMirrors;
}

Decoder::Decoder(const AVStream& stream, const ReaderOptions& options,
                 std::unique_ptr<Surfaces> gpu)
    : stream_(stream), options_(options), is_image_(false), gpu_(std::move(gpu)) {
    std::string why_not;
    open(*find_gpu_decoder(stream.codecpar->codec_id, why_not), DecoderKind::gpu);
}

// False for sequences, whose later pictures may be of kinds that the GPU does not take.
bool Decoder::has_gpu_jpegs() const {
    return options_.hwaccel != Hwaccel::none && options_.gpu.is_gpu() &&
           options_.gpu_jpegs != nullptr && is_image_ && !is_sequence(options_.path) &&
           stream_.codecpar->codec_id == AV_CODEC_ID_MJPEG;
}

void Decoder::open_on_gpu() {
    if (!options_.gpu.is_gpu()) return refuse_gpu("no GPU is used");
    if (mirrors(stream_)) return refuse_gpu(kCpuMirrors);
    if (is_gray_h264(*stream_.codecpar)) return refuse_gpu(kGray);
    std::string why_not;
    const AVCodec* codec = find_gpu_decoder(stream_.codecpar->codec_id, why_not);
    if (codec) {
        try {
            gpu_ = std::make_unique<GpuSurfaces>(options_.gpu);
            open(*codec, DecoderKind::gpu);
            return;
        } catch (const std::exception& error) {
            why_not = error.what();
        }
    }
    refuse_gpu(std::move(why_not));
}

void Decoder::open(const AVCodec& codec, DecoderKind kind) {
    codec_ =
        std::make_unique<LibavDecoder>(codec, LibavDecoder::Source{stream_, is_image_, options_},
                                       kind == DecoderKind::gpu ? gpu_.get() : nullptr);
}

void Decoder::refuse_gpu(std::string why_not) {
    codec_.reset();
    gpu_.reset();
    if (options_.hwaccel == Hwaccel::cuda)
        throw MediaError(Outcome::no_gpu,
                         fmt::format("{}: -hwaccel cuda: {}", options_.path, why_not));
    decoding_.why_not = std::move(why_not);
}

void Decoder::flush() {
    codec_->flush();
    replay_ = Replay();
    skip_ = 0;
    waiting_.clear();
    ended_ = false;
}

void Decoder::send(const AVPacket& packet) {
    // libav treats an empty packet as the end of the stream.
    if (packet.size == 0) return;
    if (stream_.codecpar->codec_id == AV_CODEC_ID_PNG)
        check_png(packet, options_.limits, options_.path);
    if (kind() == DecoderKind::gpu && (packet.flags & AV_PKT_FLAG_KEY) != 0 &&
        is_gray_h264(packet, *stream_.codecpar))
        leave_gpu(kGray, Outcome::no_gpu);
    if (keeps_state(stream_.codecpar->codec_id) && std::exchange(used_, true)) renew();
    keep(packet);
    if (tries_jpeg_ && decode_jpeg_on_gpu(packet)) return;
    if (!first_ && !is_image_) first_.reset(av_packet_clone(&packet));
    codec_->send(&packet);
    options_.heartbeat->beat();
    leave_gpu_if_short();
}

void Decoder::renew() {
    errors_ += codec_->errors();
    open(*find_software_decoder(stream_, notes_), DecoderKind::software);
}

// Until the GPU is known to accept the stream, and afterwards if software may take over.
void Decoder::keep(const AVPacket& packet) {
    const bool wanted = tries_gpu() || options_.hwaccel == Hwaccel::automatic;
    if (kind() != DecoderKind::gpu || !wanted) return;
    const bool key = packet.pts != AV_NOPTS_VALUE && is_closed_key(packet, *stream_.codecpar);
    replay_.sent(packet, key, errors());
}

// Whether the picture is decoded, and waits. What the GPU does not take software does, with
// -hwaccel cuda as well: a folder may hold any kind.
bool Decoder::decode_jpeg_on_gpu(const AVPacket& packet) {
    tries_jpeg_ = false;
    try {
        waiting_.push_back(jpeg_on_gpu(packet));
        decoding_.on_gpu = true;
        return true;
    } catch (const std::exception& error) {
        decoding_.why_not = error.what();
        open(*find_software_decoder(stream_, notes_), DecoderKind::software);
        return false;
    }
}

// libav decodes the first unit, for the tags and the format.
AVFramePtr Decoder::jpeg_on_gpu(const AVPacket& packet) {
    const auto refuse = [](const char* why) { throw MediaError(Outcome::failed, why); };
    const std::span jpeg(packet.data, static_cast<std::size_t>(packet.size));
    const std::optional<JpegScan> scan = find_jpeg_scan(jpeg);
    if (!scan) refuse("the GPU decodes only sequential 8-bit JPEGs");
    check_size(scan->width, scan->height, options_.limits, options_.path);
    if (!is_whole(*scan, jpeg)) refuse("the JPEG is damaged, which the GPU does not report");
    const std::vector<std::uint8_t> unit = first_unit(*scan, jpeg);
    const AVPacketPtr head = make_packet();
    av_check(av_new_packet(head.get(), static_cast<int>(unit.size())), "decoding", options_.path);
    av_check(av_packet_copy_props(head.get(), &packet), "decoding", options_.path);
    std::ranges::copy(unit, head->data);
    codec_->send(head.get());
    const AVFramePtr tags = codec_->receive();
    if (!tags || codec_->errors() > 0) refuse("the JPEG's headers are damaged");
    if (pixel_traits(sample_format(*tags)).rgb) refuse("the GPU does not decode RGB JPEGs");
    if (take_mirroring(*tags)) refuse(kCpuMirrors);
    return options_.gpu_jpegs->decode(options_.gpu, jpeg, *tags, scan->width, scan->height);
}

void Decoder::read_properties(const AVPacket& packet) {
    properties_packet_.reset(av_packet_clone(&packet));
    send(packet);
    flush();
    forgiven_ = all_errors();
}

void Decoder::send_end() {
    ended_ = true;
    codec_->send(nullptr);
    leave_gpu_if_short();
}

AVFramePtr Decoder::next_frame() {
    for (;;) {
        AVFramePtr frame = codec_->receive();
        if (!frame || skip_ == 0) return frame;
        --skip_;
    }
}

AVFramePtr Decoder::receive() {
    if (!waiting_.empty()) {
        AVFramePtr frame = std::move(waiting_.front());
        waiting_.pop_front();
        return frame;
    }
    AVFramePtr frame = next_frame();
    if (leave_gpu_if_short()) return receive();
    if (tries_gpu() && settle(frame.get())) return receive();
    if (frame && !take_from_surface(frame)) return receive();
    return frame;
}

// libav offers the GPU every mid-stream change of size or format, and falls back to software if it
// refuses, with one thread. False if another decoder has taken over.
bool Decoder::take_from_surface(AVFramePtr& frame) {
    if (!decoding_.on_gpu || kind() == DecoderKind::software) return true;
    if (gpu_->holds(*frame)) {
        frame = gpu_->take(*frame, codec_->format_of(*frame));
        if (!frame) {
            leave_gpu(kNoSurface, Outcome::failed);  // the GPU itself is in order
            return false;
        }
    } else {
        const std::string why_not =
            fmt::format("this GPU cannot decode the kind of {} to which the stream changes",
                        avcodec_get_name(stream_.codecpar->codec_id));
        if (options_.hwaccel == Hwaccel::cuda)
            throw MediaError(Outcome::no_gpu,
                             fmt::format("{}: -hwaccel cuda: {}", options_.path, why_not));
        if (!gpu_gave_up_) notes_.push_back(why_not + ": software does");
        gpu_gave_up_ = true;
    }
    replay_.delivered(*frame);
    return true;
}

// The first frame, or the lack of one, shows whether the GPU accepts the stream: if not, libav
// falls back to software by itself, but with one thread. True when another decoder starts over.
bool Decoder::settle(const AVFrame* frame) {
    if (frame && gpu_->holds(*frame)) {
        decoding_.on_gpu = true;
        if (options_.hwaccel == Hwaccel::cuda) replay_ = Replay();
        return false;
    }
    if (!frame && !ended_ && replay_.packets().size() < kMostTried) return false;
    start_in_software(fmt::format("this GPU does not decode such {}",
                                  avcodec_get_name(stream_.codecpar->codec_id)));
    return true;
}

void Decoder::start_in_software(std::string why_not) {
    refuse_gpu(std::move(why_not));
    errors_ = forgiven_ = 0;
    open(*find_software_decoder(stream_, notes_), DecoderKind::software);
    const Replay replay = std::exchange(replay_, Replay());
    const bool ended = ended_;
    if (const AVPacketPtr first = std::move(properties_packet_)) read_properties(*first);
    send_again(replay);
    if (ended) send_end();
}

bool Decoder::leave_gpu_if_short() {
    if (!codec_->lacks_surfaces()) return false;
    leave_gpu(kNoSurface, Outcome::failed);
    return true;
}

// Throws MediaError(outcome) if the options require a GPU.
void Decoder::leave_gpu(const std::string& why_not, Outcome outcome) {
    if (options_.hwaccel == Hwaccel::cuda)
        throw MediaError(outcome,
                         fmt::format("{}: -hwaccel cuda: {}; use -hwaccel auto, which continues in "
                                     "software, or none",
                                     options_.path, why_not));
    if (!replay_.possible())
        throw MediaError(Outcome::failed,
                         fmt::format("{}: -hwaccel auto: {}, and the last key frame is too far "
                                     "back for software to continue; use -hwaccel none",
                                     options_.path, why_not));
    if (tries_gpu()) return start_in_software(why_not);
    notes_.push_back(why_not + ": software continues");
    gpu_gave_up_ = true;
    const Replay replay = std::exchange(replay_, Replay());
    open(*find_software_decoder(stream_, notes_), DecoderKind::software);
    forgiven_ = 0;
    if (properties_packet_ || replay.begins_later()) identify_encoder();
    errors_ = replay.errors();
    skip_ = replay.frames();
    send_again(replay);
    if (ended_) codec_->send(nullptr);
}

void Decoder::send_again(const Replay& replay) {
    for (const AVPacketPtr& packet : replay.packets()) {
        send(*packet);
        while (AVFramePtr frame = next_frame()) waiting_.push_back(std::move(frame));
    }
}

// Lets the present decoder see the first packet.
void Decoder::identify_encoder() {
    if (!first_) return;
    const std::int64_t before = codec_->errors();
    codec_->send(first_.get());
    codec_->flush();
    forgiven_ += codec_->errors() - before;
}

// False if the GPU has no room for it any more.
bool Decoder::reopen_on_gpu() {
    try {
        std::string why_not;
        open(*find_gpu_decoder(stream_.codecpar->codec_id, why_not), DecoderKind::gpu);
        return true;
    } catch (const std::exception& error) {
        notes_.push_back(fmt::format("software continues: {}", error.what()));
        return false;
    }
}

void Decoder::change_to(DecoderKind kind) {
    codec_->send(nullptr);
    while (AVFramePtr frame = next_frame()) {
        if (!take_from_surface(frame)) return;
        waiting_.push_back(std::move(frame));
    }
    errors_ += codec_->errors();
    codec_.reset();
    replay_ = Replay();
    if (kind != DecoderKind::gpu || !reopen_on_gpu())
        open(*find_software_decoder(stream_, notes_), DecoderKind::software);
    identify_encoder();
}

}  // namespace weft
