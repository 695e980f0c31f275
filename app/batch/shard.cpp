#include "app/batch/shard.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

extern "C" {
#include <libavutil/crc.h>
}

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/media/libav/error.h"
#include "filters/text/number_text.h"

namespace weft {
namespace {

constexpr std::string_view kAuto = "auto";
constexpr const char* kOwnVariable = "WEFT_SHARD";

// The variables of a batch engine; null: it has none. Every engine numbers the tasks of an array,
// and few report how many it has.
struct Engine {
    const char* name = nullptr;
    const char* task = nullptr;     // number of this task
    const char* no_task = nullptr;  // value of `task` outside of arrays
    int base = 0;                   // number of the first task in whole arrays
    const char* first = nullptr;    // lowest number in this array; null: base
    const char* last = nullptr;     // highest number in this array
    const char* step = nullptr;     // distance of its numbers; null or not set: 1
    const char* count = nullptr;    // tasks in the array
    const char* job = nullptr;      // id of the array
    const char* attempt = nullptr;  // of this task
    int first_attempt = 0;
};

// HyperQueue comes first: its workers may be tasks of a Slurm or PBS array. AWS Batch on Kubernetes
// comes before Kubernetes. Slurm's SLURM_ARRAY_TASK_STEP is not read: retries of every other task
// would look like a smaller array. LSF's LSB_JOBINDEX_END is not read: it reports no gaps.
constexpr std::array kEngines = {
    Engine{.name = "HyperQueue job",
           .task = "HQ_TASK_ID",
           .base = 1,
           .job = "HQ_JOB_ID",
           .attempt = "HQ_INSTANCE_ID"},
    Engine{.name = "Slurm array",
           .task = "SLURM_ARRAY_TASK_ID",
           .first = "SLURM_ARRAY_TASK_MIN",
           .last = "SLURM_ARRAY_TASK_MAX",
           .count = "SLURM_ARRAY_TASK_COUNT",
           .job = "SLURM_ARRAY_JOB_ID",
           .attempt = "SLURM_RESTART_COUNT"},
    Engine{.name = "AWS Batch job",
           .task = "AWS_BATCH_JOB_ARRAY_INDEX",
           .count = "AWS_BATCH_JOB_ARRAY_SIZE",
           .job = "AWS_BATCH_JOB_ID",
           .attempt = "AWS_BATCH_JOB_ATTEMPT",
           .first_attempt = 1},
    Engine{.name = "Google Batch job",
           .task = "BATCH_TASK_INDEX",
           .count = "BATCH_TASK_COUNT",
           .job = "BATCH_JOB_UID",
           .attempt = "BATCH_TASK_RETRY_ATTEMPT"},
    Engine{.name = "Grid Engine array",
           .task = "SGE_TASK_ID",
           .no_task = "undefined",
           .base = 1,
           .first = "SGE_TASK_FIRST",
           .last = "SGE_TASK_LAST",
           .step = "SGE_TASK_STEPSIZE",
           .job = "JOB_ID"},
    Engine{.name = "PBS array", .task = "PBS_ARRAY_INDEX", .base = 1, .job = "PBS_ARRAY_ID"},
    Engine{
        .name = "LSF array", .task = "LSB_JOBINDEX", .no_task = "0", .base = 1, .job = "LSB_JOBID"},
    Engine{.name = "Kubernetes job", .task = "JOB_COMPLETION_INDEX"},
};

[[noreturn]] void refuse_shard(const std::string& text, const std::string& why) {
    throw Error(Outcome::usage, fmt::format("--shard {}: {}", text, why));
}

int count_in(const std::string& text, std::string_view words) {
    const std::optional<int> count = parse_whole_number<int>(words);
    if (!count || *count == 0)
        refuse_shard(text,
                     fmt::format("\"{}\" is not a number of shards: expected 1 or more", words));
    return *count;
}

// "3/100", the argument or a value of WEFT_SHARD.
Shard parse_pair(const std::string& text, std::string_view pair) {
    const std::size_t slash = std::min(pair.find('/'), pair.size());
    const std::optional<int> index = parse_whole_number<int>(pair.substr(0, slash));
    if (!index || slash == pair.size())
        refuse_shard(text, fmt::format("expected I/N, such as 3/100, {0} or {0}/N", kAuto));
    const int count = count_in(text, pair.substr(slash + 1));
    if (*index < 1 || *index > count)
        refuse_shard(text, fmt::format("shards are numbered from 1 to {}, so {} is not a shard",
                                       count, *index));
    return {.index = *index, .count = count};
}

// The array task that runs this process.
class Task {
 public:
    Task(const Engine& engine, const Environment& environment, const std::string& text)
        : engine_(engine), environment_(environment), text_(text), number_(read(engine.task)) {}

    Shard shard(std::optional<int> count) const {
        Shard shard = count ? shard_of(*count) : shard_of_array();
        if (shard.index < 1 || shard.index > shard.count)
            refuse_shard(
                text_,
                fmt::format("{}: with {} shards, the tasks of this engine are numbered "
                            "from {} to {}; --shard I/N names the shard itself",
                            origin(), shard.count, engine_.base, engine_.base + shard.count - 1));
        shard.origin = origin();
        return shard;
    }

 private:
    int read(const char* name) const {
        const char* value = environment_(name);
        const std::optional<int> number = parse_whole_number<int>(value == nullptr ? "" : value);
        if (!number)
            refuse_shard(text_,
                         fmt::format("{} is {}, but a whole number is needed to choose the shard",
                                     name, value == nullptr ? "not set" : value));
        return *number;
    }

    bool is_set(const char* name) const { return name != nullptr && environment_(name) != nullptr; }

    Shard shard_of(int count) const {
        if (engine_.last == nullptr && engine_.count != nullptr && read(engine_.count) != count)
            refuse_shard(text_, fmt::format("the array has {} tasks ({}), not {}",
                                            read(engine_.count), engine_.count, count));
        return {.index = number_ - engine_.base + 1, .count = count};
    }

    Shard shard_of_array() const {
        if (engine_.last == nullptr && engine_.count == nullptr)
            refuse_shard(text_, fmt::format("{} does not report how many tasks the array has: give "
                                            "{}/N",
                                            origin(), kAuto));
        if (engine_.last == nullptr) return shard_of(read(engine_.count));
        const int first = engine_.first == nullptr ? engine_.base : read(engine_.first);
        const int last = read(engine_.last);
        const int step = is_set(engine_.step) ? std::max(1, read(engine_.step)) : 1;
        const int count = (last - first) / step + 1;
        // A retry of the tasks 3 and 17 is no array of two shards. Arrays that begin elsewhere
        // would have other shards here than with auto/N.
        const bool gaps = engine_.count != nullptr && read(engine_.count) != count;
        if (first != engine_.base || last < first || gaps)
            refuse_shard(
                text_,
                fmt::format("{}: its tasks, {} to {}, are not a complete array that begins at "
                            "{}: give {}/N, where N is the number of tasks in the complete array",
                            origin(), first, last, engine_.base, kAuto));
        return {.index = (number_ - first) / step + 1, .count = count};
    }

    std::string origin() const {
        std::string origin = engine_.name;
        if (is_set(engine_.job)) origin += fmt::format(" {}", environment_(engine_.job));
        origin += fmt::format(", task {}", number_);
        const std::optional<int> tries =
            parse_whole_number<int>(is_set(engine_.attempt) ? environment_(engine_.attempt) : "");
        if (tries && *tries > engine_.first_attempt)
            origin += fmt::format(", attempt {}", *tries - engine_.first_attempt + 1);
        return origin;
    }

    const Engine& engine_;
    const Environment& environment_;
    const std::string& text_;
    int number_;
};

bool runs_task(const Engine& engine, const Environment& environment) {
    const char* task = environment(engine.task);
    return task != nullptr &&
           (engine.no_task == nullptr || std::string_view(task) != engine.no_task);
}

Shard automatic_shard(const std::string& text, const Environment& environment,
                      std::optional<int> count) {
    if (const char* own = environment(kOwnVariable)) {
        const std::string where = fmt::format("{} ({}={})", text, kOwnVariable, own);
        Shard shard = parse_pair(where, own);
        if (count && *count != shard.count)
            refuse_shard(where, fmt::format("two different numbers of shards, {} and {}", *count,
                                            shard.count));
        shard.origin = kOwnVariable;
        return shard;
    }
    for (const Engine& engine : kEngines)
        if (runs_task(engine, environment)) return Task(engine, environment, text).shard(count);
    std::vector<const char*> names;
    for (const Engine& engine : kEngines) names.push_back(engine.task);
    refuse_shard(
        text,
        fmt::format("this is not a task of a known batch engine: set {}=I/N; engines set one of {}",
                    kOwnVariable, fmt::join(names, ", ")));
}

}  // namespace

Shard parse_shard(const std::string& text, const Environment& environment) {
    if (text == kAuto) return automatic_shard(text, environment, std::nullopt);
    const std::string_view rest = text;
    if (rest.starts_with(kAuto) && rest.substr(kAuto.size()).starts_with('/'))
        return automatic_shard(text, environment, count_in(text, rest.substr(kAuto.size() + 1)));
    return parse_pair(text, text);
}

std::string shard_text(const Shard& shard) {
    const std::string text = fmt::format("shard {} of {}", shard.index, shard.count);
    return shard.origin.empty() ? text : fmt::format("{} ({})", text, shard.origin);
}

bool is_in_shard(const Shard& shard, std::string_view path) {
    const std::uint32_t crc =
        ~av_crc(av_crc_get_table(AV_CRC_32_IEEE_LE), ~0U,
                reinterpret_cast<const std::uint8_t*>(path.data()), path.size());
    return crc % static_cast<std::uint32_t>(shard.count) + 1 ==
           static_cast<std::uint32_t>(shard.index);
}

}  // namespace weft
