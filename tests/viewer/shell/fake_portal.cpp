#include "tests/viewer/shell/fake_portal.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dbus/dbus.h>
#include <fstream>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/device/loaded_library.h"

namespace weft::test {
namespace {

constexpr const char* kPath = "/org/freedesktop/portal/desktop";
constexpr const char* kInterface = "org.freedesktop.portal.Settings";
constexpr const char* kNamespace = "org.freedesktop.appearance";

const LoadedLibrary& library() {
    static const LoadedLibrary opened({"libdbus-1.so.3"});
    return opened;
}

// Like the product, the tests start without the library: PrivateBus::why_none() looks for it.
template <class Function, class... Arguments>
auto call(const char* name, Arguments... arguments) {
    return library().find<Function*>(name)(arguments...);
}

void append_text(DBusMessageIter* to, const char* text) {
    call<decltype(dbus_message_iter_append_basic)>("dbus_message_iter_append_basic", to,
                                                   DBUS_TYPE_STRING, &text);
}

// In as many variants as `depth`.
void append_number(DBusMessageIter* to, std::uint32_t value, int depth) {
    if (depth == 0) {
        call<decltype(dbus_message_iter_append_basic)>("dbus_message_iter_append_basic", to,
                                                       DBUS_TYPE_UINT32, &value);
        return;
    }
    DBusMessageIter inner;
    call<decltype(dbus_message_iter_open_container)>(
        "dbus_message_iter_open_container", to, DBUS_TYPE_VARIANT, depth == 1 ? "u" : "v", &inner);
    append_number(&inner, value, depth - 1);
    call<decltype(dbus_message_iter_close_container)>("dbus_message_iter_close_container", to,
                                                      &inner);
}

void send(DBusConnection* connection, DBusMessage* message) {
    call<decltype(dbus_connection_send)>("dbus_connection_send", connection, message, nullptr);
    call<decltype(dbus_connection_flush)>("dbus_connection_flush", connection);
    call<decltype(dbus_message_unref)>("dbus_message_unref", message);
}

DBusMessageIter values_of(DBusMessage* message) {
    DBusMessageIter values;
    call<decltype(dbus_message_iter_init_append)>("dbus_message_iter_init_append", message,
                                                  &values);
    return values;
}

[[noreturn]] void become_daemon(const std::string& configuration, int ready_fd) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(ready_fd, 3);
    (void)!freopen("/dev/null", "w", stderr);  // limits that a container does not let it raise
    const std::string option = "--config-file=" + configuration;
    execlp("dbus-daemon", "dbus-daemon", option.c_str(), "--nofork", "--nosyslog",
           "--print-address=3", nullptr);
    _exit(127);
}

}  // namespace

std::string PrivateBus::why_none() {
    if (std::system("command -v dbus-daemon >/dev/null 2>&1") != 0)
        return "dbus-daemon is not installed";
    if (library().find<decltype(&dbus_connection_close)>("dbus_connection_close") == nullptr)
        return "libdbus-1-3 is not installed";
    return "";
}

PrivateBus::PrivateBus(const std::filesystem::path& folder)
    : address_("unix:path=" + (folder / "bus").string()) {
    const std::string configuration = (folder / "bus.conf").string();
    std::ofstream(configuration) << "<busconfig><type>session</type><listen>" << address_
                                 << "</listen><auth>EXTERNAL</auth><policy context='default'>"
                                    "<allow send_destination='*'/><allow receive_sender='*'/>"
                                    "<allow own='*'/></policy></busconfig>";
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    daemon_ = fork();
    if (daemon_ == 0) become_daemon(configuration, ends[1]);
    close(ends[1]);
    char first = 0;
    const bool ready = read(ends[0], &first, 1) == 1;
    close(ends[0]);
    if (ready) return;
    stop();
    throw std::runtime_error("dbus-daemon did not start");
}

PrivateBus::~PrivateBus() {
    stop();
}

void PrivateBus::stop() {
    if (daemon_ <= 0) return;
    kill(daemon_, SIGTERM);
    waitpid(daemon_, nullptr, 0);
    daemon_ = -1;
}

FakePortal::FakePortal(const std::string& address, std::uint32_t scheme, bool answering)
    : scheme_(scheme), answering_(answering) {
    DBusError* const ignored = nullptr;
    connection_ = call<decltype(dbus_connection_open_private)>("dbus_connection_open_private",
                                                               address.c_str(), ignored);
    if (connection_ == nullptr) throw std::runtime_error("cannot connect to " + address);
    call<decltype(dbus_bus_register)>("dbus_bus_register", connection_, ignored);
    call<decltype(dbus_bus_request_name)>("dbus_bus_request_name", connection_,
                                          "org.freedesktop.portal.Desktop", 0U, ignored);
    thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
}

FakePortal::~FakePortal() {
    thread_.request_stop();
    thread_.join();
    call<decltype(dbus_connection_close)>("dbus_connection_close", connection_);
    call<decltype(dbus_connection_unref)>("dbus_connection_unref", connection_);
}

void FakePortal::serve(const std::stop_token& stop) {
    constexpr int kWaitMs = 10;
    while (!stop.stop_requested() &&
           call<decltype(dbus_connection_read_write)>("dbus_connection_read_write", connection_,
                                                      kWaitMs) != FALSE)
        while (DBusMessage* const message = call<decltype(dbus_connection_pop_message)>(
                   "dbus_connection_pop_message", connection_)) {
            if (call<decltype(dbus_message_is_method_call)>("dbus_message_is_method_call", message,
                                                            kInterface, "Read") != FALSE) {
                if (answering_) answer(message);
                asked_ = 1;
                asked_.notify_all();
            }
            call<decltype(dbus_message_unref)>("dbus_message_unref", message);
        }
}

void FakePortal::answer(DBusMessage* question) const {
    DBusMessage* const reply =
        call<decltype(dbus_message_new_method_return)>("dbus_message_new_method_return", question);
    DBusMessageIter values = values_of(reply);
    append_number(&values, scheme_, 2);
    send(connection_, reply);
}

void FakePortal::change(const char* name, std::uint32_t value) const {
    DBusMessage* const signal = call<decltype(dbus_message_new_signal)>(
        "dbus_message_new_signal", kPath, kInterface, "SettingChanged");
    DBusMessageIter values = values_of(signal);
    append_text(&values, kNamespace);
    append_text(&values, name);
    append_number(&values, value, 1);
    send(connection_, signal);
}

}  // namespace weft::test
