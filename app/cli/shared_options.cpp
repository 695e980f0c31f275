#include "app/cli/shared_options.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "app/cli/command_line.h"
#include "app/media/libav/error.h"
#include "app/pipeline/folders.h"
#include "filters/preset.h"
#include "filters/text/nearest.h"

namespace weft {

void add_stack_options(CLI::App& app, StackWords& words, const std::string& group) {
    app.add_option("--vf", words.stack,
                   "Filters in ffmpeg's syntax, such as gaussian=sigma=2,sobel")
        ->option_text("STACK")
        ->group(group);
    app.add_option("--preset", words.preset,
                   "A stack from a file, or by a name that weft list presets shows")
        ->option_text("NAME|FILE")
        ->group(group);
}

void add_gpu_option(CLI::App& app, std::string& words, const std::string& group) {
    app.add_option("--gpu", words, "auto, require, off or the number of a GPU [auto]")
        ->option_text("WHICH")
        ->group(group);
}

void add_gpus_option(CLI::App& app, std::string& words, const std::string& group) {
    app.add_option("--gpu", words,
                   "auto, require, off, all, or GPU numbers such as 0 or 0,1 [auto]")
        ->option_text("WHICH")
        ->group(group);
}

void JobOptionWords::add_group(CLI::App& app, std::string_view group) {
    for (const JobOption& option : job_options())
        if (option.group == group) add(app, option, std::string(group));
}

void JobOptionWords::add(CLI::App& app, std::initializer_list<std::string_view> names,
                         const std::string& group) {
    for (const std::string_view name : names) add(app, job_option(name), group);
}

void JobOptionWords::add(CLI::App& app, const JobOption& option, const std::string& group) {
    const std::string name = long_form(option.name);
    const std::string help(option.help);
    CLI::Option* added = option.value.empty()
                             ? app.add_flag(name, help)
                             : app.add_option(name, help)->option_text(std::string(option.value));
    declared_[option.name] = added->group(group);
}

std::vector<JobOptionWords::Given> JobOptionWords::given() const {
    std::vector<Given> given;
    for (const JobOption& option : job_options()) {
        const auto found = declared_.find(option.name);
        if (found == declared_.end() || found->second->count() == 0) continue;
        given.emplace_back(long_form(option.name),
                           option.value.empty() ? "" : found->second->results().back());
    }
    return given;
}

void JobOptionWords::set(FileJob& job) const {
    for (const auto& [name, value] : given()) {
        const JobOption& option = job_option(typed_form(name));
        option.parse(job, option.value.empty() ? "yes" : value);
    }
}

void add_explain_option(CLI::App& app, bool& explain, const std::string& group) {
    app.add_flag("--explain", explain, "Explain the kernel choice for each step and plane")
        ->group(group);
}

void add_json_option(CLI::App& app, std::string& words, const std::string& group) {
    app.add_option(
           "--json", words,
           "Write a report to standard output, or to FILE.json (an older report is replaced)")
        ->option_text("[FILE.json]")
        ->group(group);
}

CLI::Validator one_of(std::vector<std::string> words) {
    return {[words = std::move(words)](const std::string& text) {
                if (std::ranges::find(words, text) != words.end()) return std::string();
                return fmt::format("'{}' is not one of {}", shown(text), fmt::join(words, ", "));
            },
            ""};
}

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
    return {[=](const std::string& text) {
                std::int64_t number = 0;
                const char* end = text.data() + text.size();
                const auto [stop, error] = std::from_chars(text.data(), end, number);
                const bool fits =
                    error == std::errc{} && stop == end && number >= least && number <= most;
                return fits ? std::string()
                            : fmt::format("'{}' is not a whole number from {} to {}", shown(text),
                                          least, most);
            },
            ""};
}

}  // namespace weft
