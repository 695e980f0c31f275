// How many files of a batch are filtered at once where --jobs does not say it.
#pragma once

#include <cstddef>

namespace weft {

// What the choice depends on. Nothing of it needs a file to be opened.
struct JobRoom {
    std::size_t files = 1;  // to be filtered
    bool stills = false;    // all outputs are single pictures
    bool encodes = true;    // outputs are written, by encoders that work on the CPU
    int gpus = 0;           // 0: the CPU filters
    bool gpu_decodes = false;
    std::size_t gpu_memory_bytes = 0;  // of the smallest of them; 0: unknown
    int cores = 1;
    std::size_t memory_bytes = 0;  // that is free; 0: unknown
};

// At least 1. The rules, each a most:
// - A video's software encoder and decoder have threads of their own: one file fills four cores,
//   and two files on two cores take as long as one after the other.
// - A still is read, filtered and written by one core, one after the other: a file a core.
// - Where a GPU decodes and nothing is encoded, a file takes one core and up to 1 GiB of the GPU's
//   memory. A GPU has up to seven decoding engines, and files share them: of 16 files of 1080p, an
//   H200 did 2670 frames/s with 7 at once and 3415 with all. More than 16 a GPU were not tried.
// - A file takes up to 1 GiB of memory: two queues of 64 MiB, and what decoder and encoder hold of
//   4K. Larger pictures are not known before they are opened.
// Each GPU gets a file at least, if files and memory allow.
int jobs_for(const JobRoom& room);

// For JobRoom: /proc/meminfo's MemAvailable, or less where a control group has less left; 0 where
// neither is known.
std::size_t available_memory_bytes();

}  // namespace weft
