#include "app/media/read/decode_loop.h"

#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/media/check/index_check.h"
#include "app/media/check/packet_check.h"
#include "app/media/demux/encryption.h"
#include "app/media/demux/file_cursor.h"
#include "app/media/libav/ffmpeg.h"
#include "app/media/libav/undecodable.h"

namespace weft {

namespace {

// Other streams are followed for this long past the wanted end: muxers interleave within a second
// or so.
constexpr std::int64_t kInterleaveUs = 10'000'000;

// Limit on the frames that are held until one has a time.
constexpr std::size_t kMaxTimeless = 64;

// A name for messages, such as "TIFF image".
std::string codec_title(const AVStream& video) {
    const AVCodecDescriptor* known = avcodec_descriptor_get(video.codecpar->codec_id);
    return known == nullptr || known->long_name == nullptr ? "video" : known->long_name;
}

// Whether further streams begin after pages of the first ones (RFC 3533, section 4): libav decodes
// them with the headers of the first.
bool is_chained_ogg(const Demuxer& demuxer) {
    if (std::string_view(demuxer.format_name()) != "ogg" || !demuxer.file().seekable())
        return false;
    constexpr unsigned kBegins = 2;
    bool in_data = false;
    for (FileCursor cursor(demuxer.file()); cursor.text4() == "OggS" && !cursor.ended();) {
        cursor.skip(1);  // version
        const bool begins = (cursor.u8() & kBegins) != 0;
        if (begins && in_data) return true;
        in_data = in_data || !begins;
        cursor.skip(8 + 4 + 4 + 4);  // position, serial number, page number and checksum
        std::int64_t bytes = 0;
        for (int segments = cursor.u8(); segments > 0; --segments) bytes += cursor.u8();
        cursor.skip(bytes);
    }
    return false;
}

}  // namespace

DecodeLoop::DecodeLoop(const ReaderOptions& options, const std::function<bool(DecodeLoop&)>& seek)
    : options_(options),
      source_(options),
      range_(options, demuxer().context()),
      maker_(demuxer().context(), video(), source_.is_mirrored(), options.path),
      watch_(demuxer(), video(), range_, seek(*this)) {}

DecodeLoop::DecodeLoop(const ReaderOptions& options, bool seek, std::int64_t earlier_us)
    : DecodeLoop(options, [&](DecodeLoop& loop) {
          return seek &&
                 loop.source_.seek(loop.range_.start_ticks(loop.video().time_base, earlier_us));
      }) {
    leave_out_streams();
}

DecodeLoop::DecodeLoop(const ReaderOptions& options, const ClosedKey& key, std::int64_t earlier_us)
    : DecodeLoop(options, [&](DecodeLoop& loop) {
          const AVFormatContext& context = loop.demuxer().context();
          for (AVStream* stream : std::span(context.streams, context.nb_streams))
              if (stream->index != loop.source_.video_index()) stream->discard = AVDISCARD_ALL;
          const AVRational base = loop.video().time_base;
          const std::int64_t earlier = av_rescale_q(earlier_us, av_get_time_base_q(), base);
          if (loop.source_.can_seek()) loop.source_.seek(key.pts - earlier);
          return true;
      }) {
    key_ = key;
    frames_ = key.frame;
}

void DecodeLoop::leave_out_streams() {
    const AVFormatContext& context = demuxer().context();
    for (AVStream* stream : std::span(context.streams, context.nb_streams))
        if (!wanted(*stream)) stream->discard = AVDISCARD_ALL;
}

std::vector<std::string> DecodeLoop::notes() const {
    std::vector<std::string> all = source_.decoder().notes();
    all.insert(all.end(), maker_.notes().begin(), maker_.notes().end());
    if (const ContinuousClock* const clock = demuxer().clock();
        clock != nullptr && clock->has_restarted())
        all.push_back(clock->note());
    if (const std::int64_t hidden = hidden_frames(demuxer(), video()); hidden > 0)
        all.push_back(
            fmt::format("{} of {} frames are left out because the file's edit list hides them",
                        hidden, video().nb_frames));
    all.insert(all.end(), watch_.notes().begin(), watch_.notes().end());
    return all;
}

void DecodeLoop::step() {
    AVFramePtr decoded = source_.decoder().receive();
    if (decoded) watch_.decoded(*decoded);
    watch_.decoder_errors(source_.decoder().errors());
    if (decoded)
        take_frame(std::move(decoded));
    else if (phase_ == Phase::draining)
        finish();
    else if (phase_ == Phase::reading)
        read_packet();
}

void DecodeLoop::read_packet() {
    AVPacketPtr packet = make_packet();
    const int result = range_done_ ? AVERROR_EOF : source_.read(*packet);
    if (result == AVERROR_EOF || (result < 0 && watch_.all_read())) {
        source_.decoder().send_end();
        phase_ = Phase::draining;
    } else if (result >= 0) {
        take_packet(std::move(packet));
    } else if (result != AVERROR(EAGAIN)) {
        demuxer_lacks_ = demuxer_lacks_ || is_lack(result);
        watch_.read_error();
    }
}

void DecodeLoop::take_packet(AVPacketPtr packet) {
    watch_.packet_read(*packet);
    if (packet->stream_index == source_.video_index()) {
        if (video_done_) return;
        if (is_before_key(*packet) || !source_.is_decodable(*packet)) return;
        watch_.packet_sent(*packet);
        source_.decoder().send(*packet);
        return;
    }
    const AVStream& stream = *demuxer().context().streams[packet->stream_index];
    const std::int64_t ts = packet_time(*packet);
    const bool timed = ts != AV_NOPTS_VALUE;
    if (video_done_ && timed && range_.after(ts, stream.time_base, kInterleaveUs))
        range_done_ = true;
    const bool cover = (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
    if (!wanted(stream) || (timed && !cover && !range_.contains(ts, stream.time_base))) return;
    if (is_encrypted(*packet, stream))
        throw Undecodable(
            fmt::format("{}: stream {} is encrypted, and nothing could play a copy of "
                        "it: decrypt the file first, or leave it out (-an, -sn)",
                        options_.path, stream.index));
    changes_.packet(*packet, stream);
    ready_.emplace_back(SourcePacket{std::move(packet)});
}

// A key frame after the wanted one shows that the seek has gone beyond it: then it is the first.
bool DecodeLoop::is_before_key(const AVPacket& packet) {
    if (!key_) return false;
    const bool found = packet.pts == key_->pts && is_closed_key(packet, *video().codecpar);
    const bool beyond = (packet.flags & AV_PKT_FLAG_KEY) != 0 && packet.pts > key_->pts;
    if (!found && !beyond) return true;
    key_.reset();
    return false;
}

bool DecodeLoop::wanted(const AVStream& stream) const {
    switch (stream.codecpar->codec_type) {
        case AVMEDIA_TYPE_AUDIO:
            return options_.audio;
        case AVMEDIA_TYPE_SUBTITLE:
            return options_.subtitles;
        default:
            return true;
    }
}

// Matroska cannot store negative times: frames before zero arrive without any, and get theirs
// from the first frame that has one.
void DecodeLoop::take_frame(AVFramePtr decoded) {
    const bool timeless = !FrameMaker::has_time(*decoded);
    const bool matroska = std::string_view(demuxer().format_name()) == "matroska,webm";
    if (!first_pts_ && timeless && matroska && timeless_.size() < kMaxTimeless) {
        timeless_.push_back(std::move(decoded));
        return;
    }
    if (!timeless) maker_.set_times_before(*decoded, timeless_);
    pass_on_timeless();
    pass_on(std::move(decoded));
}

void DecodeLoop::pass_on_timeless() {
    for (AVFramePtr& waiting : std::exchange(timeless_, {})) pass_on(std::move(waiting));
}

void DecodeLoop::pass_on(AVFramePtr decoded) {
    const DecodedFacts facts(*decoded);
    const bool timed = FrameMaker::has_time(*decoded);
    Frame frame = maker_.make(std::move(decoded));
    watch_.frame(facts, frame.pts);
    if (!first_pts_) first_is_timed_ = timed;
    if (!first_pts_) first_pts_ = frame.pts;
    if (range_.after(frame.pts, video().time_base)) {
        video_done_ = true;
        range_done_ = range_done_ || demuxer().context().nb_streams == 1;
    }
    if (range_.before(frame.pts, video().time_base)) ++before_start_;
    if (!range_.contains(frame.pts, video().time_base)) return;
    changes_.frame(frame, source_.video_index(), video().time_base);
    frame.index = frames_++;
    ready_.emplace_back(std::move(frame));
}

// Empty unless the file is sound. A decoder that has returned frames with an error can lack a
// feature because a broken bit demands one, except where checksums rule that out.
std::string DecodeLoop::why_undecodable() const {
    if (std::string how = find_encryption(demuxer()); !how.empty()) return encrypted_text(how);
    if (watch_.found_broken_bytes()) return "";
    const bool promised = report_.damaged || video().nb_frames > 0;
    if (!promised && !watch_.saw_packets() && range_.is_all() && !demuxer().is_images())
        return "holds no picture: if it is the first segment of a stream, join the segments first "
               "(cat init.mp4 segment*.m4s > film.mp4)";
    if (is_chained_ogg(demuxer()))
        return "is a chained Ogg file, of which FFmpeg reads the first part: split it into its "
               "parts first";
    if (demuxer_lacks_)
        return fmt::format(
            "is a kind of {} that this FFmpeg cannot read: convert it first with "
            "another program",
            demuxer().context().iformat->long_name);
    const bool believed = !first_pts_ || demuxer().kind() == "apng" || !report_.damaged;
    if (!believed || !source_.decoder().lacks_feature()) return "";
    return fmt::format(
        "is a kind of {} that this FFmpeg cannot decode: convert it first{}", codec_title(video()),
        demuxer().is_images() ? ", for example with ImageMagick" : " with another program");
}

void DecodeLoop::finish() {
    source_.decoder().close();
    pass_on_timeless();
    phase_ = Phase::over;
    demuxer().file().check_errors();
    report_ = watch_.finish(!video_done_);
    if (const std::string change = demuxer().change(); !change.empty()) {
        report_.damaged = true;
        report_.reason = change;
    } else if (report_.damaged || !first_pts_ ||
               (demuxer().is_images() && source_.decoder().lacks_feature())) {
        // Without the feature the picture is another one: JPEG 2000 without its palette.
        if (const std::string why = why_undecodable(); !why.empty())
            throw Undecodable(fmt::format("{}: {}", options_.path, why));
    }
    ready_.emplace_back(EndOfInput{});
}

}  // namespace weft
