#include "app/viewer/edit/command_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "filters/text/number_text.h"

namespace weft {
namespace {

constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:=+-@%";

std::string in_quotes(std::string_view text) {
    std::string out = "'";
    for (char c : text) {
        if (c == '\'')
            out += "'\\''";
        else
            out += c;
    }
    return out + "'";
}

std::string file_word(const std::string& name) {
    return shell_word(name.starts_with('-') && name.size() > 1 ? "./" + name : name);
}

std::string kernel_option(const std::vector<std::string>& kernels) {
    const auto forced = [](const std::string& kernel) { return !kernel.empty(); };
    if (std::ranges::none_of(kernels, forced)) return "";
    return " --kernel " + shell_word(fmt::format("{}", fmt::join(kernels, ",")));
}

std::string rate_option(const CommandFiles& files) {
    return files.frame_rate ? " -framerate " + format_number(*files.frame_rate) : "";
}

}  // namespace

std::string shell_word(std::string_view text) {
    const bool plain = !text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos;
    return plain ? std::string(text) : in_quotes(text);
}

std::string weft_command(const StackRequest& request, const CommandFiles& files) {
    return fmt::format("weft batch -vf {}{}{} -o {} {}",
                       in_quotes(print_stack(request.stack, Names::typed)),
                       kernel_option(request.kernels), rate_option(files), file_word(files.output),
                       file_word(files.input));
}

std::string ffmpeg_option(std::string_view filterchain) {
    return "-vf " + in_quotes(filterchain);
}

}  // namespace weft
