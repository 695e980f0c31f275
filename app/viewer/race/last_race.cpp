#include "app/viewer/race/last_race.h"

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/media/output/content_hash.h"
#include "app/pipeline/folders.h"
#include "filters/text/printable.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

// Everything that is_same_race() compares.
fs::path file_of(const fs::path& folder, const RaceSnapshot& race) {
    const std::string key =
        fmt::format("{}\n{}\n{}\n{}\n{}\n{}", race.device.is_gpu(), race.device.name,
                    race.device.multiprocessors, race.settings.caches == CacheState::cold,
                    race.step.text, fmt::join(race.step.problems, "\n"));
    return folder / (hex_text(hash_of(key.data(), key.size())) + ".json");
}

std::int64_t samples_in(const RaceSnapshot& race) {
    std::int64_t count = 0;
    for (const KernelResult& kernel : race.step.kernels) count += kernel.seconds.count();
    return count;
}

// What is_same_race() compares.
RaceSnapshot without_samples(const RaceSnapshot& race) {
    RaceSnapshot same;
    same.settings = race.settings;
    same.device = race.device;
    same.step.text = race.step.text;
    same.step.problems = race.step.problems;
    return same;
}

bool has_samples_of(const StepResult& step, const std::string& kernel) {
    return std::ranges::any_of(step.kernels, [&](const KernelResult& result) {
        return result.kernel == kernel && result.seconds.count() > 0;
    });
}

// Whether a kernel of the last race can run in this one and was left out of it.
bool leaves_out(const StepResult& now, const StepResult& last) {
    return std::ranges::any_of(now.kernels, [&](const KernelResult& result) {
        return result.why_not.empty() && result.seconds.count() == 0 &&
               has_samples_of(last, result.kernel);
    });
}

// Failures are left to the next race, because a folder that cannot be read deserves no message.
void remove_oldest(const fs::path& folder) {
    std::vector<std::pair<fs::file_time_type, fs::path>> files;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; entry != end; entry.increment(error))
        if (entry->path().extension() == ".json")
            files.emplace_back(entry->last_write_time(error), entry->path());
    if (files.size() <= LastRace::kMostFiles) return;
    std::ranges::sort(files, std::greater<>());
    for (std::size_t k = LastRace::kMostFiles; k < files.size(); ++k)
        fs::remove(files[k].second, error);
}

}  // namespace

LastRace::LastRace(fs::path folder, std::function<void(const std::string&)> on_problem)
    : folder_(std::move(folder)), on_problem_(std::move(on_problem)) {}

void LastRace::follow(const RaceSnapshot& race, const RaceOrigin& origin) {
    if (folder_.empty()) return;
    if (race.step.kernels.empty()) {
        followed_.reset();
        last_.reset();
        return;
    }
    if (!followed_ || !is_same_race(*followed_, race) ||
        followed_->settings.start != race.settings.start) {
        if (storing_.joinable()) storing_.join();  // the file may be the one to read
        followed_ = without_samples(race);
        stored_samples_ = 0;
        read(file_of(folder_, race), race);
    }
    if (!race.complete || samples_in(race) == stored_samples_) return;
    if (!last_ || !leaves_out(race.step, last_->steps.front().step)) store(race, origin);
}

void LastRace::read(const fs::path& file, const RaceSnapshot& race) {
    last_.reset();
    std::error_code error;
    if (!fs::exists(file, error)) return;
    try {
        RaceRecord record = read_race_record(file);
        if (is_same_race(record.steps.front(), race))
            last_ = std::move(record);
        else
            on_problem_(fmt::format("{}: the last race is of other work or of another machine",
                                    printable_line(file.string())));
    } catch (const std::exception& problem) {
        on_problem_(problem.what());
    }
}

void LastRace::store(const RaceSnapshot& race, const RaceOrigin& origin) {
    stored_samples_ = samples_in(race);
    storing_ = std::jthread([file = file_of(folder_, race), race, origin, this] {
        try {
            write_file(file, race_json(race, origin));
            remove_oldest(folder_);
        } catch (const std::exception& problem) {
            on_problem_(problem.what());
        }
    });
}

fs::path races_folder() {
    const fs::path folder = state_folder();
    return folder.empty() ? folder : folder / "races";
}

}  // namespace weft
