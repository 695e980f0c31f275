#include "app/media/check/damage_watch.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/media/check/index_check.h"
#include "app/media/demux/file_cursor.h"
#include "app/media/libav/ffmpeg.h"

namespace weft {

namespace {

// Recordings and raw streams, which may begin between key frames.
bool starts_anywhere(const Demuxer& demuxer) {
    constexpr std::array<std::string_view, 10> kFormats = {
        "mpegts", "mpeg", "mpegvideo", "h264", "hevc", "m4v", "vc1", "wtv", "dv", "obu"};
    return std::find(kFormats.begin(), kFormats.end(), demuxer.format_name()) != kFormats.end();
}

// Formats whose header (NUT: index) states a duration of its own, which is checked against the time
// delivered: half a second of slack for writers that round. mp4 and avi have an index, Matroska its
// segment.
bool states_duration(const Demuxer& demuxer) {
    constexpr std::array<std::string_view, 3> kFormats = {"flv", "asf", "nut"};
    return std::find(kFormats.begin(), kFormats.end(), demuxer.format_name()) != kFormats.end();
}

// These state their end time instead of their length: libav's demuxer does so for NUT, and its
// muxer for ASF. Other programs write the length into ASF files, for which the check is laxer.
bool states_end(const Demuxer& demuxer) {
    const std::string_view format = demuxer.format_name();
    return format == "nut" || format == "asf";
}

constexpr std::int64_t kLooseDurationUs = 500000;

// Writers round the last frame's duration, and count from zero if B-frames delay the first one:
// three seconds at 1 frame/s.
std::int64_t rounding_us(const AVStream& video) {
    const AVRational rate = video.avg_frame_rate;
    if (rate.num <= 0 || rate.den <= 0) return 0;
    const std::int64_t frames = 1 + std::max(video.codecpar->video_delay, 0);
    return av_rescale_q(frames, av_inv_q(rate), av_get_time_base_q());
}

// A cut file that still delivers its whole duration has lost only its index. Matroska counts in ms,
// and rounds both its ends.
constexpr std::int64_t kTightDurationUs = 5000;

// In an mp4's table of samples a piece of sound has no bytes.
bool is_empty_sound(const AVPacket& packet, const AVStream& stream, const Demuxer& demuxer) {
    return packet.size == 0 && stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO &&
           std::string_view(demuxer.format_name()).starts_with("mov,");
}

// The first place from `begin` on where the file holds these bytes.
std::optional<std::int64_t> find_bytes(const InputFile& file, std::int64_t begin,
                                       std::string_view bytes) {
    FileCursor cursor(file, begin);
    std::string found(bytes.size(), '\0');
    for (cursor.skip_to(static_cast<std::uint8_t>(bytes[0])); !cursor.ended();
         cursor.skip_to(static_cast<std::uint8_t>(bytes[0]))) {
        const std::int64_t at = cursor.at();
        for (char& c : found) c = static_cast<char>(cursor.u8());
        if (found == bytes) return at;
        cursor.go(at + 1);
    }
    return std::nullopt;
}

}  // namespace

DecodedFacts::DecodedFacts(const AVFrame& decoded)
    : duration(frame_duration(decoded)),
      byte(decoded.pkt_pos),
      corrupt((decoded.flags & AV_FRAME_FLAG_CORRUPT) != 0 || decoded.decode_error_flags != 0) {}

DamageWatch::DamageWatch(const Demuxer& demuxer, const AVStream& video, TimeRange range,
                         bool seeked)
    : demuxer_(demuxer),
      video_(video),
      range_(range),
      ledger_(video, seeked || starts_anywhere(demuxer)),
      nal_check_(*video.codecpar),
      streams_(demuxer, video),
      structure_(walk_structure(demuxer.file(), demuxer.kind())),
      from_start_(!seeked) {}

void DamageWatch::broken_packet(BadPlace place) {
    broken_bytes_ = true;
    collector_.corrupt_packet(place);
}

void DamageWatch::broken_structure(std::string sentence, BadPlace place) {
    broken_bytes_ = true;
    collector_.structure(std::move(sentence), place);
}

BadPlace DamageWatch::place_of(std::int64_t pts, std::int64_t byte) const {
    BadPlace place;
    if (pts != AV_NOPTS_VALUE) place.seconds = static_cast<double>(pts) * av_q2d(video_.time_base);
    if (byte >= 0) place.byte = byte;
    return place;
}

void DamageWatch::packet_read(const AVPacket& packet) {
    const AVStream& stream = *demuxer_.context().streams[packet.stream_index];
    const std::int64_t ts = packet_time(packet);
    const bool wanted = ts == AV_NOPTS_VALUE || !range_.after(ts, stream.time_base);
    if (packet.stream_index == video_.index) ++video_packets_;
    streams_.packet(packet);
    if (packet.pos >= 0 && wanted) {
        read_.begin = std::min(read_.begin, packet.pos);
        read_.end = std::max(read_.end, packet.pos + packet.size);
        if (from_start_) structure_->follow(packet.pos);
    }
    if (ts == AV_NOPTS_VALUE) return;
    const std::int64_t end_us =
        av_rescale_q(ts + packet.duration, stream.time_base, av_get_time_base_q());
    if (end_us > end_us_ && packet.duration == 0 && end_us_ != INT64_MIN)
        open_duration_us_ = end_us - end_us_;
    else if (end_us > end_us_)
        open_duration_us_ = 0;
    end_us_ = std::max(end_us_, end_us);
    const bool corrupt =
        (packet.flags & AV_PKT_FLAG_CORRUPT) != 0 || is_empty_sound(packet, stream, demuxer_);
    // Corrupt video packets show up as corrupt frames.
    if (!corrupt || packet.stream_index == video_.index) return;
    if (!range_.contains(ts, stream.time_base)) return;
    BadPlace place = place_of(AV_NOPTS_VALUE, packet.pos);
    place.seconds = static_cast<double>(ts) * av_q2d(stream.time_base);
    broken_packet(place);
}

void DamageWatch::packet_sent(const AVPacket& packet) {
    ledger_.sent(packet);
    if (demuxer_.is_sequence() && range_.contains(packet.pts, video_.time_base))
        check_member(packet.pts);
    last_sent_pts_ = packet_time(packet);
    last_sent_byte_ = packet.pos;
    last_sent_size_ = packet.size;
    if (packet.pos >= 0 && last_sent_pts_ != AV_NOPTS_VALUE)
        positions_.emplace_back(packet.pos, last_sent_pts_);
    if (!nal_check_.sound({packet.data, static_cast<std::size_t>(packet.size)}) &&
        range_.contains(last_sent_pts_, video_.time_base))
        broken_packet(place_of(last_sent_pts_, packet.pos));
}

void DamageWatch::frame(const DecodedFacts& decoded, std::int64_t pts) {
    if (!range_.contains(pts, video_.time_base)) return;
    ++frames_;
    video_end_ = std::max(video_end_, pts + std::max<std::int64_t>(decoded.duration, 0));
    if (decoded.corrupt) collector_.corrupt_frame(place_of(pts, decoded.byte));
}

void DamageWatch::decoder_errors(std::int64_t total) {
    const bool known_time = last_sent_pts_ != AV_NOPTS_VALUE;
    const bool wanted = !known_time || range_.contains(last_sent_pts_, video_.time_base);
    for (; errors_seen_ < total; ++errors_seen_) {
        if (!wanted) continue;
        const BadPlace place = place_of(last_sent_pts_, last_sent_byte_);
        if (!ledger_.leading())
            collector_.decode_error(place);
        else if (ledger_.received_any())
            errors_before_key_.push_back(place);
    }
}

void DamageWatch::read_error() {
    collector_.read_error(place_of(video_end_ == INT64_MIN ? AV_NOPTS_VALUE : video_end_,
                                   avio_tell(demuxer_.context().pb)));
}

bool DamageWatch::all_read() const {
    // Packet positions are those of the payload or of its header; this is the longest header of
    // these formats, or an end mark.
    constexpr std::int64_t kHeaderBytes = 16;
    AVIOContext* io = demuxer_.context().pb;
    return avio_feof(io) != 0 && avio_tell(io) - read_.end <= kHeaderBytes;
}

// If only a part of the file was requested, only problems in that part count.
bool DamageWatch::relevant(const StructureReport& found, bool at_end) const {
    if (range_.is_all()) return true;
    const bool cut = found.byte >= demuxer_.file().size();
    return cut ? at_end : found.byte >= read_.begin && found.byte < read_.end;
}

// Whether the file itself states it: pipes and live recordings do not, and libav then guesses from
// the bit rate.
bool DamageWatch::duration_is_stated() const {
    const AVFormatContext& context = demuxer_.context();
    return context.duration > 0 &&
           context.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE;
}

bool DamageWatch::time_is_missing(std::int64_t tolerance_us) const {
    const AVFormatContext& context = demuxer_.context();
    if (!duration_is_stated() || end_us_ == INT64_MIN) return true;
    const bool from_zero = context.start_time == AV_NOPTS_VALUE || states_end(demuxer_);
    const std::int64_t origin = from_zero ? 0 : context.start_time;
    return context.duration - (end_us_ - origin) > tolerance_us + open_duration_us_;
}

// Time of the first frame at or after `byte` in the file.
std::optional<double> DamageWatch::time_at(std::int64_t byte) const {
    for (const auto& [at, pts] : positions_)
        if (at >= byte) return place_of(pts, -1).seconds;
    return std::nullopt;
}

StructureReport DamageWatch::judge_structure(bool at_end) {
    // In a whole file, parts that libav did not find count too.
    const bool whole = at_end && from_start_ && range_.is_all();
    StructureReport found = structure_->finish(whole ? ByteRange{0, INT64_MAX} : read_);
    doubt(found.doubt);
    if (whole) {
        judge_counts(found);
        streams_.judge_whole(found.streams, collector_);
        judge_rest();
    }
    streams_.judge_decoders();
    for (const std::string& clause : streams_.doubts()) doubt(clause);
    if (found.problem.empty() || !relevant(found, at_end)) return found;
    if (found.only_if_short && !time_is_missing(kTightDurationUs)) return found;
    BadPlace place{found.seconds, found.byte};
    const bool cut = found.byte >= demuxer_.file().size();
    if (cut && video_end_ != INT64_MIN) place.seconds = place_of(video_end_, -1).seconds;
    if (!place.seconds) place.seconds = time_at(found.byte);
    broken_structure(found.problem, place);
    return found;
}

// Empty where neither the container nor the picture format proves that the file is whole.
std::string DamageWatch::proof(const StructureReport& found, bool at_end) const {
    // The decoders of these codecs reject incomplete frames.
    constexpr std::array kWhole = {
        AV_CODEC_ID_BMP, AV_CODEC_ID_TIFF, AV_CODEC_ID_TARGA, AV_CODEC_ID_PCX, AV_CODEC_ID_SGI,
        AV_CODEC_ID_DPX, AV_CODEC_ID_PPM,  AV_CODEC_ID_PGM,   AV_CODEC_ID_PBM, AV_CODEC_ID_PAM};
    if (!doubts_.empty()) return "";
    if (!at_end) return "a frame after the wanted time";
    if (!found.proof.empty()) return found.proof;
    if (states_duration(demuxer_) && duration_is_stated()) return "the duration in its header";
    const bool whole = demuxer_.is_images() && std::find(kWhole.begin(), kWhole.end(),
                                                         video_.codecpar->codec_id) != kWhole.end();
    return whole ? "its size" : "";
}

// Animations state how many frames they show. An AVI's closing index counts its packets; without
// it the stream's header does.
void DamageWatch::judge_counts(const StructureReport& found) {
    const auto stream = static_cast<std::size_t>(video_.index);
    const bool indexed = stream < found.indexed.size();
    std::int64_t promised = demuxer_.is_images() ? 0 : found.frames.value_or(0);
    if (indexed) promised = found.indexed[stream];
    if (promised > 0) collector_.set_expected(promised, indexed ? video_packets_ : frames_);
}

// An AVI's chunks follow each other. If all are there, an entry of its index that names another
// place is wrong. Samples of an mp4 are only where the index places them.
void DamageWatch::judge_index(const StructureReport& walked, bool at_end) {
    if (const auto beyond = first_part_beyond_end(demuxer_, range_)) {
        std::string sentence =
            fmt::format("the file ends at byte {}, but its index reaches to byte {}",
                        demuxer_.file().size(), beyond->end_byte);
        const bool chunks = std::string_view(demuxer_.format_name()) == "avi";
        if (chunks && walked.problem.empty() && !walked.proof.empty())
            doubt(sentence);
        else
            broken_structure(std::move(sentence), {beyond->seconds, beyond->byte});
    }
    if (!at_end || !range_.is_all()) return;
    const std::int64_t promised = indexed_frames(demuxer_, video_);
    if (promised == 0) return;
    const std::int64_t found = ledger_.sent_count();
    if (!collector_.lacks_frames()) collector_.set_expected(promised, found);
    if (found < promised) collector_.missing_frame(indexed_place(demuxer_, video_, found));
}

// A last frame that is cut off ends the stream like a whole one: y4m drops it, DV completes it with
// the previous frame.
void DamageWatch::judge_tail() {
    const std::int64_t size = demuxer_.file().size();
    const std::string_view format = demuxer_.format_name();
    const bool y4m = format == "yuv4mpegpipe";
    if ((!y4m && format != "dv") || size < 0 || last_sent_byte_ < 0) return;
    constexpr std::int64_t kFrameHeader = 6;  // "FRAME\n"
    const std::int64_t end = last_sent_byte_ + last_sent_size_;
    const bool cut = y4m ? size - end > kFrameHeader : end != size;
    if (cut)
        broken_structure("the last frame is cut off", place_of(video_end_, std::min(end, size)));
}

// Checks a picture of a sequence, since its decoder may complete one that is cut off.
void DamageWatch::check_member(std::int64_t pts) {
    const InputFile file(demuxer_.picture_name(pts));
    const StructureReport found = check_structure(file, demuxer_.kind(), {0, file.size()});
    if (found.problem.empty()) return;
    BadPlace place = place_of(pts, found.byte);
    broken_structure(fmt::format("{}: {}", file.path(), found.problem), place);
}

// A clause of the reason why the input's completeness cannot be proven; empty ones are ignored.
void DamageWatch::doubt(const std::string& clause) {
    if (clause.empty()) return;
    doubts_ += doubts_.empty() ? clause : "; " + clause;
}

// libav's demuxers stop at the end of the first of several joined files.
void DamageWatch::judge_rest() {
    struct Start {
        std::string_view format;
        std::string_view bytes;
    };
    using namespace std::string_view_literals;
    constexpr std::array kStarts = {
        Start{"apng", "\x89PNG\r\n\x1a\n"sv},
        Start{"gif", "GIF89a"sv},
        Start{"asf", "\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c"sv},
        Start{"avi", "AVI LIST"sv},
        Start{"flv", "FLV\x01"sv},
        Start{"nut", "nut/multimedia container\0"sv}};
    const auto* const start =
        std::ranges::find(kStarts, std::string_view(demuxer_.format_name()), &Start::format);
    if (start == kStarts.end() || !demuxer_.file().seekable() || read_.end == 0) return;
    // Of joined NUT files, the first and the last frames are read.
    const bool nut = start->format == "nut";
    if (const auto at = find_bytes(demuxer_.file(), nut ? 1 : read_.end, start->bytes))
        doubt(fmt::format(
            "another file follows this one near byte {} and is not read; split them there", *at));
}

void DamageWatch::judge_sequence() {
    const std::size_t count = demuxer_.gaps().size();
    if (count == 0) return;
    broken_structure(fmt::format("{} picture{} missing from the sequence, first {}", count,
                                 count == 1 ? " is" : "s are", demuxer_.gaps().front()),
                     {});
}

DamageReport DamageWatch::finish(bool at_end) {
    // Without a key frame, the errors are not those of frames before it.
    if (!ledger_.key_seen())
        for (const BadPlace& place : errors_before_key_) collector_.decode_error(place);
    for (const FrameLedger::Entry& entry : ledger_.missing())
        if (range_.contains(entry.pts, video_.time_base))
            collector_.missing_frame(place_of(entry.pts, entry.byte));
    if (demuxer_.is_sequence()) {
        judge_sequence();
        DamageReport report = collector_.report();
        if (!report.damaged) report.proven_by = "the numbers of its files";
        return report;
    }
    const StructureReport found = judge_structure(at_end);
    judge_index(found, at_end);
    if (at_end) judge_tail();
    const bool promised = states_duration(demuxer_) && duration_is_stated();
    if (at_end && promised && time_is_missing(kLooseDurationUs + rounding_us(video_)))
        broken_structure("the file ends before the duration that its header states",
                         place_of(video_end_, -1));
    DamageReport report = collector_.report();
    if (!report.damaged) report.proven_by = proof(found, at_end);
    if (!report.damaged) report.reason = doubts_;
    return report;
}

}  // namespace weft
