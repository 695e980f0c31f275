#include "app/cli/shared_options.h"

#include <fmt/format.h>

#include "app/media/libav/error.h"
#include "filters/text/nearest.h"

namespace weft {

void add_stack_options(OptionGroup group, StackWords& words) {
    group.add_text("--vf", "STACK", words.stack,
                   "Filters in ffmpeg's syntax, such as gaussian=sigma=2,sobel");
    group.add_text("--preset", "NAME|FILE", words.preset,
                   "A stack from a file, or by a name that weft list presets shows; parameters "
                   "such as region, boxes and enable may follow, as in redact:boxes=plate.boxes");
}

void add_gpu_option(OptionGroup group, std::string& words) {
    group.add_text(
        "--gpu", "WHICH", words,
        fmt::format("Device to use, given as auto, require, off or the number of a GPU [{}]",
                    words));
}

void add_gpus_option(OptionGroup group, std::string& words) {
    group.add_text(
        "--gpu", "WHICH", words,
        "Devices to use, given as auto, require, off, all or GPU numbers such as 0,1 [auto]");
}

void add_cpus_option(OptionGroup group, int& cpus) {
    group.add_number("--cpus", cpus, 1, 1024,
                     "CPUs that decoders, filters and encoders share, of all files together [those "
                     "of the machine, its control group and SLURM_CPUS_PER_TASK]");
}

void JobOptionWords::add_group(CommandLine& line, std::string_view name) {
    OptionGroup group = line.group(std::string(name));
    for (const JobOption& option : job_options())
        if (option.group == name) add(group, option);
}

void JobOptionWords::add(OptionGroup group, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) add(group, job_option(name));
}

void JobOptionWords::add(OptionGroup& group, const JobOption& option) {
    declared_.push_back(&option);
    group.add(long_form(option.name), std::string(option.value), std::string(option.help),
              [this, &option](const std::string& value) {
                  std::string& typed = typed_[option.name];
                  if (option.adds_up && value.find('\n') != std::string::npos)
                      throw Error(Outcome::usage,
                                  fmt::format("{} {}: the value cannot have line breaks",
                                              option.name, shown(value)));
                  typed = option.adds_up && !typed.empty() ? typed + '\n' + value : value;
              });
}

std::vector<std::pair<std::string, std::string>> JobOptionWords::given() const {
    std::vector<std::pair<std::string, std::string>> given;
    for (const JobOption* option : declared_)
        if (const auto found = typed_.find(option->name); found != typed_.end())
            given.emplace_back(long_form(option->name), found->second);
    return given;
}

void JobOptionWords::set(FileJob& job) const {
    for (const JobOption& option : job_options())
        if (const auto found = typed_.find(option.name); found != typed_.end())
            option.parse(job, option.value.empty() ? "yes" : found->second);
}

void add_explain_option(OptionGroup group, bool& explain) {
    group.add_flag("--explain", explain, "Explain the kernel choice for each step and plane");
}

void add_json_option(OptionGroup group, std::string& words) {
    group.add_text(
        "--json", "[FILE.json]", words,
        "Write a report to standard output, or to FILE.json (an older report is replaced)");
}

}  // namespace weft
