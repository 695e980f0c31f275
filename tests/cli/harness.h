// Runs the program as a user would and watches it from outside: no product code is linked.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <sys/types.h>
#include <vector>

#include <gtest/gtest.h>

namespace weft::cli {

using Arguments = std::vector<std::string>;

// Whether this build has sanitizers, whose memory and threads count as the program's.
#ifdef WEFT_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

struct Command {
    Arguments argv;                                         // argv[0] is looked up in PATH
    std::map<std::string, std::optional<std::string>> env;  // changes; nullopt removes
    std::filesystem::path folder;                           // working folder; empty: ours
    std::filesystem::path input;                            // standard input; empty: /dev/null
    std::filesystem::path output;                           // standard output; empty: captured
    std::chrono::seconds hang_guard{300};                   // then it is killed: timed_out
    std::optional<rlim_t> file_size_limit;                  // RLIMIT_FSIZE, bytes
    std::optional<uid_t> user;                              // runs as this user; needs root
};

struct Result {
    int exit_code = -1;  // -1 when a signal ended it
    int signal = 0;      // that ended it
    bool timed_out = false;
    std::string out;
    std::string err;
    long max_rss_kib = 0;  // 0 with sanitizers

    // What a shell shows: 128 + N after signal N.
    int shell_code() const { return signal != 0 ? 128 + signal : exit_code; }
};

// A started program. Its standard output and error are captured in wait(); killed if still running
// when it goes out of scope.
class Process {
 public:
    explicit Process(const Command& command);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    pid_t pid() const { return pid_; }
    bool running() const;
    // These return early if the program has ended. A fixed delay instead of them is too short on a
    // machine under load.
    void wait_until_it_handles(int signal) const;
    void wait_until_none_is_pending() const;  // of the signals sent
    void wait_until_it_opens(const std::string& path) const;
    void send(int signal) const;
    Result wait();

 private:
    void drain(Result& result);
    void wait_until(const std::function<bool()>& happened) const;

    pid_t pid_ = -1;
    int out_fd_ = -1;
    int err_fd_ = -1;
    std::chrono::steady_clock::time_point deadline_;
};

Result run(const Command& command);
Result run(Arguments argv);

// $WEFT_PROGRAM, else the `weft` in this program's folder.
std::string weft_program();
// The command `weft ARGUMENTS…`, ready for changes, and its result.
Command weft_command(const Arguments& arguments);
Result weft(const Arguments& arguments);

// A folder that is removed recursively.
class TempFolder {
 public:
    TempFolder();
    ~TempFolder();
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

 private:
    std::filesystem::path path_;
};

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& bytes);
// Names in a folder, hidden ones included, sorted; empty if the folder does not exist.
std::vector<std::string> names_in(const std::filesystem::path& folder);
std::string last_line(const std::string& text);
bool contains(const std::string& text, const std::string& part);

// Whether the tests run in their long form: $WEFT_LONG_TESTS, set by ./dev test --long.
bool long_tests();
// A valid name of a parameterized test: `text` with '_' for all but letters and digits.
std::string test_name(std::string text);

// Numbers in files that tests damage or forge: the last `bytes` bytes of `value`, as text.
std::string big_endian(std::uint64_t value, int bytes);
std::string little_endian(std::uint64_t value, int bytes);
// The number in the four bytes from `at` on.
std::size_t big32(const std::string& bytes, std::size_t at);
// Where `pattern` begins. Throws if it does not occur.
std::vector<std::size_t> places_of(const std::string& bytes, const std::string& pattern);
// "exit 4" or "signal 6" or "hung", then all of stderr: for failure messages.
std::string describe(const Result& result);

// True if the run exited with `code` and, if that is an error, stderr closes with "weft: error:".
testing::AssertionResult exits(const Result& result, int code);
// The same, for any code of several.
testing::AssertionResult exits_one_of(const Result& result, const std::vector<int>& codes);

// The base of every suite here: an empty folder for each test, and a skip if the ffmpeg and ffprobe
// programs, which make and check the clips, are missing.
class CliTest : public testing::Test {
 protected:
    void SetUp() override;
    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
    // Makes a folder below the test's own.
    std::string make_folder(const std::string& name) const;

    TempFolder folder_;
};

// For tests that make calls of the program fail, by a library that is loaded before all others.
// Skipped if sanitizers, which must be loaded first, leave no room for it.
class FailingCallsTest : public CliTest {
 protected:
    void SetUp() override;
    // weft_command() with the library. What fails is set in its environment: see
    // tests/support/failing_calls.cpp.
    Command command_with_failing_calls(const Arguments& arguments) const;
};

}  // namespace weft::cli
