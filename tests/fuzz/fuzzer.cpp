// weft-fuzz TARGET [LIBFUZZER'S OPTIONS…] [CORPUS…]: one program for all targets. --list prints
// their names, --dictionary the words of stacks.
#include <algorithm>
#include <cstddef>
#include <cstdio>

#include "app/media/libav/ffmpeg.h"
#include "tests/fuzz/targets.h"

namespace {

const weft::fuzz::Target* chosen = nullptr;

}  // namespace

// Takes the target's name out of the arguments; libFuzzer gets the rest.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
    const auto& all = weft::fuzz::targets();
    const std::string_view name = *argc > 1 ? (*argv)[1] : "";
    if (name == "--dictionary") {
        std::fputs(weft::fuzz::stack_dictionary().c_str(), stdout);
        std::exit(0);
    }
    const auto found = std::ranges::find(all, name, &weft::fuzz::Target::name);
    if (found == all.end()) {
        if (name != "--list")
            std::fprintf(stderr, "weft-fuzz: which target? --list, or one of these:\n");
        for (const auto& target : all)
            std::printf("%.*s\n", static_cast<int>(target.name.size()), target.name.data());
        std::exit(name == "--list" ? 0 : 2);
    }
    chosen = &*found;
    std::rotate(*argv + 1, *argv + 2, *argv + *argc);
    --*argc;
    av_log_set_level(AV_LOG_QUIET);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    chosen->run({data, size});
    return 0;
}
