// Short messages over the picture that go away by themselves.
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
    std::string sentence;  // its first line; more lines are details
    std::string details;
    Time until;
    bool opened = false;  // its details are being read: it stays
};

// post() may be called from any thread, the rest from the window's.
class Toasts {
 public:
    // The first line is the sentence. One that is shown already is not repeated: it stays longer.
    void post(ToastKind kind, const std::string& text, Toast::Time now);
    // Those that are shown at `now`, the oldest first.
    std::vector<Toast>& current(Toast::Time now);
    bool empty() const;
    // The sentences of all errors so far, the latest kMostRemembered of them.
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
