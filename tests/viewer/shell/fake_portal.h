// A session bus of the test's own, and the settings portal of a desktop on it.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <sys/types.h>
#include <thread>

struct DBusConnection;
struct DBusMessage;

namespace weft::test {

class PrivateBus {
 public:
    // Empty if dbus-daemon and libdbus-1 are installed, otherwise the reason.
    static std::string why_none();

    // Its socket and its configuration are in `folder`. Throws if it does not start.
    explicit PrivateBus(const std::filesystem::path& folder);
    ~PrivateBus();
    PrivateBus(const PrivateBus&) = delete;
    PrivateBus& operator=(const PrivateBus&) = delete;

    const std::string& address() const { return address_; }
    void stop();

 private:
    pid_t daemon_ = -1;
    std::string address_;
};

class FakePortal {
 public:
    // `scheme` is the value of color-scheme; a portal that is not `answering` leaves calls open.
    FakePortal(const std::string& address, std::uint32_t scheme, bool answering = true);
    ~FakePortal();
    FakePortal(const FakePortal&) = delete;
    FakePortal& operator=(const FakePortal&) = delete;

    void wait_until_asked() const { asked_.wait(0); }
    // Sends the signal of a changed setting; wait_until_asked() first.
    void change(const char* name, std::uint32_t value) const;
    void change_scheme(std::uint32_t value) const { change("color-scheme", value); }

 private:
    void serve(const std::stop_token& stop);
    void answer(DBusMessage* question) const;

    DBusConnection* connection_ = nullptr;
    std::uint32_t scheme_;
    bool answering_;
    std::atomic<int> asked_ = 0;
    std::jthread thread_;
};

}  // namespace weft::test
