#include "tests/cli/harness.h"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "tests/support/clips.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

constexpr int kCannotStart = 127;

struct Pipe {
    int read_end = -1;
    int write_end = -1;
};

Pipe make_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    return {ends[0], ends[1]};
}

void redirect(int target, const fs::path& path, int flags) {
    const int fd = open(path.c_str(), flags | O_CLOEXEC, 0666);
    if (fd < 0 || dup2(fd, target) < 0) _exit(kCannotStart);
}

void apply_limits(const Command& command) {
    if (command.file_size_limit) {
        const rlimit limit{*command.file_size_limit, *command.file_size_limit};
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(kCannotStart);
    }
    if (command.user && (setgid(*command.user) != 0 || setuid(*command.user) != 0))
        _exit(kCannotStart);
}

void apply_environment(const Command& command) {
    // LeakSanitizer aborts a traced program.
    if (kSanitized && command.argv.front() == "strace") setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    for (const auto& [name, value] : command.env) {
        if (value)
            setenv(name.c_str(), value->c_str(), 1);
        else
            unsetenv(name.c_str());
    }
}

[[noreturn]] void become(const Command& command, int out_fd, int err_fd) {
    setpgid(0, 0);
    for (int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) signal(number, SIG_DFL);
    redirect(STDIN_FILENO, command.input.empty() ? "/dev/null" : command.input, O_RDONLY);
    if (command.output.empty())
        dup2(out_fd, STDOUT_FILENO);
    else
        redirect(STDOUT_FILENO, command.output, O_WRONLY | O_CREAT);
    dup2(err_fd, STDERR_FILENO);
    if (!command.folder.empty() && chdir(command.folder.c_str()) != 0) _exit(kCannotStart);
    apply_environment(command);
    apply_limits(command);
    std::vector<char*> argv;
    for (const std::string& argument : command.argv)
        argv.push_back(const_cast<char*>(argument.c_str()));  // NOLINT: execvp's old signature
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    _exit(kCannotStart);
}

// Appends the available data; closes and forgets the descriptor at the end of the stream.
void take(int& fd, std::string& text) {
    char buffer[65536];
    const ssize_t count = read(fd, buffer, sizeof buffer);
    if (count > 0) {
        text.append(buffer, static_cast<std::size_t>(count));
        return;
    }
    close(fd);
    fd = -1;
}

std::string failing_calls_library() {
    return (fs::path(weft_program()).parent_path() / "weft-failing-calls.so").string();
}

}  // namespace

Process::Process(const Command& command)
    : deadline_(std::chrono::steady_clock::now() + command.hang_guard) {
    const Pipe out = make_pipe();
    const Pipe err = make_pipe();
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("no fork");
    if (pid_ == 0) become(command, out.write_end, err.write_end);
    setpgid(pid_, pid_);
    close(out.write_end);
    close(err.write_end);
    out_fd_ = out.read_end;
    err_fd_ = err.read_end;
}

Process::~Process() {
    if (pid_ > 0) {
        kill(-pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    if (out_fd_ >= 0) close(out_fd_);
    if (err_fd_ >= 0) close(err_fd_);
}

bool Process::running() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0;
}

void Process::wait_until(const std::function<bool()>& happened) const {
    while (running() && !happened() && std::chrono::steady_clock::now() < deadline_)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

void Process::wait_until_none_is_pending() const {
    constexpr std::string_view kNone = "ShdPnd:\t0000000000000000";
    const std::string status = fmt::format("/proc/{}/status", pid_);
    while (running() && !contains(read_file(status), std::string(kNone))) std::this_thread::yield();
}

void Process::wait_until_it_handles(int signal) const {
    const fs::path process = fs::path("/proc") / std::to_string(pid_);
    wait_until([&] {
        if (read_file(process / "comm") != "weft\n") return false;  // still our own copy
        const std::string status = read_file(process / "status");
        for (const std::string name : {"SigBlk:\t", "SigCgt:\t"}) {
            const std::size_t at = status.find(name);
            if (at == std::string::npos) continue;
            const auto mask = std::stoull(status.substr(at + name.size()), nullptr, 16);
            if ((mask >> static_cast<unsigned>(signal - 1) & 1U) != 0) return true;
        }
        return false;
    });
}

void Process::wait_until_it_opens(const std::string& path) const {
    const std::string folder = "/proc/" + std::to_string(pid_) + "/fd";
    const fs::path real = fs::canonical(path);
    wait_until([&] {
        std::error_code error;
        fs::directory_iterator it(folder, error);
        for (; !error && it != fs::directory_iterator(); it.increment(error))
            if (fs::read_symlink(it->path(), error) == real) return true;
        return false;
    });
}

void Process::send(int signal) const {
    kill(pid_, signal);
}

void Process::drain(Result& result) {
    while (out_fd_ >= 0 || err_fd_ >= 0) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            deadline_ - std::chrono::steady_clock::now());
        pollfd fds[2] = {{out_fd_, POLLIN, 0}, {err_fd_, POLLIN, 0}};
        if (left.count() <= 0 || poll(fds, 2, static_cast<int>(left.count())) <= 0) {
            result.timed_out = true;
            kill(-pid_, SIGKILL);
            return;
        }
        if (fds[0].revents != 0) take(out_fd_, result.out);
        if (fds[1].revents != 0) take(err_fd_, result.err);
    }
}

Result Process::wait() {
    Result result;
    drain(result);
    int status = 0;
    rusage usage{};
    while (wait4(pid_, &status, WNOHANG, &usage) == 0) {
        if (std::chrono::steady_clock::now() > deadline_) {
            result.timed_out = true;
            kill(-pid_, SIGKILL);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    pid_ = -1;
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    if (!kSanitized) result.max_rss_kib = usage.ru_maxrss;
    return result;
}

Result run(const Command& command) {
    return Process(command).wait();
}

Result run(Arguments argv) {
    Command command;
    command.argv = std::move(argv);
    return run(command);
}

std::string weft_program() {
    if (const char* set = std::getenv("WEFT_PROGRAM"); set != nullptr && *set != '\0') return set;
    return (fs::read_symlink("/proc/self/exe").parent_path() / "weft").string();
}

Command weft_command(const Arguments& arguments) {
    Command command;
    command.argv = {weft_program()};
    command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
    return command;
}

Result weft(const Arguments& arguments) {
    return run(weft_command(arguments));
}

TempFolder::TempFolder() {
    std::string name = (fs::temp_directory_path() / "weft-cli-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
    fs::permissions(path_, fs::perms(0755));  // other users run the program in it, too
}

TempFolder::~TempFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::string& bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    if (!fs::exists(folder)) return names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::string last_line(const std::string& text) {
    std::istringstream lines(text);
    std::string last;
    for (std::string line; std::getline(lines, line);)
        if (!line.empty()) last = line;
    return last;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

bool long_tests() {
    return std::getenv("WEFT_LONG_TESTS") != nullptr;
}

std::string test_name(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return text;
}

std::string big_endian(std::uint64_t value, int bytes) {
    std::string text;
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
        text += static_cast<char>(value >> shift);
    return text;
}

std::string little_endian(std::uint64_t value, int bytes) {
    const std::string text = big_endian(value, bytes);
    return {text.rbegin(), text.rend()};
}

std::size_t big32(const std::string& bytes, std::size_t at) {
    std::size_t value = 0;
    for (std::size_t k = 0; k < 4; ++k)
        value = value << 8U | static_cast<unsigned char>(bytes.at(at + k));
    return value;
}

std::vector<std::size_t> places_of(const std::string& bytes, const std::string& pattern) {
    std::vector<std::size_t> places;
    for (std::size_t at = bytes.find(pattern); at != std::string::npos;
         at = bytes.find(pattern, at + 1))
        places.push_back(at);
    if (places.empty()) throw std::runtime_error("the clip lacks " + pattern);
    return places;
}

std::string describe(const Result& result) {
    const std::string end = result.timed_out     ? "hung"
                            : result.signal != 0 ? fmt::format("signal {}", result.signal)
                                                 : fmt::format("exit {}", result.exit_code);
    return end + "\n" + result.err;
}

testing::AssertionResult exits(const Result& result, int code) {
    return exits_one_of(result, {code});
}

testing::AssertionResult exits_one_of(const Result& result, const std::vector<int>& codes) {
    if (result.timed_out || result.signal != 0 ||
        std::find(codes.begin(), codes.end(), result.exit_code) == codes.end())
        return testing::AssertionFailure()
               << "want exit " << testing::PrintToString(codes) << ", got " << describe(result);
    if (result.exit_code != 0 && last_line(result.err).rfind("weft: error:", 0) != 0)
        return testing::AssertionFailure()
               << "the last line does not start with \"weft: error:\": " << describe(result);
    return testing::AssertionSuccess();
}

void CliTest::SetUp() {
    if (const std::string reason = test::why_no_ffmpeg(); !reason.empty()) GTEST_SKIP() << reason;
    ASSERT_EQ(access(weft_program().c_str(), X_OK), 0) << "no program at " << weft_program();
}

std::string CliTest::make_folder(const std::string& name) const {
    fs::create_directories(folder_.path() / name);
    return path(name);
}

void FailingCallsTest::SetUp() {
    CliTest::SetUp();
    if (testing::Test::IsSkipped()) return;
    if (!fs::exists(failing_calls_library()))
        GTEST_SKIP() << "sanitizers load before any other library and have their own allocators";
}

Command FailingCallsTest::command_with_failing_calls(const Arguments& arguments) const {
    Command command = weft_command(arguments);
    command.env["LD_PRELOAD"] = failing_calls_library();
    return command;
}

}  // namespace weft::cli
