// A folder for the outputs of a test, and its contents.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/media/libav/error.h"
#include "app/media/output/atomic_output.h"
#include "tests/support/allocations.h"

namespace weft {

namespace fs = std::filesystem;

inline std::string read_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void put(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

// All names in the folder, hidden ones included.
inline std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

inline Outcome outcome_of(const std::function<void()>& act, std::string* text = nullptr) {
    try {
        act();
    } catch (const Error& error) {
        if (text != nullptr) *text = error.what();
        return error.outcome();
    }
    return Outcome::ok;
}

// Calls `act` again and again, each time with a later allocation that fails, until none does;
// `check` follows each exception.
inline void run_out_of_memory(const std::function<void()>& act,
                              const std::function<void()>& check) {
    using test::FailedAllocation;
    bool happened = true;
    for (std::int64_t nth = 1; happened; ++nth) {
        SCOPED_TRACE(testing::Message() << "allocation " << nth);
        bool thrown = false;
        {
            const FailedAllocation failure(nth, FailedAllocation::In::this_thread);
            try {
                act();
            } catch (const std::exception&) {
                thrown = true;
            }
            happened = failure.happened();
        }
        EXPECT_TRUE(happened || !thrown);
        if (thrown) check();
    }
}

// Each test runs with an unnamed file and with a hidden one.
class AtomicOutputFile : public testing::TestWithParam<bool> {
 protected:
    AtomicOutputFile() {
        std::string pattern = (fs::temp_directory_path() / "weft-atomic-XXXXXX").string();
        dir_ = mkdtemp(pattern.data());
    }
    ~AtomicOutputFile() override { fs::remove_all(dir_); }

    OutputOptions options(Overwrite overwrite = Overwrite::refuse) const {
        return {.overwrite = overwrite, .anonymous = GetParam()};
    }
    fs::path at(const std::string& name) const { return dir_ / name; }

    fs::path dir_;
};

}  // namespace weft
