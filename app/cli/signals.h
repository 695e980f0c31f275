// Ctrl-C and similar signals: stop cleanly, and soon. Crashes: report the signal.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include "app/media/libav/error.h"
#include "filters/text/file_descriptor.h"

namespace weft {

// During its lifetime, SIGINT, SIGTERM and SIGHUP trigger token() instead of ending the process. A
// second signal ends the process immediately, and so does the grace time if the work has not
// stopped by then (a read of a stalled pipe cannot be interrupted): unfinished outputs have no name
// yet. SIGPIPE and SIGXFSZ are ignored, so that the write fails with a reportable error. Signals
// that were ignored stay ignored: SIGHUP under nohup, SIGINT in the background jobs of a script.
// SIGUSR1 ends nothing: as with dd, it requests the progress.
//
// Signals are blocked in the constructing thread and the threads it starts: construct it before any
// other thread.
class SignalWatch {
 public:
    static constexpr int kGraceMs = 1500;

    SignalWatch();  // throws Error(failed) if the system refuses the descriptors
    ~SignalWatch();
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

    std::stop_token token() const { return stop_.get_token(); }
    // Called from the watching thread for each later SIGUSR1.
    void on_progress_requested(std::function<void()> handler);
    // ok while no signal has arrived; then interrupted (SIGINT) or terminated (SIGTERM, SIGHUP).
    Outcome outcome() const;

 private:
    void watch();
    bool wait_for_signal(int timeout_ms);  // false: no signal, and stop watching
    bool over_ = false;                    // used by the watching thread only

    std::mutex mutex_;
    std::function<void()> progress_requested_;
    std::stop_source stop_;
    std::atomic<int> signal_{0};
    FileDescriptor signals_;
    FileDescriptor end_;
    std::thread thread_;
};

// After this call, a fatal signal (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT) first writes its name
// and a backtrace to standard error. The program still ends by that signal, and the system writes a
// core file if it is set to. Handlers that are installed already, such as a sanitizer's, are kept.
// The handler of the calling thread runs on its own stack, so a stack overflow is reported as well.
// A child inherits the handlers by fork, but not by exec. Call it on the main thread before other
// threads start.
void report_crashes();

}  // namespace weft
