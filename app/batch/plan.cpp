#include "app/batch/plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/media/demux/input_file.h"
#include "app/media/libav/error.h"
#include "app/media/output/content_hash.h"
#include "app/pipeline/folders.h"
#include "app/pipeline/report/json_object.h"
#include "app/pipeline/report/json_text.h"
#include "app/pipeline/version.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// A line holds two paths of at most 4 KiB, whose bytes take up to three times as much when encoded,
// or the stack, which has a limit of 1 MiB.
constexpr std::size_t kMostLineBytes = std::size_t{4} << 20;
constexpr std::size_t kMostPathBytes = 4096;
constexpr std::int64_t kMost = std::int64_t{1} << 62;

std::string hash_of(std::string_view text) {
    FileHash hash;
    hash.add(text.data(), text.size());
    return hash.digest();
}

// ---- writing -----------------------------------------------------------------------------------

Json head_json(const PlanHead& head) {
    Json options = Json::object();
    for (const auto& [name, value] : head.options) options[name] = value;
    Json json = {{"weft", kVersion},
                 {"stack", head.stack.text},
                 {"options", std::move(options)},
                 {"shards", head.shards},
                 {"files", head.files}};
    if (!head.stack.files.empty()) json["stack_files"] = head.stack.files;
    if (head.definition > 1) json["definition"] = head.definition;
    if (!head.inputs.empty()) json["inputs"] = head.inputs;
    return json;
}

Json file_json(const PlannedFile& file) {
    Json json = {{"input", file.input},       {"output", file.output},
                 {"bytes", file.stamp.bytes}, {"modified", json_time(file.stamp.mtime_ns)},
                 {"seconds", file.seconds},   {"work", file.work},
                 {"shard", file.shard}};
    if (!file.part) return json;
    json.update(
        {{"part", file.part->number}, {"parts", file.part->of}, {"first_frame", file.part->begin}});
    if (file.part->end) json["end_frame"] = *file.part->end;
    if (const auto& key = file.part->key)
        json.update({{"key_frame", key->frame}, {"key_pts", key->pts}});
    return json;
}

// ---- reading -----------------------------------------------------------------------------------

std::string why_no_path(std::string_view path) {
    if (path.empty()) return "is empty";
    if (path.size() > kMostPathBytes) return "is too long";
    if (path.front() == '/') return "is absolute, but plans have relative paths only";
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        const std::string_view part = path.substr(at, end - at);
        if (part.empty() || part == ".") return "is not a plain path";
        if (part == "..") return "leads out of the folder of the plan";
        at = end + 1;
    }
    return "";
}

std::string checked_path(JsonObject& fields, const char* name) {
    std::string path = fields.text(name);
    if (const std::string why = why_no_path(path); !why.empty())
        throw JsonError(fmt::format("\"{}\" {}", name, why));
    return path;
}

std::string folder_of_inputs(JsonObject& fields) {
    std::string folder = fields.text("inputs");
    if (!folder.starts_with('/')) throw JsonError("\"inputs\" is not an absolute path");
    const std::string why = folder == "/" ? "" : why_no_path(folder.substr(1));
    if (!why.empty()) throw JsonError("\"inputs\" " + why);
    return folder;
}

bool is_option_name(std::string_view name) {
    return name.size() > 2 && name.starts_with("--") &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") ==
               std::string_view::npos;
}

Json parse_line(const std::string& line) {
    return Json::parse(line, nullptr, false);  // text that is not JSON is not an object either
}

PlanHead head_of(const std::string& line) {
    const Json json = parse_line(line);
    JsonObject fields(json, "");
    PlanHead head;
    (void)fields.text("weft");
    head.stack.text = fields.text("stack");
    if (fields.has("stack_files")) head.stack.files = fields.text("stack_files");
    const Json& options = fields.at("options");
    if (!options.is_object()) throw JsonError("\"options\" is not an object");
    for (const auto& [name, value] : options.items()) {
        if (!is_option_name(name) || !value.is_string())
            throw JsonError(fmt::format("\"{}\" is not an option with a string", name));
        head.options.emplace_back(name, value.get<std::string>());
    }
    head.shards = fields.whole<int>("shards", 1, kMostShards);
    head.files = fields.whole<std::int64_t>("files", 0, kMost);
    if (fields.has("definition"))
        head.definition = fields.whole<int>("definition", 2, std::numeric_limits<int>::max());
    if (fields.has("inputs")) head.inputs = folder_of_inputs(fields);
    fields.finish();
    return head;
}

// The last part has no end, since headers may promise fewer frames than there are.
VideoPart part_of(JsonObject& fields) {
    VideoPart part;
    part.of = fields.whole<int>("parts", 1, kMostShards);
    part.number = fields.whole<int>("part", 1, part.of);
    part.begin = fields.whole<std::int64_t>("first_frame", 0, kMost);
    if (part.number < part.of)
        part.end = fields.whole<std::int64_t>("end_frame", part.begin + 1, kMost);
    if (fields.has("key_frame"))
        part.key = {.pts = fields.whole<std::int64_t>("key_pts", -kMost, kMost),
                    .frame = fields.whole<std::int64_t>("key_frame", 1, part.begin)};
    if (part.begin % kSegmentFrames != 0 || part.end.value_or(0) % kSegmentFrames != 0)
        throw JsonError(fmt::format("a part is not a multiple of {} frames", kSegmentFrames));
    return part;
}

// The parts of a file follow each other, frame by frame.
void check_parts(const std::optional<PlannedFile>& last, const PlannedFile* next) {
    const bool ended = !last || !last->part || last->part->number == last->part->of;
    if (!next || !next->part || next->part->number == 1) {
        if (!ended) throw JsonError("parts of " + last->output + " are missing");
        if (next && next->part && next->part->begin != 0)
            throw JsonError("the first part begins after the first frame");
        return;
    }
    const bool fits = !ended && last->output == next->output && last->input == next->input &&
                      last->part->of == next->part->of &&
                      last->part->number + 1 == next->part->number &&
                      last->part->end == next->part->begin;
    if (!fits) throw JsonError("a part does not begin where the previous one ends");
}

PlannedFile file_of(const std::string& line, const PlanHead& head) {
    const Json json = parse_line(line);
    JsonObject fields(json, "");
    PlannedFile file;
    file.input = checked_path(fields, "input");
    file.output = checked_path(fields, "output");
    file.stamp.bytes = fields.whole<std::int64_t>("bytes", 0, kMost);
    file.stamp.mtime_ns = fields.time("modified");
    file.seconds = fields.number("seconds");
    if (!std::isfinite(file.seconds) || file.seconds < 0)
        throw JsonError("\"seconds\" is not a duration");
    file.work = fields.whole<std::int64_t>("work", 1, kMost);
    file.shard = fields.whole<int>("shard", 1, head.shards);
    if (fields.has("part")) file.part = part_of(fields);
    fields.finish();
    return file;
}

bool is_below(const fs::path& relative) {
    return !relative.empty() && relative != "." && *relative.begin() != "..";
}

}  // namespace

std::string plan_text(PlanHead head, std::vector<PlannedFile> files) {
    std::ranges::sort(files, {}, [](const PlannedFile& file) {
        return std::pair(std::string_view(file.output), file.part ? file.part->number : 0);
    });
    head.files = static_cast<std::int64_t>(files.size());
    std::string text = json_line(head_json(head)) + "\n";
    for (const PlannedFile& file : files) text += json_line(file_json(file)) + "\n";
    const Json first = {{"weft_plan", kPlanVersion}, {"sha256", hash_of(text)}};
    return json_line(first) + "\n" + text;
}

void write_plan(const std::string& path, const std::string& text, Overwrite overwrite) {
    AtomicOutput file(path, {.overwrite = overwrite});
    file.write(text);
    file.commit();
}

bool is_plan(const std::string& path) {
    constexpr std::size_t kMostHead = 4096;
    if (path == "-") return false;
    try {
        const InputFile file(path);
        std::string head(kMostHead, '\0');
        head.resize(file.read_at(0, {reinterpret_cast<std::uint8_t*>(head.data()), head.size()}));
        const std::size_t name = head.find("\"weft_plan\"");
        return head.starts_with('{') && name < head.find('\n');
    } catch (const Error&) {
        return false;
    }
}

fs::path plan_folder(const std::string& plan) {
    return follow_links(plan).parent_path();
}

std::optional<std::string> path_below(const fs::path& folder, const std::string& path) {
    const fs::path base = absolute_path(folder.empty() ? "." : folder).lexically_normal();
    const fs::path target = absolute_path(path).lexically_normal();
    const auto relative = [](const fs::path& to, fs::path from) {
        if (!from.has_filename()) from = from.parent_path();  // "/proj/" is "/proj"
        return to.lexically_relative(from);
    };
    if (fs::path found = relative(target, base); is_below(found)) return found.string();
    std::error_code error;
    const fs::path real_base = fs::weakly_canonical(base, error);
    const fs::path real = fs::weakly_canonical(target.parent_path(), error) / target.filename();
    const fs::path found = error ? fs::path() : relative(real, real_base);
    return is_below(found) ? std::optional(found.string()) : std::nullopt;
}

// A file that is read in pieces, line by line.
struct PlanReader::Impl {
    explicit Impl(const std::string& name) : path(name), file(name) {
        if (!file.seekable()) refuse_plan("a plan must be a file, not a pipe");
        parse([&] { read_first(); });
        const std::int64_t begin = at;
        go(begin);
        check_hash();
        go(begin);
        parse([&] {
            const std::optional<std::string> line = next_line();
            if (!line) throw JsonError("the second line is missing");
            head = head_of(*line);
        });
    }

    [[noreturn]] void refuse_plan(const std::string& why) const {
        throw Error(Outcome::usage, fmt::format("{}: {}", path, why));
    }

    template <class Parse>
    void parse(const Parse& work) {
        try {
            work();
        } catch (const JsonError& error) {
            refuse_plan(line_number == 1 ? std::string("not a plan: ") + error.what()
                                         : fmt::format("line {}: {}", line_number, error.what()));
        }
    }

    void read_first() {
        const std::optional<std::string> line = next_line();
        const Json json = parse_line(line.value_or(""));
        JsonObject fields(json, "");
        const auto version = fields.whole<int>("weft_plan", 1, std::numeric_limits<int>::max());
        if (version != kPlanVersion)
            refuse_plan(fmt::format("is a plan of version {}, and this weft ({}) reads version {}",
                                    version, kVersion, kPlanVersion));
        hash = fields.text("sha256");
        fields.finish();
    }

    void go(std::int64_t position) {
        at = position;
        buffer.clear();
        used = 0;
    }

    void check_hash() {
        FileHash sum;
        while (fill()) {
            sum.add(buffer.data(), buffer.size());
            at += static_cast<std::int64_t>(buffer.size());
            buffer.clear();
        }
        if (sum.digest() != hash)
            refuse_plan(
                "was truncated or changed: its content does not match the hash in its first line");
    }

    // Reads more of the file after what the buffer has. False at the end.
    bool fill() {
        constexpr std::size_t kChunk = std::size_t{1} << 16;
        const std::size_t had = buffer.size();
        buffer.resize(had + kChunk);
        const std::size_t got =
            file.read_at(at + static_cast<std::int64_t>(had),
                         {reinterpret_cast<std::uint8_t*>(buffer.data()) + had, kChunk});
        buffer.resize(had + got);
        return got > 0;
    }

    // Returns the line without its newline, or nothing at the end.
    std::optional<std::string> next_line() {
        ++line_number;
        std::size_t looked = 0;
        for (;;) {
            const std::size_t end = buffer.find('\n', used + looked);
            if (end != std::string::npos) {
                std::string line = buffer.substr(used, end - used);
                used = end + 1;
                at += static_cast<std::int64_t>(line.size()) + 1;
                return line;
            }
            looked = buffer.size() - used;
            if (looked > kMostLineBytes) throw JsonError("the line is too long");
            buffer.erase(0, std::exchange(used, 0));
            if (fill()) continue;
            if (buffer.empty()) return std::nullopt;
            throw JsonError("the line is incomplete");
        }
    }

    std::optional<PlannedFile> next() {
        std::optional<PlannedFile> found;
        parse([&] {
            const std::optional<std::string> line = next_line();
            if (!line && count == head.files) return check_parts(last, nullptr);
            if (!line || count == head.files)
                throw JsonError(fmt::format("the plan has {} files, not {}",
                                            line ? "more" : std::to_string(count), head.files));
            found = file_of(*line, head);
            check_parts(last, &*found);
            // Their order shows two equal outputs without a list of all of them.
            const bool later_part = found->part && found->part->number > 1;
            if (last && !later_part && found->output <= last->output)
                throw JsonError(found->output == last->output
                                    ? "two files have the output " + last->output
                                    : "the files are not sorted by output");
            ++count;
            last = found;
        });
        return found;
    }

    std::string path;
    InputFile file;
    PlanHead head;
    std::string hash;
    std::string buffer;
    std::size_t used = 0;  // bytes of the buffer
    std::int64_t at = 0;   // in the file, where the unused part of the buffer begins
    std::int64_t line_number = 0;
    std::int64_t count = 0;
    std::optional<PlannedFile> last;
};

PlanReader::PlanReader(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
PlanReader::~PlanReader() = default;

const PlanHead& PlanReader::head() const {
    return impl_->head;
}

const std::string& PlanReader::hash() const {
    return impl_->hash;
}

std::optional<PlannedFile> PlanReader::next() {
    return impl_->next();
}

}  // namespace weft
