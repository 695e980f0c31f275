#include "app/pipeline/motion/film_motion.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "app/media/read/reader.h"
#include "app/pipeline/result_text.h"
#include "app/pipeline/stage_threads.h"
#include "app/pipeline/stages.h"
#include "filters/text/nearest.h"
#include "filters/text/text_error.h"

namespace weft {
namespace {

// The pixels [begin, end) of `whole` that a stretch touches. A side that misses the edge of a pixel
// by the rounding of percentages is on it.
struct Touched {
    Touched(double from, double length, int whole)
        : begin(static_cast<int>(std::floor(inside(from + kOnEdge, whole)))),
          end(static_cast<int>(std::ceil(inside(from + length - kOnEdge, whole)))) {}

    static double inside(double side, int whole) { return std::clamp<double>(side, 0, whole); }

    static constexpr double kOnEdge = 1e-6;
    int begin, end;
};

// Measures the frames of one film.
class FilmMeasure {
 public:
    FilmMeasure(const Reader& reader, const FilmMotionOptions& options)
        : path_(options.reader.path),
          keeper_(*reader.first_frame().av, OnChange::scale, path_),
          info_(frame_info(*reader.first_frame().av, reader.rotation_degrees())),
          part_(coded_region(options.region)),
          shrinker_(info_, part_),
          detector_(options.motion),
          tick_(av_q2d(reader.time_base())),
          origin_(origin_of(reader)) {
        film_.notes = reader.notes();
        film_.frames_estimated = reader.estimated_frames();
        film_.begin_seconds = film_.end_seconds = seconds_of(reader.first_frame().pts);
    }

    // Measures frames until the end, or until a stop is requested.
    void run(MediaQueue& in, const FilmMotionProgress& progress, const std::stop_token& stop) {
        while (auto item = in.pop(stop)) {
            auto* frame = std::get_if<Frame>(&*item);
            if (frame == nullptr) continue;
            take(*frame);
            if (progress) progress(film_);
        }
        detector_.finish(film_.end_seconds);
        list_events();
    }

    FilmMotion& film() { return film_; }

 private:
    static double origin_of(const Reader& reader) {
        const std::int64_t start = reader.source().start_time;
        return start == AV_NOPTS_VALUE ? 0 : static_cast<double>(start) / AV_TIME_BASE;
    }
    double seconds_of(std::int64_t pts) const {
        return std::max(static_cast<double>(pts) * tick_ - origin_, 0.0);
    }

    PixelRect coded_region(const std::string& region) {
        const bool lies = info_.rotation_degrees % 180 != 0;
        film_.width = lies ? info_.height : info_.width;
        film_.height = lies ? info_.width : info_.height;
        film_.region = {0, 0, film_.width, film_.height};
        if (!region.empty())
            film_.region = place_region(parse_region(region), film_.width, film_.height,
                                        fmt::format("{}: --region {}", path_, shown(region)));
        return turned(film_.region, film_.width, film_.height,
                      (360 - info_.rotation_degrees) % 360);
    }

    // From cells of the shrunk region to pixels as displayed.
    PixelRect displayed(const PixelRect& cells) const {
        const int factor = shrinker_.factor();
        const int right = std::min((cells.left + cells.width) * factor, part_.width);
        const int bottom = std::min((cells.top + cells.height) * factor, part_.height);
        const PixelRect coded{part_.left + cells.left * factor, part_.top + cells.top * factor,
                              right - cells.left * factor, bottom - cells.top * factor};
        return turned(coded, info_.width, info_.height, info_.rotation_degrees);
    }

    void take(Frame& frame) {
        keeper_.fit(frame);
        const double seconds = seconds_of(frame.pts);
        film_.last = detector_.add(shrinker_.shrink(plane_views(*frame.av)), seconds);
        ++film_.frames;
        film_.end_seconds = seconds + static_cast<double>(frame.duration) * tick_;
        list_events();
    }

    void list_events() {
        film_.events = detector_.events();
        for (MotionEvent& event : film_.events) event.box = displayed(event.box);
    }

    FilmMotion film_;
    std::string path_;
    FormatKeeper keeper_;
    FrameInfo info_;
    PixelRect part_;  // the region as coded
    LumaShrinker shrinker_;
    MotionDetector detector_;
    double tick_;
    double origin_;
};

}  // namespace

RegionText parse_region(const std::string& text) {
    try {
        const std::vector<RegionText> regions = parse_regions(text);
        if (regions.size() > 1) throw TextError("only one region is measured", text.find('|'));
        return regions.front();
    } catch (const TextError& error) {
        throw FilterError(fmt::format("--region: {}", error.what()), text, error.offset());
    }
}

PixelRect place_region(const RegionText& region, int width, int height, const std::string& text) {
    const Touched x(region.left.of(width), region.width.of(width), width);
    const Touched y(region.top.of(height), region.height.of(height), height);
    if (x.begin >= x.end || y.begin >= y.end)
        throw Error(Outcome::usage, fmt::format("{} has no pixel of the picture, which is {}x{}",
                                                text, width, height));
    return {x.begin, y.begin, x.end - x.begin, y.end - y.begin};
}

FilmMotion find_motion(const FilmMotionOptions& options, const std::stop_token& stop,
                       const FilmMotionProgress& progress) {
    if (!options.region.empty()) (void)parse_region(options.region);
    Reader reader(options.reader);
    if (reader.is_still_image())
        throw Error(Outcome::usage,
                    fmt::format("{}: a picture has no motion; name a video, or numbered pictures "
                                "such as shot_%04d.png",
                                options.reader.path));
    FilmMeasure measure(reader, options);
    MediaQueue decoded(queue_capacity(reader.first_frame()));
    Durations times;
    StageSeconds use;
    StageClock clock(use);
    StageThreads threads(stop);
    threads.start([&](const std::stop_token& s) {
        read_stage(reader, decoded, {times, clock}, s);
    });
    threads.run_here([&](const std::stop_token& s) { measure.run(decoded, progress, s); });
    threads.join();
    if (!stop.stop_requested()) measure.film().damage = reader.damage();
    std::vector<std::string> notes = reader.notes();
    std::ranges::move(changes_text(reader.changes()), std::back_inserter(notes));
    for (const std::string& note : notes)
        if (std::ranges::find(measure.film().notes, note) == measure.film().notes.end())
            measure.film().notes.push_back(note);
    return std::move(measure.film());
}

}  // namespace weft
