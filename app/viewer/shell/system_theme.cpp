// Talks to the portal through libdbus-1, loaded at run time so that the program starts without it.
// No call blocks: a bus or portal that does not answer keeps neither the window waiting nor its
// end.
#include "app/viewer/shell/system_theme.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <dbus/dbus.h>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "filters/text/file_descriptor.h"
#include "kernels/device/loaded_library.h"

namespace weft {
namespace {

constexpr const char* kPortal = "org.freedesktop.portal.Desktop";
constexpr const char* kPortalPath = "/org/freedesktop/portal/desktop";
constexpr const char* kInterface = "org.freedesktop.portal.Settings";
constexpr const char* kNamespace = "org.freedesktop.appearance";
constexpr const char* kKey = "color-scheme";
constexpr std::uint32_t kPrefersLight = 2;  // 1: dark; 0: no preference

// Functions of libdbus-1. Throws if one is missing.
struct DBus {
    static const DBus& get() {
        static const LoadedLibrary library({"libdbus-1.so.3"});
        static const DBus all(library);
        return all;
    }

    explicit DBus(const LoadedLibrary& library) {
        library.load("dbus_connection_open_private", open);
        library.load("dbus_connection_close", close);
        library.load("dbus_connection_unref", unref);
        library.load("dbus_connection_set_change_sigpipe", change_sigpipe);
        library.load("dbus_connection_set_watch_functions", set_watch_functions);
        library.load("dbus_connection_get_is_connected", is_connected);
        library.load("dbus_connection_send", send);
        library.load("dbus_connection_pop_message", pop);
        library.load("dbus_watch_get_unix_fd", watch_fd);
        library.load("dbus_watch_get_flags", watch_flags);
        library.load("dbus_watch_get_enabled", watch_enabled);
        library.load("dbus_watch_handle", watch_handle);
        library.load("dbus_message_new_method_call", new_call);
        library.load("dbus_message_append_args", append);
        library.load("dbus_message_unref", unref_message);
        library.load("dbus_message_get_reply_serial", reply_serial);
        library.load("dbus_message_is_signal", is_signal);
        library.load("dbus_message_iter_init", first_value);
        library.load("dbus_message_iter_next", next_value);
        library.load("dbus_message_iter_recurse", enter_value);
        library.load("dbus_message_iter_get_arg_type", value_type);
        library.load("dbus_message_iter_get_basic", get_value);
    }

    decltype(&dbus_connection_open_private) open = nullptr;
    decltype(&dbus_connection_close) close = nullptr;
    decltype(&dbus_connection_unref) unref = nullptr;
    decltype(&dbus_connection_set_change_sigpipe) change_sigpipe = nullptr;
    decltype(&dbus_connection_set_watch_functions) set_watch_functions = nullptr;
    decltype(&dbus_connection_get_is_connected) is_connected = nullptr;
    decltype(&dbus_connection_send) send = nullptr;
    decltype(&dbus_connection_pop_message) pop = nullptr;
    decltype(&dbus_watch_get_unix_fd) watch_fd = nullptr;
    decltype(&dbus_watch_get_flags) watch_flags = nullptr;
    decltype(&dbus_watch_get_enabled) watch_enabled = nullptr;
    decltype(&dbus_watch_handle) watch_handle = nullptr;
    decltype(&dbus_message_new_method_call) new_call = nullptr;
    decltype(&dbus_message_append_args) append = nullptr;
    decltype(&dbus_message_unref) unref_message = nullptr;
    decltype(&dbus_message_get_reply_serial) reply_serial = nullptr;
    decltype(&dbus_message_is_signal) is_signal = nullptr;
    decltype(&dbus_message_iter_init) first_value = nullptr;
    decltype(&dbus_message_iter_next) next_value = nullptr;
    decltype(&dbus_message_iter_recurse) enter_value = nullptr;
    decltype(&dbus_message_iter_get_arg_type) value_type = nullptr;
    decltype(&dbus_message_iter_get_basic) get_value = nullptr;
};

// The address of the user's running bus; empty without one. libdbus would start a bus instead.
std::string bus_address() {
    const auto text = [](const char* variable) {
        const char* value =
            std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nothing sets it
        return std::string(value == nullptr ? "" : value);
    };
    const std::string address = text("DBUS_SESSION_BUS_ADDRESS");
    if (!address.empty()) return address.starts_with("unix:") ? address : "";
    const std::filesystem::path socket = std::filesystem::path(text("XDG_RUNTIME_DIR")) / "bus";
    std::error_code error;
    const bool exists = socket.is_absolute() && std::filesystem::is_socket(socket, error);
    return exists ? "unix:path=" + socket.string() : "";
}

struct FreeMessage {
    void operator()(DBusMessage* message) const { DBus::get().unref_message(message); }
};
using Message = std::unique_ptr<DBusMessage, FreeMessage>;

class Bus {
 public:
    // Throws if the address takes no connections.
    explicit Bus(const std::string& address) : connection_(dbus_.open(address.c_str(), nullptr)) {
        if (connection_ == nullptr) throw std::runtime_error("no bus");
        dbus_.change_sigpipe(FALSE);
        dbus_.set_watch_functions(connection_, add_watch, remove_watch, nullptr, this, nullptr);
    }
    ~Bus() {
        dbus_.close(connection_);
        dbus_.unref(connection_);
    }
    Bus(const Bus&) = delete;
    Bus& operator=(const Bus&) = delete;

    // Returns the call's number, which its reply repeats.
    std::uint32_t call(const char* name, const char* path, const char* interface,
                       const char* method, std::initializer_list<const char*> words) {
        const Message message(dbus_.new_call(name, path, interface, method));
        if (message == nullptr) throw std::bad_alloc();
        for (const char* word : words)
            if (!dbus_.append(message.get(), DBUS_TYPE_STRING, &word, DBUS_TYPE_INVALID))
                throw std::bad_alloc();
        std::uint32_t number = 0;
        if (!dbus_.send(connection_, message.get(), &number)) throw std::bad_alloc();
        return number;
    }

    Message next() { return Message(dbus_.pop(connection_)); }

    // Waits for the bus or for `stop_fd`. False once the connection is lost.
    bool wait(int stop_fd) {
        std::vector<pollfd> places{{.fd = stop_fd, .events = POLLIN, .revents = 0}};
        const std::vector<DBusWatch*> watches = watches_;  // handling one may change them
        for (DBusWatch* watch : watches) places.push_back(place_of(watch));
        if (poll(places.data(), places.size(), -1) < 0) return errno == EINTR;
        for (std::size_t k = 0; k < watches.size(); ++k)
            if (const unsigned flags = flags_of(places[k + 1].revents);
                flags != 0 && std::ranges::count(watches_, watches[k]) != 0)
                dbus_.watch_handle(watches[k], flags);
        return dbus_.is_connected(connection_) != FALSE;
    }

 private:
    static dbus_bool_t add_watch(DBusWatch* watch, void* self) {
        static_cast<Bus*>(self)->watches_.push_back(watch);
        return TRUE;
    }
    static void remove_watch(DBusWatch* watch, void* self) {
        std::erase(static_cast<Bus*>(self)->watches_, watch);
    }

    // poll() ignores negative descriptors.
    pollfd place_of(DBusWatch* watch) const {
        const unsigned flags = dbus_.watch_flags(watch);
        short events = 0;
        if ((flags & DBUS_WATCH_READABLE) != 0) events |= POLLIN;
        if ((flags & DBUS_WATCH_WRITABLE) != 0) events |= POLLOUT;
        const bool enabled = dbus_.watch_enabled(watch) != FALSE;
        return {.fd = enabled ? dbus_.watch_fd(watch) : -1, .events = events, .revents = 0};
    }
    static unsigned flags_of(short events) {
        unsigned flags = 0;
        if ((events & POLLIN) != 0) flags |= DBUS_WATCH_READABLE;
        if ((events & POLLOUT) != 0) flags |= DBUS_WATCH_WRITABLE;
        if ((events & POLLERR) != 0) flags |= DBUS_WATCH_ERROR;
        if ((events & POLLHUP) != 0) flags |= DBUS_WATCH_HANGUP;
        return flags;
    }

    const DBus& dbus_ = DBus::get();
    std::vector<DBusWatch*> watches_;
    DBusConnection* connection_;
};

// The values of a message, in order.
class Values {
 public:
    explicit Values(DBusMessage* message) { at_end_ = dbus_.first_value(message, &at_) == FALSE; }

    bool takes(std::string_view wanted) {
        const char* text = nullptr;
        if (at_end_ || dbus_.value_type(&at_) != DBUS_TYPE_STRING) return false;
        dbus_.get_value(&at_, &text);
        at_end_ = dbus_.next_value(&at_) == FALSE;
        return text == wanted;
    }

    // Method Read wraps its value in two variants, the signal in one.
    std::optional<std::uint32_t> number() const {
        if (at_end_) return std::nullopt;
        DBusMessageIter at = at_;
        while (dbus_.value_type(&at) == DBUS_TYPE_VARIANT) {
            DBusMessageIter inner;
            dbus_.enter_value(&at, &inner);
            at = inner;
        }
        if (dbus_.value_type(&at) != DBUS_TYPE_UINT32) return std::nullopt;
        std::uint32_t value = 0;
        dbus_.get_value(&at, &value);
        return value;
    }

 private:
    const DBus& dbus_ = DBus::get();
    mutable DBusMessageIter at_{};
    bool at_end_ = false;
};

// The value that a message reports: the reply to call `asked`, or a change.
std::optional<std::uint32_t> scheme_in(DBusMessage* message, std::uint32_t asked) {
    const DBus& dbus = DBus::get();
    Values values(message);
    if (dbus.reply_serial(message) == asked) return values.number();
    if (dbus.is_signal(message, kInterface, "SettingChanged") == FALSE) return std::nullopt;
    if (!values.takes(kNamespace) || !values.takes(kKey)) return std::nullopt;
    return values.number();
}

}  // namespace

struct SystemTheme::Impl {
    explicit Impl(std::function<void()> changed) : on_change(std::move(changed)) {
        // The address is found here, because the environment may change while the thread runs.
        thread = std::jthread(
            [this, address = bus_address()](const std::stop_token& stop) { run(address, stop); });
    }
    ~Impl() {
        thread.request_stop();
        if (stop_event.is_open()) (void)eventfd_write(stop_event.get(), 1);
        thread.join();
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void run(const std::string& address, const std::stop_token& stop) {
        // Without a descriptor to stop it the thread would never end.
        if (address.empty() || !stop_event.is_open()) return;
        try {
            Bus bus(address);
            follow(bus, stop);
        } catch (const std::exception&) {
            return;  // no bus or no libdbus-1
        }
    }

    // Changes are requested before the present value, so that none is missed.
    void follow(Bus& bus, const std::stop_token& stop) {
        const std::string rule = std::string("type='signal',sender='") + kPortal + "',interface='" +
                                 kInterface + "',member='SettingChanged',arg0='" + kNamespace + "'";
        const auto bus_call = [&](const char* method, std::initializer_list<const char*> words) {
            bus.call(DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, method, words);
        };
        bus_call("Hello", {});
        bus_call("AddMatch", {rule.c_str()});
        const std::uint32_t asked =
            bus.call(kPortal, kPortalPath, kInterface, "Read", {kNamespace, kKey});
        do
            while (const Message message = bus.next())
                if (const auto scheme = scheme_in(message.get(), asked)) set(*scheme);
        while (bus.wait(stop_event.get()) && !stop.stop_requested());
    }

    void set(std::uint32_t scheme) {
        const bool wanted = scheme != kPrefersLight;
        if (dark.exchange(wanted) != wanted) on_change();
    }

    std::function<void()> on_change;
    std::atomic<bool> dark{true};
    FileDescriptor stop_event{eventfd(0, EFD_CLOEXEC)};
    std::jthread thread;  // last: it uses all of the above
};

SystemTheme::SystemTheme(std::function<void()> on_change)
    : impl_(std::make_unique<Impl>(std::move(on_change))) {}
SystemTheme::~SystemTheme() = default;

bool SystemTheme::dark() const {
    return impl_->dark;
}

}  // namespace weft
