// Which file of a batch runs next, and on which device.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "app/pipeline/file_job.h"

namespace weft {

struct Assignment {
    std::size_t file = 0;
    std::optional<std::size_t> device;  // nothing: none is left that may take the file
};

// A list that all devices share: whoever is free takes the next file, so a device gets files by
// the speed that it shows. Thread-safe; nothing blocks.
class WorkList {
 public:
    // At most `jobs` files run at once, divided among the devices, rounded up. `with_fallback`: one
    // device more, behind these, takes what failed on one of them, and all when they are lost.
    WorkList(std::size_t files, std::size_t devices, int jobs, bool with_fallback = false);

    // The next file for the device with the fewest at work. Nothing when no file is left, or when
    // those left wait for devices at work, whose workers will come for them. A file with a device
    // must be given to finish().
    std::optional<Assignment> take();

    // A lost device gets no more files. Where `again` is wanted after a device's failure, the file
    // goes to another device, or else to the fallback, once: true if there is one, and the file
    // will come again.
    bool finish(const Assignment& work, DeviceFailure failure, bool again);

 private:
    struct Place {
        int running = 0;
        bool lost = false;
    };

    bool is_fallback(std::size_t device) const { return device == fallback_; }
    bool wants_fallback(std::size_t file) const;
    bool may_take(std::size_t device, std::size_t file) const;
    bool any_may_take(std::size_t file) const;
    std::optional<std::size_t> freest(std::size_t file) const;

    std::mutex mutex_;
    std::deque<std::size_t> pending_;                    // files
    std::vector<std::optional<std::size_t>> failed_on_;  // by file: a device
    std::vector<Place> places_;                          // by device
    std::size_t fallback_;                               // a device; beyond all: none
    int most_running_;                                   // on a device
};

}  // namespace weft
