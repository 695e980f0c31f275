#include "app/pipeline/motion/film_motion.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "app/media/read/reader.h"
#include "app/pipeline/result_text.h"
#include "app/pipeline/stage_threads.h"
#include "app/pipeline/stages.h"
#include "filters/text/nearest.h"

namespace weft {
namespace {

// Takes a number with its percent sign and the separator after it; false if they are not there.
bool take_length(std::string_view& text, char separator, RegionLength& length) {
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), length.value,
                                               std::chars_format::fixed);
    const bool in_range = length.value >= 0 && length.value <= 1e6;  // false for NaN
    if (error != std::errc{} || !in_range) return false;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    length.percent = text.starts_with('%');
    if (length.percent) text.remove_prefix(1);
    if (separator == '\0') return text.empty();
    if (!text.starts_with(separator)) return false;
    text.remove_prefix(1);
    return true;
}

double pixels_of(const RegionLength& length, int whole) {
    return length.percent ? length.value * whole / 100 : length.value;
}

// The pixels [begin, end) of `whole` that a stretch touches. A side that misses the edge of a pixel
// by the rounding of percentages is on it.
struct Touched {
    Touched(double from, double length, int whole)
        : begin(static_cast<int>(std::floor(std::min<double>(from + kOnEdge, whole)))),
          end(static_cast<int>(std::ceil(std::min<double>(from + length - kOnEdge, whole)))) {}

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

    PixelBox coded_region(const std::string& region) {
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
    PixelBox displayed(const PixelBox& cells) const {
        const int factor = shrinker_.factor();
        const int right = std::min((cells.left + cells.width) * factor, part_.width);
        const int bottom = std::min((cells.top + cells.height) * factor, part_.height);
        const PixelBox coded{part_.left + cells.left * factor, part_.top + cells.top * factor,
                             right - cells.left * factor, bottom - cells.top * factor};
        return turned(coded, info_.width, info_.height, info_.rotation_degrees);
    }

    void take(Frame& frame) {
        keeper_.fit(frame);
        const double seconds = seconds_of(frame.pts);
        (void)detector_.add(shrinker_.shrink(plane_views(*frame.av)), seconds);
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
    PixelBox part_;  // the region as coded
    LumaShrinker shrinker_;
    MotionDetector detector_;
    double tick_;
    double origin_;
};

}  // namespace

MotionRegion parse_region(const std::string& text) {
    MotionRegion region;
    std::string_view rest = text;
    const bool complete =
        take_length(rest, 'x', region.width) && take_length(rest, '+', region.height) &&
        take_length(rest, '+', region.left) && take_length(rest, '\0', region.top);
    if (!complete)
        throw Error(Outcome::usage,
                    fmt::format("--region {}: expected WIDTHxHEIGHT+X+Y in pixels or per cent, "
                                "such as 640x360+100+50 or 50%x100%+50%+0",
                                shown(text)));
    return region;
}

PixelBox place_region(const MotionRegion& region, int width, int height, const std::string& text) {
    const Touched x(pixels_of(region.left, width), pixels_of(region.width, width), width);
    const Touched y(pixels_of(region.top, height), pixels_of(region.height, height), height);
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
