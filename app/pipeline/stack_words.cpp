#include "app/pipeline/stack_words.h"

#include "app/media/libav/error.h"
#include "app/pipeline/folders.h"
#include "app/pipeline/stack/enabled_frames.h"
#include "filters/preset.h"

namespace weft {

void check_stack_words(const StackWords& words) {
    if (words.stored) return;
    if (words.stack.empty() && words.preset.empty())
        throw Error(Outcome::usage, "nothing to do: -vf STACK or --preset NAME is needed");
    if (!words.stack.empty() && !words.preset.empty())
        throw Error(Outcome::usage, "-vf and --preset are mutually exclusive");
}

Stack load_stack(const StackWords& words) {
    Stack stack = words.stored           ? load_stored_stack(*words.stored, words.folder)
                  : words.preset.empty() ? parse_stack(words.stack, Names::typed)
                                         : preset_stack(words.preset, preset_folders());
    for (const Step& step : stack)
        if (step.params.is_set("enable")) check_enable(step.params);
    return stack;
}

std::string typed_stack(const StackWords& words, const Stack& stack) {
    return !words.stack.empty() ? words.stack : print_stack(stack, Names::typed);
}

std::vector<std::string> stack_files(const StackWords& words, const Stack& stack) {
    std::vector<std::string> files;
    if (!words.preset.empty())
        files.push_back(preset_path(preset_name(words.preset), preset_folders()).string());
    for (const Step& step : stack)
        for (const ParamDef* param : all_params(*step.filter))
            if (param->kind == ParamKind::file && step.params.is_set(param->name))
                files.push_back(step.params.text(param->name));
    return files;
}

}  // namespace weft
