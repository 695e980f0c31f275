#include "app/batch/batch_runner.h"

extern "C" {
#include <libavformat/avformat.h>
}

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <sys/resource.h>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "app/batch/work_list.h"
#include "app/media/demux/image_sequence.h"
#include "app/media/write/container_table.h"
#include "app/pipeline/device_choice.h"
#include "app/pipeline/pipeline.h"
#include "app/pipeline/resumable.h"
#include "kernels/device/cgroup.h"

namespace weft {
namespace {

bool is_failure(const FileResult& result) {
    return result.status == FileStatus::failed || result.status == FileStatus::damaged;
}

FileResult unfinished(const JobFile& file, FileStatus status, Outcome outcome, std::string error) {
    FileResult result;
    result.input = file.input;
    result.output = file.output;
    result.status = status;
    result.outcome = outcome;
    result.error = std::move(error);
    return result;
}

FileResult skipped(const JobFile& file) {
    return unfinished(file, FileStatus::skipped, Outcome::ok, "");
}

FileResult stopped(const JobFile& file) {
    return unfinished(file, FileStatus::failed, Outcome::interrupted,
                      file.input + ": stopped before the end");
}

FileResult without_device(const JobFile& file) {
    return unfinished(file, FileStatus::failed, Outcome::no_gpu,
                      file.input + ": not filtered: no working GPU is left in this run");
}

// Data read from a pipe is lost; an output recovered from a damaged input is kept.
bool can_run_again(const JobFile& file, const FileResult& result) {
    return file.input != "-" && file.output != "-" && is_failure(result) &&
           result.written.bytes == 0;
}

bool leaves_device(DeviceFailure failure) {
    return failure == DeviceFailure::this_file || failure == DeviceFailure::lost;
}

std::string moved_text(const Device& from, const FileResult& first) {
    return fmt::format("GPU {} ({}) failed{}: {}", from.ordinal, from.name,
                       first.device_failure == DeviceFailure::lost ? " and gets no more files" : "",
                       first.error);
}

std::string again_event(const FileResult& first, const std::string& moved, bool to_fallback) {
    if (first.device_failure == DeviceFailure::in_use)
        return fmt::format("{}; the file waits until another one has finished", first.error);
    return fmt::format("{}; the file is restarted on {}", moved,
                       to_fallback ? "the CPU" : "another GPU");
}

// The earlier runs of a file that a device gave back.
struct EarlierRuns {
    FileResult result;  // the latest run's
    std::string moved;  // why it left its first GPU; empty: it did not
};

std::vector<Device> all_devices(const BatchRoom& room) {
    std::vector<Device> devices = room.devices;
    if (room.fallback) devices.push_back(*room.fallback);
    return devices;
}

class JobRunner {
 public:
    JobRunner(const std::vector<JobFile>& files, const BatchRoom& room, const RunFile& run,
              const std::stop_token& stop, BatchEvents& events, const TakeResult& take)
        : files_(files),
          devices_(all_devices(room)),
          workers_(static_cast<std::size_t>(room.jobs + room.syncing)),
          has_fallback_(room.fallback.has_value()),
          gpu_codes_(room.gpu_codes),
          run_(run),
          stop_(stop),
          events_(events),
          take_(take),
          list_(files.size(), room) {
        if (!room.begins_on_fallback) return;
        list_.close();
        trial_ = CpuTrial{.at_once = room.jobs};
    }

    void run() {
        {
            std::vector<std::jthread> threads;
            start(threads, std::min(workers_, files_.size()) - 1);
            guarded_work();
        }
        if (first_) std::rethrow_exception(first_);
    }

 private:
    // Starts as many threads as the system allows; this one processes all files if need be.
    void start(std::vector<std::jthread>& threads, std::size_t count) {
        threads.reserve(count);
        try {
            while (threads.size() < count) threads.emplace_back([this] { guarded_work(); });
        } catch (const std::system_error&) {
            return;
        } catch (const std::bad_alloc&) {
            return;
        }
    }

    // Keeps the first exception, which run() rethrows after all threads have ended.
    void guarded_work() {
        try {
            work();
        } catch (...) {  // rethrown by run()
            list_.end();
            const std::scoped_lock lock(mutex_);
            if (!first_) first_ = std::current_exception();
        }
    }

    void work() {
        while (const auto next = list_.take())
            if (stop_.stop_requested())
                leave_out(*next);
            else if (next->device)
                run_on_device(*next);
            else
                give_up(next->file);
    }

    void leave_out(const Assignment& work) {
        FileResult result = stopped(files_[work.file]);
        if (earlier_runs(work.file))
            end(work.file, std::move(result));
        else
            take(work.file, std::move(result));
        if (work.device) (void)list_.finish(work, DeviceFailure::none, false);
    }

    // Keeps the failure on the first device, if there was one.
    void give_up(std::size_t file) {
        const JobFile& job = files_[file];
        std::optional<EarlierRuns> earlier = earlier_runs(file);
        if (!earlier) print_event([&] { events_.file_begin(file, job.input, job.output); });
        end(file, earlier    ? std::move(earlier->result)
                  : job.skip ? skipped(job)
                             : without_device(job));
    }

    void run_on_device(const Assignment& work) {
        const JobFile& job = files_[work.file];
        const Device& device = devices_[*work.device];
        EarlierRuns runs;
        if (std::optional<EarlierRuns> earlier = earlier_runs(work.file))
            runs = std::move(*earlier);
        else
            print_event([&] { events_.file_begin(work.file, job.input, job.output); });
        FileResult result = filter(work, device);
        result.moved = runs.moved;
        if (!device.is_gpu() && result.status == FileStatus::ok) start_gpus_if_worth_it(result);
        const DeviceFailure failure = result.device_failure;
        if (leaves_device(failure) && runs.moved.empty()) runs.moved = moved_text(device, result);
        const bool may_return = failure != DeviceFailure::none && can_run_again(job, result);
        const std::string event = again_event(result, runs.moved, has_fallback_);
        if (!may_return) {
            (void)list_.finish(work, failure, false);
            return end(work.file, std::move(result));
        }
        // Another worker may take the file as soon as the list has it.
        runs.result = std::move(result);
        keep(work.file, std::move(runs));
        if (list_.finish(work, failure, true))
            return print_event([&] { events_.file_moved(work.file, job.input, event); });
        if (std::optional<EarlierRuns> kept = earlier_runs(work.file))
            end(work.file, std::move(kept->result));
    }

    void keep(std::size_t file, EarlierRuns runs) {
        const std::scoped_lock lock(mutex_);
        earlier_.insert_or_assign(file, std::move(runs));
    }

    // Earlier runs of a file that no worker runs at the moment.
    std::optional<EarlierRuns> earlier_runs(std::size_t file) {
        const std::scoped_lock lock(mutex_);
        auto found = earlier_.extract(file);
        return found ? std::optional(std::move(found.mapped())) : std::nullopt;
    }

    void end(std::size_t file, FileResult result) {
        print_event([&] { events_.file_end(file, result); });
        take(file, std::move(result));
    }

    void take(std::size_t file, FileResult result) {
        const std::scoped_lock lock(mutex_);
        take_(file, std::move(result));
    }

    // Starts the GPUs, while the CPU continues, once they are worth it.
    void start_gpus_if_worth_it(const FileResult& result) {
        const std::size_t left = list_.files_left();
        const std::scoped_lock lock(mutex_);
        if (!trial_) return;
        ++trial_->files;
        trial_->seconds += result.wall_seconds;
        trial_->gpu_seconds +=
            gpu_codes_ ? result.wall_seconds : result.stages.kernels.total_seconds();
        if (starter_.joinable() || !is_gpu_worth_it(*trial_, left)) return;
        try {
            starter_ = std::jthread([this] {
                start_devices(std::span(devices_).first(devices_.size() - 1));
                list_.open();
            });
        } catch (const std::system_error&) {  // no thread is left: the CPU continues alone
            trial_.reset();
        }
    }

    FileResult filter(const Assignment& work, const Device& device) {
        const JobFile& job = files_[work.file];
        if (job.skip) return skipped(job);
        try {
            // Copied: a stalled run that is abandoned may outlive this call.
            return run_(job, device, [this, work](const FileProgress& p) {
                if (p.syncing) return list_.begin_sync(work);
                print_event([&] { events_.file_progress(work.file, p); });
            });
        } catch (const Cancelled&) {
            return stopped(job);
        }
    }

    const std::vector<JobFile>& files_;
    std::vector<Device> devices_;
    std::size_t workers_;
    bool has_fallback_;
    bool gpu_codes_;
    const RunFile& run_;
    std::stop_token stop_;
    BatchEvents& events_;
    const TakeResult& take_;
    WorkList list_;
    std::mutex mutex_;
    std::map<std::size_t, EarlierRuns> earlier_;  // of files that wait for another device
    std::exception_ptr first_;                    // of any thread
    std::optional<CpuTrial> trial_;               // nothing: the devices take files from the start
    std::jthread starter_;                        // last: it uses the others
};

bool is_still(const JobFile& file, const std::string& format) {
    return find_container(file.output, format).kind == OutputKind::still && !file.numbered;
}

bool all_stills(const std::vector<JobFile>& files, const BatchOptions& options) {
    return options.output != kNoOutput && std::ranges::all_of(files, [&](const JobFile& file) {
               return is_still(file, options.job.writer.format);
           });
}

// The names decide, so that no file is opened for it.
bool all_jpegs(const std::vector<JobFile>& files) {
    const auto is_jpeg = [](const std::string& name) {
        return av_match_ext(name.c_str(), "jpg,jpeg,jpe") != 0;
    };
    return std::ranges::all_of(
        files, [&](const JobFile& file) { return is_jpeg(file.input) && is_jpeg(file.output); });
}

// There is no fallback with --resume, because the CPU would discard the segments of a GPU that
// rounds differently.
bool has_fallback(const BatchOptions& options) {
    const bool forced =
        !options.job.forced.every_step.empty() || !options.job.forced.by_step.empty();
    return options.gpu.mode == GpuMode::automatic && !forced && !options.resume &&
           options.job.reader.hwaccel != Hwaccel::cuda;
}

constexpr int kCoresPerVideo = 4;
constexpr int kDecodedPerGpu = 16;
constexpr std::size_t kBytesPerJob = std::size_t{1} << 30;

int jobs_of_cores(const JobRoom& room) {
    const bool gpu_does_all = room.gpu_decodes && !room.encodes;
    return room.stills || gpu_does_all ? room.cores : room.cores / kCoresPerVideo;
}

int jobs_of_memory(std::size_t bytes) {
    constexpr std::size_t kMost = 1024;
    if (bytes == 0) return kMost;
    return static_cast<int>(std::clamp<std::size_t>(bytes / kBytesPerJob, 1, kMost));
}

// A file that waits for the disk has two threads, a small picture and some descriptors.
int syncing_for(std::size_t memory_bytes, int jobs) {
    constexpr std::int64_t kMost = 64;
    constexpr std::size_t kBytesPerFile = std::size_t{64} << 20;
    constexpr rlim_t kDescriptorsPerFile = 8;
    rlimit descriptors{};
    if (getrlimit(RLIMIT_NOFILE, &descriptors) != 0) return 0;
    const auto in_flight = static_cast<std::int64_t>(
        std::min(memory_bytes / kBytesPerFile, descriptors.rlim_cur / kDescriptorsPerFile));
    return static_cast<int>(std::clamp<std::int64_t>(in_flight - jobs, 0, kMost));
}

int jobs_of_gpus(const JobRoom& room) {
    return room.gpus * std::min(kDecodedPerGpu, jobs_of_memory(room.gpu_memory_bytes));
}

}  // namespace

int jobs_for(const JobRoom& room) {
    int jobs = jobs_of_cores(room);
    if (room.gpu_decodes && !room.stills) jobs = std::min(jobs, jobs_of_gpus(room));
    jobs = std::max({jobs, room.gpus, 1});
    const auto files = static_cast<int>(std::clamp<std::size_t>(room.files, 1, 1024));
    return std::min({jobs, jobs_of_memory(room.memory_bytes), files});
}

bool is_gpu_worth_it(const CpuTrial& trial, std::size_t files_left) {
    constexpr double kStartSeconds = 0.7;
    // A share of a file's time. With 0.06, for Sobel, a GPU takes 8 % longer.
    constexpr double kLeastShare = 0.1;
    if (trial.files < trial.at_once || trial.seconds <= 0) return false;
    const double seconds_left =
        trial.seconds / trial.files * static_cast<double>(files_left) / trial.at_once;
    return seconds_left > 3 * kStartSeconds && trial.gpu_seconds > kLeastShare * trial.seconds;
}

int threads_for(int at_once) {
    return at_once <= 1 ? 0 : std::max(1, usable_cores() / at_once);
}

bool begins_on_cpu(const std::vector<JobFile>& files, const BatchOptions& options) {
    return has_fallback(options) && all_stills(files, options);
}

BatchRoom batch_room(const std::vector<JobFile>& files, const BatchOptions& options,
                     const std::vector<Device>& devices) {
    std::optional<Device> fallback;
    if (devices.front().is_gpu() && has_fallback(options)) fallback = cpu_device();
    JobRoom room{.encodes = options.output != kNoOutput,
                 .cores = usable_cores(),
                 .memory_bytes = available_memory_bytes()};
    room.files = static_cast<std::size_t>(
        std::ranges::count_if(files, [](const JobFile& file) { return !file.skip; }));
    room.stills = all_stills(files, options);
    const bool begins_on_fallback = fallback.has_value() && room.stills;
    const bool gpu_codes = options.job.reader.hwaccel != Hwaccel::none && all_jpegs(files);
    room.gpus = devices.front().is_gpu() ? static_cast<int>(devices.size()) : 0;
    room.gpu_decodes = room.gpus > 0 && options.job.reader.hwaccel != Hwaccel::none;
    room.gpu_memory_bytes = std::ranges::min(devices, {}, &Device::memory_bytes).memory_bytes;
    const int jobs = options.jobs.value_or(jobs_for(room));
    const int syncing = room.stills ? syncing_for(room.memory_bytes, jobs) : 0;
    return {devices, jobs, fallback, begins_on_fallback, gpu_codes, syncing};
}

FileJob make_file_job(const JobFile& file, const BatchOptions& options, WriterOptions writer,
                      const Device& device, int at_once) {
    FileJob job = options.job;
    job.reader.path = file.input;
    job.reader.heartbeat = std::make_shared<Heartbeat>();
    job.reader.gpu = device;
    job.reader.compare_decoders = true;
    job.reader.decoder_threads = threads_for(at_once);
    job.writer = std::move(writer);
    job.writer.path = file.output;
    job.writer.numbered = file.numbered;
    job.writer.encoder_threads = threads_for(at_once);
    if (options.resume &&
        why_not_resumable(file.input, file.output, options.job.writer.format).empty())
        job.writer.resume = program_facts();
    if (file.part || !file.joined.empty()) job.writer.resume = program_facts();
    if (file.part) job.writer.remedies.resume = "the same command";
    job.writer.part = file.part;
    job.joined = file.joined;
    if (file.input == "-" && file.output != "-") job.reader.format = options.job.writer.format;
    job.device = device;
    if (options.receipts) {
        const Shard shard = options.shard.value_or(Shard{});
        job.receipt = {file.name, shard.index, shard.count, shard.origin};
    }
    return job;
}

void run_jobs(const std::vector<JobFile>& files, const BatchRoom& room, const RunFile& run,
              const std::stop_token& stop, BatchEvents& events, const TakeResult& take) {
    if (!files.empty()) JobRunner(files, room, run, stop, events, take).run();
}

Outcome batch_outcome(const std::vector<FileResult>& results) {
    if (results.size() == 1) return results.front().outcome;
    return std::ranges::any_of(results, is_failure) ? Outcome::some_failed : Outcome::ok;
}

}  // namespace weft
