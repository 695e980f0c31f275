#include "app/viewer/plan/plan_progress.h"

#include <map>
#include <string_view>

#include <fmt/format.h>

namespace weft {
namespace {

std::string_view word_of(PlannedState state) {
    switch (state) {
        case PlannedState::done:
            return "done";
        case PlannedState::damaged:
            return "damaged";
        case PlannedState::unjoined:
            return "waits for --join";
        case PlannedState::failed:
        case PlannedState::given_up:
            return "failed";
        case PlannedState::missing:
            return "missing";
    }
    return "";
}

}  // namespace

double PlanProgress::fraction() const {
    if (files.empty()) return 1;
    return static_cast<double>(files.size() - open) / static_cast<double>(files.size());
}

std::vector<PlanShard> shards_of(const std::vector<PlanFile>& files) {
    std::map<int, PlanShard> shards;
    for (const PlanFile& file : files) {
        PlanShard& shard = shards[file.shard];
        shard.shard = file.shard;
        ++shard.files;
        if (!file.is_open()) ++shard.finished;
        if (file.failed()) ++shard.failed;
        if (file.state == PlannedState::damaged) ++shard.damaged;
    }
    std::vector<PlanShard> list;
    for (const auto& [number, shard] : shards) list.push_back(shard);
    return list;
}

std::string state_words(const PlanFile& file) {
    const std::string_view word = word_of(file.state);
    if (file.reason.empty()) return std::string(word);
    std::string_view reason = file.reason;
    if (const std::string begin = fmt::format("{}: ", word); reason.starts_with(begin))
        reason.remove_prefix(begin.size());
    return fmt::format("{}: {}", word, reason);
}

std::string problem_words(const PlanShard& shard) {
    std::string words;
    if (shard.failed > 0) words = fmt::format("{} failed", shard.failed);
    if (shard.damaged > 0)
        words += fmt::format("{}{} damaged", words.empty() ? "" : ", ", shard.damaged);
    return words;
}

}  // namespace weft
