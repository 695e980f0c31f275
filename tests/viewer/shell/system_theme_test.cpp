#include "app/viewer/shell/system_theme.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"
#include "tests/viewer/shell/fake_portal.h"

namespace weft::test {
namespace {

constexpr std::uint32_t kNone = 0;
constexpr std::uint32_t kDark = 1;
constexpr std::uint32_t kLight = 2;

class ViewerSystemTheme : public testing::Test {
 protected:
    void SetUp() override {
        if (const std::string reason = PrivateBus::why_none(); !reason.empty())
            GTEST_SKIP() << reason;
        use_bus("");
    }
    void TearDown() override { use_bus(""); }

    static void use_bus(const std::string& address) {
        unsetenv("XDG_RUNTIME_DIR");
        if (address.empty())
            unsetenv("DBUS_SESSION_BUS_ADDRESS");
        else
            setenv("DBUS_SESSION_BUS_ADDRESS", address.c_str(), 1);
    }

    void begin() {
        theme_.emplace([this] { ++changes_; });
    }
    // Waits until the theme has reported that many changes in all.
    void wait_for_change(int number) const {
        constexpr int kLooks = 12'000;  // two minutes
        for (int k = 0; k < kLooks && changes_ < number; ++k)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        EXPECT_EQ(changes_, number);
    }

    TemporaryFolder folder_;
    std::atomic<int> changes_ = 0;
    std::optional<SystemTheme> theme_;  // last: it calls back
};

TEST_F(ViewerSystemTheme, ReadsThePreferenceAndFollowsChanges) {
    const PrivateBus bus(folder_.path());
    const FakePortal portal(bus.address(), kLight);
    use_bus(bus.address());
    begin();
    wait_for_change(1);
    EXPECT_FALSE(theme_->dark());
    portal.change_scheme(kDark);
    wait_for_change(2);
    EXPECT_TRUE(theme_->dark());
    portal.change_scheme(kLight);
    wait_for_change(3);
    EXPECT_FALSE(theme_->dark());
    portal.change_scheme(kNone);
    wait_for_change(4);
    EXPECT_TRUE(theme_->dark());
}

// Other settings' signals come before the one that is waited for.
TEST_F(ViewerSystemTheme, IgnoresOtherSettingsAndRepetitions) {
    const PrivateBus bus(folder_.path());
    const FakePortal portal(bus.address(), kDark);
    use_bus(bus.address());
    begin();
    portal.wait_until_asked();
    EXPECT_TRUE(theme_->dark());
    portal.change("contrast", kLight);
    portal.change_scheme(kDark);
    portal.change_scheme(kNone);
    portal.change_scheme(kLight);
    wait_for_change(1);
    EXPECT_FALSE(theme_->dark());
    portal.change("contrast", kDark);
    portal.change_scheme(kLight);
    portal.change_scheme(kDark);
    wait_for_change(2);
    EXPECT_TRUE(theme_->dark());
    theme_.reset();
    EXPECT_EQ(changes_, 2);
}

TEST_F(ViewerSystemTheme, FindsTheBusInTheRuntimeFolder) {
    const PrivateBus bus(folder_.path());
    const FakePortal portal(bus.address(), kLight);
    setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1);
    begin();
    wait_for_change(1);
    EXPECT_FALSE(theme_->dark());
}

TEST_F(ViewerSystemTheme, KeepsThePreferenceWhenTheBusEnds) {
    PrivateBus bus(folder_.path());
    {
        const FakePortal portal(bus.address(), kLight);
        use_bus(bus.address());
        begin();
        wait_for_change(1);
    }
    bus.stop();
    theme_.reset();
    EXPECT_EQ(changes_, 1);
}

TEST_F(ViewerSystemTheme, IsDarkWithoutABusOrAPortal) {
    begin();
    EXPECT_TRUE(theme_->dark());
    for (const char* address : {"unix:path=/nowhere/bus", "autolaunch:", "nonsense", "unix:"}) {
        use_bus(address);
        begin();
        EXPECT_TRUE(theme_->dark());
    }
    const PrivateBus bus(folder_.path());
    use_bus(bus.address());
    begin();
    EXPECT_TRUE(theme_->dark());
    theme_.reset();
    EXPECT_EQ(changes_, 0);
}

// Would hang if its end waited for an answer.
TEST_F(ViewerSystemTheme, DoesNotWaitForASilentPortal) {
    const PrivateBus bus(folder_.path());
    const FakePortal portal(bus.address(), kLight, false);
    use_bus(bus.address());
    begin();
    portal.wait_until_asked();
    EXPECT_TRUE(theme_->dark());
    theme_.reset();
    EXPECT_EQ(changes_, 0);
}

TEST_F(ViewerSystemTheme, DoesNotWaitForASilentBus) {
    const std::string path = (folder_.path() / "silent").string();
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un name{.sun_family = AF_UNIX, .sun_path = {}};
    ASSERT_LT(path.size(), sizeof name.sun_path);
    path.copy(name.sun_path, path.size());
    ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
    ASSERT_EQ(listen(listener, 1), 0);
    use_bus("unix:path=" + path);
    begin();
    const int accepted = accept(listener, nullptr, nullptr);  // after it connects
    EXPECT_GE(accepted, 0);
    EXPECT_TRUE(theme_->dark());
    theme_.reset();
    EXPECT_EQ(changes_, 0);
    close(accepted);
    close(listener);
}

}  // namespace
}  // namespace weft::test
