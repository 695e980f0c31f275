#include "app/media/read/decode_loop.h"

#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/media/check/index_check.h"
#include "app/media/demux/packet_time.h"
#include "app/media/demux/structure.h"
#include "app/media/demux/video_stream.h"
#include "app/media/read/stream_beginning.h"

namespace weft {

namespace {

// A demuxer that fails this often in a row makes no progress.
constexpr int kMaxReadErrors = 64;

// Other streams are followed for this long past the wanted end: muxers interleave within a second
// or so.
constexpr std::int64_t kInterleaveUs = 10'000'000;

// Limit on the pictures that are held until one has a time.
constexpr std::size_t kMaxTimeless = 64;

int known_video(const Demuxer& demuxer, const std::string& path) {
    const int index = find_video_stream(demuxer.context(), path);
    if (demuxer.context().streams[index]->codecpar->codec_id == AV_CODEC_ID_NONE)
        throw MediaError(ExitCode::failed,
                         path + ": has a video of a kind that FFmpeg does not know");
    return index;
}

// Reports damage if a cut removed the description of the streams.
int video_of(const Demuxer& demuxer, const std::string& path) {
    try {
        return known_video(demuxer, path);
    } catch (const MediaError& error) {
        const InputFile& file = demuxer.file();
        const StructureReport found = check_structure(file, demuxer.kind(), {0, file.size()});
        if (found.problem.empty()) throw;
        throw MediaError(ExitCode::damaged,
                         fmt::format("{}; damaged: {}", error.what(), found.problem));
    }
}

}  // namespace

DecodeLoop::DecodeLoop(const ReaderOptions& options, bool seek, std::int64_t earlier_us)
    : options_(options),
      demuxer_(options),
      video_index_(video_of(demuxer_, options.path)),
      range_(options, demuxer_.context()),
      decoder_(video(), demuxer_.is_images(), options),
      seeked_(seek && go_to_start(earlier_us)),
      maker_(demuxer_.context(), video(), options.path),
      watch_(demuxer_, video(), range_, seeked_) {
    // Marks streams as left out on request, so that the Writer does not report them as lost.
    const AVFormatContext& context = demuxer_.context();
    for (AVStream* stream : std::span(context.streams, context.nb_streams))
        if (!wanted(*stream)) stream->discard = AVDISCARD_ALL;
}

bool DecodeLoop::go_to_start(std::int64_t earlier_us) {
    read_beginning(demuxer_, video_index_, decoder_);
    return demuxer_.seek(video_index_, range_.start_ticks(video().time_base, earlier_us));
}

std::vector<std::string> DecodeLoop::notes() const {
    std::vector<std::string> all = decoder_.notes();
    all.insert(all.end(), maker_.notes().begin(), maker_.notes().end());
    if (const std::int64_t hidden = hidden_pictures(demuxer_, video()); hidden > 0)
        all.push_back(fmt::format("{} of {} frames are left out: the file's edit list hides them",
                                  hidden, video().nb_frames));
    return all;
}

void DecodeLoop::step() {
    AVFramePtr decoded = decoder_.receive();
    if (decoded) watch_.decoded(*decoded);
    watch_.decoder_errors(decoder_.errors());
    if (decoded)
        take_picture(std::move(decoded));
    else if (phase_ == Phase::draining)
        finish();
    else if (phase_ == Phase::reading)
        read_packet();
}

void DecodeLoop::read_packet() {
    AVPacketPtr packet = make_packet();
    const int result = range_done_ ? AVERROR_EOF : demuxer_.read(*packet);
    const bool failed = result < 0 && result != AVERROR(ENOMEM);
    if (result == AVERROR_EOF || read_errors_ > kMaxReadErrors || (failed && watch_.all_read())) {
        decoder_.send_end();
        phase_ = Phase::draining;
        return;
    }
    if (result == AVERROR(ENOMEM)) av_check(result, "reading", options_.path);
    if (result < 0) {
        ++read_errors_;
        if (result != AVERROR(EAGAIN)) watch_.read_error();
        return;
    }
    read_errors_ = 0;
    take_packet(std::move(packet));
}

void DecodeLoop::take_packet(AVPacketPtr packet) {
    watch_.packet_read(*packet);
    if (packet->stream_index == video_index_) {
        if (video_done_) return;
        // Seeks in ts and ps land between key frames, where decoders invent references.
        key_seen_ = key_seen_ || (packet->flags & AV_PKT_FLAG_KEY) != 0;
        if (seeked_ && !key_seen_) return;
        watch_.packet_sent(*packet);
        decoder_.send(*packet);
        return;
    }
    const AVStream& stream = *demuxer_.context().streams[packet->stream_index];
    const std::int64_t ts = packet_time(*packet);
    const bool timed = ts != AV_NOPTS_VALUE;
    if (video_done_ && timed && range_.after(ts, stream.time_base, kInterleaveUs))
        range_done_ = true;
    const bool cover = (stream.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
    if (!wanted(stream) || (timed && !cover && !range_.contains(ts, stream.time_base))) return;
    changes_.packet(*packet, stream);
    ready_.emplace_back(SourcePacket{std::move(packet)});
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

// Matroska cannot store negative times: pictures before zero arrive without any, and get theirs
// from the first picture that has one.
void DecodeLoop::take_picture(AVFramePtr decoded) {
    const bool timeless = !FrameMaker::has_time(*decoded);
    const bool matroska = std::string_view(demuxer_.format_name()) == "matroska,webm";
    if (!landed_ && timeless && matroska && timeless_.size() < kMaxTimeless) {
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
    const PictureFacts facts(*decoded);
    const bool timed = FrameMaker::has_time(*decoded);
    Frame frame = maker_.make(std::move(decoded));
    watch_.picture(facts, frame.pts);
    if (!landed_) landing_is_timed_ = timed;
    if (!landed_) landed_ = frame.pts;
    if (range_.after(frame.pts, video().time_base)) {
        video_done_ = true;
        range_done_ = range_done_ || demuxer_.context().nb_streams == 1;
    }
    if (!range_.contains(frame.pts, video().time_base)) return;
    changes_.picture(frame, video_index_, video().time_base);
    frame.index = frames_++;
    ready_.emplace_back(std::move(frame));
}

void DecodeLoop::finish() {
    decoder_.close();
    pass_on_timeless();
    phase_ = Phase::over;
    demuxer_.file().check_errors();
    report_ = watch_.finish(!video_done_);
    if (const std::string change = demuxer_.change(); !change.empty()) {
        report_.damaged = true;
        report_.reason = change;
    }
    ready_.emplace_back(EndOfInput{});
}

}  // namespace weft
