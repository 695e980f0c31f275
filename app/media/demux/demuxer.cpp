#include "app/media/demux/demuxer.h"

extern "C" {
#include <libavutil/avstring.h>
}

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <span>
#include <string_view>
#include <sys/stat.h>
#include <utility>

#include <fmt/format.h>

#include "app/media/demux/encryption.h"
#include "app/media/demux/file_cursor.h"
#include "app/media/demux/foreign_form.h"
#include "app/media/demux/frame_limits.h"
#include "app/media/demux/jpeg2000_codestream.h"
#include "app/media/demux/picture_limits.h"
#include "app/media/demux/png_color_key.h"
#include "app/media/libav/undecodable.h"

namespace weft {

namespace {

// These read a list of other files or addresses, or render text as a picture.
constexpr std::array<std::string_view, 12> kRefusedFormats = {"concat",
                                                              "hls",
                                                              "dash",
                                                              "imf",
                                                              "sdp",
                                                              "rtsp",
                                                              "rtp",
                                                              "sap",
                                                              "tty",
                                                              "vobsub",
                                                              "webm_dash_manifest",
                                                              "ffmetadata"};

constexpr const char* kFrameRate = "framerate";

// Far more than any coded picture has.
constexpr std::int64_t kMostUnparsed = std::int64_t{256} << 20;

// Streams without sizes, in which libav looks for the end of each picture.
bool is_raw(std::string_view format) {
    constexpr std::array<std::string_view, 10> kRaw = {
        "h261", "h263", "h264", "hevc", "mpegvideo", "m4v", "vc1", "cavsvideo", "dirac", "obu"};
    return std::ranges::find(kRaw, format) != kRaw.end();
}

// Finds the NTSC rate that a decimal stands for: 29.97002997 is 30000/1001.
AVRational exact_rate(double frames_per_second) {
    return av_d2q(frames_per_second, 1'001'000);
}

[[noreturn]] void refuse_undecodable(const std::string& path, const std::string& what) {
    throw Undecodable(fmt::format("{}: {}", path, what));
}

[[noreturn]] void fail(Outcome outcome, const std::string& path, const std::string& what) {
    throw MediaError(outcome, fmt::format("{}: {}", path, what));
}

void refuse_foreign(const InputFile& file) {
    if (const std::string what = foreign_form(file); !what.empty())
        refuse_undecodable(file.path(), what);
}

bool exists(const std::string& path) {
    struct stat info {};
    return stat(path.c_str(), &info) == 0;
}

// Only the extension may reach libav's probing, which takes '%' and '*' in names for patterns.
std::string probe_name(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::size_t dot = path.rfind('.');
    if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) return "";
    const std::string extension = path.substr(dot);
    const bool plain = std::all_of(extension.begin() + 1, extension.end(),
                                   [](unsigned char c) { return std::isalnum(c) != 0; });
    return plain ? "input" + extension : "";
}

void refuse_format(const AVInputFormat& format, const std::string& path) {
    for (std::string_view name : kRefusedFormats)
        if (av_match_list(format.name, std::string(name).c_str(), ',') > 0)
            fail(Outcome::failed, path,
                 fmt::format("has the format {} ({}): files that name other files, and text, are "
                             "not opened",
                             format.long_name, format.name));
}

bool is_image_format(const AVInputFormat& format) {
    const std::string_view name = format.name;
    return name == "image2pipe" || name.ends_with("_pipe");
}

// Pictures that libav knows by their first bytes have formats of their own (png_pipe).
bool is_found_by_name(const AVInputFormat& format) {
    return std::string_view(format.name) == "image2";
}

// Files that containers request by name (external tracks, segments) are not opened.
int refuse_open(AVFormatContext* /*context*/, AVIOContext** io, const char* /*url*/, int /*flags*/,
                AVDictionary** /*options*/) {
    *io = nullptr;
    return AVERROR(EACCES);
}

// A fair score means that the content is of this format, so libav's parse errors are damage.
// Matroska returns EIO for a cut file, and GIF for a pipe: the system's own errors were thrown
// before.
Outcome outcome_for(int av_code, int score, bool seekable) {
    const bool broken = av_code == AVERROR_INVALIDDATA || av_code == AVERROR_EOF ||
                        (av_code == AVERROR(EIO) && seekable);
    return broken && score > AVPROBE_SCORE_RETRY ? Outcome::damaged : Outcome::failed;
}

// Texts under the name of a video: the score of a name alone, and no other bytes than those of
// text. Formats that begin with a line of text, such as y4m, are known by it and have a higher
// score.
bool is_text_by_name(const InputFile& file, int score) {
    std::array<std::uint8_t, 512> head{};
    const auto bytes = std::span(head).first(file.read_at(0, head));
    return score <= AVPROBE_SCORE_EXTENSION && !bytes.empty() &&
           std::ranges::all_of(bytes, [](std::uint8_t byte) {
               return byte >= 0x80 || std::isprint(byte) != 0 || std::isspace(byte) != 0;
           });
}

// An mp4 whose index was read after its pictures, to which a pipe cannot go back.
bool is_behind_pictures(const AVFormatContext& context) {
    for (unsigned i = 0; i < context.nb_streams; ++i) {
        const AVIndexEntry* first = avformat_index_get_entry(context.streams[i], 0);
        if (first && first->pos < avio_tell(context.pb)) return true;
    }
    return false;
}

// libav's own probe follows the markers, and gives up on a damaged picture.
bool begins_as_jpeg(const InputFile& file) {
    std::array<std::uint8_t, 3> head{};
    return file.read_at(0, head) == head.size() && head[0] == 0xFF && head[1] == 0xD8 &&
           head[2] == 0xFF;
}

// Whether another PNG follows the first one's end.
bool holds_more_pngs(const InputFile& file) {
    constexpr std::uint64_t kSignature = 0x89504E470D0A1A0AULL;
    FileCursor cursor(file, 8);
    while (!cursor.ended()) {
        const std::int64_t size = cursor.big32();
        const bool last = cursor.text4() == "IEND";
        cursor.skip(size + 4);
        if (last) return cursor.big(8) == kSignature;
    }
    return false;
}

// Bytes after a codestream, such as those that make its size even, are no picture, unless another
// codestream begins in them. libav's parser hands them over as one.
bool holds_one_jpeg2000(const InputFile& file) {
    const Jpeg2000Codestream found = read_jpeg2000_codestream(file);
    if (!found.whole) return false;
    FileCursor cursor(file, found.end);
    for (cursor.skip_to(0xFF); !cursor.ended(); cursor.skip_to(0xFF)) {
        const std::int64_t at = cursor.at();
        if (cursor.big32() == 0xFF4FFF51U) return false;
        cursor.go(at + 1);
    }
    return true;
}

class StreamOptions {
 public:
    StreamOptions(unsigned count, std::int64_t max_pixels) : all_(count, nullptr) {
        for (AVDictionary*& one : all_) {
            av_dict_set_int(&one, "max_pixels", max_pixels, 0);
            av_dict_set(&one, "threads", "1", 0);
        }
    }
    ~StreamOptions() {
        for (AVDictionary*& one : all_) av_dict_free(&one);
    }
    StreamOptions(const StreamOptions&) = delete;
    StreamOptions& operator=(const StreamOptions&) = delete;
    AVDictionary** data() { return all_.empty() ? nullptr : all_.data(); }

 private:
    std::vector<AVDictionary*> all_;
};

// Formats that allow several pictures in one file; libav's parser finds only the first if it is
// given the file in one piece.
bool holds_several(AVCodecID codec) {
    return codec == AV_CODEC_ID_PNG || codec == AV_CODEC_ID_DPX;
}

// A few bytes can promise a frame of 700 MB, and probing would decode it. With a format set,
// probing has nothing to find out; the Decoder checks the packet before it allocates.
bool is_probed(AVCodecID codec) {
    return codec != AV_CODEC_ID_PNG && !has_expansion_limit(codec);
}

void skip_probing_pictures(AVFormatContext& context) {
    for (unsigned i = 0; i < context.nb_streams; ++i) {
        AVCodecParameters& codec = *context.streams[i]->codecpar;
        if (!is_probed(codec.codec_id) && codec.width > 0 && codec.format < 0)
            codec.format = AV_PIX_FMT_RGB24;
    }
}

bool is_mp4(const AVInputFormat& format) {
    return std::string_view(format.name).starts_with("mov,");
}

// Checks data that libav processes at once; the decoders' packets are checked as they arrive.
void check_streams(const AVFormatContext& context, const InputFile& file) {
    for (const AVStream* stream : std::span(context.streams, context.nb_streams)) {
        const AVCodecParameters& codec = *stream->codecpar;
        if (codec.codec_id == AV_CODEC_ID_APNG && codec.extradata != nullptr)
            check_png_chunks({codec.extradata, static_cast<std::size_t>(codec.extradata_size)},
                             file.path());
        if (codec.codec_id == AV_CODEC_ID_GIF && file.seekable())
            check_gif_screen(codec.width, codec.height, file.size(), file.path());
    }
}

}  // namespace

Demuxer::Demuxer(const ReaderOptions& options) : heart_(options.heartbeat) {
    const auto pattern = options.path == "-" ? std::nullopt : parse_sequence(options.path);
    if (pattern && !exists(options.path))
        open_sequence(*pattern, options);
    else
        open_container(options);
}

void Demuxer::open_container(const ReaderOptions& options) {
    file_ = std::make_unique<InputFile>(options.path, heart_);
    if (const std::string_view form = large_form(*file_); !form.empty())
        refuse_undecodable(
            options.path,
            fmt::format("is a {}, which FFmpeg cannot read: convert it first, for example with "
                        "ImageMagick to PNG",
                        form));
    int score = AVPROBE_SCORE_MAX;
    const AVInputFormat* format = find_format(options, score);
    refuse_format(*format, options.path);
    if (is_mp4(*format) && file_->seekable()) check_edit_lists(*file_);
    recognised_ = !is_found_by_name(*format) || begins_as_jpeg(*file_);
    open_format(format, score, options);
    file_->check_errors();
    if (context_->nb_streams > static_cast<unsigned>(options.limits.max_streams))
        fail(Outcome::failed, options.path,
             fmt::format("has {} streams; at most {} are read: copy those that are needed into "
                         "another file first",
                         context_->nb_streams, options.limits.max_streams));
    context_->max_streams = options.limits.max_streams;
    images_ = is_image_format(*context_->iformat);
    const AVCodecID codec = images_ ? context_->streams[0]->codecpar->codec_id : AV_CODEC_ID_NONE;
    const bool motion = av_match_ext(probe_name(options.path).c_str(), "mjpeg,mjpg") != 0;
    whole_file_ = file_->seekable() && options.format.empty() &&
                  ((codec == AV_CODEC_ID_PNG && !holds_more_pngs(*file_)) ||
                   (codec == AV_CODEC_ID_JPEG2000 && holds_one_jpeg2000(*file_)) ||
                   (codec == AV_CODEC_ID_MJPEG && !motion));
    const bool played = std::string_view(context_->iformat->name) == "apng";
    const AVCodecID kind = played                       ? AV_CODEC_ID_APNG
                           : is_mp4(*context_->iformat) ? AV_CODEC_ID_AV1  // AVIF's
                                                        : codec;
    if (const auto limit = find_picture_limit(*file_, kind))
        limit->outcome == Outcome::failed ? refuse_undecodable(options.path, limit->what)
                                          : fail(limit->outcome, options.path, limit->what);
    if (is_mp4(*context_->iformat) && !file_->seekable() && is_behind_pictures(*context_))
        fail(Outcome::failed, options.path,
             "has its index after its pictures: it cannot be read from a pipe, only from a file");
    if (seeks_roughly()) clock_.emplace(*context_);
    if (is_raw(format_name()) || seeks_roughly()) file_->expect_packets(kMostUnparsed);
    if (options.headers_only) return;
    if (!images_)
        read_parameters(options.limits);
    else if (!file_->seekable() || (!whole_file_ && holds_several(codec)))
        set_up_parser();
}

const AVInputFormat* Demuxer::find_format(const ReaderOptions& options, int& score) {
    if (!options.format.empty()) {
        const AVInputFormat* named = av_find_input_format(options.format.c_str());
        if (!named)
            fail(Outcome::usage, options.path,
                 fmt::format("there is no input format named '{}'", options.format));
        if ((named->flags & AVFMT_NOFILE) != 0)
            fail(Outcome::usage, options.path,
                 fmt::format("format '{}' reads no single file", options.format));
        return named;
    }
    const AVInputFormat* format = nullptr;
    const std::string name = probe_name(options.path);
    const ShortageWatch watch;
    score = av_probe_input_buffer2(file_->io(), &format, name.c_str(), nullptr, 0, 0);
    watch.check("opening", options.path);
    file_->check_errors();
    if (score < 0 || !format) {
        refuse_foreign(*file_);
        refuse_undecodable(options.path, "is in no video or image format that FFmpeg knows");
    }
    // libav looks for an animation in the first 2 KB, where texts may be, and refuses one of no
    // frames, which is the plain picture.
    if (is_animated_png(*file_)) return av_find_input_format("apng");
    const bool played = std::string_view(format->name) == "apng" && file_->seekable();
    return played ? av_find_input_format("png_pipe") : format;
}

void Demuxer::open_format(const AVInputFormat* format, int score, const ReaderOptions& options) {
    const ShortageWatch watch;
    AVFormatContext* context = avformat_alloc_context();
    if (!context) throw_no_memory(options.path);
    context->pb = file_->io();
    context->io_open = refuse_open;
    context->protocol_whitelist = av_strdup("none");
    // image2 opens files by name. image2pipe decodes its formats that are known only by extension
    // (tga, pcx) from our file.
    if (is_found_by_name(*format)) {
        const AVOutputFormat* by_name =
            av_guess_format("image2", probe_name(options.path).c_str(), nullptr);
        const AVCodecID named = av_guess_codec(by_name, nullptr, probe_name(options.path).c_str(),
                                               nullptr, AVMEDIA_TYPE_VIDEO);
        context->video_codec_id = begins_as_jpeg(*file_) ? AV_CODEC_ID_MJPEG : named;
        format = av_find_input_format("image2pipe");
    }
    // As in ffmpeg: if all programs of a transport stream are known, probing goes deep enough to
    // see how far its pictures are out of order.
    AVDictionary* demuxer_options = nullptr;
    av_dict_set(&demuxer_options, "scan_all_pmts", "1", 0);
    if (is_mp4(*format)) av_dict_set(&demuxer_options, "export_xmp", "1", 0);
    if (options.frame_rate) {
        const AVRational rate = exact_rate(*options.frame_rate);
        set_entry(&demuxer_options, kFrameRate, fmt::format("{}/{}", rate.num, rate.den).c_str());
    }
    const int result =
        avformat_open_input(&context, options.path.c_str(), format, &demuxer_options);
    const bool rate_unused = av_dict_get(demuxer_options, kFrameRate, nullptr, 0) != nullptr;
    av_dict_free(&demuxer_options);
    if (result >= 0) context_.reset(context);
    watch.check("opening", options.path);
    file_->check_errors();
    if (result == AVERROR(ENOMEM))
        fail(Outcome::failed, options.path, "has more streams than FFmpeg can hold");
    if (result < 0) refuse_foreign(*file_);
    if (const std::string how = result < 0 ? find_encryption(*file_, format->name) : "";
        !how.empty())
        refuse_undecodable(options.path, encrypted_text(how));
    if (is_lack(result))
        refuse_undecodable(
            options.path,
            fmt::format("is a kind of {} that this FFmpeg cannot read: convert it first with "
                        "another program",
                        format->long_name));
    if (result < 0 && is_text_by_name(*file_, score))
        fail(outcome_for(result, score, file_->seekable()), options.path,
             fmt::format("contains text, not {} as its name says: choose another file",
                         format->long_name));
    if (result < 0)
        fail(outcome_for(result, score, file_->seekable()), options.path,
             fmt::format("cannot be opened as {}: {}; the file is cut short, damaged or of "
                         "another kind",
                         format->long_name, av_error_text(result)));
    if (rate_unused)
        fail(Outcome::usage, options.path,
             fmt::format("-framerate is for numbered pictures, pictures from a pipe and raw "
                         "streams, but {} stores when frames are shown: leave it out",
                         format->long_name));
}

void Demuxer::read_parameters(const ReaderLimits& limits) {
    check_streams(*context_, *file_);
    skip_probing_pictures(*context_);
    const ShortageWatch watch;
    StreamOptions options(context_->nb_streams, limits.max_pixels);
    const int result = avformat_find_stream_info(context_.get(), options.data());
    watch.check("reading the streams", file_->path());
    file_->check_errors();
    if (result == AVERROR(ENOMEM)) av_check(result, "reading the streams", file_->path());
}

// Pictures are not probed: the Decoder checks a packet before it allocates. But on a pipe libav
// finds the end of a picture with the parser that probing sets up, here without decoding anything.
void Demuxer::set_up_parser() {
    AVCodecParameters& codec = *context_->streams[0]->codecpar;
    AVCodecParserContext* parser = av_parser_init(codec.codec_id);
    if (!parser)
        fail(Outcome::failed, file_->path(),
             fmt::format("is a {} picture: it cannot be read from a pipe, only from a file",
                         avcodec_get_name(codec.codec_id)));
    av_parser_close(parser);
    codec.width = codec.height = 1;
    codec.format = AV_PIX_FMT_GRAY8;
    const ShortageWatch watch;
    const int result = avformat_find_stream_info(context_.get(), nullptr);
    watch.check("reading the picture", file_->path());
    file_->check_errors();
    if (result < 0) av_check(result, "reading the picture", file_->path());
    codec.width = codec.height = 0;
    codec.format = AV_PIX_FMT_NONE;
}

void Demuxer::open_sequence(const SequencePattern& pattern, const ReaderOptions& options) {
    sequence_ = list_sequence(pattern);
    if (const std::string left = unfinished_move(pattern); !left.empty())
        fail(Outcome::failed, options.path,
             fmt::format("these pictures are partly of an older sequence: a run is moving new ones "
                         "into place, or was killed when it did, and the rest of them are in {}; "
                         "weft clean {} moves them",
                         left, pattern.folder));
    if (sequence_.empty())
        fail(Outcome::failed, options.path,
             fmt::format("no file in {} has such a name", pattern.folder));
    for (std::size_t i = 1; i < sequence_.size(); ++i)
        for (std::int64_t n = sequence_[i - 1].number + 1; n < sequence_[i].number; ++n) {
            if (gaps_.size() == 1000) break;
            gaps_.push_back(pattern.name(n));
        }
    ReaderOptions first = options;
    first.path = sequence_.front().path;
    open_container(first);
    if (!images_)
        fail(Outcome::failed, first.path,
             fmt::format("is {}: numbered sequences are made of pictures", format_name()));
    AVStream& stream = *context_->streams[0];
    const AVRational rate = exact_rate(options.frame_rate.value_or(25));
    stream.time_base = av_inv_q(rate);
    stream.avg_frame_rate = stream.r_frame_rate = rate;
    stream.start_time = 0;
    stream.nb_frames = static_cast<std::int64_t>(sequence_.size());
    stream.duration = sequence_.back().number - sequence_.front().number + 1;
}

std::string Demuxer::kind() const {
    if (!images_) return format_name();
    const AVCodecID codec = context_->streams[0]->codecpar->codec_id;
    if (codec == AV_CODEC_ID_MJPEG && !whole_file_) return "mjpeg";
    return fmt::format("image {}", avcodec_get_name(codec));
}

int Demuxer::read(AVPacket& packet) {
    if (is_sequence()) return read_picture(packet);
    if (whole_file_) {
        if (std::exchange(file_read_, true)) return AVERROR_EOF;
        read_whole_file(*file_, packet);
        packet.pts = packet.dts = 0;
        return 0;
    }
    return clock_ ? read_continuously(packet) : read_stored(packet);
}

int Demuxer::read_stored(AVPacket& packet) {
    const ShortageWatch watch;
    const int result = av_read_frame(context_.get(), &packet);
    watch.check("reading", file_->path());
    if (file_->packet_is_overdue())
        refuse_undecodable(file_->path(),
                           fmt::format("no picture ends within {} MiB: it is not {}, or damaged",
                                       kMostUnparsed >> 20, context_->iformat->long_name));
    if (result < 0) file_->check_errors();
    if (result >= 0) file_->packet_read();
    heart_->beat(packet.size);
    return result;
}

int Demuxer::read_continuously(AVPacket& packet) {
    int result = 0;
    for (;;) {
        if (const AVPacketPtr next = clock_->next()) {
            av_packet_move_ref(&packet, next.get());
            return 0;
        }
        if (result < 0) return result;
        AVPacketPtr stored = make_packet();
        result = read_stored(*stored);
        if (result >= 0) clock_->add(std::move(stored));
        if (result == AVERROR_EOF) clock_->end();
    }
}

int Demuxer::read_picture(AVPacket& packet) {
    if (next_picture_ == sequence_.size()) return AVERROR_EOF;
    const SequenceFile& picture = sequence_[next_picture_++];
    const InputFile file(picture.path, heart_);
    if (const auto limit = find_picture_limit(file, context_->streams[0]->codecpar->codec_id))
        limit->outcome == Outcome::failed ? refuse_undecodable(picture.path, limit->what)
                                          : fail(limit->outcome, picture.path, limit->what);
    read_whole_file(file, packet);
    if (changed_.empty()) changed_ = file.change();
    packet.pts = packet.dts = picture.number - sequence_.front().number;
    packet.duration = 1;
    return 0;
}

void Demuxer::read_whole_file(const InputFile& file, AVPacket& packet) const {
    if (file.size() > std::numeric_limits<int>::max() - AV_INPUT_BUFFER_PADDING_SIZE)
        fail(Outcome::failed, file.path(), "is larger than 2 GiB");
    av_check(av_new_packet(&packet, static_cast<int>(file.size())), "reading a picture",
             file.path());
    const std::size_t got = file.read_at(0, {packet.data, static_cast<std::size_t>(packet.size)});
    av_shrink_packet(&packet, static_cast<int>(got));
    if (const auto made = with_gray_palette({packet.data, got}); !made.empty()) {
        av_packet_unref(&packet);
        av_check(av_new_packet(&packet, static_cast<int>(made.size())), "reading a picture",
                 file.path());
        std::ranges::copy(made, packet.data);
    }
    packet.pos = 0;
    packet.flags |= AV_PKT_FLAG_KEY;
}

bool Demuxer::seek(int stream, std::int64_t timestamp) {
    if (is_sequence()) {
        const auto before = [&](const SequenceFile& file) {
            return file.number - sequence_.front().number < timestamp;
        };
        next_picture_ = static_cast<std::size_t>(
            std::find_if_not(sequence_.begin(), sequence_.end(), before) - sequence_.begin());
        return true;
    }
    if (!can_seek(stream)) return false;
    if (clock_) clock_->reset();
    const ShortageWatch watch;
    const int result = avformat_seek_file(
        context_.get(), stream, std::numeric_limits<std::int64_t>::min(), timestamp, timestamp, 0);
    watch.check("seeking", file_->path());
    return result >= 0;
}

// Raw streams have no times to seek by: libav counts from where it starts to read. AVI has decoding
// times only: with B-frames, the times that libav derives after a seek differ by some frames from
// those of the whole file.
bool Demuxer::can_seek(int stream) const {
    if (is_sequence()) return true;
    const bool clockless =
        is_raw(format_name()) || (context_->iformat->flags & AVFMT_NOTIMESTAMPS) != 0;
    const bool guessed = std::string_view(format_name()) == "avi" &&
                         context_->streams[stream]->codecpar->video_delay > 0;
    return file_->seekable() && !images_ && !clockless && !guessed;
}

bool Demuxer::seeks_roughly() const {
    const std::string_view format = format_name();
    return format == "mpegts" || format == "mpeg";
}

std::string Demuxer::picture_name(std::int64_t pts) const {
    const auto found = std::ranges::lower_bound(sequence_, pts, {}, [&](const SequenceFile& file) {
        return file.number - sequence_.front().number;
    });
    const bool there = found != sequence_.end() && found->number - sequence_.front().number == pts;
    return there ? found->path : "";
}

// The times are in the headers of the packets, so none has to be parsed.
bool clock_restarts(const ReaderOptions& options) {
    ReaderOptions headers = options;
    headers.headers_only = true;
    Demuxer demuxer(headers);
    if (demuxer.clock() == nullptr) return false;
    demuxer.context().flags |= AVFMT_FLAG_NOPARSE | AVFMT_FLAG_NOFILLIN;
    const AVPacketPtr packet = make_packet();
    int result = 0;
    while ((result = demuxer.read(*packet)) >= 0) av_packet_unref(packet.get());
    return result != AVERROR_EOF || demuxer.clock()->has_restarted();
}

}  // namespace weft
