// A displayed frame equals the exported one, however it was reached.
#include "app/viewer/screen/frame_worker.h"

#include <condition_variable>
#include <mutex>

#include <gtest/gtest.h>

#include "app/media/read/reader.h"
#include "tests/media/read/reader_recipes.h"
#include "tests/support/clips.h"
#include "tests/viewer/play/player_support.h"

namespace weft::test {
namespace {

class ViewerFrameWorker : public ClipTest {};

StackRequest request(const char* stack) {
    return {parse_stack(stack), {}};
}

std::uint64_t hash_of(std::span<const ImageView> planes) {
    std::uint64_t hash = 14695981039346656037U;
    for (const ImageView& plane : planes)
        for (int y = 0; y < plane.height; ++y)
            for (std::size_t x = 0; x < plane.row_bytes(); ++x)
                hash = (hash ^ static_cast<std::uint64_t>(plane.row(y)[x])) * 1099511628211U;
    return hash;
}

// Hashes of every frame of the file, filtered in order.
std::vector<std::uint64_t> exported(const std::filesystem::path& file, const char* stack) {
    ReaderOptions options;
    options.path = file.string();
    Reader reader(options);
    StackRunner chain(
        plan_stack(parse_stack(stack), frame_info(*reader.first_frame().av, 0), cpu_device()));
    std::vector<std::uint64_t> hashes;
    for (MediaItem item = reader.next(); !std::holds_alternative<EndOfInput>(item);
         item = reader.next()) {
        const auto* frame = std::get_if<Frame>(&item);
        if (frame == nullptr) continue;
        const AVFramePtr result = new_frame_like(*frame->av);
        chain.run(plane_views(*frame->av), plane_views(*result));
        hashes.push_back(hash_of(plane_views(*result)));
    }
    return hashes;
}

// The window's role: takes the frames that are due.
class Screen {
 public:
    explicit Screen(const std::filesystem::path& file) { player_.open(file.string()); }

    Player& player() { return player_; }
    void set(const char* stack) { revision_ = worker_.set_stacks({request(stack)}); }

    // The next frame of the newest command, with the newest stack; null after a minute.
    ShownFramePtr next() {
        const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        std::unique_lock lock(mutex_);
        for (;;) {
            const std::uint64_t seen = changes_;
            lock.unlock();
            ShownFramePtr frame = presenter_.take(player_.serial(), 1e9).frame;
            if (frame && frame->revision == revision_) return frame;
            lock.lock();
            if (!changed_.wait_until(lock, until, [&] { return changes_ != seen; })) return nullptr;
        }
    }

 private:
    void wake() {
        const std::scoped_lock lock(mutex_);
        ++changes_;
        changed_.notify_all();
    }
    PlayerOptions options() {
        PlayerOptions options = silent();
        options.on_change = [this] { wake(); };
        return options;
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t changes_ = 0;
    std::uint64_t revision_ = 0;
    Presenter presenter_;
    Player player_{options()};
    FrameWorker worker_{
        player_, presenter_, {.device = cpu_device(), .on_change = [this] { wake(); }}};
};

constexpr const char* kStacks[] = {"temporal_average=frames=5", "frame_difference",
                                   "box,temporal_average=frames=3,frame_difference,sobel"};

TEST_F(ViewerFrameWorker, ASoughtFrameEqualsTheExport) {
    const auto file = recipe("plain.mkv");
    const auto frames = linear_frames(file);
    Screen screen(file);
    for (const char* stack : kStacks) {
        const std::vector<std::uint64_t> want = exported(file, stack);
        ASSERT_EQ(want.size(), frames.size());
        screen.set(stack);
        for (const std::size_t number : {40U, 0U, 1U, 31U, 30U, 59U, 7U}) {
            screen.player().seek(frames[number].seconds);
            const ShownFramePtr shown = screen.next();
            ASSERT_TRUE(shown) << number;
            EXPECT_EQ(hash_of(shown->filtered[0].planes), want[number]) << stack << " " << number;
        }
    }
}

TEST_F(ViewerFrameWorker, ASteppedFrameEqualsTheExport) {
    const auto file = recipe("plain.mkv");
    const auto frames = linear_frames(file);
    const std::vector<std::uint64_t> want = exported(file, kStacks[2]);
    Screen screen(file);
    screen.set(kStacks[2]);
    screen.player().seek(frames[32].seconds);
    ASSERT_TRUE(screen.next());
    std::size_t number = 32;
    for (const int step : {-1, -1, -1, 1, 1, 1, 1, -3}) {
        number += static_cast<std::size_t>(step);
        screen.player().step(step);
        const ShownFramePtr shown = screen.next();
        ASSERT_TRUE(shown);
        EXPECT_EQ(hash_of(shown->filtered[0].planes), want[number]) << number;
    }
}

// After the jump the frames follow one another; none is late, because the clock stands still.
TEST_F(ViewerFrameWorker, PlayedFramesEqualTheExport) {
    const auto file = recipe("plain.mkv");
    const auto frames = linear_frames(file);
    const std::vector<std::uint64_t> want = exported(file, kStacks[0]);
    Screen screen(file);
    screen.set(kStacks[0]);
    screen.player().seek(frames[33].seconds);
    screen.player().set_paused(false);
    std::size_t compared = 0;
    for (std::int64_t last = 0; last < frames.back().pts; ++compared) {
        const ShownFramePtr shown = screen.next();
        ASSERT_TRUE(shown);
        last = shown->played.frame->pts;
        const auto at = std::ranges::find(frames, last, &KnownFrame::pts);
        EXPECT_EQ(hash_of(shown->filtered[0].planes),
                  want[static_cast<std::size_t>(at - frames.begin())])
            << last;
    }
    EXPECT_GE(compared, 2U);
}

}  // namespace
}  // namespace weft::test
