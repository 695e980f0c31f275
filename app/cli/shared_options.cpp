#include "app/cli/shared_options.h"

#include <fmt/format.h>

#include "app/cli/command_line.h"
#include "app/pipeline/folders.h"
#include "app/pipeline/names.h"
#include "filters/preset.h"

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
    app.add_option(
           "--gpu", words,
           fmt::format("Device to use, given as auto, require, off or the number of a GPU [{}]",
                       words))
        ->option_text("WHICH")
        ->group(group);
}

void add_gpus_option(CLI::App& app, std::string& words, const std::string& group) {
    app.add_option(
           "--gpu", words,
           "Devices to use, given as auto, require, off, all or GPU numbers such as 0,1 [auto]")
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

std::optional<std::string> JobOptionWords::typed(const JobOption& option) const {
    const auto found = declared_.find(option.name);
    if (found == declared_.end() || found->second->count() == 0) return std::nullopt;
    return option.value.empty() ? "" : found->second->results().back();
}

std::vector<std::pair<std::string, std::string>> JobOptionWords::given() const {
    std::vector<std::pair<std::string, std::string>> given;
    for (const JobOption& option : job_options())
        if (const auto value = typed(option)) given.emplace_back(long_form(option.name), *value);
    return given;
}

void JobOptionWords::set(FileJob& job) const {
    for (const JobOption& option : job_options())
        if (const auto value = typed(option))
            option.parse(job, option.value.empty() ? "yes" : *value);
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

CLI::Validator one_of(std::vector<std::string_view> words) {
    return {
        [words = std::move(words)](const std::string& text) { return why_not_one_of(text, words); },
        ""};
}

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
    return {[=](const std::string& text) { return why_not_whole_number(text, least, most); }, ""};
}

}  // namespace weft
