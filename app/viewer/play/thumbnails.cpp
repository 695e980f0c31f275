#include "app/viewer/play/thumbnails.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <sys/resource.h>
#include <utility>
#include <variant>

#include "app/media/read/video_seeker.h"

namespace weft {

namespace {

// Nice level of the thread, so that other work gets the cores first.
constexpr int kNice = 15;

struct Size {
    int width = 0;
    int height = 0;
};

// Size of the picture before rotation.
Size thumbnail_size(const AVFrame& frame, double sample_aspect, int max_side) {
    const double width = frame.width * sample_aspect;
    const double height = frame.height;
    const double scale = std::min(1.0, max_side / std::max(width, height));
    const auto side = [&](double full) {
        return std::max(static_cast<int>(std::lround(full * scale)), 1);
    };
    return {side(width), side(height)};
}

// Copies rows of `size` RGB pixels, rotated clockwise.
Thumbnail turned(const std::vector<std::uint8_t>& rgb, Size size, int degrees) {
    Thumbnail made;
    const bool lies = degrees == 90 || degrees == 270;
    made.width = lies ? size.height : size.width;
    made.height = lies ? size.width : size.height;
    made.rgb.resize(rgb.size());
    for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x) {
            const int right = size.width - 1 - x;
            const int up = size.height - 1 - y;
            const int to_x = degrees == 90 ? up : degrees == 180 ? right : degrees == 270 ? y : x;
            const int to_y = degrees == 90 ? x : degrees == 180 ? up : degrees == 270 ? right : y;
            const auto from = rgb.begin() + 3 * (std::ptrdiff_t{y} * size.width + x);
            std::copy_n(from, 3, made.rgb.begin() + 3 * (std::ptrdiff_t{to_y} * made.width + to_x));
        }
    return made;
}

// An order of `count` slots in which each pass halves the gaps left by the previous one.
std::vector<int> coarse_to_fine(int count) {
    std::vector<int> order;
    int step = 1;
    while (step < count) step *= 2;
    for (; step > 0; step /= 2)
        for (int at = 0; at < count; at += step)
            if (std::find(order.begin(), order.end(), at) == order.end()) order.push_back(at);
    return order;
}

ReaderOptions low_cost(const MediaInfo& media) {
    ReaderOptions options;
    options.path = media.path;
    options.frame_rate = media.wanted_rate;
    options.audio = options.subtitles = false;
    options.decoder_threads = 1;
    return options;
}

}  // namespace

ThumbnailPtr make_thumbnail(const AVFrame& frame, const MediaInfo& media, double seconds,
                            int max_side) {
    const Size size = thumbnail_size(frame, media.sample_aspect, max_side);
    const auto format = static_cast<AVPixelFormat>(frame.format);
    if (sws_isSupportedInput(format) <= 0) return nullptr;
    const SwsContextPtr scaler(sws_getContext(frame.width, frame.height, format, size.width,
                                              size.height, AV_PIX_FMT_RGB24, SWS_AREA, nullptr,
                                              nullptr, nullptr));
    if (!scaler) return nullptr;
    const bool full = frame.color_range == AVCOL_RANGE_JPEG;
    const int matrix = frame.colorspace == AVCOL_SPC_UNSPECIFIED && frame.height >= 720
                           ? SWS_CS_ITU709
                           : static_cast<int>(frame.colorspace);
    // Fails for formats without chroma, which do not need it.
    (void)sws_setColorspaceDetails(scaler.get(), sws_getCoefficients(matrix), full ? 1 : 0,
                                   sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16);
    std::vector<std::uint8_t> rgb(static_cast<std::size_t>(size.width) * size.height * 3);
    const std::array<std::uint8_t*, 4> out = {rgb.data()};
    const std::array<int, 4> strides = {size.width * 3};
    if (sws_scale(scaler.get(), frame.data, frame.linesize, 0, frame.height, out.data(),
                  strides.data()) < size.height)
        return nullptr;
    auto made = std::make_shared<Thumbnail>(turned(rgb, size, media.rotation_degrees));
    made->seconds = seconds;
    return made;
}

Thumbnails::Thumbnails(std::function<void()> on_change)
    : task_(
          [this](const Job& job, const auto& superseded) {
              // Linux applies this to the calling thread only. If it fails, thumbnails just compete
              // with other work.
              (void)setpriority(PRIO_PROCESS, 0, kNice);
              // The player reports errors in the file; its timeline has no thumbnails then.
              if (job.media && !job.media->still) make(job, superseded);
          },
          std::move(on_change)) {}

void Thumbnails::open(std::shared_ptr<const MediaInfo> media, int count) {
    task_.ask({std::move(media), count}, [](Pictures& made) { made.clear(); });
}

void Thumbnails::make(const Job& job, const std::stop_token& superseded) {
    if (job.media->duration <= 0) return;
    VideoSeeker seeker(low_cost(*job.media));
    const double slot = job.media->duration / job.count;
    const AVRational time_base = seeker.time_base();
    for (const int at : coarse_to_fine(job.count)) {
        const double time = job.media->origin + slot * (at + 0.5);
        if (!seeker.seek(std::llround(time / av_q2d(time_base)))) break;
        const std::optional<Frame> frame = seeker.next();
        if (superseded.stop_requested() || (frame && !keep(job, *frame, time_base, superseded)))
            return;
    }
    if (task_.read(&Pictures::size) < 2) make_in_order(job, superseded);
}

// Fallback for files whose only key frame is the first, or that are not seekable.
void Thumbnails::make_in_order(const Job& job, const std::stop_token& superseded) {
    Reader reader(low_cost(*job.media));
    const double slot = job.media->duration / job.count;
    double next = 0;
    for (MediaItem item = reader.next(); !std::holds_alternative<EndOfInput>(item);
         item = reader.next()) {
        const auto* frame = std::get_if<Frame>(&item);
        if (superseded.stop_requested()) return;
        if (!frame) continue;
        const double seconds =
            static_cast<double>(frame->pts) * av_q2d(reader.time_base()) - job.media->origin;
        if (seconds < next) continue;
        if (!keep(job, *frame, reader.time_base(), superseded)) return;
        next = seconds + slot;
    }
}

bool Thumbnails::keep(const Job& job, const Frame& frame, AVRational time_base,
                      const std::stop_token& superseded) {
    if (task_.read([&](const Pictures& made) { return made.contains(frame.pts); })) return true;
    const double seconds = static_cast<double>(frame.pts) * av_q2d(time_base) - job.media->origin;
    ThumbnailPtr thumbnail = make_thumbnail(*frame.av, *job.media, seconds);
    if (!thumbnail) return false;
    return task_.publish(superseded,
                         [&](Pictures& made) { made.emplace(frame.pts, std::move(thumbnail)); });
}

std::vector<ThumbnailPtr> Thumbnails::all() const {
    return task_.read([](const Pictures& made) {
        std::vector<ThumbnailPtr> list;
        for (const auto& [pts, thumbnail] : made) list.push_back(thumbnail);
        return list;
    });
}

ThumbnailPtr Thumbnails::nearest(double seconds) const {
    ThumbnailPtr best;
    const auto distance = [&](const Thumbnail& one) { return std::abs(one.seconds - seconds); };
    for (const ThumbnailPtr& one : all())
        if (!best || distance(*one) < distance(*best)) best = one;
    return best;
}

}  // namespace weft
