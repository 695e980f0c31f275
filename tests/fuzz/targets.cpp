#include "tests/fuzz/targets.h"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace weft::fuzz {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
    Folder() : path_(fs::temp_directory_path() / ("weft-fuzz-" + std::to_string(getpid()))) {
        fs::create_directories(path_);
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    const fs::path& path() const { return path_; }

 private:
    fs::path path_;
};

}  // namespace

const std::vector<Target>& targets() {
    static const std::vector<Target> all = {
        {"stack", fuzz_stack},         {"preset", fuzz_preset}, {"matrix", fuzz_matrix},
        {"structure", fuzz_structure}, {"nal", fuzz_nal},       {"adts", fuzz_adts},
        {"packet", fuzz_packet},       {"ledger", fuzz_ledger}, {"sequence", fuzz_sequence},
        {"chunks", fuzz_chunks},       {"gpus", fuzz_gpus},     {"settings", fuzz_settings},
        {"recent", fuzz_recent},       {"paste", fuzz_paste},   {"times", fuzz_times},
        {"arguments", fuzz_arguments}, {"keys", fuzz_keys},     {"plan", fuzz_plan},
        {"receipt", fuzz_receipt},     {"jpeg", fuzz_jpeg},     {"boxes", fuzz_boxes}};
    return all;
}

std::string file_with(Bytes bytes, std::string_view name) {
    static const Folder folder;
    const fs::path path = folder.path() / name;
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text_of(bytes);
    return path.string();
}

}  // namespace weft::fuzz
