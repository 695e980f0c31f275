#include "app/media/write/output_verifier.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <sys/stat.h>

#include <fmt/format.h>

#include "app/media/check/jpeg_scan.h"
#include "app/media/libav/ffmpeg.h"
#include "app/media/output/file_sink.h"
#include "app/media/read/libav_decoder.h"
#include "app/media/write/stream_plan.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace weft {
namespace {

[[noreturn]] void mismatch(const std::string& path, const std::string& what) {
    throw MediaError(Outcome::failed,
                     fmt::format("{}: reading the file back shows {}; nothing was kept, please "
                                 "report it",
                                 path, what));
}

void compare_samples(const FrameHashes* frames, std::int64_t index, const AVFrame& decoded,
                     const std::string& path) {
    if (frames == nullptr || frames->matches(static_cast<std::size_t>(index), decoded)) return;
    mismatch(path, fmt::format("frame {} with other samples than the encoder was given", index));
}

// A stream of the finished file.
struct ReadStream {
    const AVStream* stream = nullptr;
    std::int64_t packets = 0;
    std::int64_t bytes = 0;
    std::vector<std::int64_t> pts;
};

// A FrameCounter sees the frames of the finished file; FrameHashes saw them before the encoder.
class FrameCounter {
 public:
    FrameCounter(const AVStream& stream, const VerifyRequest& request)
        : path_(request.path), frames_(request.frames) {
        std::vector<std::string> notes;
        const AVCodec* codec = find_software_decoder(stream, notes);
        if (codec == nullptr) mismatch(path_, "a picture that this FFmpeg cannot decode");
        context_.reset(avcodec_alloc_context3(codec));
        if (!context_) throw_no_memory();
        av_check(avcodec_parameters_to_context(context_.get(), stream.codecpar),
                 "reading parameters", path_);
        context_->pkt_timebase = stream.time_base;
        context_->thread_count = codec_threads(0);
        av_check(avcodec_open2(context_.get(), codec, nullptr), "opening the decoder", path_);
    }

    void decode(const AVPacket* packet) {
        if (const int result = avcodec_send_packet(context_.get(), packet);
            result < 0 && result != AVERROR_EOF)
            mismatch(path_, fmt::format("a packet after {} pictures that does not decode ({})",
                                        count_, av_error_text(result)));
        const AVFramePtr frame = make_frame();
        int result = 0;
        while ((result = avcodec_receive_frame(context_.get(), frame.get())) >= 0) check(*frame);
        if (result != AVERROR(EAGAIN) && result != AVERROR_EOF)
            mismatch(path_, fmt::format("picture {} does not decode", count_));
    }

    std::int64_t count() const { return count_; }

 private:
    void check(const AVFrame& frame) {
        if ((frame.flags & AV_FRAME_FLAG_CORRUPT) != 0 || frame.decode_error_flags != 0)
            mismatch(path_, fmt::format("picture {} damaged", count_));
        compare_samples(frames_, count_, frame, path_);
        ++count_;
    }

    std::string path_;
    const FrameHashes* frames_;
    CodecContextPtr context_;
    std::int64_t count_ = 0;
};

// The file's streams that match the records: the n-th of each type, in order. Muxers move
// attachments and covers to the end and add chapter tracks, so indices do not match.
std::vector<ReadStream> match_streams(const AVFormatContext& file,
                                      const std::vector<StreamRecord>& written,
                                      const std::string& path) {
    std::vector<bool> used(file.nb_streams, false);
    std::vector<ReadStream> result;
    for (const StreamRecord& record : written) {
        ReadStream found;
        for (unsigned i = 0; i < file.nb_streams && found.stream == nullptr; ++i) {
            const AVStream& stream = *file.streams[i];
            if (used[i] || is_cover(stream) != record.cover ||
                stream.codecpar->codec_type != record.type)
                continue;
            used[i] = true;
            found.stream = &stream;
        }
        const bool optional = record.attachment || record.cover || record.packets == 0;
        if (found.stream == nullptr && !optional)
            mismatch(path, fmt::format("no {} stream where one was written",
                                       av_get_media_type_string(record.type)));
        result.push_back(std::move(found));
    }
    return result;
}

// Raw files have no header: the reader needs these options.
void set_raw_options(const VerifyRequest& request, AVRational time_base, AVDictionary** options) {
    const AVCodecParameters& par = *request.parameters;
    set_entry(options, "video_size", fmt::format("{}x{}", par.width, par.height).c_str());
    set_entry(options, "pixel_format", av_get_pix_fmt_name(static_cast<AVPixelFormat>(par.format)));
    set_entry(options, "framerate", fmt::format("{}/{}", time_base.den, time_base.num).c_str());
}

InputContextPtr open_file(const Container& container, const StreamRecord& picture, AVIOContext& io,
                          const VerifyRequest& request) {
    AVFormatContext* raw = avformat_alloc_context();
    if (raw == nullptr) throw_no_memory();
    raw->pb = &io;
    const AVInputFormat* format = av_find_input_format(std::string(container.muxer).c_str());
    AVDictionary* options = nullptr;
    if (container.kind == OutputKind::raw) set_raw_options(request, picture.time_base, &options);
    const int result = avformat_open_input(&raw, "", format, &options);
    av_dict_free(&options);
    av_check(result, "reading the file back", request.path);
    return InputContextPtr(raw);
}

void compare_times(ReadStream& read, const StreamRecord& record, Clock clock,
                   const std::string& path) {
    std::vector<std::int64_t> wanted = record.pts;
    std::sort(wanted.begin(), wanted.end());
    std::sort(read.pts.begin(), read.pts.end());
    const bool relative =
        clock == Clock::centiseconds || clock == Clock::constant_rate || clock == Clock::delays;
    const AVRational tick = read.stream->time_base;
    // Rounded a second time if the demuxer's time base differs.
    const std::int64_t rounding = av_cmp_q(tick, record.time_base) == 0 ? 0 : 1;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::int64_t from = relative ? wanted.front() : 0;
        const std::int64_t want = av_rescale_q(wanted[i] - from, record.time_base, tick);
        const std::int64_t got = read.pts[i] - (relative ? read.pts.front() : 0);
        // libav's APNG reader accumulates delays that are rounded to 1/100000 s.
        const std::int64_t slack =
            clock == Clock::delays ? static_cast<std::int64_t>(i) + 1 : rounding;
        if (std::abs(got - want) > slack)
            mismatch(path, fmt::format("picture {} at {:.6f} s instead of {:.6f} s", i,
                                       static_cast<double>(got) * av_q2d(tick),
                                       static_cast<double>(want) * av_q2d(tick)));
    }
}

void compare(ReadStream& read, const StreamRecord& record, std::size_t index,
             const std::string& path) {
    if (record.attachment || record.cover || read.stream == nullptr) return;
    if (record.data_tag != 0 && read.stream->codecpar->codec_tag != record.data_tag)
        mismatch(path, fmt::format("stream {} with another description than was written", index));
    if (read.packets == record.packets) return;
    // mov's reader divides samples of a fixed size into packets as it likes, and Matroska's muxer
    // joins the segments of a Blu-ray's subtitle.
    const bool divisible = av_get_exact_bits_per_sample(record.codec) != 0 ||
                           record.codec == AV_CODEC_ID_HDMV_PGS_SUBTITLE;
    if (divisible && read.bytes == record.bytes) return;
    mismatch(path, fmt::format("{} packets of stream {} ({}) instead of {}", read.packets, index,
                               avcodec_get_name(record.codec), record.packets));
}

class Verifier {
 public:
    Verifier(const Container& container, const std::vector<StreamRecord>& written,
             const VerifyRequest& request)
        : container_(container),
          written_(written),
          request_(request),
          reader_{.fd = request.fd},
          io_(make_avio_reader(reader_)),
          file_(open_file(container, written[static_cast<std::size_t>(request.picture)], *io_,
                          request)),
          streams_(match_streams(*file_, written, request.path)) {
        if (request.verify == Verify::decode)
            counter_ = std::make_unique<FrameCounter>(*picture().stream, request);
    }

    MissingTags run() {
        read_packets();
        for (std::size_t i = 0; i < written_.size(); ++i)
            compare(streams_[i], written_[i], i, request_.path);
        const StreamRecord& record = written_[frame_index()];
        compare_times(picture(), record, container_.clock, request_.path);
        if (!counter_) return find_missing_tags();
        counter_->decode(nullptr);
        if (counter_->count() != record.packets)
            mismatch(request_.path, fmt::format("{} pictures that decode instead of {}",
                                                counter_->count(), record.packets));
        return find_missing_tags();
    }

 private:
    std::size_t frame_index() const { return static_cast<std::size_t>(request_.picture); }
    // Covers and attachments have their names and types alone, which their muxers write.
    MissingTags find_missing_tags() const {
        MissingTags missing{.file = missing_tags(request_.tags, file_->metadata), .streams = {}};
        for (std::size_t i = 0; i < request_.stream_tags.size(); ++i) {
            const bool looked_at =
                streams_[i].stream != nullptr && !written_[i].cover && !written_[i].attachment;
            missing.streams.push_back(
                looked_at ? missing_tags(request_.stream_tags[i], streams_[i].stream->metadata)
                          : std::vector<std::string>());
        }
        return missing;
    }

    ReadStream& picture() { return streams_[frame_index()]; }

    void read_packets() {
        const AVPacketPtr packet = make_packet();
        int result = 0;
        while ((result = av_read_frame(file_.get(), packet.get())) >= 0) {
            count(*packet);
            av_packet_unref(packet.get());
        }
        if (result != AVERROR_EOF) av_check(result, "reading the file back", request_.path);
    }

    void count(const AVPacket& packet) {
        for (ReadStream& read : streams_) {
            if (read.stream == nullptr || read.stream->index != packet.stream_index) continue;
            if (!is_gap_filler(packet, read.stream->codecpar->codec_id)) {
                ++read.packets;
                read.bytes += packet.size;
            }
            if (&read != &picture()) continue;
            read.pts.push_back(packet_time(packet));
            if (counter_) counter_->decode(&packet);
        }
    }

    const Container& container_;
    const std::vector<StreamRecord>& written_;
    const VerifyRequest& request_;
    FileReader reader_;
    AvioPtr io_;
    InputContextPtr file_;
    std::vector<ReadStream> streams_;
    std::unique_ptr<FrameCounter> counter_;
};

// A picture of the file and the size that it decodes to.
struct ReadStill {
    AVPacketPtr packet;
    int width = 0;
    int height = 0;
};

// The first unit of a JPEG whose data are whole, which is found in a third of the time that
// decoding takes, and more strictly: libav decodes a JPEG that was cut without an error. Others
// unchanged.
ReadStill with_data_checked(ReadStill still, const std::string& path) {
    const std::span jpeg(still.packet->data, static_cast<std::size_t>(still.packet->size));
    const std::optional<JpegScan> scan = find_jpeg_scan(jpeg);
    if (!scan) return still;
    if (!is_whole(*scan, jpeg)) mismatch(path, "a JPEG with damaged data");
    if (scan->width != still.width || scan->height != still.height)
        mismatch(path, "a picture of another size");
    const std::vector<std::uint8_t> unit = first_unit(*scan, jpeg);
    AVPacketPtr small = make_packet();
    av_check(av_new_packet(small.get(), static_cast<int>(unit.size())), "reading back", path);
    std::ranges::copy(unit, small->data);
    return {std::move(small), scan->unit_width(), scan->unit_height()};
}

void read_still_back(const StillRequest& request) {
    const std::string& path = request.path;
    struct stat info {};
    if (fstat(request.fd, &info) != 0) mismatch(path, "nothing");
    AVPacketPtr packet = make_packet();
    av_check(av_new_packet(packet.get(), static_cast<int>(info.st_size)), "reading back", path);
    FileReader reader{.fd = request.fd};
    const AvioPtr io = make_avio_reader(reader);
    if (avio_read(io.get(), packet->data, packet->size) != packet->size)
        mismatch(path, "fewer bytes than written");
    ReadStill still{std::move(packet), request.width, request.height};
    if (request.codec == AV_CODEC_ID_MJPEG && request.frames == nullptr)
        still = with_data_checked(std::move(still), path);
    const AVCodec* codec = avcodec_find_decoder(request.codec);
    CodecContextPtr decoder(avcodec_alloc_context3(codec));
    if (codec == nullptr || !decoder) mismatch(path, "a picture that this FFmpeg cannot decode");
    av_check(avcodec_open2(decoder.get(), codec, nullptr), "opening the decoder", path);
    const AVFramePtr frame = make_frame();
    if (avcodec_send_packet(decoder.get(), still.packet.get()) < 0 ||
        avcodec_send_packet(decoder.get(), nullptr) < 0 ||
        avcodec_receive_frame(decoder.get(), frame.get()) < 0)
        mismatch(path, "a picture that does not decode");
    if (frame->width != still.width || frame->height != still.height)
        mismatch(path, "a picture of another size");
    compare_samples(request.frames, request.index, *frame, path);
}

// If memory runs out, libav may read the file wrongly: report the shortage instead.
template <class Work>
auto shortage_first(const std::string& path, const Work& work) {
    const ShortageWatch watch;
    try {
        return work();
    } catch (const MediaError&) {
        watch.check("reading the file back", path);
        throw;
    }
}

}  // namespace

MissingTags verify_output(const Container& container, const std::vector<StreamRecord>& written,
                          const VerifyRequest& request) {
    return shortage_first(request.path,
                          [&] { return Verifier(container, written, request).run(); });
}

void verify_still(const StillRequest& request) {
    shortage_first(request.path, [&] { read_still_back(request); });
}

}  // namespace weft
