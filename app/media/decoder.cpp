#include "app/media/decoder.h"

#include <array>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "app/media/bytes.h"

namespace weft {

namespace {

// Above this, a frame for each decoding thread costs more memory than it saves time: 8K.
constexpr std::int64_t kFrameThreadPixels = 40LL << 20;

// Deflate expands at most 1032 times (RFC 1951: a 258-byte match in two bits).
constexpr std::int64_t kDeflateRatio = 1032;

bool has_alpha_mode(const AVStream& stream) {
    const AVDictionaryEntry* mode = av_dict_get(stream.metadata, "alpha_mode", nullptr, 0);
    return mode && std::string_view(mode->value) == "1";
}

const AVCodec* find_decoder(const AVStream& stream, std::vector<std::string>& notes) {
    const AVCodecID id = stream.codecpar->codec_id;
    const bool vp8 = id == AV_CODEC_ID_VP8;
    if ((vp8 || id == AV_CODEC_ID_VP9) && has_alpha_mode(stream)) {
        const AVCodec* libvpx = avcodec_find_decoder_by_name(vp8 ? "libvpx" : "libvpx-vp9");
        notes.emplace_back(libvpx ? "decoded with libvpx for its alpha channel"
                                  : "the alpha channel is lost: FFmpeg lacks libvpx");
        if (libvpx) return libvpx;
    }
    return avcodec_find_decoder(id);
}

struct PngHeader {
    std::int64_t width;
    std::int64_t height;
    std::int64_t raw_bytes;
};

// Signature, then IHDR: length, type, width, height, depth, colour type. Interlacing only adds.
std::optional<PngHeader> read_png_header(std::span<const std::uint8_t> data) {
    constexpr std::array<std::int64_t, 7> kChannels = {1, 0, 3, 1, 2, 0, 4};
    if (data.size() < 26 || big32(data, 0) != 0x89504E47U || text4(data, 12) != "IHDR")
        return std::nullopt;
    const std::int64_t width = big32(data, 16);
    const std::int64_t height = big32(data, 20);
    const std::size_t colour = data[25];
    if (colour >= kChannels.size()) return std::nullopt;
    const std::int64_t row_bits = width * kChannels.at(colour) * data[24];
    return PngHeader{width, height, height * (row_bits / 8 + 1)};
}

}  // namespace

void check_size(std::int64_t width, std::int64_t height, const ReaderLimits& limits,
                const std::string& path) {
    if (width > limits.max_side || height > limits.max_side)
        throw MediaError(ExitCode::failed,
                         fmt::format("{}: frames of {}x{} exceed the limit of {} a side "
                                     "(--max-side)",
                                     path, width, height, limits.max_side));
    if (width * height > limits.max_pixels)
        throw MediaError(ExitCode::failed,
                         fmt::format("{}: frames of {}x{} exceed the limit of {} pixels "
                                     "(--max-pixels)",
                                     path, width, height, limits.max_pixels));
}

Decoder::Decoder(const AVStream& stream, bool is_image, const ReaderOptions& options)
    : path_(options.path), limits_(options.limits) {
    const AVCodecParameters& parameters = *stream.codecpar;
    check_size(parameters.width, parameters.height, limits_, path_);
    const AVCodec* codec = find_decoder(stream, notes_);
    if (!codec)
        throw MediaError(ExitCode::failed, fmt::format("{}: FFmpeg has no decoder for {}", path_,
                                                       avcodec_get_name(parameters.codec_id)));
    codec_.reset(avcodec_alloc_context3(codec));
    if (!codec_) throw MediaError(ExitCode::failed, path_ + ": out of memory", AVERROR(ENOMEM));
    av_check(avcodec_parameters_to_context(codec_.get(), &parameters), "setting up the decoder",
             path_);
    codec_->pkt_timebase = stream.time_base;
    codec_->max_pixels = limits_.max_pixels;
    codec_->thread_count = options.decoder_threads;
    const std::int64_t pixels = std::int64_t{parameters.width} * parameters.height;
    const bool slices_only = is_image || pixels > kFrameThreadPixels;
    codec_->thread_type = slices_only ? FF_THREAD_SLICE : FF_THREAD_FRAME | FF_THREAD_SLICE;
    codec_->err_recognition = AV_EF_CRCCHECK;
    log_ = std::make_unique<LogWatch>(*codec_);
    av_check(avcodec_open2(codec_.get(), codec, nullptr), "opening the decoder", path_);
}

void Decoder::count(int result, const char* doing) {
    if (result == AVERROR(ENOMEM)) av_check(result, doing, path_);
    if (result < 0) ++errors_;
}

void Decoder::send(const AVPacket& packet) {
    // To libav an empty packet means the end of the stream.
    if (packet.size == 0) return;
    if (codec_->codec_id == AV_CODEC_ID_PNG) {
        const auto header = read_png_header({packet.data, static_cast<std::size_t>(packet.size)});
        if (header) check_size(header->width, header->height, limits_, path_);
        if (header && header->raw_bytes > packet.size * kDeflateRatio)
            throw MediaError(ExitCode::damaged,
                             fmt::format("{}: damaged: a PNG of {}x{} does not fit into its {} "
                                         "bytes",
                                         path_, header->width, header->height, packet.size));
    }
    count(avcodec_send_packet(codec_.get(), &packet), "decoding");
}

void Decoder::learn(const AVPacket& packet) {
    send(packet);
    flush();
    forgiven_ += errors();
}

void Decoder::send_end() {
    count(avcodec_send_packet(codec_.get(), nullptr), "decoding");
}

AVFramePtr Decoder::receive() {
    AVFramePtr frame = make_frame();
    for (;;) {
        const int result = avcodec_receive_frame(codec_.get(), frame.get());
        if (result >= 0) return frame;
        if (result == AVERROR(EAGAIN) || result == AVERROR_EOF) return nullptr;
        count(result, "decoding");
    }
}

}  // namespace weft
