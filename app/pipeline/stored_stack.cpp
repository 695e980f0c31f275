#include "app/pipeline/stored_stack.h"

#include <functional>
#include <sstream>

#include <fmt/format.h>

#include "app/media/demux/image_sequence.h"
#include "app/media/libav/error.h"
#include "app/media/output/content_hash.h"
#include "app/pipeline/opened_input.h"
#include "app/pipeline/receipt/receipt.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

std::string hash_of_files(const std::string& path) {
    if (!is_sequence(path)) return content_hash(InputFile(path));
    std::string hashes;
    for (const SequenceFile& file : list_sequence(*parse_sequence(path)))
        hashes += content_hash(InputFile(file.path));
    return hex_text(hash_of(hashes.data(), hashes.size()));
}

// Replaces the path of each file by what `place` returns for it.
void place_files(Stack& stack, const std::function<std::string(const std::string&)>& place) {
    for (Step& step : stack)
        for (const ParamDef* param : all_params(*step.filter))
            if (param->kind == ParamKind::file && step.params.is_set(param->name))
                step.params.set(param->name, place(step.params.text(param->name)));
}

}  // namespace

StoredStack store_stack(Stack stack, const fs::path& folder) {
    StoredStack stored;
    place_files(stack, [&](const std::string& path) {
        stored.files += (stored.files.empty() ? "" : " ") + hash_of_files(path);
        return relative_path(path, folder);
    });
    stored.text = print_resolved(stack);
    return stored;
}

Stack load_stored_stack(const StoredStack& stored, const fs::path& folder) {
    Stack stack = parse_stack(stored.text);
    std::istringstream hashes(stored.files);
    place_files(stack, [&](const std::string& stored_path) {
        if (fs::path(stored_path).is_absolute())
            throw Error(Outcome::failed, "its stack refers to a file by an absolute path");
        std::string path = (folder / stored_path).string();
        std::string expected;
        hashes >> expected;
        if (hash_of_files(path) != expected)
            throw Error(
                Outcome::failed,
                fmt::format("{}: has changed since the stack that reads it was stored", path));
        return path;
    });
    if (std::string more; hashes >> more)
        throw Error(Outcome::failed, "it has hashes of files that its stack does not read");
    return stack;
}

}  // namespace weft
