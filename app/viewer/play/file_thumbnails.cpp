#include "app/viewer/play/file_thumbnails.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <sys/resource.h>
#include <utility>

#include "app/media/read/video_seeker.h"

namespace weft {
namespace {

constexpr double kPlace = 0.1;  // of the duration
constexpr int kNice = 15;       // other work gets the cores first
// A list is not worth the memory and seconds of a larger picture.
constexpr std::int64_t kMostPixels = 64LL << 20;

ThumbnailPtr thumbnail_inside(const ReaderOptions& options, const MediaInfo& media) {
    VideoSeeker seeker(options);
    const double time = media.origin + media.duration * kPlace;
    if (!seeker.seek(std::llround(time / av_q2d(seeker.time_base())))) return nullptr;
    const std::optional<Frame> frame = seeker.next();
    return frame ? make_thumbnail(*frame->av, media, 0) : nullptr;
}

}  // namespace

ThumbnailPtr thumbnail_of_file(const std::string& path,
                               const std::shared_ptr<Heartbeat>& heartbeat) {
    ReaderOptions options;
    options.path = path;
    options.audio = options.subtitles = false;
    options.decoder_threads = 1;
    options.limits.max_pixels = kMostPixels;
    options.heartbeat = heartbeat;
    const Reader reader(options);
    const MediaInfo media = media_info(reader, path);
    if (!media.still && media.duration > 0)
        if (ThumbnailPtr made = thumbnail_inside(options, media)) return made;
    return make_thumbnail(*reader.first_frame().av, media, 0);
}

FileThumbnails::FileThumbnails(std::function<void()> on_change)
    : on_change_(std::move(on_change)), thread_([this] { run(); }) {}

FileThumbnails::~FileThumbnails() {
    {
        const std::scoped_lock lock(mutex_);
        closing_ = true;
        if (in_work_) in_work_->give_up();
    }
    wake_.notify_all();
    thread_.join();
}

void FileThumbnails::want(std::vector<std::string> paths) {
    {
        const std::scoped_lock lock(mutex_);
        std::erase_if(made_, [&](const auto& entry) {
            return std::ranges::find(paths, entry.first) == paths.end();
        });
        wanted_ = std::move(paths);
    }
    wake_.notify_all();
}

ThumbnailPtr FileThumbnails::of(const std::string& path) const {
    const std::scoped_lock lock(mutex_);
    const auto found = made_.find(path);
    return found == made_.end() ? nullptr : found->second;
}

const std::string* FileThumbnails::next_path() const {
    for (const std::string& path : wanted_)
        if (!made_.contains(path)) return &path;
    return nullptr;
}

void FileThumbnails::make_next(std::unique_lock<std::mutex>& lock) {
    const std::string path = *next_path();
    const auto heartbeat = in_work_ = std::make_shared<Heartbeat>();
    lock.unlock();
    ThumbnailPtr made;
    try {
        made = thumbnail_of_file(path, heartbeat);
    } catch (const std::exception&) {
        made.reset();  // opening the file reports the reason
    }
    lock.lock();
    in_work_.reset();
    if (std::ranges::find(wanted_, path) == wanted_.end()) return;
    made_[path] = std::move(made);
}

void FileThumbnails::run() {
    // Linux applies this to the calling thread only.
    (void)setpriority(PRIO_PROCESS, 0, kNice);
    std::unique_lock lock(mutex_);
    while (true) {
        wake_.wait(lock, [this] { return closing_ || next_path() != nullptr; });
        if (closing_) return;
        try {
            make_next(lock);
        } catch (const std::bad_alloc&) {
            wanted_.clear();  // until the list asks for them again
        }
        lock.unlock();
        on_change_();
        lock.lock();
    }
}

}  // namespace weft
