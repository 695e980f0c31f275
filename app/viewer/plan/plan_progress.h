// The progress of a plan of `weft batch`, as the window shows it. Plans are read by the program
// that loads the window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace weft {

enum class PlannedState : std::uint8_t {
    done,
    damaged,   // the input: another run would end the same way
    unjoined,  // a part of a video that is finished, but not joined to the others
    failed,    // another run may succeed
    given_up,  // several runs failed, and no more are made
    missing,   // no run has finished it
};

// A file of the plan, or a part of a video.
struct PlanFile {
    std::string name;  // its path, relative to the plan
    int shard = 1;
    PlannedState state = PlannedState::missing;
    std::string reason = {};  // a clause, unless it is done

    bool is_open() const { return state == PlannedState::missing || state == PlannedState::failed; }
    bool failed() const { return state == PlannedState::failed || state == PlannedState::given_up; }
    bool operator==(const PlanFile&) const = default;
};

struct PlanShard {
    int shard = 1;
    std::size_t files = 0;
    std::size_t finished = 0;  // not open
    std::size_t failed = 0;
    std::size_t damaged = 0;

    bool operator==(const PlanShard&) const = default;
};

struct PlanProgress {
    std::vector<PlanFile> files = {};    // in the order of the plan
    std::vector<PlanShard> shards = {};  // of the files
    std::size_t open = 0;                // files that are open
    std::string summary = {};            // "97 of 100 files done, 3 missing in 2 of 4 shards"
    std::string pace = {};               // "1203 frames, 24.3 frames/s, 0:10 left", of all machines
    bool final = false;                  // all later readings are the same

    double fraction() const;  // finished files divided by all files
};

// The shards that have files, in order.
std::vector<PlanShard> shards_of(const std::vector<PlanFile>& files);

// "missing: the output does not exist yet", "done"; without the file's name, which is next to it.
std::string state_words(const PlanFile& file);
// "1 failed, 2 damaged"; "" without either.
std::string problem_words(const PlanShard& shard);

// A plan that is open. Used by one thread.
class PlanSource {
 public:
    virtual ~PlanSource() = default;
    // Blocks on the file system: it looks at all files that were open before. Incomplete after a
    // stop request.
    virtual PlanProgress read(const std::stop_token& stop) = 0;
};

// How to read plans; null functions: no file is a plan.
struct PlanOpener {
    // Whether the file begins like a plan. Never throws.
    bool (*is_plan)(const std::string& path) = nullptr;
    // Blocks on the file system. Throws std::exception with a sentence for a plan that is invalid.
    std::unique_ptr<PlanSource> (*open)(const std::string& path) = nullptr;
};

}  // namespace weft
