// Assignment of files to devices, with fake runs that filter nothing.
#include "app/batch/batch_runner.h"

#include <atomic>
#include <chrono>
#include <latch>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/pipeline/pipeline.h"
#include "tests/support/batch_results.h"

namespace weft {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Device gpu(int ordinal) {
    Device device;
    device.ordinal = ordinal;
    device.name = "Card " + std::to_string(ordinal);
    return device;
}

std::vector<Device> gpus(int count) {
    std::vector<Device> devices;
    devices.reserve(static_cast<std::size_t>(count));
    for (int k = 0; k < count; ++k) devices.push_back(gpu(k));
    return devices;
}

std::vector<JobFile> files(int count) {
    std::vector<JobFile> list;
    list.reserve(static_cast<std::size_t>(count));
    for (int k = 0; k < count; ++k)
        list.push_back({.input = std::to_string(k), .output = "out/" + std::to_string(k)});
    return list;
}

FileResult done(const JobFile& file, const Device& device) {
    FileResult result;
    result.input = file.input;
    result.status = FileStatus::ok;
    result.outcome = Outcome::ok;
    result.device = device;
    return result;
}

FileResult failed(const JobFile& file, const Device& device, DeviceFailure failure) {
    FileResult result = done(file, device);
    result.status = FileStatus::failed;
    result.outcome = Outcome::failed;
    result.error = device.name + " broke";
    result.device_failure = failure;
    return result;
}

struct CountedEvents : BatchEvents {
    void begin(std::size_t) override {}
    void file_begin(std::size_t file, const std::string&, const std::string&) override {
        const std::scoped_lock lock(mutex);
        ++begun[file];
    }
    void file_moved(std::size_t, const std::string& input, const std::string& why) override {
        const std::scoped_lock lock(mutex);
        moved.push_back(input + ": " + why);
    }
    void file_progress(std::size_t, const FileProgress&) override {}
    void file_end(std::size_t file, const FileResult&) override {
        const std::scoped_lock lock(mutex);
        ++ended[file];
    }
    void progress_requested() override {}
    void end(Outcome, const BatchTally&) override {}

    std::mutex mutex;
    std::map<std::size_t, int> begun, ended;
    std::vector<std::string> moved;
};

// A batch over fake GPUs. `fail` returns the failure of a file on a GPU.
struct Batch {
    std::vector<JobFile> list;
    BatchRoom room;
    std::function<DeviceFailure(const JobFile&, int gpu)> fail;
    std::stop_source stop = {};
    CountedEvents events = {};
    std::mutex mutex = {};
    std::map<int, int> runs = {};  // by GPU

    FileResult run_one(const JobFile& file, const Device& device) {
        {
            const std::scoped_lock lock(mutex);
            ++runs[device.ordinal];
        }
        const DeviceFailure failure = fail(file, device.ordinal);
        return failure == DeviceFailure::none ? done(file, device) : failed(file, device, failure);
    }
    std::vector<FileResult> run() {
        return test::results_of(
            list, room,
            [this](const JobFile& f, const Device& d, const ProgressCallback&) {
                return run_one(f, d);
            },
            stop.get_token(), events);
    }
    // Ordinals of the GPUs; -1 for a file that failed.
    std::vector<int> filtered_by() {
        std::vector<int> ordinals;
        for (const FileResult& result : run())
            ordinals.push_back(result.status == FileStatus::ok ? result.device->ordinal : -1);
        return ordinals;
    }
};

DeviceFailure lost_if(bool lost) {
    return lost ? DeviceFailure::lost : DeviceFailure::none;
}

// GPU 1 stays at its first file until GPU 0 has finished all others.
TEST(PipelineBatch, AFasterGpuGetsMoreFiles) {
    std::latch slow_began(1);
    std::latch others(5);
    Batch batch{files(6), {gpus(2), 2}, [&](const JobFile&, int gpu) {
                    if (gpu == 1) {
                        slow_began.count_down();
                        others.wait();
                    } else {
                        slow_began.wait();
                        others.count_down();
                    }
                    return DeviceFailure::none;
                }};
    EXPECT_EQ(batch_outcome(batch.run()), Outcome::ok);
    EXPECT_EQ(batch.runs[0], 5);
    EXPECT_EQ(batch.runs[1], 1);
}

// Each job waits for all others: with fewer jobs at once the test would hang.
TEST(PipelineBatch, JobsAreDividedAmongTheGpus) {
    std::latch all(6);
    Batch batch{files(6), {gpus(3), 6}, [&](const JobFile&, int) {
                    all.arrive_and_wait();
                    return DeviceFailure::none;
                }};
    EXPECT_EQ(batch_outcome(batch.run()), Outcome::ok);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(batch.runs[k], 2) << k;
}

// Each file waits for all others: if they kept their places the test would hang.
TEST(PipelineBatch, FilesThatWaitForTheDiskGiveTheirPlacesToOthers) {
    std::latch all(6);
    std::atomic<int> at_work = 0;
    CountedEvents events;
    const auto run = [&](const JobFile& file, const Device& device, const ProgressCallback& p) {
        EXPECT_EQ(at_work++, 0) << file.input;
        --at_work;
        p({.syncing = true});
        all.arrive_and_wait();
        return done(file, device);
    };
    const BatchRoom room{.devices = gpus(1), .jobs = 1, .syncing = 5};
    EXPECT_EQ(batch_outcome(test::results_of(files(6), room, run, {}, events)), Outcome::ok);
}

TEST(PipelineBatch, NoMoreFilesThanTheRoomAllowsWaitForTheDisk) {
    std::atomic<int> in_flight = 0;
    CountedEvents events;
    const auto run = [&](const JobFile& file, const Device& device, const ProgressCallback& p) {
        EXPECT_LE(++in_flight, 3) << file.input;
        p({.syncing = true});
        p({.syncing = true});  // gives the place only once
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --in_flight;
        return done(file, device);
    };
    const BatchRoom room{.devices = gpus(1), .jobs = 1, .syncing = 2};
    EXPECT_EQ(batch_outcome(test::results_of(files(30), room, run, {}, events)), Outcome::ok);
}

// Its file keeps its place: workers that wait for one would never end.
TEST(PipelineBatch, AnExceptionEndsTheRun) {
    CountedEvents events;
    const auto run = [](const JobFile&, const Device&, const ProgressCallback&) -> FileResult {
        throw std::runtime_error("broken");
    };
    const BatchRoom room{.devices = gpus(1), .jobs = 1, .syncing = 3};
    EXPECT_THROW((void)test::results_of(files(9), room, run, {}, events), std::runtime_error);
}

TEST(PipelineBatch, AFileMovesToAnotherGpuWithAWarning) {
    Batch batch{files(3), {gpus(2), 1}, [](const JobFile& file, int gpu) {
                    return file.input == "1" && gpu == 0 ? DeviceFailure::this_file
                                                         : DeviceFailure::none;
                }};
    const std::vector<FileResult> results = batch.run();
    EXPECT_EQ(batch_outcome(results), Outcome::ok);
    EXPECT_EQ(results[1].device->ordinal, 1);
    EXPECT_EQ(results[1].moved, "GPU 0 (Card 0) failed: Card 0 broke");
    EXPECT_EQ(results[0].moved, "");
    EXPECT_THAT(batch.events.moved, ElementsAre("1: GPU 0 (Card 0) failed: Card 0 broke; the file "
                                                "is restarted on another GPU"));
    EXPECT_EQ(batch.runs[0], 3) << "a GPU without memory for one file is good for the next";
}

TEST(PipelineBatch, ALostGpuGetsNoMoreFiles) {
    for (const int jobs : {1, 2, 5}) {
        Batch batch{
            files(9), {gpus(2), jobs}, [](const JobFile&, int gpu) { return lost_if(gpu == 0); }};
        EXPECT_THAT(batch.filtered_by(), testing::Each(1)) << jobs;
        EXPECT_LE(batch.runs[0], (jobs + 1) / 2) << "only those that were at work";
        EXPECT_GE(batch.runs[0], 1);
        for (std::size_t k = 0; k < 9; ++k) {
            EXPECT_EQ(batch.events.begun[k], 1) << k;
            EXPECT_EQ(batch.events.ended[k], 1) << k;
        }
    }
}

TEST(PipelineBatch, WithoutAGpuLeftTheRestFails) {
    Batch batch{files(3), {gpus(1), 1}, [](const JobFile& file, int) {
                    return lost_if(file.input == "1");
                }};
    batch.list.push_back({.input = "3", .output = "out/3", .skip = true});
    const std::vector<FileResult> results = batch.run();
    EXPECT_EQ(results[0].status, FileStatus::ok);
    EXPECT_EQ(results[1].error, "Card 0 broke");
    EXPECT_EQ(results[2].outcome, Outcome::no_gpu);
    EXPECT_THAT(results[2].error, HasSubstr("2: not filtered: no working GPU is left"));
    EXPECT_EQ(results[3].status, FileStatus::skipped);
    EXPECT_EQ(batch_outcome(results), Outcome::some_failed);
}

TEST(PipelineBatch, AFileMovesOnce) {
    Batch batch{
        files(1), {gpus(3), 1}, [](const JobFile&, int) { return DeviceFailure::this_file; }};
    const std::vector<FileResult> results = batch.run();
    EXPECT_EQ(results[0].error, "Card 1 broke");
    EXPECT_THAT(results[0].moved, HasSubstr("GPU 0"));
    EXPECT_EQ(batch.runs[2], 0);
}

// Two files are in progress on two GPUs when the first GPU is lost, and then the second.
TEST(PipelineBatch, TheFirstFailureIsKeptIfTheOtherGpuIsLostToo) {
    std::latch both(2);
    Batch batch{files(2), {gpus(2), 2}, [&](const JobFile&, int) {
                    both.arrive_and_wait();
                    return DeviceFailure::lost;
                }};
    for (const FileResult& result : batch.run()) {
        EXPECT_EQ(result.status, FileStatus::failed);
        EXPECT_THAT(result.error, HasSubstr("broke"));
    }
    EXPECT_EQ(batch.runs[0] + batch.runs[1], 2);
    EXPECT_EQ(batch.events.ended[0] + batch.events.ended[1], 2);
}

TEST(PipelineBatch, PipesAndKeptOutputsAreNotRunAgain) {
    for (const JobFile& file : {JobFile{"-", "a.mkv"}, JobFile{"a.mkv", "-"}}) {
        Batch batch{{file}, {gpus(2), 1}, [](const JobFile&, int) { return DeviceFailure::lost; }};
        EXPECT_EQ(batch.run()[0].error, "Card 0 broke");
    }
    CountedEvents events;
    const auto keep = [](const JobFile& file, const Device& device, const ProgressCallback&) {
        FileResult result = failed(file, device, DeviceFailure::lost);
        result.status = FileStatus::damaged;
        result.written.bytes = 100;
        return result;
    };
    EXPECT_EQ(test::results_of(files(1), {gpus(2), 1}, keep, {}, events)[0].device->ordinal, 0);
}

TEST(PipelineBatch, FilesThatFailOnTheGpuGoToTheFallback) {
    Batch batch{files(3), {gpus(1), 2, cpu_device()}, [](const JobFile& file, int gpu) {
                    return file.input == "1" && gpu == 0 ? DeviceFailure::this_file
                                                         : DeviceFailure::none;
                }};
    const std::vector<FileResult> results = batch.run();
    EXPECT_EQ(batch_outcome(results), Outcome::ok);
    EXPECT_FALSE(results[1].device->is_gpu());
    EXPECT_EQ(results[1].moved, "GPU 0 (Card 0) failed: Card 0 broke");
    EXPECT_THAT(batch.events.moved,
                ElementsAre("1: GPU 0 (Card 0) failed: Card 0 broke; the file is restarted on the "
                            "CPU"));
    EXPECT_EQ(batch.runs[0], 3) << "the others stay";
    EXPECT_EQ(batch.runs[cpu_device().ordinal], 1);
}

// The devices that take `count` pictures, each of which took the CPU four seconds, one
// of them in filters.
std::map<int, int> runs_of_pictures(int count) {
    Batch batch{files(count), {gpus(1), 2, cpu_device(), true}, {}};
    const auto run = [&](const JobFile& file, const Device& device, const ProgressCallback&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        FileResult result = done(file, device);
        result.wall_seconds = 4;
        result.stages.kernels.add(1);
        const std::scoped_lock lock(batch.mutex);
        ++batch.runs[device.ordinal];
        return result;
    };
    EXPECT_EQ(batch_outcome(test::results_of(batch.list, batch.room, run, {}, batch.events)),
              Outcome::ok);
    return batch.runs;
}

TEST(PipelineBatch, FewPicturesStayOnTheCpu) {
    const std::map<int, int> runs = runs_of_pictures(3);
    EXPECT_THAT(runs, ElementsAre(testing::Pair(cpu_device().ordinal, 3)));
}

TEST(PipelineBatch, ManyPicturesMoveToTheGpu) {
    std::map<int, int> runs = runs_of_pictures(1000);
    EXPECT_GE(runs[cpu_device().ordinal], 2);
    EXPECT_GT(runs[0], 0);
    EXPECT_EQ(runs[0] + runs[cpu_device().ordinal], 1000);
}

TEST(PipelineBatch, AGpuIsWorthItForLongRunsOfFilters) {
    struct Row {
        const char* name = "";
        CpuTrial trial;
        std::size_t files_left = 0;
        bool worth_it = false;
    };
    for (const Row& row :
         {Row{"nothing known", {16, 0, 0, 0}, 1000, false},
          Row{"not all workers have ended a file", {16, 15, 3.6, 0.45}, 1000, false},
          Row{"144 photos, 2.2 s", {16, 16, 3.9, 0.45}, 144, true},
          Row{"16 photos, 0.2 s", {16, 16, 3.9, 0.45}, 16, false},
          Row{"the codec takes all the time", {16, 16, 3.9, 0.3}, 1000, false},
          Row{"a giant picture", {1, 1, 3, 2}, 1, true},
          Row{"the last one", {1, 1, 3, 2}, 0, false}})
        EXPECT_EQ(is_gpu_worth_it(row.trial, row.files_left), row.worth_it) << row.name;
}

TEST(PipelineBatch, PicturesBeginOnTheFallback) {
    const auto begins = [](const char* output, GpuMode mode, bool numbered = false) {
        BatchOptions options;
        options.gpu.mode = mode;
        const JobFile file{.input = "a", .output = output, .numbered = numbered};
        return batch_room({file}, options, gpus(1)).begins_on_fallback;
    };
    EXPECT_TRUE(begins("a.jpg", GpuMode::automatic));
    EXPECT_FALSE(begins("a.jpg", GpuMode::require));
    EXPECT_FALSE(begins("a.mp4", GpuMode::automatic));
    EXPECT_FALSE(begins("a-%03d.png", GpuMode::automatic, true)) << "a film in pictures";
    EXPECT_TRUE(begins("50%done.png", GpuMode::automatic)) << "one picture of this name";
}

TEST(PipelineBatch, AllGoToTheFallbackWhenTheGpuIsLost) {
    for (const int jobs : {1, 3}) {
        Batch batch{files(9), {gpus(1), jobs, cpu_device()}, [](const JobFile&, int gpu) {
                        return lost_if(gpu == 0);
                    }};
        const std::vector<FileResult> results = batch.run();
        EXPECT_EQ(batch_outcome(results), Outcome::ok) << jobs;
        for (const FileResult& result : results) EXPECT_FALSE(result.device->is_gpu()) << jobs;
        EXPECT_LE(batch.runs[0], jobs) << "only those that were at work";
        EXPECT_EQ(batch.events.moved.size(), static_cast<std::size_t>(batch.runs[0]));
    }
}

// A failure of the file itself is final; the GPU's error is reported with it.
TEST(PipelineBatch, TheFallbackIsTheLastTry) {
    CountedEvents events;
    const auto run = [](const JobFile& file, const Device& device, const ProgressCallback&) {
        return failed(file, device, device.is_gpu() ? DeviceFailure::lost : DeviceFailure::none);
    };
    const auto results = test::results_of(files(2), {gpus(1), 1, cpu_device()}, run, {}, events);
    for (const FileResult& result : results) {
        EXPECT_EQ(result.status, FileStatus::failed);
        EXPECT_FALSE(result.device->is_gpu());
    }
    EXPECT_THAT(results[0].moved, HasSubstr("Card 0 broke"));
    EXPECT_EQ(results[1].moved, "") << "it never was on the GPU";
}

TEST(PipelineBatch, OnlyAnAutomaticGpuHasAFallback) {
    const std::vector<JobFile> list = {{.input = "in.mkv", .output = "out.mkv"}};
    const auto fallback = [&](const BatchOptions& options) {
        return batch_room(list, options, gpus(1)).fallback.has_value();
    };
    EXPECT_TRUE(fallback({}));
    BatchOptions options;
    for (const GpuMode mode : {GpuMode::require, GpuMode::ordinals, GpuMode::all}) {
        options.gpu = {mode, {0}};
        EXPECT_FALSE(fallback(options));
    }
    options = {};
    options.job.forced.every_step = "direct";
    EXPECT_FALSE(fallback(options));
    options = {};
    options.job.reader.hwaccel = Hwaccel::cuda;
    EXPECT_FALSE(fallback(options));
    options = {};
    options.resume = true;
    EXPECT_FALSE(fallback(options)) << "the CPU could drop the segments of the GPU";
    EXPECT_FALSE(batch_room(list, {}, {cpu_device()}).fallback);
}

TEST(PipelineBatch, AStopSkipsTheRest) {
    Batch batch{files(4), {gpus(2), 1}, nullptr};
    batch.fail = [&](const JobFile& file, int) {
        if (file.input != "1") return DeviceFailure::none;
        batch.stop.request_stop();
        throw Cancelled();
    };
    const std::vector<FileResult> results = batch.run();
    EXPECT_EQ(results[0].status, FileStatus::ok);
    for (std::size_t k = 1; k < 4; ++k) EXPECT_EQ(results[k].outcome, Outcome::interrupted) << k;
    EXPECT_EQ(batch.events.begun.size(), 2U);
}

// Each GPU has a few encoder sessions; a file that finds none free fails at once.
struct Sessions {
    int most = 0;
    std::mutex mutex = {};
    std::map<int, int> open = {};  // by GPU

    DeviceFailure use(int gpu) {
        {
            const std::scoped_lock lock(mutex);
            if (open[gpu] >= most) return DeviceFailure::in_use;
            ++open[gpu];
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        const std::scoped_lock lock(mutex);
        --open[gpu];
        return DeviceFailure::none;
    }
};

TEST(PipelineBatchSessions, FilesWaitForAFreeEncoder) {
    for (const int gpu_count : {1, 2})
        for (const int most : {1, 2, 3, 8}) {
            SCOPED_TRACE(testing::Message() << gpu_count << " GPUs, " << most << " sessions");
            Sessions sessions{most};
            Batch batch{files(40), {gpus(gpu_count), 8}, [&](const JobFile&, int gpu) {
                            return sessions.use(gpu);
                        }};
            const std::vector<FileResult> results = batch.run();
            for (std::size_t k = 0; k < results.size(); ++k) {
                EXPECT_EQ(results[k].status, FileStatus::ok) << k;
                EXPECT_EQ(results[k].moved, "") << k;
                EXPECT_EQ(batch.events.begun[k], 1) << k;
                EXPECT_EQ(batch.events.ended[k], 1) << k;
            }
            const int most_at_once = gpu_count == 1 ? 8 : 4;
            if (most >= most_at_once) {
                EXPECT_THAT(batch.events.moved, IsEmpty());
            }
        }
}

// Another program holds them all: a file fails once it is alone.
TEST(PipelineBatchSessions, EveryFileFailsIfNoEncoderIsEverFree) {
    Sessions none;
    Batch batch{files(10), {gpus(1), 4}, [&](const JobFile&, int gpu) { return none.use(gpu); }};
    EXPECT_THAT(batch.filtered_by(), Each(-1));
    EXPECT_GE(batch.runs[0], 10);
    EXPECT_LE(batch.runs[0], 10 + 2 * 4) << "each of the first four is tried again alone";
    for (std::size_t k = 0; k < 10; ++k) EXPECT_EQ(batch.events.ended[k], 1) << k;
}

TEST(PipelineBatchSessions, ALoneFileFailsAtOnce) {
    Sessions none;
    Batch batch{files(1), {gpus(1), 1}, [&](const JobFile&, int gpu) { return none.use(gpu); }};
    EXPECT_THAT(batch.filtered_by(), ElementsAre(-1));
    EXPECT_EQ(batch.runs[0], 1);
    EXPECT_THAT(batch.events.moved, IsEmpty());
}

// The pipe's data is gone.
TEST(PipelineBatchSessions, StandardInputIsNotReadAgain) {
    Sessions none;
    std::vector<JobFile> list = files(3);
    list[0].input = "-";
    Batch batch{list, {gpus(1), 3}, [&](const JobFile&, int gpu) { return none.use(gpu); }};
    EXPECT_THAT(batch.filtered_by(), Each(-1));
    for (const std::string& moved : batch.events.moved) EXPECT_FALSE(moved.starts_with("-"));
}

}  // namespace
}  // namespace weft
