// R16: whichever allocation or thread start fails, the run ends with 1 and a message, or with 0 and
// the whole output: it never crashes, and never reports the input as damaged.
#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <random>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

constexpr long kMostLong = 5000;

// `count` numbers from 1 to `most`: half of them in geometric progression, half at random. All of
// them in long tests.
std::set<long> chosen(long most, int count) {
    std::set<long> numbers;
    if (long_tests()) {
        for (long n = 1; n <= std::min(most, kMostLong); ++n) numbers.insert(n);
        return numbers;
    }
    std::mt19937 random(16);
    std::uniform_int_distribution<long> any(1, most);
    for (int k = 0; k < count / 2; ++k) {
        numbers.insert(std::lround(std::pow(static_cast<double>(most), 2.0 * k / count)));
        numbers.insert(any(random));
    }
    return numbers;
}

// The one exception: H.264 in libavcodec 5.1. If memory is short when its decoder starts, it closes
// threads that it has not opened (an assertion) or decodes through unset tables of functions.
// Callers cannot prevent it. The stack shows our handler, libc's frames and then libavcodec's;
// after a call through a null pointer it ends there.
bool is_crash_of_libavcodec(const Result& result) {
    std::istringstream lines(result.err);
    bool handler = true;
    for (std::string line; std::getline(lines, line);) {
        const bool frame = contains(line, "[0x");
        if (!frame || contains(line, "/libc.so")) continue;
        if (!handler) return contains(line, "/libavcodec.so");
        handler = false;
    }
    return result.signal == SIGSEGV;
}

class CliR16OutOfMemory : public FailingCallsTest {
 protected:
    // The number of calls of each kind in a run without failures.
    struct Calls {
        long allocations = 0;
        long threads = 0;
    };
    Calls count(const Arguments& arguments) {
        Command counted = command_with_failing_calls(arguments);
        counted.env["WEFT_FAIL_COUNTS"] = path("counts");
        EXPECT_TRUE(exits(run(counted), 0));
        std::istringstream numbers(read_file(path("counts")));
        fs::remove(path("counts"));
        Calls calls;
        numbers >> calls.allocations >> calls.threads;
        return calls;
    }

    // Filters `input` to `output`; every run that ends with 0 must produce the same bytes.
    Arguments filter(const std::string& input, const std::string& output) {
        return {"batch", "-vf", "box", "--gpu", "off", "-c:v", "ffv1", "-o", path(output), input};
    }

    void expect_failure_or_whole(const Result& result, const std::string& output,
                                 const std::string& whole) {
        EXPECT_TRUE(exits_one_of(result, {0, 1}));
        if (result.exit_code == 0) {
            EXPECT_TRUE(read_file(path(output)) == whole) << "another output: " << result.err;
        } else {
            EXPECT_FALSE(fs::exists(path(output))) << result.err;
            EXPECT_TRUE(contains(last_line(result.err), "not enough memory") ||
                        contains(last_line(result.err), "no further thread"))
                << result.err;
        }
        fs::remove(path(output));
    }

    enum class Tolerated : std::uint8_t { nothing, crashes_of_libavcodec };

    void fail_each(const char* variable, const std::set<long>& numbers, const Arguments& arguments,
                   const std::string& output, Tolerated tolerated = Tolerated::nothing) {
        EXPECT_TRUE(exits(run(command_with_failing_calls(arguments)), 0));
        const std::string whole = read_file(path(output));
        fs::remove(path(output));
        for (const long number : numbers) {
            SCOPED_TRACE(testing::Message() << variable << "=" << number);
            Command failing = command_with_failing_calls(arguments);
            failing.env[variable] = std::to_string(number);
            const Result result = run(failing);
            if (tolerated == Tolerated::crashes_of_libavcodec && result.signal != 0 &&
                is_crash_of_libavcodec(result)) {
                EXPECT_FALSE(fs::exists(path(output)));
                continue;
            }
            expect_failure_or_whole(result, output, whole);
        }
    }
};

// Neither codec has a library of its own: every allocation except OpenCV's is libav's or ours.
TEST_F(CliR16OutOfMemory, EachAllocation) {
    const std::string input = clip("six.mkv", picture_input(0.2, "16x16") + " -c:v ffv1");
    const Arguments arguments = filter(input, "out.nut");
    const long most = count(arguments).allocations;
    fs::remove(path("out.nut"));
    fail_each("WEFT_FAIL_ALLOCATION", chosen(most, 100), arguments, "out.nut");
}

TEST_F(CliR16OutOfMemory, EachAllocationOfH264AndSound) {
    const std::string input = clip("sounding.mkv", picture_input(0.2, "16x16") + tone_input(1) +
                                                       kFastVideo + " -c:a aac -shortest");
    const Arguments arguments = filter(input, "out.nut");
    const long most = count(arguments).allocations;
    fs::remove(path("out.nut"));
    fail_each("WEFT_FAIL_ALLOCATION", chosen(most, 60), arguments, "out.nut",
              Tolerated::crashes_of_libavcodec);
}

// Like reaching a memory limit: no later call succeeds, not even that of the error message.
TEST_F(CliR16OutOfMemory, EveryAllocationFromOneOn) {
    const std::string input = clip("six.mkv", picture_input(0.2, "16x16") + " -c:v ffv1");
    Arguments arguments = filter(input, "out.nut");
    const long most = count(arguments).allocations;
    fs::remove(path("out.nut"));
    for (const long number : chosen(most, 20)) {
        SCOPED_TRACE(testing::Message() << "from " << number);
        Command failing = command_with_failing_calls(arguments);
        failing.env["WEFT_FAIL_ALLOCATION"] = std::to_string(number);
        failing.env["WEFT_FAIL_ALL_AFTER"] = "1";
        const Result result = run(failing);
        if (result.exit_code == 0) {
            EXPECT_EQ(frame_count(path("out.nut")), 6) << result.err;
        } else {
            EXPECT_TRUE(exits(result, 1));
            EXPECT_FALSE(fs::exists(path("out.nut"))) << result.err;
        }
        fs::remove(path("out.nut"));
    }
}

// 900 frames are four segments. The queues between the stages hold some 100 frames of this size, so
// that the first segment is finished once more than half of the allocations are made.
TEST_F(CliR16OutOfMemory, FinishedSegmentsStay) {
    const std::string input = clip("segments.mkv", picture_input(30, "160x90") + " -c:v ffv1");
    const std::string kept = ".out.mkv.weft-resume";
    Arguments arguments = filter(input, "out.mkv");
    arguments.emplace_back("--resume");
    const long most = count(arguments).allocations;
    const auto whole = frame_hashes(path("out.mkv"), "yuv420p");
    fs::remove(path("out.mkv"));
    for (const long percent : {60, 75, 90}) {
        SCOPED_TRACE(testing::Message() << "from " << percent << " %");
        fs::remove(path(kept));
        Command failing = command_with_failing_calls(arguments);
        failing.env["WEFT_FAIL_ALLOCATION"] = std::to_string(most * percent / 100);
        failing.env["WEFT_FAIL_ALL_AFTER"] = "1";
        EXPECT_TRUE(exits(run(failing), 1));
        EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>{kept});
    }
    EXPECT_TRUE(exits(run(command_with_failing_calls(arguments)), 0));
    EXPECT_EQ(frame_hashes(path("out.mkv"), "yuv420p"), whole);
    EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>{"out.mkv"});
}

// Decoders, encoders and the stages of the pipeline start threads. Only with -threads does x264
// write the same bytes in every run: CPUs with AVX-512 may give others without.
TEST_F(CliR16OutOfMemory, EachThread) {
    const std::string input =
        clip("threads.mkv", picture_input(0.5, "320x240") + kFastVideo + " -x264-params slices=4");
    Arguments arguments = filter(input, "out.mp4");
    *std::ranges::find(arguments, "ffv1") = "libx264";
    arguments.insert(arguments.end(), {"-threads", "2"});
    const long most = count(arguments).threads;
    fs::remove(path("out.mp4"));
    ASSERT_GT(most, 3);
    std::set<long> numbers;
    for (long n = 1; n <= most; ++n) numbers.insert(n);
    fail_each("WEFT_FAIL_THREAD", numbers, arguments, "out.mp4");
}

}  // namespace
}  // namespace weft::cli
