// The last race of the same work on this device, from one start of the program to the next.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "app/viewer/race/race_record.h"

namespace weft {

// Races are kept as race_json() in a folder, one file for each work and device, of which the newest
// kMostFiles stay. For one thread; files are written in another.
class LastRace {
 public:
    static constexpr std::size_t kMostFiles = 64;

    // `on_problem` is called with a sentence, from either thread, about a file that cannot be read
    // or written, is damaged, or is of another version or machine. Such a file is then replaced.
    // An empty folder keeps nothing.
    LastRace(std::filesystem::path folder, std::function<void(const std::string&)> on_problem);

    // Call it with each new snapshot. When a race begins, reads the last one like it; when it is
    // complete, stores it for the next, unless it leaves out a kernel that the last one has: a
    // record is of one race, so the samples of two are not merged.
    void follow(const RaceSnapshot& race, const RaceOrigin& origin);

    // The race before the one that is followed; null if none is known.
    const RaceRecord* get() const { return last_ ? &*last_ : nullptr; }

 private:
    void read(const std::filesystem::path& file, const RaceSnapshot& race);
    void store(const RaceSnapshot& race, const RaceOrigin& origin);

    std::filesystem::path folder_;
    std::function<void(const std::string&)> on_problem_;
    std::optional<RaceSnapshot> followed_;  // without samples
    std::int64_t stored_samples_ = 0;
    std::optional<RaceRecord> last_;
    std::jthread storing_;  // last: it uses the folder
};

// state_folder()/races; "" if that folder is unknown.
std::filesystem::path races_folder();

}  // namespace weft
