// The program's own state files, the clipboard's contents, and command lines.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/batch/plan.h"
#include "app/cli/batch/batch_arguments.h"
#include "app/media/libav/error.h"
#include "app/media/output/content_hash.h"
#include "app/pipeline/known_gpus.h"
#include "app/pipeline/receipt/receipt.h"
#include "app/pipeline/times.h"
#include "app/viewer/edit/matrix_paste.h"
#include "app/viewer/shell/key_bindings.h"
#include "app/viewer/shell/key_list.h"
#include "app/viewer/shell/recent_files.h"
#include "app/viewer/shell/settings.h"
#include "filters/filter.h"
#include "filters/text/text_error.h"
#include "tests/fuzz/targets.h"

namespace weft::fuzz {

// A file of GPUs lists at least one, or the child process is started.
void fuzz_gpus(Bytes bytes) {
    bool asked = false;
    const GpuSources sources{.probe = [&] { return asked = true, GpuProbe{}; },
                             .still_there =
                                 [](const std::vector<Device>& devices) {
                                     require(!devices.empty());
                                     return true;
                                 }};
    const GpuProbe probe = known_gpus(file_with(bytes, "gpus.json"), "m", sources);
    require(asked == probe.devices.empty());
}

// Any file gives settings that survive saving and loading, and a problem if it is invalid.
void fuzz_settings(Bytes bytes) {
    const std::filesystem::path path = file_with(bytes, "settings.toml");
    const LoadedSettings loaded = load_settings(path);
    require(std::isfinite(loaded.settings.difference_gain) && loaded.settings.window_width > 0);
    save_settings(loaded.settings, path);
    const LoadedSettings again = load_settings(path);
    require(again.problem.empty() && again.settings == loaded.settings);
}

void fuzz_recent(Bytes bytes) {
    const std::filesystem::path path = file_with(bytes, "recent.toml");
    const LoadedRecentFiles loaded = load_recent_files(path);
    require(loaded.files.list().size() <= RecentFiles::kMaxFiles);
    save_recent_files(loaded.files, path);
    require(load_recent_files(path).problem.empty());
}

// Any text gives each key at most one action, and each wrong line one problem.
void fuzz_keys(Bytes bytes) {
    const LoadedKeys loaded = parse_keys(text_of(bytes), "keys.conf");
    const auto lines = std::ranges::count(bytes, '\n') + 1;
    require(loaded.problems.size() <= static_cast<std::size_t>(lines));
    for (std::size_t row = 0; row < kKeyRows.size(); ++row)
        for (const std::string& key : loaded.keys.keys_of(row))
            require(loaded.keys.row_of(key) == row);
}

// Text that is read is what weft writes, and names nothing outside of its folders by accident. The
// checksum is made right, as a forger would.
void fuzz_receipt(Bytes bytes) {
    std::string text(text_of(bytes));
    const std::string mark = ",\n  \"checksum\": \"";
    if (const std::size_t at = text.find(mark); at != std::string::npos) {
        const std::string checksum = hex_text(hash_of(text.data(), at));
        text.replace(at + mark.size(), checksum.size(), checksum);
    }
    try {
        const Receipt receipt = parse_receipt(text);
        require(receipt_text(receipt) == text);
        require(receipt.name.find('/') == std::string::npos && !receipt.name.empty());
        require(!receipt.input.path.starts_with('/') && !receipt.input.name.starts_with('/'));
    } catch (const Error&) {
    }
}

void fuzz_paste(Bytes bytes) {
    try {
        const std::vector<Matrix> all = pasted_matrices(text_of(bytes));
        require(!all.empty() && all.size() <= kMatricesOfComponents);
        for (const Matrix& matrix : all)
            require(matrix.weights.size() == static_cast<std::size_t>(matrix.width) *
                                                 static_cast<std::size_t>(matrix.height));
    } catch (const TextError&) {
    }
}

void fuzz_times(Bytes bytes) {
    try {
        require(parse_time_us("-ss", std::string(text_of(bytes))) >= 0);
    } catch (const Error&) {
    }
}

// One argument per line, as a shell would pass them to `weft batch`.
void fuzz_arguments(Bytes bytes) {
    std::vector<std::string> arguments(1);
    for (const char c : text_of(bytes))
        if (c == '\n')
            arguments.emplace_back();
        else
            arguments.back() += c;
    try {
        const auto options = parse_batch(arguments);
        require(!options || !options->inputs.empty());
    } catch (const Error&) {
    } catch (const FilterError&) {
    }
}

// The bytes after the first line, whose hash would refuse most of them. Every plan that is read
// names files below its folder only, none of the outputs twice, and is the same when written again.
void fuzz_plan(Bytes bytes) {
    FileHash hash;
    hash.add(bytes.data(), bytes.size());
    const std::string text =
        fmt::format("{{\"weft_plan\":1,\"sha256\":\"{}\"}}\n{}", hash.digest(), text_of(bytes));
    const std::string path =
        file_with({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, "films.plan");
    try {
        PlanReader plan(path);
        std::vector<PlannedFile> files;
        while (std::optional<PlannedFile> file = plan.next()) files.push_back(std::move(*file));
        const std::filesystem::path folder = plan_folder(path);
        std::set<std::string> outputs;
        for (const PlannedFile& file : files) {
            require(path_below(folder, (folder / file.input).string()) == file.input);
            require(path_below(folder, (folder / file.output).string()) == file.output);
            require(outputs.insert(file.output).second);
            require(file.shard >= 1 && file.shard <= plan.head().shards && file.work > 0);
        }
        require(files.size() == static_cast<std::size_t>(plan.head().files));
        const std::string again = plan_text(plan.head(), files);
        require(plan_text(plan.head(), std::move(files)) == again);
    } catch (const Error&) {
    }
}

}  // namespace weft::fuzz
