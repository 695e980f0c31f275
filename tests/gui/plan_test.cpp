// Plans of `weft batch`, shown while their files are filtered.
#include <utility>

#include "tests/gui/viewer.h"

namespace weft::gui {
namespace {

namespace fs = std::filesystem;

class GuiPlan : public GuiTest {
 protected:
    static constexpr int kFiles = 3;

    void SetUp() override {
        GuiTest::SetUp();
        if (IsSkipped()) return;
        fs::create_directories(path("in"));
        for (int k = 0; k < kFiles; ++k)
            cli::write_file(path("in/" + std::to_string(k) + ".ppm"),
                            "P6 4 4 255\n" + std::string(48, 'x'));
        ASSERT_TRUE(cli::exits(batch({"-vf", "box", "-o", path("out/"), path("in"), "--plan",
                                      plan(), "--shards", std::to_string(kFiles)}),
                               0));
    }
    static cli::Result batch(const cli::Arguments& words) {
        cli::Arguments arguments = {"batch", "--gpu", "off"};
        arguments.insert(arguments.end(), words.begin(), words.end());
        return cli::run(cli::weft_command(arguments));
    }
    std::string plan() const { return path("films.plan"); }
    static testing::AssertionResult has_title(const Viewer& viewer, const std::string& title) {
        if (eventually([&] { return viewer.title() == title; })) return testing::AssertionSuccess();
        return testing::AssertionFailure() << "the title is " << viewer.title();
    }
    // The title bar of the plan's window.
    static bool has_title_bar(const Viewer& viewer) {
        const PixelRect all = viewer.place();
        const PixelRect picture{all.x, all.y, all.width * 7 / 10, all.height};
        return !areas_of(Screen::get().shot(), picture, {kTitleBar}).empty();
    }
};

TEST_F(GuiPlan, ShowsProgressWhileReceiptsAppear) {
    Viewer viewer = view({plan()});
    EXPECT_TRUE(has_title(viewer, "0 of 3: films.plan — weft"));
    EXPECT_TRUE(eventually([&] { return has_title_bar(viewer); }));
    EXPECT_TRUE(cli::exits(batch({"--run", plan(), "--shard", "2/3"}), 0));
    EXPECT_TRUE(has_title(viewer, "1 of 3: films.plan — weft"));
    EXPECT_TRUE(cli::exits(batch({"--run", plan()}), 0));
    EXPECT_TRUE(has_title(viewer, "3 of 3: films.plan — weft"));
    viewer.press({"Escape"});
    EXPECT_TRUE(has_title(viewer, "weft"));
    EXPECT_TRUE(eventually([&] { return !has_title_bar(viewer); }));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// It opens over a playing video, which continues.
TEST_F(GuiPlan, IsDroppedOnAPlayingVideo) {
    Viewer viewer = view({clip()});
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(Screen::get().drop(viewer.window(), plan()));
    EXPECT_TRUE(eventually([&] { return has_title_bar(viewer); }));
    EXPECT_TRUE(has_title(viewer, "clip.y4m — weft"));
    viewer.press({"Escape"});
    EXPECT_TRUE(viewer.shows(kFrames - 1, at));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The tooltip with all of the sentence that the table cuts. The window's scale is 2.
TEST_F(GuiPlan, TheReasonOfAFailureFitsIntoASmallWindow) {
    struct NormalDpi {
        ~NormalDpi() { Screen::get().set_dpi(96); }
    } normal;
    Screen::get().set_dpi(192);
    const std::string film = path("film.mp4");
    const std::string one = path("one.plan");
    cli::write_file(film, "this is no video");
    (void)batch({"-vf", "box", "-o", path("out/"), film, "--plan", one});
    EXPECT_FALSE(cli::exits(batch({"--run", one}), 0));
    Viewer viewer = view({one, "--gpu", "off", "--window-size", "400x300"});
    const PixelRect all = viewer.place();
    const PixelRect below{all.x, all.y + all.height / 2, all.width, all.height / 2};
    const auto tooltips = [&] { return areas_of(Screen::get().shot(), below, {kPopup}); };
    ASSERT_TRUE(eventually([&] { return has_title_bar(viewer); }));
    ASSERT_TRUE(tooltips().empty());
    viewer.move_to(all.x + all.width * 4 / 5, all.y + all.height * 2 / 3);
    ASSERT_TRUE(eventually([&] { return !tooltips().empty(); }));
    const PixelRect tooltip = tooltips().front();
    EXPECT_GT(tooltip.width, all.width / 2);
    EXPECT_LT(tooltip.x + tooltip.width, all.x + all.width - 1);
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

// The table cuts the sentence; the details have all of it.
TEST_F(GuiPlan, AClickOnAFileShowsItsWholeReason) {
    const std::string film = path("film.mp4");
    const std::string one = path("one.plan");
    cli::write_file(film, "this is no video\x01");  // a text would have a short reason
    (void)batch({"-vf", "box", "-o", path("out/"), film, "--plan", one});
    EXPECT_FALSE(cli::exits(batch({"--run", one}), 0));
    Viewer viewer = view({one, "--gpu", "off", "--window-size", "900x500"});
    const PixelRect all = viewer.place();
    const auto reddish = [&] {
        const Screenshot shot = Screen::get().shot();
        int count = 0;
        for (int y = all.y; y < all.y + all.height; ++y)
            for (int x = all.x; x < all.x + all.width; ++x) {
                const Rgb c = shot.at(x, y);
                count += c.r > c.g + 40 && c.r > c.b + 40 ? 1 : 0;
            }
        return count;
    };
    int before = 0;
    ASSERT_TRUE(eventually([&] {
        const int last = std::exchange(before, reddish());
        return before > 0 && before == last;
    }));
    // Along the first column until the row is hit.
    const auto has_details = [&] { return reddish() > 3 * before / 2; };
    for (int y = all.y + 60; y < all.y + all.height / 2 && !has_details(); y += 12) {
        viewer.click({all.x + 30, y});
        Screen::get().put_pointer_aside();
        (void)Screen::get().answers(viewer.window(), std::chrono::seconds(5));
    }
    EXPECT_TRUE(eventually(has_details));
    EXPECT_EQ(viewer.quit()["errors"], nlohmann::json::array());
}

TEST_F(GuiPlan, ARefusedPlanGivesTheCommandsSentence) {
    cli::write_file(plan(), cli::read_file(plan()) + "{}\n");
    const cli::Result command = batch({"--run", plan(), "--check"});
    EXPECT_TRUE(cli::exits(command, 2));
    Viewer viewer = view({plan()});
    // The sentence, on a ground of its own.
    const PixelRect all = viewer.place();
    const PixelRect below{all.x, all.y + all.height / 2, all.width * 7 / 10, all.height / 2};
    EXPECT_TRUE(
        eventually([&] { return !areas_of(Screen::get().shot(), below, {kPopup}).empty(); }));
    EXPECT_EQ(viewer.title(), "weft");
    const nlohmann::json errors = viewer.quit()["errors"];
    ASSERT_EQ(errors.size(), 1U) << errors;
    EXPECT_EQ("weft: error: " + errors[0].get<std::string>() + "\n", command.err);
}

}  // namespace
}  // namespace weft::gui
