#include "tests/media/write/writer_support.h"

#include <algorithm>
#include <random>
#include <sstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

extern "C" {
#include <libavutil/pixdesc.h>
}

#include "app/media/write/container_table.h"

namespace weft::test {

namespace fs = std::filesystem;

WriterOptions quick_options(const fs::path& output) {
    WriterOptions options;
    options.path = output.string();
    options.numbered = numbers_pictures(options.path, "");
    options.encoder_threads = 1;
    const std::string ending = output.extension().string();
    if (ending == ".mp4" || ending == ".mov" || ending == ".mkv" || ending == ".avi" ||
        ending == ".m4v")
        options.preset = "ultrafast";
    return options;
}

WriteReport rewrite(const ReaderOptions& from, const WriterOptions& to) {
    av_log_set_level(AV_LOG_ERROR);
    Reader reader(from);
    Writer writer(to, reader);
    while (true) {
        MediaItem item = reader.next();
        if (std::holds_alternative<EndOfInput>(item)) return writer.finish();
        if (auto* frame = std::get_if<Frame>(&item)) writer.write(std::move(*frame));
        if (auto* packet = std::get_if<SourcePacket>(&item)) writer.write(std::move(*packet));
    }
}

WriteReport rewrite(const fs::path& from, const WriterOptions& to) {
    ReaderOptions options;
    options.path = from.string();
    return rewrite(options, to);
}

fs::path fresh_output(const std::string& ending) {
    static int count = 0;
    return clip_dir() / ("out" + std::to_string(++count) + ending);
}

namespace {

using Decoders = std::vector<CodecContextPtr>;

// Random samples within the format's depth, plane by plane.
void fill(AVFrame& frame, std::mt19937& random) {
    const auto format = static_cast<AVPixelFormat>(frame.format);
    const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(format);
    const int depth = desc->comp[0].depth;  // 32 for floats, whose samples tests set themselves
    const std::uint64_t largest = (std::uint64_t{1} << static_cast<unsigned>(depth)) - 1;
    for (int plane = 0; plane < av_pix_fmt_count_planes(format); ++plane) {
        const bool chroma = (plane == 1 || plane == 2) && (desc->flags & AV_PIX_FMT_FLAG_RGB) == 0;
        const int height =
            chroma ? AV_CEIL_RSHIFT(frame.height, desc->log2_chroma_h) : frame.height;
        const int bytes = av_image_get_linesize(format, frame.width, plane);
        for (int y = 0; y < height; ++y) {
            std::uint8_t* row = frame.data[plane] + y * frame.linesize[plane];
            for (int x = 0; x<bytes; x += depth> 8 ? 2 : 1) {
                const auto sample = static_cast<unsigned>(random() & largest);
                row[x] = static_cast<std::uint8_t>(sample);
                if (depth > 8) row[x + 1] = static_cast<std::uint8_t>(sample >> 8U);
            }
        }
    }
}

[[noreturn]] void fail(const fs::path& file, const std::string& what) {
    throw std::runtime_error(file.string() + ": " + what);
}

CodecContextPtr decoder_for(const AVStream& stream, const fs::path& file) {
    if (stream.codecpar->codec_type != AVMEDIA_TYPE_VIDEO) return nullptr;
    // libav's own VP9 decoder does not support alpha.
    const AVCodec* codec = stream.codecpar->codec_id == AV_CODEC_ID_VP9
                               ? avcodec_find_decoder_by_name("libvpx-vp9")
                               : avcodec_find_decoder(stream.codecpar->codec_id);
    CodecContextPtr context(avcodec_alloc_context3(codec));
    if (avcodec_parameters_to_context(context.get(), stream.codecpar) < 0 ||
        avcodec_open2(context.get(), codec, nullptr) < 0)
        fail(file, "no decoder");
    return context;
}

void decode(AVCodecContext& decoder, const AVPacket* packet, StreamContents& stream,
            const fs::path& file) {
    if (avcodec_send_packet(&decoder, packet) < 0) fail(file, "a packet does not decode");
    const AVFramePtr frame(av_frame_alloc());
    while (avcodec_receive_frame(&decoder, frame.get()) >= 0) ++stream.decoded;
}

InputContextPtr open_input(const fs::path& file) {
    AVFormatContext* raw = nullptr;
    if (avformat_open_input(&raw, file.c_str(), nullptr, nullptr) < 0) fail(file, "does not open");
    InputContextPtr input(raw);
    if (avformat_find_stream_info(raw, nullptr) < 0) fail(file, "has no streams");
    return input;
}

}  // namespace

std::vector<StreamContents> contents_of(const fs::path& file) {
    const InputContextPtr input = open_input(file);
    std::vector<StreamContents> streams(input->nb_streams);
    Decoders decoders;
    for (unsigned i = 0; i < input->nb_streams; ++i) {
        const AVStream& stream = *input->streams[i];
        streams[i].type = stream.codecpar->codec_type;
        streams[i].cover = (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
        decoders.push_back(decoder_for(stream, file));
    }
    const AVPacketPtr packet(av_packet_alloc());
    while (av_read_frame(input.get(), packet.get()) >= 0) {
        const auto i = static_cast<std::size_t>(packet->stream_index);
        const std::int64_t time = packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
        streams[i].times.push_back(static_cast<double>(time) *
                                   av_q2d(input->streams[i]->time_base));
        streams[i].packets.emplace_back(packet->data, packet->data + packet->size);
        if (decoders[i]) decode(*decoders[i], packet.get(), streams[i], file);
        av_packet_unref(packet.get());
    }
    for (std::size_t i = 0; i < streams.size(); ++i) {
        if (decoders[i]) decode(*decoders[i], nullptr, streams[i], file);
        std::sort(streams[i].times.begin(), streams[i].times.end());
    }
    return streams;
}

std::vector<StreamContents> of_type(const std::vector<StreamContents>& streams, AVMediaType type) {
    std::vector<StreamContents> found;
    for (const StreamContents& stream : streams)
        if (stream.type == type && !stream.cover) found.push_back(stream);
    return found;
}

SyntheticSource::SyntheticSource(AVPixelFormat format, int width, int height, int pictures)
    : context_(avformat_alloc_context()) {
    AVStream* stream = avformat_new_stream(context_.get(), nullptr);
    stream->time_base = {1, 12800};
    stream->avg_frame_rate = stream->r_frame_rate = {25, 1};
    stream->codecpar->codec_type = AVMEDIA_TYPE_VIDEO;
    stream->codecpar->codec_id = AV_CODEC_ID_RAWVIDEO;
    std::mt19937 random(1);
    for (int i = 0; i < pictures; ++i) {
        Frame frame;
        frame.av = make_frame();
        frame.av->format = format;
        frame.av->width = width;
        frame.av->height = height;
        frame.pts = i * 512;
        frame.duration = 512;
        frame.index = i;
        if (av_frame_get_buffer(frame.av.get(), 0) < 0) throw std::runtime_error("no memory");
        fill(*frame.av, random);
        pictures_.push_back(std::move(frame));
    }
}

WriterSource SyntheticSource::source() const {
    return {.streams = context_.get(),
            .video_index = 0,
            .time_base = context_->streams[0]->time_base,
            .first_frame = &pictures_.front()};
}

WriteReport SyntheticSource::write(const WriterOptions& options,
                                   std::optional<std::int64_t> expected) const {
    av_log_set_level(AV_LOG_ERROR);
    Writer writer(options, source());
    for (const Frame& picture : pictures_) {
        Frame copy;
        copy.av.reset(av_frame_clone(picture.av.get()));
        copy.pts = picture.pts;
        copy.duration = picture.duration;
        copy.index = picture.index;
        writer.write(std::move(copy));
    }
    return writer.finish({}, expected);
}

std::vector<AVFramePtr> decode_frames(const fs::path& file) {
    const InputContextPtr input = open_input(file);
    const int video = av_find_best_stream(input.get(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    if (video < 0) fail(file, "has no video");
    const CodecContextPtr decoder = decoder_for(*input->streams[video], file);
    std::vector<AVFramePtr> pictures;
    const auto receive = [&] {
        AVFramePtr frame(av_frame_alloc());
        while (avcodec_receive_frame(decoder.get(), frame.get()) >= 0) {
            pictures.push_back(std::move(frame));
            frame.reset(av_frame_alloc());
        }
    };
    const AVPacketPtr packet(av_packet_alloc());
    while (av_read_frame(input.get(), packet.get()) >= 0) {
        if (packet->stream_index == video && avcodec_send_packet(decoder.get(), packet.get()) < 0)
            fail(file, "a packet does not decode");
        receive();
        av_packet_unref(packet.get());
    }
    avcodec_send_packet(decoder.get(), nullptr);
    receive();
    return pictures;
}

std::vector<unsigned> samples_of(const AVFrame& frame, int component) {
    const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
    const bool rgb = (desc->flags & AV_PIX_FMT_FLAG_RGB) != 0;
    const bool chroma = !rgb && (component == 1 || component == 2) && desc->nb_components > 2;
    const int width = chroma ? AV_CEIL_RSHIFT(frame.width, desc->log2_chroma_w) : frame.width;
    const int height = chroma ? AV_CEIL_RSHIFT(frame.height, desc->log2_chroma_h) : frame.height;
    std::vector<unsigned> samples;
    std::vector<std::uint16_t> row(static_cast<std::size_t>(width));
    const std::uint8_t* data[4] = {frame.data[0], frame.data[1], frame.data[2], frame.data[3]};
    for (int y = 0; y < height; ++y) {
        av_read_image_line2(row.data(), data, frame.linesize, desc, 0, y, component, width, 0, 2);
        samples.insert(samples.end(), row.begin(), row.end());
    }
    return samples;
}

namespace {

// The last column of framehash's output.
std::vector<std::string> hashes(const std::vector<std::string>& command) {
    const CommandResult result = run_command(command);
    if (result.exit_code != 0) throw std::runtime_error(result.err);
    std::istringstream lines(result.out);
    std::vector<std::string> found;
    for (std::string line; std::getline(lines, line);)
        if (!line.empty() && line.front() != '#') found.push_back(line.substr(line.rfind(',') + 1));
    return found;
}

}  // namespace

std::vector<std::string> packet_hashes(const fs::path& file, const std::string& stream) {
    // Not `ffmpeg -c copy`, which drops packets before zero.
    const auto json = ffprobe(file, "-select_streams " + stream +
                                        " -show_data_hash crc32 -show_entries packet=data_hash");
    std::vector<std::string> found;
    for (const auto& packet : json.at("packets")) found.push_back(packet.at("data_hash"));
    return found;
}

std::vector<std::string> frame_hashes(const fs::path& file, const std::string& pixel_format) {
    return hashes({"ffmpeg", "-nostdin", "-v", "error", "-noautorotate", "-i", file.string(),
                   "-map", "0:v:0", "-vsync", "passthrough", "-pix_fmt", pixel_format, "-f",
                   "framehash", "-hash", "crc32", "-"});
}

nlohmann::json streams_of(const fs::path& file) {
    return ffprobe(file, "-show_streams").at("streams");
}

nlohmann::json stream_of(const fs::path& file, const std::string& type) {
    for (const auto& stream : streams_of(file))
        if (stream.at("codec_type") == type) return stream;
    return nullptr;
}

}  // namespace weft::test
