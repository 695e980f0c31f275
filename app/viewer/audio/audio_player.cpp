#include "app/viewer/audio/audio_player.h"

#include <algorithm>
#include <cmath>
#include <exception>
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

std::size_t frames_in(double seconds) {
    return static_cast<std::size_t>(std::llround(std::max(seconds, 0.0) * kAudioRate));
}

}  // namespace

AudioPlayer::AudioPlayer(AudioPlayerOptions options) : options_(std::move(options)) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

AudioPlayer::~AudioPlayer() = default;

bool AudioPlayer::is_asked(std::uint64_t asked) const {
    const std::scoped_lock lock(mutex_);
    return asked == command_;
}

void AudioPlayer::run(const std::stop_token& stop) {
    try {
        decoder_ = std::make_unique<AudioDecoder>(options_.path);
        output_ = options_.open_output();
        play_lines(stop);
    } catch (const std::exception& error) {
        {
            const std::scoped_lock lock(mutex_);
            problem_ = error.what();
            heard_.reset();
        }
        if (options_.on_change) options_.on_change();
    }
}

void AudioPlayer::play_lines(const std::stop_token& stop) {
    std::uint64_t done = 0;
    while (!stop.stop_requested()) {
        std::unique_lock lock(mutex_);
        const auto asked_anew = [&] { return wanted_ && command_ != done; };
        if (!wake_.wait(lock, stop, asked_anew)) return;
        done = command_;
        const Line asked = *wanted_;
        lock.unlock();
        play_line(asked, done, stop);
    }
}

void AudioPlayer::play_line(const Line& asked_line, std::uint64_t asked,
                            const std::stop_token& stop) {
    line_ = asked_line;
    next_.reset();
    decoder_->seek(line_.due(output_->now()) + options_.origin);
    output_->start();
    for (auto chunk = decoder_->next(); chunk && write_chunk(*chunk, asked, stop);
         chunk = decoder_->next()) {
    }
    // At the end of the file, the rest plays out until another command arrives.
    std::unique_lock lock(mutex_);
    wake_.wait(lock, stop, [&] { return asked != command_; });
    heard_.reset();
    lock.unlock();
    output_->abort();
}

// Cuts the first chunk so that the sample heard is the one due then; later chunks continue from it.
bool AudioPlayer::write_chunk(const AudioChunk& chunk, std::uint64_t asked,
                              const std::stop_token& stop) {
    const double begin = chunk.seconds - options_.origin;
    const bool first = !next_;
    if (first) next_ = line_.due(output_->now()) + output_->delay();
    const double early = *next_ - begin;
    std::span<const float> rest(chunk.stereo);
    if (early > (first ? 0 : kToleratedSeconds)) {
        const std::size_t cut = std::min(frames_in(early) * 2, rest.size());
        rest = rest.subspan(cut);
        if (rest.empty() && first) next_.reset();
    } else if (-early > (first ? 0 : kToleratedSeconds)) {
        if (!write_silence(frames_in(-early), asked, stop)) return false;
    }
    return write(rest, asked, stop);
}

// Writes in pieces so that a new command takes effect soon. Returns false if one has arrived.
bool AudioPlayer::write(std::span<const float> stereo, std::uint64_t asked,
                        const std::stop_token& stop) {
    std::vector<float> piece;
    while (!stereo.empty()) {
        if (stop.stop_requested() || !is_asked(asked)) return false;
        const auto part = stereo.first(std::min(stereo.size(), kPieceFrames * 2));
        stereo = stereo.subspan(part.size());
        piece.assign(part.begin(), part.end());
        const float gain = volume_;
        for (float& sample : piece) sample = std::clamp(sample * gain, -1.0F, 1.0F);
        output_->write(piece);
        const std::size_t frames = part.size() / 2;
        *next_ += static_cast<double>(frames) / kAudioRate;
        const Line now{*next_ - output_->delay(), output_->now()};
        const std::scoped_lock lock(mutex_);
        if (asked != command_) return false;
        heard_ = now;
        written_end_ = *next_;
    }
    return true;
}

bool AudioPlayer::write_silence(std::size_t frames, std::uint64_t asked,
                                const std::stop_token& stop) {
    const std::vector<float> silence(kPieceFrames * 2);
    for (std::size_t part = 0; frames > 0; frames -= part) {
        part = std::min(frames, kPieceFrames);
        if (!write(std::span(silence).first(part * 2), asked, stop)) return false;
    }
    return true;
}

void AudioPlayer::play(double seconds, SteadyTime at) {
    const std::scoped_lock lock(mutex_);
    ++command_;
    wanted_ = Line{seconds, at};
    heard_.reset();
    wake_.notify_all();
}

void AudioPlayer::stop() {
    const std::scoped_lock lock(mutex_);
    if (!wanted_) return;
    ++command_;
    wanted_.reset();
    heard_.reset();
    wake_.notify_all();
}

void AudioPlayer::set_volume(double volume) {
    volume_ = static_cast<float>(volume);
}

std::optional<double> AudioPlayer::playback_position(SteadyTime now) const {
    const std::scoped_lock lock(mutex_);
    if (!heard_) return std::nullopt;
    const double seconds = heard_->due(now);
    if (seconds > written_end_) return std::nullopt;
    return seconds;
}

std::string AudioPlayer::problem() const {
    const std::scoped_lock lock(mutex_);
    return problem_;
}

}  // namespace weft
