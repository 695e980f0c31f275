// Runs the files of a batch, several at once and on several devices.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "app/batch/batch_events.h"
#include "app/batch/batch_options.h"
#include "app/batch/job_list.h"
#include "app/pipeline/file_job.h"

namespace weft {

// The devices and job slots of a batch.
struct BatchRoom {
    std::vector<Device> devices;  // at least one
    int jobs = 1;                 // files at once on all devices together; they share the cores
    // Takes files that failed because of a GPU when no other GPU is left for them.
    std::optional<Device> fallback = {};
    // The fallback begins, and the devices are started once they are worth it.
    bool begins_on_fallback = false;
    bool gpu_codes = false;  // a GPU decodes and encodes the files, too: JPEGs with -hwaccel
    // More files at once, which are finished and only wait for the disk. Disks write many files in
    // the time that one takes, if the system is asked for all of them at the same time.
    int syncing = 0;
};

// Files that the CPU has filtered, `at_once` at a time, before a GPU is started.
struct CpuTrial {
    int at_once = 1;
    int files = 0;
    double seconds = 0;      // for all files
    double gpu_seconds = 0;  // the part of it that a GPU would do
};

// Whether the remaining files finish sooner if a GPU is started, which takes 0.2 to 0.7 s on an
// H100, while the CPU continues.
bool is_gpu_worth_it(const CpuTrial& trial, std::size_t files_left);

// Whether the CPU begins before a GPU is started: if it is a fallback and all outputs are pictures.
bool begins_on_cpu(const std::vector<JobFile>& files, const BatchOptions& options);

// The room given by the options and the machine. The CPU is a fallback if no GPU was required: with
// --gpu auto, unless a kernel is forced or -hwaccel cuda is given.
BatchRoom batch_room(const std::vector<JobFile>& files, const BatchOptions& options,
                     const std::vector<Device>& devices);

// The job of one file with all options except the stack; `writer` has the options that its output
// supports. `at_once` files share the cores.
FileJob make_file_job(const JobFile& file, const BatchOptions& options, WriterOptions writer,
                      const Device& device, int at_once);

// Filters one file on one device; called by several threads at once. Throws Cancelled.
using RunFile =
    std::function<FileResult(const JobFile&, const Device&, const ProgressCallback& progress)>;

// Receives the final result of each file as soon as it is known; calls never overlap.
using TakeResult = std::function<void(std::size_t file, FileResult result)>;

// Blocks until all files are done, and passes one result per file to `take`. A bad file never stops
// the others; a stop request ends the running ones with Outcome::interrupted and skips the rest.
//
// A device gets its next file when one of its own is done. A file that fails because of its GPU
// runs once more, on another GPU or on the fallback, which is reported immediately and in its
// result. Files that come from or go to a pipe, or have their output already, do not run again. A
// lost GPU gets no more files; when none is left and there is no fallback, the rest fail.
void run_jobs(const std::vector<JobFile>& files, const BatchRoom& room, const RunFile& run,
              const std::stop_token& stop, BatchEvents& events, const TakeResult& take);

// ok if all are done or skipped; the file's own outcome for a single file; otherwise some_failed.
// Results that KeptResults has added up count as one.
Outcome batch_outcome(const std::vector<FileResult>& results);

// ---- the number of files at once without --jobs ----

// The facts that decide the choice. None of them requires opening a file.
struct JobRoom {
    std::size_t files = 1;  // number of files to filter
    bool stills = false;    // all outputs are single pictures
    bool encodes = true;    // outputs are written, by encoders that work on the CPU
    int gpus = 0;           // 0: the CPU filters
    bool gpu_decodes = false;
    std::size_t gpu_memory_bytes = 0;  // the smallest GPU's; 0: unknown
    int cores = 1;
    std::size_t memory_bytes = 0;  // free memory; 0: unknown
};

// Returns at least 1. The rules, each a maximum:
// - A video's software encoder and decoder have threads of their own: one file occupies four cores,
//   and two files on two cores take as long as one after the other.
// - A still is read, filtered and written sequentially by one core: one file per core.
// - If a GPU decodes and nothing is encoded, a file takes one core and up to 1 GiB of the GPU's
//   memory. A GPU has up to seven decoding engines, and files share them: with 16 files of 1080p,
//   an H200 did 2670 frames/s with 7 at once and 3415 with all. More than 16 per GPU were not
//   tried.
// - A file takes up to 1 GiB of memory: two queues of 64 MiB, and the buffers of decoder and
//   encoder for 4K. The number of files does not allow for larger pictures, because their size is
//   not known before they are opened.
// Each GPU gets at least one file, if files and memory allow.
int jobs_for(const JobRoom& room);

// The threads of each decoder and encoder if `at_once` files share the cores; 0: libav's choice.
int threads_for(int at_once);

}  // namespace weft
