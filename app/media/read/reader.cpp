#include "app/media/read/reader.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/media/check/index_check.h"
#include "app/media/demux/closed_key.h"
#include "app/media/demux/video_stream.h"
#include "app/media/libav/assertion_trap.h"
#include "app/media/libav/undecodable.h"
#include "app/media/metadata/unread_metadata.h"
#include "app/media/read/decode_loop.h"
#include "app/media/read/given_tags.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace weft {

namespace {

// While it exists, the reader is at work on its thread.
struct Work {
    explicit Work(const ReaderOptions& options)
        : beats(options.heartbeat->work()), trap(options.heartbeat.get()) {}
    Heartbeat::Scope beats;
    AssertionTrap trap;
};

bool is_still_container(const Demuxer& demuxer) {
    const AVDictionaryEntry* brand =
        av_dict_get(demuxer.context().metadata, "major_brand", nullptr, 0);
    const std::string_view name = brand ? brand->value : "";
    return name == "avif" || name == "heic" || name == "mif1";
}

// A seek is exact if the first decoded frame is at or before the start; otherwise retry from
// earlier, and finally read the file from its beginning. A failed seek leaves libav anywhere in the
// file (flv, raw streams), so its loop is discarded. Where a clock starts again,
// times do not show where to seek.
std::unique_ptr<DecodeLoop> open_at_start(const ReaderOptions& options) {
    if (!options.start_us || options.counts_frames) return std::make_unique<DecodeLoop>(options);
    for (const std::int64_t earlier_us : SeekingDecoder::kBackOffUs) {
        auto loop = std::make_unique<DecodeLoop>(options, true, earlier_us);
        if (!loop->source().can_seek()) return loop;
        if (!loop->source().is_seeked()) break;
        if (earlier_us == 0 && clock_restarts(options)) break;
        if (!loop->source().may_land(earlier_us)) continue;
        while (!loop->first_pts() && !loop->over()) loop->step();
        if (loop->seek_is_exact()) return loop;
    }
    return std::make_unique<DecodeLoop>(options);
}

// Null if the key frame is not found.
std::unique_ptr<DecodeLoop> open_at_key(const ReaderOptions& options, const ClosedKey& key) {
    for (const std::int64_t earlier_us : SeekingDecoder::kBackOffUs) {
        auto loop = std::make_unique<DecodeLoop>(options, key, earlier_us);
        if (!loop->source().is_seeked()) return nullptr;
        while (!loop->first_pts() && !loop->over()) loop->step();
        if (loop->first_pts() == key.pts) return loop;
    }
    return nullptr;
}

[[noreturn]] void throw_no_frame(const DecodeLoop& loop, const std::string& path) {
    if (loop.first_pts())
        throw MediaError(Outcome::failed, path + ": has no frame between -ss and -to");
    const DamageReport& report = loop.report();
    if (!loop.demuxer().is_recognised())
        throw Undecodable(path + ": is not an image that FFmpeg can decode, despite its name");
    const bool broken = !loop.demuxer().is_images() || report.damaged || loop.decode_errors() > 0;
    throw MediaError(broken ? Outcome::damaged : Outcome::failed,
                     fmt::format("{}: damaged: no frame can be decoded{}{}", path,
                                 report.reason.empty() ? "" : "; ", report.reason));
}

// Where the container's description of the colors contradicts that in the coded frames. FFmpeg, and
// so the output, follows the frames.
std::vector<std::string> color_conflicts(const AVCodecParameters& container, const AVFrame& frame) {
    std::vector<std::string> notes;
    const auto compare = [&](const char* property, auto stated, auto coded, auto unspecified,
                             auto name_of) {
        if (stated == coded || stated == unspecified || coded == unspecified) return;
        const char* const one = name_of(stated);
        const char* const other = name_of(coded);
        if (one != nullptr && other != nullptr)
            notes.push_back(
                fmt::format("the container states the {} {}, but the frames state {}, "
                            "which is kept",
                            property, one, other));
    };
    compare("matrix", container.color_space, frame.colorspace, AVCOL_SPC_UNSPECIFIED,
            av_color_space_name);
    compare("primaries", container.color_primaries, frame.color_primaries, AVCOL_PRI_UNSPECIFIED,
            av_color_primaries_name);
    compare("transfer curve", container.color_trc, frame.color_trc, AVCOL_TRC_UNSPECIFIED,
            av_color_transfer_name);
    return notes;
}

// Whether an image file holds a single picture: looks for a second one.
bool is_single_picture(DecodeLoop& loop) {
    const Demuxer& demuxer = loop.demuxer();
    if (demuxer.is_sequence()) return false;
    if (is_still_container(demuxer)) return loop.video().nb_frames <= 1;
    if (!demuxer.is_images() && std::string_view(demuxer.format_name()) != "ico") return false;
    while (loop.frame_count() < 2 && !loop.over()) loop.step();
    return loop.frame_count() == 1;
}

// Image files are opened without probing; the parameters for the Writer come from the first frame.
void fill_picture_parameters(const DecodeLoop& loop, const AVFrame& first) {
    if (!loop.demuxer().is_images()) return;
    AVCodecParameters& codec = *loop.video().codecpar;
    codec.width = first.width;
    codec.height = first.height;
    codec.format = first.format;
    codec.sample_aspect_ratio = first.sample_aspect_ratio;
}

std::int64_t estimate_frames(const DecodeLoop& loop) {
    const AVFormatContext& context = loop.demuxer().context();
    const AVStream& video = loop.video();
    const std::int64_t indexed = indexed_frames(loop.demuxer(), video);
    const std::int64_t promised = indexed > 0 ? indexed : video.nb_frames;
    if (promised > 0 && loop.range().is_all()) return promised;
    const bool known = video.avg_frame_rate.num > 0 && video.avg_frame_rate.den > 0;
    if (context.duration <= 0 || !known) return 0;
    const std::int64_t origin = context.start_time == AV_NOPTS_VALUE ? 0 : context.start_time;
    return av_rescale_q(loop.range().wanted_us(context.duration, origin), av_get_time_base_q(),
                        av_inv_q(video.avg_frame_rate));
}

}  // namespace

struct Reader::Impl {
    explicit Impl(ReaderOptions given) : options(std::move(given)) {
        const Work work(options);
        loop = open_at_start(options);
        take_first_frame();
        loop->leave_out_streams();  // those that ts and ps have only shown since
        turn = display_turn_of(loop->video(), *first.av);
        still = is_single_picture(*loop);
        picture = loop->source().picture_metadata();
        if (!picture && still)
            picture = std::make_shared<PictureMetadata>(loop->demuxer().file(),
                                                        loop->video().codecpar->codec_id);
        if (picture) picture->add_profile_of(*first.av);
        fill_picture_parameters(*loop, *first.av);
        if (!still) read_metadata();
        set_tags(loop->demuxer().context(), options.tags);
        own_notes = color_conflicts(*loop->video().codecpar, *first.av);
        if (turn.mirrored)
            own_notes.emplace_back(
                "the display matrix mirrors the picture; this is not applied on the GPU");
        if (turn.slanted)
            own_notes.push_back(
                fmt::format("the display matrix does not rotate by a multiple of 90 degrees; {} "
                            "degrees is used instead",
                            turn.degrees));
        refresh_notes();
    }

    // Leaves a Frame without pixels at its place in the queue.
    void take_first_frame() {
        while (loop->frame_count() == 0 && !loop->over()) loop->step();
        for (MediaItem& item : loop->ready())
            if (auto* frame = std::get_if<Frame>(&item)) {
                first = std::move(*frame);
                return;
            }
        throw_no_frame(*loop, options.path);
    }

    void read_metadata() {
        unread = find_unread_metadata(loop->demuxer().file(), loop->demuxer().format_name());
        const AVFormatContext& context = loop->demuxer().context();
        for (const auto& [key, value] : unread.tags)
            set_entry(&loop->demuxer().context().metadata, key.c_str(), value.c_str());
        for (const auto& [stream, name] : unread.track_names)
            if (stream < static_cast<int>(context.nb_streams) && !name.empty())
                set_entry(&context.streams[stream]->metadata, "title", name.c_str(),
                          AV_DICT_DONT_OVERWRITE);
    }

    // first_frame() and source() still need the loop that read the beginning.
    bool skip_to(const ClosedKey& key) {
        const Work work(options);
        std::unique_ptr<DecodeLoop> at_key = open_at_key(options, key);
        if (!at_key) return false;
        beginning = std::exchange(loop, std::move(at_key));
        beginning->stop_decoding();
        skipped = key.frame;
        return true;
    }

    // first_frame() keeps everything but the pixels, which may be hundreds of megabytes.
    Frame hand_out_first() {
        AVFramePtr kept = without_pixels(*first.av);
        Frame out;
        out.av = std::exchange(first.av, std::move(kept));
        out.pts = first.pts;
        out.duration = first.duration;
        out.index = first.index;
        return out;
    }

    DecodeLoop& first_loop() { return beginning ? *beginning : *loop; }

    void refresh_notes() {
        notes = own_notes;
        for (std::string& note : loop->notes()) notes.push_back(std::move(note));
    }

    MediaItem next() {
        const Work work(options);
        std::deque<MediaItem>& ready = loop->ready();
        while (ready.empty() && !loop->over()) loop->step();
        if (loop->over()) refresh_notes();
        if (ready.empty() || std::holds_alternative<EndOfInput>(ready.front())) return EndOfInput{};
        if (auto* frame = std::get_if<Frame>(&ready.front())) {
            Frame out = frame->av ? std::move(*frame) : hand_out_first();
            ready.pop_front();
            return out;
        }
        SourcePacket out = std::move(std::get<SourcePacket>(ready.front()));
        ready.pop_front();
        return out;
    }

    ReaderOptions options;
    std::unique_ptr<DecodeLoop> loop;
    std::unique_ptr<DecodeLoop> beginning;  // once the reader has skipped frames
    std::int64_t skipped = 0;
    Frame first;
    DisplayTurn turn;
    bool still = false;
    std::shared_ptr<PictureMetadata> picture;
    UnreadMetadata unread;
    std::vector<std::string> own_notes;
    std::vector<std::string> notes;
};

Reader::Reader(ReaderOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

const AVFormatContext& Reader::source() const {
    return impl_->first_loop().demuxer().context();
}
const AVStream& Reader::video_stream() const {
    return impl_->first_loop().video();
}
AVRational Reader::time_base() const {
    return impl_->first_loop().video().time_base;
}
const Frame& Reader::first_frame() const {
    return impl_->first;
}
int Reader::rotation_degrees() const {
    return impl_->turn.degrees;
}
bool Reader::interlaced() const {
    return is_interlaced(impl_->first_loop().video(), *impl_->first.av);
}
bool Reader::is_still_image() const {
    return impl_->still;
}
const PictureMetadata* Reader::picture_metadata() const {
    return impl_->picture.get();
}
Decoding Reader::decoding() const {
    return impl_->loop->decoding();
}
const UnreadMetadata& Reader::unread_metadata() const {
    return impl_->unread;
}
const std::vector<std::string>& Reader::notes() const {
    return impl_->notes;
}
const StreamChanges& Reader::changes() const {
    return impl_->loop->changes();
}
std::int64_t Reader::estimated_frames() const {
    return impl_->still ? 1 : estimate_frames(*impl_->loop);
}
bool Reader::skip_to(const ClosedKey& key) {
    return impl_->skip_to(key);
}
std::int64_t Reader::frames_skipped() const {
    return impl_->skipped;
}
std::int64_t Reader::frames_before_start() const {
    return impl_->first_loop().frames_before_start();
}
MediaItem Reader::next() {
    return impl_->next();
}
bool Reader::at_end() const {
    return impl_->loop->over();
}
std::string Reader::input_change() const {
    return impl_->loop->demuxer().change();
}
const DamageReport& Reader::damage() const {
    return impl_->loop->report();
}

}  // namespace weft
