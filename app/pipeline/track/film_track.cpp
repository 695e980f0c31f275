#include "app/pipeline/track/film_track.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "app/media/check/frame_list.h"
#include "app/media/libav/error.h"
#include "app/media/picture/frame.h"
#include "app/media/picture/pixel_converter.h"
#include "app/media/picture/pixel_traits.h"
#include "app/media/picture/rotation.h"
#include "app/pipeline/bounded_queue.h"
#include "app/pipeline/stage_threads.h"
#include "app/pipeline/times.h"

namespace weft {
namespace {

// Of pictures that wait to be tracked backwards.
constexpr std::size_t kMostBytes = std::size_t{512} << 20;
// A time that was typed with three decimals means the frame that it was read off.
constexpr std::int64_t kRounding_us = 1000;

using Picture = std::shared_ptr<const GrayPyramid>;

// ---- boxes in the decoded picture ----

TrackBox transposed(const TrackBox& box) {
    return {box.top, box.left, box.height, box.width};
}

TrackBox mirrored(TrackBox box, const Turn& turn, int width, int height) {
    if (turn.mirror_x) box.left = width - box.right();
    if (turn.mirror_y) box.top = height - box.bottom();
    return box;
}

// Between the picture as it is decoded and as it is shown.
struct Shown {
    Turn turn;
    int width = 0;  // as shown
    int height = 0;

    TrackBox from_decoded(const TrackBox& box) const {
        return mirrored(turn.transpose ? transposed(box) : box, turn, width, height);
    }
    TrackBox to_decoded(const TrackBox& box) const {
        const TrackBox upright = mirrored(box, turn, width, height);
        return turn.transpose ? transposed(upright) : upright;
    }
};

Shown shown_as(const Reader& reader) {
    const Turn turn = turn_by(reader.rotation_degrees());
    const AVFrame& frame = *reader.first_frame().av;
    return turn.transpose ? Shown{turn, frame.height, frame.width}
                          : Shown{turn, frame.width, frame.height};
}

// ---- reading ----

// Makes pyramids of frames: of their luma as it is, if they have any.
class PyramidMaker {
 public:
    PyramidMaker(std::string path, int finest)
        : to_gray_(AV_PIX_FMT_GRAY8, std::move(path)), finest_(finest) {}

    Picture make(const Frame& frame) {
        const PixelTraits traits = pixel_traits(frame.format());
        if (!traits.rgb && !traits.floating) return of(*frame.av, traits.depth);
        return of(*to_gray_.convert(*frame.av), 8);
    }

 private:
    Picture of(const AVFrame& frame, int depth_bits) const {
        return std::make_shared<const GrayPyramid>(plane_views(frame)[0], depth_bits, finest_);
    }

    PixelConverter to_gray_;
    int finest_;
};

struct FilmFrame {
    std::int64_t index = 0;    // 0 for the first frame of the file
    std::int64_t time_us = 0;  // from the beginning of the file
    std::int64_t end_us = 0;   // when the next frame is shown
    Picture picture = {};      // none before the first drawn box
};

std::int64_t time_us_of(const Reader& reader, std::int64_t pts) {
    const std::int64_t origin = reader.source().start_time;
    return av_rescale_q_rnd(pts, reader.time_base(), av_get_time_base_q(), AV_ROUND_DOWN) -
           (origin == AV_NOPTS_VALUE ? 0 : origin);
}

// Frames of a reader with the times at which they end.
class FilmReader {
 public:
    FilmReader(Reader& reader, PyramidMaker maker) : reader_(&reader), maker_(std::move(maker)) {}

    // The next frame, with its picture if it ends after `since_us`.
    std::optional<FilmFrame> next(std::int64_t since_us) {
        if (!held_) held_ = read();
        if (!held_) return std::nullopt;
        const Frame frame = std::move(*held_);
        held_ = read();
        FilmFrame film{frame.index, time_us_of(*reader_, frame.pts)};
        film.end_us =
            held_ ? time_us_of(*reader_, held_->pts)
                  : time_us_of(*reader_, frame.pts + std::max<std::int64_t>(frame.duration, 1));
        if (film.end_us > since_us) film.picture = maker_.make(frame);
        return film;
    }

 private:
    std::optional<Frame> read() {
        for (;;) {
            MediaItem item = reader_->next();
            if (auto* frame = std::get_if<Frame>(&item)) return std::move(*frame);
            if (std::holds_alternative<EndOfInput>(item)) return std::nullopt;
        }
    }

    Reader* reader_;
    PyramidMaker maker_;
    std::optional<Frame> held_;
};

// ---- following ----

struct Followed {
    TrackedBox tracked;
    std::int64_t distance = 0;  // to the drawn box, in frames
};
using FollowedFrames = std::map<std::int64_t, Followed>;  // by index

TrackBox united(const TrackBox& a, const TrackBox& b) {
    const double left = std::min(a.left, b.left);
    const double top = std::min(a.top, b.top);
    return {left, top, std::max(a.right(), b.right()) - left,
            std::max(a.bottom(), b.bottom()) - top};
}

bool overlap(const TrackBox& a, const TrackBox& b) {
    return a.left < b.right() && b.left < a.right() && a.top < b.bottom() && b.top < a.bottom();
}

// Follows the object from one drawn box in one direction. Once it finds a lost object again, it
// follows it back to where it was lost, which finds it in frames that show only a part of it.
class Follower {
 public:
    Follower(const GrayPyramid& first, const TrackBox& box, std::int64_t index,
             FollowedFrames& frames)
        : tracker_(first, box), start_(index), frames_(&frames) {
        frames[index] = {{tracker_.first_box(), 1}, 0};
    }

    bool ended() const { return ended_; }

    void take(std::int64_t index, const Picture& picture) {
        if (ended_) return;
        const std::optional<TrackedBox> tracked = tracker_.next(*picture);
        ended_ = !tracked;
        if (!tracked) return;
        (*frames_)[index] = {*tracked, std::abs(index - start_)};
        if (tracked->confidence >= 0.5)
            follow_back();
        else
            keep(index, picture);
    }

 private:
    void keep(std::int64_t index, const Picture& picture) {
        lost_.emplace_back(index, picture);
        if (lost_.size() * picture->bytes() > kMostBytes) lost_.erase(lost_.begin());
    }

    void follow_back() {
        if (lost_.empty()) return;
        Tracker back = tracker_;
        back.turn_round();
        for (std::size_t k = lost_.size(); k-- > 0;) {
            const std::optional<TrackedBox> tracked = back.next(*lost_[k].second);
            if (!tracked) break;
            TrackedBox& known = (*frames_)[lost_[k].first].tracked;
            const bool later_half = k >= lost_.size() / 2;
            const bool apart = !overlap(known.box, tracked->box);
            if (tracked->confidence >= 0.5 || (apart && later_half))
                known = *tracked;
            else if (!apart)
                known.box = united(known.box, tracked->box);
        }
        lost_.clear();
    }

    Tracker tracker_;
    std::int64_t start_;
    FollowedFrames* frames_;
    std::vector<std::pair<std::int64_t, Picture>> lost_;
    bool ended_ = false;
};

bool better(const Followed& a, const Followed& b) {
    const bool a_sure = a.tracked.confidence >= 0.5;
    const bool b_sure = b.tracked.confidence >= 0.5;
    if (a_sure != b_sure) return a_sure;
    return a.distance < b.distance;
}

// The start of a drawn box, known when its frame has been read.
struct Start {
    std::int64_t index = 0;
    Picture picture;
    TrackBox box;  // as decoded
};

class FilmTrack {
 public:
    FilmTrack(const TrackJob& job, const TrackProgress& progress)
        : job_(job), progress_(&progress), reader_(sweep_options(job)) {
        std::ranges::sort(job_.drawn, {}, &DrawnBox::time_us);
        shown_ = shown_as(reader_);
        check();
        finest_ = std::numeric_limits<int>::max();
        for (const DrawnBox& drawn : job_.drawn)
            finest_ = std::min(finest_, Tracker::finest_level(shown_.to_decoded(drawn.box)));
        total_ = reader_.estimated_frames();
    }

    TrackReport run(const std::stop_token& stop) {
        const auto begin = std::chrono::steady_clock::now();
        skip(stop);
        sweep(stop);
        if (starts_.size() < job_.drawn.size()) throw_too_late(job_.drawn[starts_.size()].time_us);
        total_ = done_ + frames_backwards();
        follow_backwards(stop);
        report_.notes = reader_.notes();
        merge();
        report_.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        return std::move(report_);
    }

 private:
    static ReaderOptions sweep_options(const TrackJob& job) {
        ReaderOptions options = job.reader;
        options.audio = options.subtitles = false;
        options.end_us = job.to_us;
        return options;
    }

    void check() const {
        for (const DrawnBox& drawn : job_.drawn) {
            const TrackBox& box = drawn.box;
            if (!overlap(box, {0, 0, double(shown_.width), double(shown_.height)}))
                throw Error(Outcome::usage,
                            fmt::format("--box {}x{}+{}+{}: the box is outside the picture of "
                                        "{}x{}; draw it inside",
                                        box.width, box.height, box.left, box.top, shown_.width,
                                        shown_.height));
        }
        const std::int64_t duration = reader_.source().duration;
        if (duration != AV_NOPTS_VALUE && job_.drawn.back().time_us > duration)
            throw_too_late(job_.drawn.back().time_us);
    }

    [[noreturn]] void throw_too_late(std::int64_t time_us) const {
        const std::int64_t duration = reader_.source().duration;
        throw Error(Outcome::usage,
                    fmt::format("--at {:.6g}: the film {}ends before; choose an earlier time",
                                static_cast<double>(time_us) * 1e-6,
                                duration == AV_NOPTS_VALUE
                                    ? ""
                                    : fmt::format("lasts {:.6g} seconds and ",
                                                  static_cast<double>(duration) * 1e-6)));
    }

    // Frames before the range only have to be counted, which some files allow without decoding.
    void skip(const std::stop_token& stop) {
        if (!job_.from_us || reader_.is_still_image()) return;
        const auto list = list_frames(sweep_options(job_), stop);
        if (!list) return;
        const ClosedKey* last = nullptr;
        for (const ClosedKey& key : list->keys)
            if (time_us_of(reader_, key.pts) <= *job_.from_us) last = &key;
        if (last != nullptr) reader_.skip_to(*last);
    }

    // Reads the film once: numbers its frames and follows the object forwards.
    void sweep(const std::stop_token& stop) {
        BoundedQueue<FilmFrame> queue(std::size_t{64} << 20);
        StageThreads threads(stop);
        threads.start([&](const std::stop_token& s) {
            FilmReader film(reader_, PyramidMaker(job_.reader.path, finest_));
            const std::int64_t since = job_.drawn.front().time_us;
            while (auto frame = film.next(since)) {
                const std::size_t weight = frame->picture ? frame->picture->bytes() : 1;
                if (!queue.push(std::move(*frame), weight, s)) return;
            }
            queue.close();
        });
        threads.run_here([&](const std::stop_token& s) {
            while (const auto frame = queue.pop(s)) take(*frame);
        });
        threads.join();
        if (stop.stop_requested()) throw Cancelled();
        report_.damage = reader_.damage();
    }

    void take(const FilmFrame& frame) {
        if (times_.empty()) first_index_ = frame.index;
        times_.push_back(frame.time_us);
        advance();
        if (job_.from_us && frame.end_us <= *job_.from_us) return;
        const std::size_t next = starts_.size();
        if (next < job_.drawn.size() && job_.drawn[next].time_us + kRounding_us < frame.end_us) {
            start(frame);
            return;
        }
        if (!follower_) return;
        follow(*follower_, frame.index, frame.picture, -1);
    }

    void start(const FilmFrame& frame) {
        // Of several boxes for one frame, the last one counts.
        std::size_t next = starts_.size();
        while (next < job_.drawn.size() && job_.drawn[next].time_us + kRounding_us < frame.end_us) {
            starts_.push_back(
                {frame.index, frame.picture, shown_.to_decoded(job_.drawn[next].box)});
            ++next;
        }
        follower_.emplace(*frame.picture, starts_.back().box, frame.index, forwards_);
    }

    void follow(Follower& follower, std::int64_t index, const Picture& picture,
                std::int64_t towards) {
        if (follower.ended()) return;
        follower.take(index, picture);
        if (follower.ended())
            report_.cuts.push_back(frame_at(index + towards));
        else
            ++report_.followed;
    }

    TrackedFrame frame_at(std::int64_t index) const {
        const std::int64_t time = times_[static_cast<std::size_t>(index - first_index_)];
        return {index + 1, static_cast<double>(time) * 1e-6, {}, 0};
    }

    void advance() {
        ++done_;
        if (*progress_) (*progress_)(done_, total_);
    }

    // The first frame of the range, or the first one after the drawn box before.
    std::int64_t backwards_end(std::size_t start) const {
        if (start > 0) return starts_[start - 1].index + 1;
        std::int64_t index = first_index_;
        while (job_.from_us && index < starts_[0].index &&
               times_[static_cast<std::size_t>(index + 1 - first_index_)] <= *job_.from_us)
            ++index;
        return index;
    }

    std::int64_t frames_backwards() const {
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < starts_.size(); ++k)
            sum += std::max<std::int64_t>(starts_[k].index - backwards_end(k), 0);
        return sum;
    }

    void follow_backwards(const std::stop_token& stop) {
        for (std::size_t k = 0; k < starts_.size(); ++k) {
            const Start& start = starts_[k];
            Follower follower(*start.picture, start.box, start.index, backwards_);
            const auto chunk = std::max<std::int64_t>(
                static_cast<std::int64_t>(kMostBytes / start.picture->bytes()), 16);
            std::int64_t end = start.index;
            const std::int64_t last = backwards_end(k);
            while (end > last && !follower.ended()) {
                const std::int64_t begin = std::max(end - chunk, last);
                const std::vector<FilmFrame> frames = read(begin, end, stop);
                for (std::size_t f = frames.size(); f-- > 0;) {
                    if (stop.stop_requested()) throw Cancelled();
                    follow(follower, frames[f].index, frames[f].picture, 1);
                    advance();
                }
                end = begin;
            }
        }
    }

    // The frames with these indices, which the sweep has seen.
    std::vector<FilmFrame> read(std::int64_t begin, std::int64_t end,
                                const std::stop_token& stop) const {
        const auto time = [&](std::int64_t index) {
            return times_[static_cast<std::size_t>(index - first_index_)];
        };
        ReaderOptions options = sweep_options(job_);
        if (begin > 0) options.start_us = time(begin);
        options.end_us = time(end);
        Reader reader(options);
        FilmReader film(reader, PyramidMaker(job_.reader.path, finest_));
        std::vector<FilmFrame> frames;
        while (auto frame = film.next(std::numeric_limits<std::int64_t>::min())) {
            if (stop.stop_requested()) throw Cancelled();
            const auto at = std::ranges::lower_bound(times_, frame->time_us);
            frame->index = first_index_ + (at - times_.begin());
            if (frame->index >= begin && frame->index < end) frames.push_back(std::move(*frame));
        }
        return frames;
    }

    void merge() {
        for (const auto& [index, back] : backwards_) {
            const auto known = forwards_.find(index);
            if (known == forwards_.end() || better(back, known->second)) forwards_[index] = back;
        }
        for (const auto& [index, followed] : forwards_) {
            TrackedFrame frame = frame_at(index);
            frame.box = shown_.from_decoded(followed.tracked.box);
            frame.confidence = followed.tracked.confidence;
            report_.frames.push_back(frame);
        }
        std::ranges::sort(report_.cuts, {}, &TrackedFrame::number);
    }

    TrackJob job_;
    const TrackProgress* progress_;
    Reader reader_;
    Shown shown_;
    int finest_ = 0;
    std::int64_t first_index_ = 0;
    std::vector<std::int64_t> times_;  // in microseconds, from first_index_ on
    std::vector<Start> starts_;
    std::optional<Follower> follower_;
    FollowedFrames forwards_;
    FollowedFrames backwards_;
    std::int64_t done_ = 0;
    std::int64_t total_ = 0;
    TrackReport report_;
};

}  // namespace

std::vector<UncertainStretch> uncertain_stretches(const TrackReport& report) {
    std::vector<UncertainStretch> found;
    for (const TrackedFrame& frame : report.frames) {
        if (frame.confidence >= 0.5) continue;
        if (!found.empty() && found.back().last.number + 1 == frame.number)
            found.back().last = frame;
        else
            found.push_back({frame, frame});
    }
    return found;
}

TrackReport track_film(const TrackJob& job, const std::stop_token& stop,
                       const TrackProgress& progress) {
    return FilmTrack(job, progress).run(stop);
}

}  // namespace weft
