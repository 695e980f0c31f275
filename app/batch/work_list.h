// Decides which file of a batch runs next, and on which device.
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
    std::optional<std::size_t> device;  // nothing: no remaining device may take the file
    bool alone = false;                 // no other file ran on the device when this one began
};

// A list that all devices share: each takes the next file when it is free, so faster devices get
// more files. Thread-safe; never blocks.
class WorkList {
 public:
    // At most `jobs` files run at once, divided among the devices, rounded up. `with_fallback` adds
    // one more device, after these, for files that failed on one of them, and for all when they are
    // lost, or not opened yet.
    WorkList(std::size_t files, std::size_t devices, int jobs, bool with_fallback = false);

    // From now on the devices, except the fallback, take no file until open() is called. Before the
    // first take().
    void close() { open_ = false; }
    void open();
    std::size_t files_left();  // not taken yet

    // The next file for the device with the fewest running. Returns nothing if no file is left, or
    // if the remaining ones wait for busy devices, whose workers will take them. A file with a
    // device must be passed to finish().
    std::optional<Assignment> take();

    // Returns true if take() will return the file again, which requires `again`. A lost device gets
    // no more files; a file that a device failed on goes to another one, or else to the fallback,
    // once. A device in use gets no more files at once than now run on it; the file waits for one
    // of them to end, unless it ran alone.
    bool finish(const Assignment& work, DeviceFailure failure, bool again);

 private:
    struct Place {
        int running = 0;
        int most_running = 0;
        bool lost = false;
    };

    bool finish_in_use(const Assignment& work);

    bool is_fallback(std::size_t device) const { return device == fallback_; }
    bool wants_fallback(std::size_t file) const;
    bool may_take(std::size_t device, std::size_t file) const;
    bool any_may_take(std::size_t file) const;
    std::optional<std::size_t> freest(std::size_t file) const;

    std::mutex mutex_;
    bool open_ = true;
    std::deque<std::size_t> pending_;                    // files
    std::vector<std::optional<std::size_t>> failed_on_;  // per file: a device
    std::vector<Place> places_;                          // per device
    std::size_t fallback_;                               // a device number; past the end: none
};

}  // namespace weft
