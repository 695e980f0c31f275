#include "app/cli/batch_runner.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "app/pipeline/pipeline.h"

namespace weft {
namespace {

bool is_failure(const FileResult& result) {
    return result.status == FileStatus::failed || result.status == FileStatus::damaged;
}

FileResult unfinished(const JobFile& file, FileStatus status, ExitCode code, std::string error) {
    FileResult result;
    result.input = file.input;
    result.output = file.output;
    result.status = status;
    result.exit_code = code;
    result.error = std::move(error);
    return result;
}

class JobRunner {
 public:
    JobRunner(const std::vector<JobFile>& files, const BatchOptions& options, const Stack& stack,
              const Device& device, const std::stop_token& stop, BatchEvents& events)
        : files_(files),
          options_(options),
          stack_(stack),
          device_(device),
          stop_(stop),
          events_(events),
          results_(files.size()) {}

    std::vector<FileResult> run() {
        const std::size_t workers =
            std::min(static_cast<std::size_t>(options_.jobs), files_.size());
        std::vector<std::thread> threads;
        for (std::size_t k = 1; k < workers; ++k) threads.emplace_back([this] { work(); });
        work();
        for (std::thread& thread : threads) thread.join();
        return std::move(results_);
    }

 private:
    void work() {
        for (std::size_t file = next_++; file < files_.size(); file = next_++) {
            if (stop_.stop_requested()) {
                results_[file] = stopped(files_[file]);
                continue;
            }
            events_.file_begin(file, files_[file].input, files_[file].output);
            results_[file] = run_file(file);
            events_.file_end(file, results_[file]);
        }
    }

    static FileResult stopped(const JobFile& file) {
        return unfinished(file, FileStatus::failed, ExitCode::interrupted,
                          file.input + ": stopped before the end");
    }

    FileResult run_file(std::size_t file) {
        const JobFile& job = files_[file];
        if (job.skip) return unfinished(job, FileStatus::skipped, ExitCode::ok, "");
        try {
            return filter_file(make_file_job(job, options_, stack_, device_), stop_,
                               [&](const FileProgress& p) { events_.file_progress(file, p); });
        } catch (const Cancelled&) {
            return stopped(job);
        }
    }

    const std::vector<JobFile>& files_;
    const BatchOptions& options_;
    const Stack& stack_;
    const Device& device_;
    std::stop_token stop_;
    BatchEvents& events_;
    std::vector<FileResult> results_;
    std::atomic<std::size_t> next_{0};
};

int threads_for(int at_once) {
    if (at_once <= 1) return 0;  // libav's own choice: all cores
    const auto cores = static_cast<int>(std::thread::hardware_concurrency());
    return std::max(1, cores / at_once);
}

}  // namespace

FileJob make_file_job(const JobFile& file, const BatchOptions& options, const Stack& stack,
                      const Device& device) {
    FileJob job;
    job.reader = options.reader;
    job.reader.path = file.input;
    job.reader.gpu = device;
    job.reader.decoder_threads = threads_for(options.jobs);
    job.writer = options.writer;
    job.writer.path = file.output;
    job.writer.encoder_threads = threads_for(options.jobs);
    if (file.input == "-" && file.output != "-") job.reader.format = options.writer.format;
    job.stack = stack;
    job.device = device;
    job.forced = options.kernels;
    job.fields = options.fields;
    job.keep_damaged = options.keep_damaged;
    return job;
}

std::vector<FileResult> run_jobs(const std::vector<JobFile>& files, const BatchOptions& options,
                                 const Stack& stack, const Device& device,
                                 const std::stop_token& stop, BatchEvents& events) {
    return JobRunner(files, options, stack, device, stop, events).run();
}

ExitCode batch_exit_code(const std::vector<FileResult>& results) {
    if (results.size() == 1) return results.front().exit_code;
    return std::ranges::any_of(results, is_failure) ? ExitCode::some_failed : ExitCode::ok;
}

}  // namespace weft
