#include "app/batch/job_list.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/media/demux/image_sequence.h"
#include "app/media/demux/input_file.h"
#include "app/media/libav/error.h"
#include "app/media/output/file_time.h"
#include "app/media/output/partial_name.h"
#include "app/media/output/write_error.h"
#include "app/media/write/container_table.h"
#include "app/pipeline/file_job.h"
#include "app/pipeline/folders.h"
#include "app/pipeline/media_names.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

// An input and its path in a folder of outputs.
struct Found {
    fs::path path;
    fs::path relative;
};

bool is_folder(const fs::path& path) {
    std::error_code error;
    return path != "-" && fs::is_directory(path, error);
}

bool is_hidden(const fs::path& path) {
    return path.filename().string().starts_with('.');
}

// Collects the media in `folder`, sorted; the output folder is left out.
void collect(const fs::path& root, const fs::path& folder, const JobRequest& request,
             std::vector<Found>& found, ExtensionCounts& others) {
    std::vector<fs::path> entries;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        if (!is_hidden(it->path())) entries.push_back(it->path());
    if (error)
        throw Error(Outcome::failed, fmt::format("{}: cannot list the folder: {}", folder.string(),
                                                 error.message()));
    std::ranges::sort(entries);
    const auto output_id = file_id(request.output);
    for (const fs::path& entry : entries) {
        const fs::file_status status = fs::status(entry, error);
        // It may be a folder of media. Files by the name of a medium fail when they are opened, and
        // links that lead nowhere are no media.
        if (status.type() == fs::file_type::none && !is_media_name(entry) &&
            error != std::errc::too_many_symbolic_link_levels)
            throw Error(Outcome::failed,
                        fmt::format("{}: cannot find out whether this is a folder: {}",
                                    entry.string(), error.message()));
        if (fs::is_directory(status)) {
            if (fs::is_symlink(entry, error) || file_id(entry) == output_id) continue;
            if (request.recursive)
                collect(root, entry, request, found, others);
            else
                ++others["/"];
        } else if (is_media_name(entry)) {
            found.push_back({entry, entry.lexically_relative(root)});
        } else {
            ++others[extension_of(entry)];
        }
    }
}

std::vector<Found> find_inputs(const JobRequest& request, ExtensionCounts& others) {
    std::vector<Found> found;
    for (const std::string& input : request.inputs) {
        if (!is_folder(input)) {
            if (input.ends_with('/'))
                throw Error(Outcome::failed,
                            fmt::format("{}: there is no folder of this name", input));
            found.push_back({input, fs::path(input).filename()});
            continue;
        }
        const std::size_t before = found.size();
        collect(input, input, request, found, others);
        if (found.size() == before)
            throw Error(Outcome::failed,
                        fmt::format("{}: this folder contains no videos or images{}", input,
                                    request.recursive ? "" : " (--recursive includes subfolders)"));
    }
    return found;
}

// Outputs that are neither files nor folders.
bool has_no_place(const std::string& output) {
    return output == "-" || output == kNoOutput;
}

bool wants_folder(const JobRequest& request) {
    return request.into_folder || request.inputs.size() > 1 || is_folder(request.inputs.front()) ||
           request.output.ends_with('/') || is_folder(request.output);
}

// -f decides the extension, otherwise the input's name.
fs::path path_in_folder(const JobRequest& request, const Found& found) {
    fs::path name = output_name(found.path);
    if (!request.format.empty()) {
        const Container& container = find_container("", request.format);
        name.replace_extension(container.extensions.front());
    }
    return fs::path(request.output) / found.relative.parent_path() / name;
}

// An input may be a file that is itself named "50%done.png"; its output keeps the name.
bool keeps_name(const fs::path& input, const fs::path& output) {
    return input.stem() == output.stem() && !is_sequence(input);
}

JobFile job_of(const JobRequest& request, const Found& found, std::string output) {
    const bool elsewhere = request.shard && !is_in_shard(*request.shard, found.relative.string());
    const bool numbered =
        numbers_pictures(output, request.format) && !keeps_name(found.path, output);
    return {.input = found.path.string(),
            .output = std::move(output),
            .numbered = numbered,
            .name = found.relative.string(),
            .elsewhere = elsewhere};
}

std::vector<JobFile> assign_outputs(const JobRequest& request, ExtensionCounts& others) {
    if (request.output == kNoOutput) {
        std::vector<JobFile> jobs;
        for (const Found& found : find_inputs(request, others))
            jobs.push_back(job_of(request, found, request.output));
        return jobs;
    }
    if (!wants_folder(request))
        return {job_of(request, find_inputs(request, others).front(), request.output)};
    if (request.output == "-")
        throw Error(Outcome::usage, "standard output can take only one video, not a folder");
    const std::vector<Found> inputs = find_inputs(request, others);
    std::error_code error;
    if (fs::exists(request.output, error) && !is_folder(request.output))
        throw Error(
            Outcome::usage,
            fmt::format("{}: the output of several inputs must be a folder, but this is a file",
                        request.output));
    if (!request.output.ends_with('/') && !is_folder(request.output) &&
        is_media_name(request.output))
        throw Error(Outcome::usage, fmt::format("{0}: the output of several inputs must be a "
                                                "folder; -o {0}/ makes a folder with this name",
                                                request.output));
    std::vector<JobFile> jobs;
    jobs.reserve(inputs.size());
    for (const Found& found : inputs)
        jobs.push_back(job_of(request, found, path_in_folder(request, found).string()));
    return jobs;
}

// The same for all paths to one location, through links, dots and bind mounts: the identity of the
// existing folder, and the rest of the path.
std::string place_of(const std::string& path) {
    const fs::path target = follow_links(path);
    std::error_code error;
    // A relative name that does not exist stays relative: it has no folder to identify.
    fs::path folder = fs::absolute(target, error);
    if (!error) folder = fs::weakly_canonical(folder, error).parent_path();
    if (error) return path;
    fs::path rest = target.filename();
    auto id = file_id(folder);
    for (; !id && folder.has_relative_path(); id = file_id(folder)) {
        rest = folder.filename() / rest;
        folder = folder.parent_path();
    }
    return id ? fmt::format("{}:{}/{}", id->first, id->second, rest.string()) : path;
}

// An output that is compared with others, by its name or by the names of a sequence.
struct Target {
    explicit Target(const std::string& output, bool is_pattern = false)
        : path(output), place(output == "-" ? output : place_of(output)) {
        if (is_pattern) numbered = parse_sequence(place);
        if (numbered)
            for (const std::string& file : sequence_paths(output)) add_id(file);
        else if (output != "-")
            add_id(output);
    }

    void add_id(const std::string& file) {
        if (const auto id = file_id(file)) ids.push_back(*id);
    }

    std::string path;
    std::string place;
    std::optional<SequencePattern> numbered;
    std::vector<FileId> ids;  // identities of existing files
};

bool are_digits(std::string_view text) {
    return text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Whether two sequences could share a name: `i_%d.png` and `i_1%d.png` share i_10.png.
bool can_meet(const SequencePattern& a, const SequencePattern& b) {
    const auto [less, more] = std::minmax(a.prefix, b.prefix);
    const auto& [shorter, longer] =
        std::minmax(a.suffix, b.suffix,
                    [](const std::string& x, const std::string& y) { return x.size() < y.size(); });
    return a.folder == b.folder && more.starts_with(less) &&
           are_digits(std::string_view(more).substr(less.size())) && longer.ends_with(shorter) &&
           are_digits(std::string_view(longer).substr(0, longer.size() - shorter.size()));
}

bool are_same(const Target& a, const Target& b) {
    if (a.path == "-" || b.path == "-") return false;
    const auto is_in_a = [&](FileId id) { return std::ranges::find(a.ids, id) != a.ids.end(); };
    if (a.place == b.place || std::ranges::any_of(b.ids, is_in_a)) return true;
    if (a.numbered && b.numbered) return can_meet(*a.numbered, *b.numbered);
    if (a.numbered) return a.numbered->names(b.place);
    return b.numbered && b.numbered->names(a.place);
}

// Throws for names without a container, and for containers that cannot be written to a pipe.
void check_container(const JobFile& job, const JobRequest& request) {
    if (job.output == kNoOutput) return;
    const Container& container = find_container(job.output, request.format);
    if (job.output != "-" || container.supports(kPipedOutput)) return;
    std::vector<std::string_view> names;
    for (const Container& other : containers())
        if (other.supports(kPipedOutput)) names.push_back(other.name);
    throw Error(
        Outcome::usage,
        fmt::format("{} cannot be written to standard output; for standard output, -f takes {}",
                    container.name, fmt::join(names, ", ")));
}

// Pairs of jobs that would write one file, by their places in the list: every job that meets an
// earlier one, with the first that has its name.
std::set<std::pair<std::size_t, std::size_t>> shared_outputs(const std::vector<JobFile>& jobs) {
    std::map<std::string, std::size_t> by_place;
    std::map<FileId, std::size_t> by_id;
    std::vector<std::pair<std::size_t, Target>> sequences;
    std::set<std::pair<std::size_t, std::size_t>> found;
    for (std::size_t k = 0; k < jobs.size(); ++k) {
        if (has_no_place(jobs[k].output)) continue;
        Target target(jobs[k].output, jobs[k].numbered);
        if (const auto [same, fresh] = by_place.emplace(target.place, k); !fresh)
            found.emplace(same->second, k);
        // The frames of a sequence are its own.
        for (const FileId& id : target.ids)
            if (const auto [same, fresh] = by_id.emplace(id, k); !fresh && same->second != k)
                found.emplace(same->second, k);
        if (target.numbered) sequences.emplace_back(k, std::move(target));
    }
    for (const auto& [owner, target] : sequences)
        for (std::size_t k = 0; k < jobs.size(); ++k)
            if (jobs[k].input != jobs[owner].input &&
                are_same(target, Target(jobs[k].output, jobs[k].numbered)))
                found.emplace(std::minmax(owner, k));
    return found;
}

void refuse_shared_outputs(const std::vector<JobFile>& jobs) {
    constexpr std::size_t kNamed = 5;
    const auto found = shared_outputs(jobs);
    if (found.empty()) return;
    std::vector<std::string> named;
    for (const auto& [one, other] : found | std::views::take(kNamed))
        named.push_back(fmt::format("{} and {} would both be written to {}", jobs[one].input,
                                    jobs[other].input, jobs[other].output));
    std::string text = fmt::format("{}", fmt::join(named, "; "));
    if (found.size() > kNamed) text += fmt::format("; and {} more", found.size() - kNamed);
    if (found.size() > 1) text += fmt::format(" ({} conflicts)", found.size());
    throw Error(Outcome::usage, text);
}

void refuse_sources_as_outputs(const std::vector<JobFile>& jobs, RunFiles& run) {
    for (const JobFile& job : jobs) run.add_source(job.input);
    for (const JobFile& job : jobs)
        if (job.output != kNoOutput) run.refuse_taken(job.output);
}

void mark_existing(std::vector<JobFile>& jobs, const JobRequest& request) {
    const Overwrite overwrite = request.overwrite;
    if (overwrite == Overwrite::replace) return;
    if (overwrite == Overwrite::skip && request.receipts) return;
    for (JobFile& job : jobs) {
        if (job.elsewhere || has_no_place(job.output) || !output_exists(job.output, job.numbered))
            continue;
        if (overwrite == Overwrite::refuse)
            throw Error(
                Outcome::usage,
                fmt::format("{}: already exists; -y replaces outputs, -n skips them", job.output));
        job.skip = true;
    }
}

}  // namespace

InputStamp stamp_of(const std::string& path) {
    const InputFile file(path);
    const struct stat& info = file.opened();
    return {.bytes = info.st_size, .mtime_ns = file_time_ns(info, path)};
}

void check_since_plan(const JobFile& file) {
    if (!file.planned) return;
    InputStamp now;
    try {
        now = stamp_of(file.input);
    } catch (const Error& error) {
        const bool could_be_opened = *file.planned != InputStamp();
        throw Error(
            error.outcome(),
            fmt::format(
                "{}{}", error.what(),
                could_be_opened ? ", although it could be opened when the plan was made" : ""));
    }
    if (now == *file.planned) return;
    const std::string what =
        now.bytes != file.planned->bytes
            ? fmt::format("{} bytes then, {} now", file.planned->bytes, now.bytes)
            : "its modification time differs";
    throw Error(Outcome::usage,
                fmt::format("{}: the input has changed since the plan was made ({}): make a new "
                            "plan",
                            file.input, what));
}

std::vector<JobFile> list_jobs(const JobRequest& request, RunFiles& run, ExtensionCounts& others) {
    if (std::ranges::find(request.inputs, "") != request.inputs.end())
        throw Error(Outcome::usage, "an input name is empty; is a shell variable not set?");
    refuse_address(request.output);
    std::vector<JobFile> jobs = assign_outputs(request, others);
    for (const JobFile& job : jobs) check_container(job, request);
    refuse_sources_as_outputs(jobs, run);
    refuse_shared_outputs(jobs);
    mark_existing(jobs, request);
    return jobs;
}

namespace {

// Outputs make the folders in which they are placed.
bool makes(const JobFile& job, const fs::path& folder) {
    if (has_no_place(job.output) || job.skip || job.elsewhere) return false;
    fs::path made = absolute_path(job.output).lexically_normal();
    while (made.has_relative_path()) {
        made = made.parent_path();
        if (made == folder) return true;
    }
    return false;
}

// The system refuses the file itself if the folder cannot be looked at.
void check_report_folder(std::string_view option, const std::string& report,
                         const std::vector<JobFile>& jobs) {
    const fs::path folder = absolute_path(follow_links(report)).lexically_normal().parent_path();
    std::error_code error;
    const fs::file_type there = fs::status(folder, error).type();
    if (there == fs::file_type::directory || there == fs::file_type::none ||
        std::ranges::any_of(jobs, [&](const JobFile& job) { return makes(job, folder); }))
        return;
    throw Error(Outcome::not_written,
                fmt::format("{} {}: there is no folder {}; create it first, or choose another one",
                            option, report, folder.string()));
}

}  // namespace

void check_report_path(std::string_view option, const std::string& report,
                       const std::vector<JobFile>& jobs, const RunFiles& run) {
    const auto refuse = [&](const std::string& other) {
        throw Error(Outcome::usage,
                    fmt::format("{} {}: the report would replace {}", option, report, other));
    };
    if (report == "-") return run.refuse_taken(report);
    refuse_address(report);
    if (is_name_of_ours(follow_links(report).filename().string()))
        refuse("receipts or unfinished work, which have such names");
    if (const auto source = run.source_at(report)) refuse(*source);
    const Target target(report);
    for (const JobFile& job : jobs)
        if (!has_no_place(job.output) && are_same(target, Target(job.output, job.numbered)))
            refuse(job.output);
    check_report_folder(option, report, jobs);
}

void check_reports_differ(const std::vector<ReportName>& reports) {
    for (auto one = reports.begin(); one != reports.end(); ++one)
        for (auto other = std::next(one); other != reports.end(); ++other)
            if (are_same(Target(one->path), Target(other->path)))
                throw Error(Outcome::usage, fmt::format("{} and {} would both write {}",
                                                        one->option, other->option, other->path));
}

}  // namespace weft
