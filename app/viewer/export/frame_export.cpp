#include "app/viewer/export/frame_export.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "app/media/write/container_table.h"
#include "app/media/write/writer.h"
#include "app/viewer/export/clipboard_picture.h"

extern "C" {
#include <libavutil/display.h>
}

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr int kMostAttempts = 1000;
constexpr AVRational kTick{1, 25};  // arbitrary: the file has a single picture

constexpr std::size_t kMatrixBytes = 9 * sizeof(std::int32_t);

void set_turn(AVStream& stream, int clockwise_degrees) {
    if (clockwise_degrees == 0) return;
    std::uint8_t* data = av_stream_new_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, kMatrixBytes);
    if (data == nullptr) throw MediaError(Outcome::failed, "rotating a picture: out of memory");
    av_display_rotation_set(reinterpret_cast<std::int32_t*>(data), clockwise_degrees);
}

// A stand-in for the source that Writer expects: a single video stream without a file.
InputContextPtr stream_for(const AVFrame& picture, int rotation_degrees) {
    InputContextPtr context(avformat_alloc_context());
    AVStream* stream = context ? avformat_new_stream(context.get(), nullptr) : nullptr;
    if (stream == nullptr) throw MediaError(Outcome::failed, "saving a picture: out of memory");
    stream->time_base = kTick;
    stream->avg_frame_rate = av_inv_q(kTick);
    stream->sample_aspect_ratio = picture.sample_aspect_ratio;
    stream->codecpar->codec_type = AVMEDIA_TYPE_VIDEO;
    stream->codecpar->codec_id = AV_CODEC_ID_RAWVIDEO;
    stream->codecpar->format = picture.format;
    stream->codecpar->width = picture.width;
    stream->codecpar->height = picture.height;
    set_turn(*stream, rotation_degrees);
    return context;
}

Frame share(const AVFrame& picture) {
    Frame frame{make_frame(), 0, 1, 0};
    av_check(av_frame_ref(frame.av.get(), &picture), "sharing a frame's pixels", "memory");
    return frame;
}

void write_as(const Shot& shot, const std::string& path) {
    const InputContextPtr stream = stream_for(*shot.picture, shot.rotation_degrees);
    const Frame frame = share(*shot.picture);
    WriterOptions options;
    options.path = path;
    options.lossless = find_container(path, "").kind == OutputKind::video;
    Writer writer(options, WriterSource{.streams = stream.get(),
                                        .video_index = 0,
                                        .time_base = kTick,
                                        .first_frame = &frame,
                                        .rotation_degrees = shot.rotation_degrees});
    writer.write(share(*shot.picture));
    (void)writer.finish();
}

// The video's name without its extension. A '%' would turn the picture into a numbered sequence.
std::string title_of(const std::string& input) {
    std::string title = fs::path(input).stem().string();
    std::ranges::replace(title, '%', '_');
    return title;
}

// Through a file in a folder of its own.
void copy_shot(const Shot& copied) {
    std::string folder = (fs::temp_directory_path() / "weft-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr)
        throw Error(Outcome::failed, fmt::format("{}: {}", folder, std::strerror(errno)));
    Shot shot;
    shot.picture = AVFramePtr(av_frame_clone(copied.picture.get()));
    shot.rotation_degrees = copied.rotation_degrees;
    shot.folder = folder;
    shot.input = copied.input;
    try {
        copy_picture(save_shot(shot));
    } catch (...) {
        fs::remove_all(folder);
        throw;
    }
    fs::remove_all(folder);
}

ShotSaver::Outcome try_to_save(const Shot& shot) {
    try {
        if (shot.to_clipboard) {
            copy_shot(shot);
            return {};
        }
        return {.path = save_shot(shot), .error = ""};
    } catch (const std::exception& error) {
        return {.path = "", .error = error.what()};
    }
}

bool is_there(const fs::path& path) {
    std::error_code error;
    return fs::exists(fs::symlink_status(path, error));
}

}  // namespace

std::string shot_name(const Shot& shot, int attempt) {
    const std::string counted = attempt > 1 ? fmt::format("-{}", attempt) : "";
    if (!shot.seconds) return fmt::format("{}{}.{}", title_of(shot.input), counted, shot.extension);
    const auto ms = static_cast<std::int64_t>(std::llround(std::max(*shot.seconds, 0.0) * 1000));
    return fmt::format("{}-{:02}.{:02}.{:02}.{:03}{}.{}", title_of(shot.input), ms / 3600000,
                       ms / 60000 % 60, ms / 1000 % 60, ms % 1000, counted, shot.extension);
}

fs::path save_shot(const Shot& shot) {
    for (int attempt = 1; attempt < kMostAttempts; ++attempt) {
        fs::path path = shot.folder / shot_name(shot, attempt);
        if (is_there(path)) continue;
        write_as(shot, path.string());
        return path;
    }
    throw Error(Outcome::not_written,
                fmt::format("{}: this name and the next {} are taken",
                            (shot.folder / shot_name(shot)).string(), kMostAttempts));
}

AVFramePtr frame_of_rgb(std::span<const std::byte> pixels, int width, int height, bool bottom_up) {
    const auto row = static_cast<std::size_t>(width) * 3;
    if (width <= 0 || height <= 0 || pixels.size() != row * static_cast<std::size_t>(height))
        throw std::invalid_argument(
            fmt::format("{} bytes are not a {}x{} picture", pixels.size(), width, height));
    AVFramePtr frame = make_frame();
    frame->format = AV_PIX_FMT_RGB24;
    frame->width = width;
    frame->height = height;
    av_check(av_frame_get_buffer(frame.get(), 0), "allocating a frame", "memory");
    for (int y = 0; y < height; ++y) {
        const int from = bottom_up ? height - 1 - y : y;
        std::memcpy(frame->data[0] + static_cast<std::ptrdiff_t>(y) * frame->linesize[0],
                    pixels.data() + static_cast<std::size_t>(from) * row, row);
    }
    return frame;
}

ShotSaver::ShotSaver(std::function<void()> saved)
    : saved_(std::move(saved)), thread_([this] { run(); }) {}

ShotSaver::~ShotSaver() {
    {
        const std::scoped_lock lock(mutex_);
        closing_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void ShotSaver::save(Shot shot) {
    {
        const std::scoped_lock lock(mutex_);
        outcomes_.reserve(outcomes_.size() + queue_.size() + 1);
        queue_.push_back(std::move(shot));
    }
    changed_.notify_all();
}

std::vector<ShotSaver::Outcome> ShotSaver::take_outcomes() {
    const std::scoped_lock lock(mutex_);
    std::vector<Outcome> next;
    next.reserve(queue_.size());
    return std::exchange(outcomes_, std::move(next));
}

std::size_t ShotSaver::waiting() const {
    const std::scoped_lock lock(mutex_);
    return queue_.size();
}

void ShotSaver::run() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return closing_ || !queue_.empty(); });
        if (queue_.empty()) return;
        const Shot& shot = queue_.front();  // the reference stays valid while others are appended
        lock.unlock();
        // Neither this text, which is short, nor push_back() below needs memory.
        Outcome outcome{.path = {}, .error = "out of memory"};
        try {
            outcome = try_to_save(shot);
        } catch (const std::bad_alloc&) {
            // Even the sentence of the error had no room.
        }
        lock.lock();
        queue_.pop_front();
        outcomes_.push_back(std::move(outcome));
        lock.unlock();
        if (saved_) saved_();
        lock.lock();
    }
}

}  // namespace weft
