// Decides which file of a batch runs next, and on which device.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "app/batch/batch_runner.h"
#include "app/pipeline/file_job.h"

namespace weft {

struct Assignment {
    std::size_t file = 0;
    std::optional<std::size_t> device;  // nothing: no remaining device may take the file
    bool alone = false;                 // no other file ran on the device when this one began
};

// A list that all devices share: each takes the next file when it is free, so faster devices get
// more files. Thread-safe.
class WorkList {
 public:
    // The jobs are divided among the devices, rounded up. The fallback is one more device, after
    // these.
    WorkList(std::size_t files, const BatchRoom& room);

    // From now on the devices, except the fallback, take no file until open() is called. Before the
    // first take().
    void close() { open_ = false; }
    void open();
    std::size_t files_left();  // not taken yet

    // The next file for the device with the fewest running. Blocks while all devices that may take
    // one of the remaining files are busy. Returns nothing if none is left, or after end(). A file
    // with a device must be passed to finish().
    std::optional<Assignment> take();

    // Gives the file's place to the next one, because the file needs the disk alone.
    void begin_sync(const Assignment& work);

    // Returns true if take() will return the file again, which requires `again`. A lost device gets
    // no more files; a file that a device failed on goes to another one, or else to the fallback,
    // once. A device in use gets no more files at once than now run on it; the file waits for one
    // of them to end, unless it ran alone.
    bool finish(const Assignment& work, DeviceFailure failure, bool again);

    // Makes take() return nothing, because a worker has failed and its file keeps its place.
    void end();

 private:
    struct Place {
        int running = 0;
        int most_running = 0;
        bool lost = false;
    };

    void free_place(const Assignment& work);
    bool finish_in_use(const Assignment& work);

    bool is_fallback(std::size_t device) const { return device == fallback_; }
    bool wants_fallback(std::size_t file) const;
    bool may_take(std::size_t device, std::size_t file) const;
    bool any_may_take(std::size_t file) const;
    std::optional<std::size_t> freest(std::size_t file) const;
    std::optional<Assignment> next();

    std::mutex mutex_;
    std::condition_variable changed_;
    bool open_ = true;
    bool ended_ = false;
    int running_ = 0;
    int most_running_;
    std::set<std::size_t> syncing_;                      // files
    std::deque<std::size_t> pending_;                    // files
    std::vector<std::optional<std::size_t>> failed_on_;  // per file: a device
    std::vector<Place> places_;                          // per device
    std::size_t fallback_;                               // a device number; past the end: none
};

}  // namespace weft
