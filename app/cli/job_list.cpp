#include "app/cli/job_list.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/cli/media_names.h"
#include "app/media/container_table.h"
#include "app/media/error.h"
#include "app/pipeline/file_job.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

// An input and where it goes below a folder of outputs.
struct Found {
    fs::path path;
    fs::path relative;
};

using FileId = std::pair<dev_t, ino_t>;

std::optional<FileId> file_id(const fs::path& path) {
    struct stat info {};
    if (path == "-" || stat(path.c_str(), &info) != 0) return std::nullopt;
    return FileId{info.st_dev, info.st_ino};
}

bool is_folder(const fs::path& path) {
    std::error_code error;
    return path != "-" && fs::is_directory(path, error);
}

bool is_hidden(const fs::path& path) {
    return path.filename().string().starts_with('.');
}

// The media below `folder`, sorted; the folder of the outputs is left out.
void collect(const fs::path& root, const fs::path& folder, const JobRequest& request,
             std::vector<Found>& found) {
    std::vector<fs::path> entries;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        if (!is_hidden(it->path())) entries.push_back(it->path());
    if (error)
        throw Error(ExitCode::failed,
                    fmt::format("{}: cannot be listed: {}", folder.string(), error.message()));
    std::ranges::sort(entries);
    const auto output_id = file_id(request.output);
    for (const fs::path& entry : entries) {
        if (fs::is_directory(entry, error)) {
            const bool follow = request.recursive && !fs::is_symlink(entry, error);
            if (follow && file_id(entry) != output_id) collect(root, entry, request, found);
        } else if (is_media_name(entry)) {
            found.push_back({entry, entry.lexically_relative(root)});
        }
    }
}

std::vector<Found> find_inputs(const JobRequest& request) {
    std::vector<Found> found;
    for (const std::string& input : request.inputs) {
        if (!is_folder(input)) {
            found.push_back({input, fs::path(input).filename()});
            continue;
        }
        const std::size_t before = found.size();
        collect(input, input, request, found);
        if (found.size() == before)
            throw Error(ExitCode::failed,
                        fmt::format("{}: this folder holds no video or image{}", input,
                                    request.recursive ? "" : " (--recursive looks below it)"));
    }
    return found;
}

// Neither files nor folders, and not looked for as such.
bool has_no_place(const std::string& output) {
    return output == "-" || output == kNoOutput;
}

bool wants_folder(const JobRequest& request) {
    return request.inputs.size() > 1 || is_folder(request.inputs.front()) ||
           request.output.ends_with('/') || is_folder(request.output);
}

// -f decides the extension, else the input's name does.
fs::path path_in_folder(const JobRequest& request, const Found& found) {
    fs::path name = output_name(found.path);
    if (!request.format.empty()) {
        const Container& container = find_container("", request.format);
        name.replace_extension(container.extensions.front());
    }
    return fs::path(request.output) / found.relative.parent_path() / name;
}

std::vector<JobFile> assign_outputs(const JobRequest& request) {
    if (request.output == kNoOutput) {
        std::vector<JobFile> jobs;
        for (const Found& found : find_inputs(request))
            jobs.push_back({.input = found.path.string(), .output = request.output});
        return jobs;
    }
    if (!wants_folder(request))
        return {{.input = request.inputs.front(), .output = request.output}};
    if (request.output == "-")
        throw Error(ExitCode::usage, "standard output holds one video, not a folder of them");
    std::error_code error;
    if (fs::exists(request.output, error) && !is_folder(request.output))
        throw Error(
            ExitCode::usage,
            fmt::format("{}: several inputs need a folder, but this is a file", request.output));
    std::vector<JobFile> jobs;
    for (const Found& found : find_inputs(request))
        jobs.push_back(
            {.input = found.path.string(), .output = path_in_folder(request, found).string()});
    return jobs;
}

bool output_exists(const std::string& output) {
    if (has_no_place(output)) return false;
    std::error_code error;
    if (is_sequence(output)) return sequence_exists(output);
    return fs::exists(fs::symlink_status(output, error));
}

// What leads to the same place is equal: the path without links and dots.
std::string place_of(const std::string& path) {
    std::error_code error;
    const fs::path place = fs::weakly_canonical(path, error);
    return error ? path : place.string();
}

bool is_same_file(const std::string& a, const std::string& b) {
    if (a == "-" || b == "-") return false;
    const auto id = file_id(a);
    return place_of(a) == place_of(b) || (id && file_id(b) == id);
}

// Throws for names that no container takes, and for containers that a pipe cannot take.
void check_container(const JobFile& job, const JobRequest& request) {
    if (job.output == kNoOutput) return;
    const Container& container = find_container(job.output, request.format);
    if (job.output != "-" || container.standard_output) return;
    std::vector<std::string_view> names;
    for (const Container& other : containers())
        if (other.standard_output) names.push_back(other.name);
    throw Error(ExitCode::usage,
                fmt::format("{} cannot be written to standard output; -f takes {} there",
                            container.name, fmt::join(names, ", ")));
}

void refuse_shared_outputs(const std::vector<JobFile>& jobs) {
    std::map<std::string, std::string> by_place;
    std::map<FileId, std::string> by_id;
    for (const JobFile& job : jobs) {
        if (has_no_place(job.output)) continue;
        const auto refuse = [&](const std::string& other) {
            throw Error(ExitCode::usage, fmt::format("{} and {} would both be written to {}", other,
                                                     job.input, job.output));
        };
        const auto [place, fresh] = by_place.emplace(place_of(job.output), job.input);
        if (!fresh) refuse(place->second);
        if (const auto id = file_id(job.output)) {
            const auto [same, new_id] = by_id.emplace(*id, job.input);
            if (!new_id) refuse(same->second);
        }
    }
}

void refuse_inputs_as_outputs(const std::vector<JobFile>& jobs) {
    std::map<FileId, std::string> inputs;
    std::map<std::string, std::string> places;  // of sequences, which are no single file
    for (const JobFile& job : jobs) {
        if (const auto id = file_id(job.input)) inputs.emplace(*id, job.input);
        if (is_sequence(job.input)) places.emplace(place_of(job.input), job.input);
    }
    for (const JobFile& job : jobs) {
        if (has_no_place(job.output)) continue;
        const auto id = file_id(job.output);
        const auto same = id ? inputs.find(*id) : inputs.end();
        const auto place = places.find(place_of(job.output));
        if (same == inputs.end() && place == places.end()) continue;
        throw Error(ExitCode::usage,
                    fmt::format("{}: the output is the input {}; choose another name", job.output,
                                same == inputs.end() ? place->second : same->second));
    }
}

void mark_existing(std::vector<JobFile>& jobs, Overwrite overwrite) {
    if (overwrite == Overwrite::replace) return;
    for (JobFile& job : jobs) {
        if (!output_exists(job.output)) continue;
        if (overwrite == Overwrite::refuse)
            throw Error(
                ExitCode::usage,
                fmt::format("{}: exists already; -y replaces outputs, -n skips them", job.output));
        job.skip = true;
    }
}

}  // namespace

std::vector<JobFile> list_jobs(const JobRequest& request) {
    if (std::ranges::find(request.inputs, "") != request.inputs.end())
        throw Error(ExitCode::usage, "an input is an empty text: a variable that is not set?");
    std::vector<JobFile> jobs = assign_outputs(request);
    for (const JobFile& job : jobs) check_container(job, request);
    refuse_inputs_as_outputs(jobs);
    refuse_shared_outputs(jobs);
    mark_existing(jobs, request.overwrite);
    return jobs;
}

void check_report_path(std::string_view option, const std::string& report,
                       const std::vector<JobFile>& jobs) {
    if (report == "-") return;
    for (const JobFile& job : jobs)
        for (const std::string& path : {job.input, job.output})
            if (is_same_file(path, report))
                throw Error(ExitCode::usage, fmt::format("{} {}: the report would replace {}",
                                                         option, report, path));
}

void check_reports_differ(const std::string& json, const std::string& trace) {
    if (is_same_file(json, trace))
        throw Error(ExitCode::usage, fmt::format("--json and --trace would both write {}", trace));
}

}  // namespace weft
