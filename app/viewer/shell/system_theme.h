// The desktop's preference for dark or light windows.
#pragma once

#include <functional>
#include <memory>

namespace weft {

// Reads the preference from the XDG desktop portal on a thread of its own, and follows changes.
// Dark without a session bus, a portal, libdbus-1 or a preference, and until the portal answers.
class SystemTheme {
 public:
    // Calls `on_change` from that thread when dark() changes.
    explicit SystemTheme(std::function<void()> on_change);
    ~SystemTheme();
    SystemTheme(const SystemTheme&) = delete;
    SystemTheme& operator=(const SystemTheme&) = delete;

    bool dark() const;  // callable from any thread

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft
