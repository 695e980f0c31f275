// Short messages over the picture that disappear by themselves.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

namespace weft {

enum class ToastKind { note, error };

struct Toast {
    using Time = std::chrono::steady_clock::time_point;

    ToastKind kind = ToastKind::note;
    std::string sentence;  // the first line of the message; more lines are details
    std::string details;
    Time until;
    bool opened = false;  // its details are open: it stays
};

// post(), note() and error() are callable from any thread, the rest from the window's.
class Toasts {
 public:
    // The first line is the sentence. One that is already shown is not repeated but stays longer.
    void post(ToastKind kind, const std::string& text, Toast::Time now);
    void note(const std::string& text) { post(ToastKind::note, text, Toast::Time::clock::now()); }
    void error(const std::string& text) { post(ToastKind::error, text, Toast::Time::clock::now()); }
    // The toasts to show at `now`, oldest first.
    std::vector<Toast>& current(Toast::Time now);
    bool empty() const;
    // The sentences of the latest kMostRemembered errors.
    std::vector<std::string> errors() const;

    static constexpr std::size_t kMostShown = 4;
    static constexpr std::size_t kMostRemembered = 100;

 private:
    mutable std::mutex mutex_;
    std::vector<Toast> posted_;
    std::vector<Toast> shown_;
    std::vector<std::string> errors_;
};

}  // namespace weft
