// Samples are heard when they are due. The sound card is a fake with its own clock: it plays
// samples as fast as they are written, so that nothing depends on this machine.
#include "app/viewer/audio/audio_player.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/clips.h"

namespace weft::test {
namespace {

constexpr double kCardBuffer = 0.05;  // seconds that the card holds

SteadyTime moment(double seconds) {
    return SteadyTime(
        std::chrono::round<SteadyTime::duration>(std::chrono::duration<double>(seconds)));
}

// The samples written to the card, shared with the test.
struct Card {
    struct Heard {
        double at;     // the card's time
        float sample;  // left channel
    };
    std::mutex mutex;
    std::condition_variable changed;
    double now = 100;  // the card's time, in seconds
    double queued = 0;
    bool running = false;
    int aborts = 0;
    std::vector<Heard> heard;

    bool wait_for(std::size_t samples) {
        std::unique_lock lock(mutex);
        return changed.wait_for(lock, std::chrono::minutes(1),
                                [&] { return heard.size() >= samples; });
    }
};

class PretendedCard : public AudioOutput {
 public:
    explicit PretendedCard(Card& card) : card_(card) {}

    void start() override {
        const std::scoped_lock lock(card_.mutex);
        card_.running = true;
    }
    // A full buffer advances the card's time until there is room.
    void write(std::span<const float> stereo) override {
        const std::scoped_lock lock(card_.mutex);
        for (std::size_t i = 0; i < stereo.size(); i += 2) {
            card_.heard.push_back({card_.now + card_.queued, stereo[i]});
            card_.queued += 1.0 / kAudioRate;
        }
        const double over = std::max(card_.queued - kCardBuffer, 0.0);
        card_.now += over;
        card_.queued -= over;
        card_.changed.notify_all();
    }
    void abort() override {
        const std::scoped_lock lock(card_.mutex);
        card_.queued = 0;
        ++card_.aborts;
        card_.changed.notify_all();
    }
    double delay() override {
        const std::scoped_lock lock(card_.mutex);
        return card_.queued;
    }
    SteadyTime now() const override {
        const std::scoped_lock lock(card_.mutex);
        return moment(card_.now);
    }

 private:
    Card& card_;
};

// A clip whose samples encode their time: a tenth of the seconds.
std::filesystem::path ramp() {
    return make_clip("ramp.mkv",
                     "-f lavfi -i testsrc2=s=64x48:r=30:d=6 -f lavfi -i "
                     "aevalsrc=exprs='t/10|t/10':s=48000:d=6 -c:v mpeg4 -c:a pcm_s16le");
}

AudioPlayerOptions options_for(Card& card, const std::filesystem::path& file) {
    AudioPlayerOptions options;
    options.path = file.string();
    options.open_output = [&card] { return std::make_unique<PretendedCard>(card); };
    return options;
}

class ViewerAudio : public ClipTest {};

// The samples from `first` on are in step with media time `seconds` at the card's time `at`.
void expect_in_step(Card& card, std::size_t first, std::size_t count, double seconds, double at) {
    const std::scoped_lock lock(card.mutex);
    ASSERT_GE(card.heard.size(), first + count);
    for (std::size_t i = first; i < first + count; ++i) {
        const double due = seconds + card.heard[i].at - at;
        ASSERT_NEAR(card.heard[i].sample * 10, due, 0.002) << "sample " << i - first;
    }
}

TEST_F(ViewerAudio, StaysInSyncAfterPlayPauseAndSeek) {
    Card card;
    AudioPlayer player(options_for(card, ramp()));
    player.play(1.0, moment(100));
    ASSERT_TRUE(card.wait_for(20'000));
    player.stop();
    expect_in_step(card, 0, 20'000, 1.0, 100);

    std::unique_lock lock(card.mutex);
    ASSERT_TRUE(
        card.changed.wait_for(lock, std::chrono::minutes(1), [&] { return card.aborts == 1; }));
    const std::size_t before = card.heard.size();
    const double at = card.now;
    lock.unlock();
    EXPECT_EQ(player.playback_position(moment(at)), std::nullopt);
    player.play(4.0, moment(at - 0.3));
    ASSERT_TRUE(card.wait_for(before + 20'000));
    expect_in_step(card, before, 20'000, 4.3, at);
}

TEST_F(ViewerAudio, ReportsTheHeardPosition) {
    Card card;
    AudioPlayer player(options_for(card, ramp()));
    player.play(0.5, moment(100));
    ASSERT_TRUE(card.wait_for(30'000));
    const auto heard = player.playback_position(moment(100.3));
    ASSERT_TRUE(heard);
    EXPECT_NEAR(*heard, 0.8, 0.002);
}

TEST_F(ViewerAudio, IsSilentAtVolumeZeroAndLouderAboveOne) {
    Card card;
    AudioPlayer player(options_for(card, ramp()));
    player.set_volume(0);
    player.play(1.0, moment(100));
    ASSERT_TRUE(card.wait_for(5'000));
    player.stop();
    const std::scoped_lock lock(card.mutex);
    for (std::size_t i = 0; i < 5'000; ++i) ASSERT_EQ(card.heard[i].sample, 0);
}

TEST_F(ViewerAudio, ResamplesAndStaysInSync) {
    Card card;
    const auto file = make_clip("ramp441.mkv",
                                "-f lavfi -i testsrc2=s=64x48:r=30:d=4 -f lavfi -i "
                                "aevalsrc=exprs='t/10|t/10':s=44100:d=4 -c:v mpeg4 -c:a pcm_s16le");
    AudioPlayer player(options_for(card, file));
    player.play(1.0, moment(100));
    ASSERT_TRUE(card.wait_for(100'000));
    player.stop();
    expect_in_step(card, 0, 100'000, 1.0, 100);
}

TEST_F(ViewerAudio, ReportsWhyThereIsNoAudio) {
    std::mutex mutex;
    std::condition_variable changed;
    bool told = false;
    AudioPlayerOptions options;
    options.path = ramp().string();
    options.open_output = []() -> std::unique_ptr<AudioOutput> {
        throw std::runtime_error("no audio: no audio device was found");
    };
    options.on_change = [&] {
        const std::scoped_lock lock(mutex);
        told = true;
        changed.notify_all();
    };
    AudioPlayer player(std::move(options));
    player.play(0, moment(0));
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, std::chrono::minutes(1), [&] { return told; }));
    EXPECT_EQ(player.problem(), "no audio: no audio device was found");
    EXPECT_EQ(player.playback_position(moment(0)), std::nullopt);
}

}  // namespace
}  // namespace weft::test
