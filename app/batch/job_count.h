// The number of files of a batch that are filtered at once without --jobs.
#pragma once

#include <cstddef>

namespace weft {

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
// encoder
//   for 4K. Larger pictures are not known before they are opened.
// Each GPU gets at least one file, if files and memory allow.
int jobs_for(const JobRoom& room);

// For JobRoom: /proc/meminfo's MemAvailable, or less if a control group has less left; 0 if neither
// is known.
std::size_t available_memory_bytes();

}  // namespace weft
