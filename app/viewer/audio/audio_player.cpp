#include "app/viewer/audio/audio_player.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "app/viewer/audio/audio_decoder.h"

namespace weft {

namespace {

// Frames per write: the longest that a stop has to wait.
constexpr std::size_t kPieceFrames = 1024;

// Where the samples' timestamps deviate from the line by more than this, silence fills the gap or
// samples are dropped; smaller deviations are rounding in the file's clock.
constexpr double kToleratedSeconds = 0.01;

// The due position as a line: a media time and the moment it is due.
struct Line {
    double seconds = 0;
    SteadyTime at{};

    double due(SteadyTime now) const {
        return seconds + std::chrono::duration<double>(now - at).count();
    }
};

std::size_t frames_in(double seconds) {
    return static_cast<std::size_t>(std::llround(std::max(seconds, 0.0) * kAudioRate));
}

}  // namespace

struct AudioPlayer::Impl {
    explicit Impl(AudioPlayerOptions given) : options(std::move(given)) {
        thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
    }

    void run(const std::stop_token& stop);
    void play_lines(const std::stop_token& stop);
    void play_line(const Line& line, std::uint64_t asked, const std::stop_token& stop);
    bool write_chunk(AudioChunk chunk, std::uint64_t asked, const std::stop_token& stop);
    bool write(std::span<const float> stereo, std::uint64_t asked, const std::stop_token& stop);
    bool write_silence(std::size_t frames, std::uint64_t asked, const std::stop_token& stop);
    bool is_asked(std::uint64_t asked) const {
        const std::scoped_lock lock(mutex);
        return asked == command;
    }

    const AudioPlayerOptions options;
    mutable std::mutex mutex;
    std::condition_variable_any wake;
    std::uint64_t command = 0;  // counts play() and stop()
    std::optional<Line> wanted;
    std::optional<Line> heard;  // as of the latest write
    double written_end = 0;     // media time after the last written sample
    std::string problem;
    std::atomic<float> volume{1};

    // Used by the thread only.
    std::unique_ptr<AudioDecoder> decoder;
    std::unique_ptr<AudioOutput> output;
    std::optional<double> next;  // media time of the next sample to write; nullopt: the one due
    Line line;

    std::jthread thread;  // last: stops first
};

void AudioPlayer::Impl::run(const std::stop_token& stop) {
    try {
        decoder = std::make_unique<AudioDecoder>(options.path);
        output = options.open_output();
        play_lines(stop);
    } catch (const std::exception& error) {
        {
            const std::scoped_lock lock(mutex);
            problem = error.what();
            heard.reset();
        }
        if (options.on_change) options.on_change();
    }
}

void AudioPlayer::Impl::play_lines(const std::stop_token& stop) {
    std::uint64_t done = 0;
    while (!stop.stop_requested()) {
        std::unique_lock lock(mutex);
        const auto asked_anew = [&] { return wanted && command != done; };
        if (!wake.wait(lock, stop, asked_anew)) return;
        done = command;
        const Line asked = *wanted;
        lock.unlock();
        play_line(asked, done, stop);
    }
}

void AudioPlayer::Impl::play_line(const Line& asked_line, std::uint64_t asked,
                                  const std::stop_token& stop) {
    line = asked_line;
    next.reset();
    decoder->seek(line.due(output->now()) + options.origin);
    output->start();
    for (auto chunk = decoder->next(); chunk && write_chunk(std::move(*chunk), asked, stop);
         chunk = decoder->next()) {
    }
    // At the end of the file, the rest plays out until another command arrives.
    std::unique_lock lock(mutex);
    wake.wait(lock, stop, [&] { return asked != command; });
    heard.reset();
    lock.unlock();
    output->abort();
}

// Cuts the first chunk so that the sample heard is the one due then; later chunks continue from it.
bool AudioPlayer::Impl::write_chunk(AudioChunk chunk, std::uint64_t asked,
                                    const std::stop_token& stop) {
    const double begin = chunk.seconds - options.origin;
    const bool first = !next;
    if (first) next = line.due(output->now()) + output->delay();
    const double early = *next - begin;
    std::span<const float> rest(chunk.stereo);
    if (early > (first ? 0 : kToleratedSeconds)) {
        const std::size_t cut = std::min(frames_in(early) * 2, rest.size());
        rest = rest.subspan(cut);
        if (rest.empty() && first) next.reset();
    } else if (-early > (first ? 0 : kToleratedSeconds)) {
        if (!write_silence(frames_in(-early), asked, stop)) return false;
    }
    return write(rest, asked, stop);
}

// Writes in pieces so that a new command takes effect soon. Returns false if one has arrived.
bool AudioPlayer::Impl::write(std::span<const float> stereo, std::uint64_t asked,
                              const std::stop_token& stop) {
    std::vector<float> piece;
    while (!stereo.empty()) {
        if (stop.stop_requested() || !is_asked(asked)) return false;
        const auto part = stereo.first(std::min(stereo.size(), kPieceFrames * 2));
        stereo = stereo.subspan(part.size());
        piece.assign(part.begin(), part.end());
        const float gain = volume;
        for (float& sample : piece) sample = std::clamp(sample * gain, -1.0F, 1.0F);
        output->write(piece);
        const std::size_t frames = part.size() / 2;
        *next += static_cast<double>(frames) / kAudioRate;
        const Line now{*next - output->delay(), output->now()};
        const std::scoped_lock lock(mutex);
        if (asked != command) return false;
        heard = now;
        written_end = *next;
    }
    return true;
}

bool AudioPlayer::Impl::write_silence(std::size_t frames, std::uint64_t asked,
                                      const std::stop_token& stop) {
    const std::vector<float> silence(kPieceFrames * 2);
    for (std::size_t part = 0; frames > 0; frames -= part) {
        part = std::min(frames, kPieceFrames);
        if (!write(std::span(silence).first(part * 2), asked, stop)) return false;
    }
    return true;
}

AudioPlayer::AudioPlayer(AudioPlayerOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
AudioPlayer::~AudioPlayer() = default;

void AudioPlayer::play(double seconds, SteadyTime at) {
    const std::scoped_lock lock(impl_->mutex);
    ++impl_->command;
    impl_->wanted = Line{seconds, at};
    impl_->heard.reset();
    impl_->wake.notify_all();
}

void AudioPlayer::stop() {
    const std::scoped_lock lock(impl_->mutex);
    if (!impl_->wanted) return;
    ++impl_->command;
    impl_->wanted.reset();
    impl_->heard.reset();
    impl_->wake.notify_all();
}

void AudioPlayer::set_volume(double volume) {
    impl_->volume = static_cast<float>(volume);
}

std::optional<double> AudioPlayer::heard(SteadyTime now) const {
    const std::scoped_lock lock(impl_->mutex);
    if (!impl_->heard) return std::nullopt;
    const double seconds = impl_->heard->due(now);
    if (seconds > impl_->written_end) return std::nullopt;
    return seconds;
}

std::string AudioPlayer::problem() const {
    const std::scoped_lock lock(impl_->mutex);
    return impl_->problem;
}

}  // namespace weft
