// Races that were stored: the last one, and records of other machines.
#include <filesystem>
#include <fstream>

#include "tests/gui/viewer.h"
#include "tests/gui/xdnd_source.h"

namespace weft::gui {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr Rgb kFaster{0x8F, 0xD9, 0x8F};  // also the fastest median

class GuiRace : public GuiTest {
 protected:
    Viewer race() const { return view({clip(), "-vf", "gaussian=sigma=2", "--gpu", "off"}); }
    // The files of finished races.
    std::vector<fs::path> kept() const {
        std::vector<fs::path> files;
        const fs::path races = folder_.path() / "warpweft" / "races";
        if (!fs::exists(races)) return files;
        for (const auto& entry : fs::directory_iterator(races))
            if (entry.path().extension() == ".json") files.push_back(entry.path());
        return files;
    }
    // Races once, so that the next window has a last race.
    fs::path race_once() const {
        Viewer viewer = race();
        (void)viewer.clip_place();
        viewer.press({"F5"});
        EXPECT_TRUE(eventually([&] { return kept().size() == 1; })) << kept().size();
        EXPECT_EQ(viewer.quit()["errors"], Json::array());
        return kept().front();
    }
};

Json json_of(const fs::path& file) {
    return Json::parse(std::ifstream(file));
}

// Rows of text below the middle of the window that have this colour.
int rows_in(const Viewer& viewer, const Rgb& colour) {
    const PixelRect window = viewer.place();
    const Screenshot shot = Screen::get().shot();
    constexpr int kGap = 4;  // inside of letters there are fewer
    int rows = 0;
    int last = 0;
    for (int y = window.y + window.height / 2; y < window.y + window.height; ++y) {
        bool any = false;
        for (int x = window.x; x < window.x + window.width; ++x) any |= shot.at(x, y) == colour;
        if (!any) continue;
        rows += y - last > kGap ? 1 : 0;
        last = y;
    }
    return rows;
}

// Otherwise only the fastest kernel is green.
TEST_F(GuiRace, KernelsThatBecameFasterAreGreen) {
    const fs::path file = race_once();
    Json json = json_of(file);
    const auto kernels = static_cast<int>(json["steps"][0]["kernels"].size());
    for (Json& kernel : json["steps"][0]["kernels"])
        for (const char* key : {"p5_ms", "median_ms", "p95_ms"})
            kernel[key] = 1000 * kernel[key].get<double>();
    std::ofstream(file) << json;
    Viewer viewer = race();  // the panel is open
    EXPECT_GE(kernels, 5);
    EXPECT_TRUE(eventually([&] { return rows_in(viewer, kFaster) == kernels; }))
        << rows_in(viewer, kFaster) << " of " << kernels;
    EXPECT_EQ(viewer.quit()["errors"], Json::array());
}

TEST_F(GuiRace, ADamagedFileOfTheLastRaceIsOneMessage) {
    const fs::path file = race_once();
    std::ofstream(file) << "{\"schema\": 1";
    Viewer viewer = race();
    EXPECT_TRUE(eventually([&] { return fs::file_size(file) > 100; })) << "it is not replaced";
    EXPECT_EQ(viewer.quit()["errors"],
              Json({file.string() + ": this is not the record of a race: not valid JSON"}));
}

// A record of another machine with one kernel, which took `factor` times as long as it does here.
fs::path record_of(const fs::path& race, double factor) {
    Json json = json_of(race);
    json["device"] = {{"name", "NVIDIA H100"}, {"kind", "cuda"}};
    for (Json& kernel : json["steps"][0]["kernels"])
        for (const char* key : {"p5_ms", "median_ms", "p95_ms"})
            kernel[key] = factor * kernel[key].get<double>();
    fs::path file = race.parent_path().parent_path() / "h100.json";
    std::ofstream(file) << json;
    return file;
}

std::vector<PixelRect> buttons_of(const Viewer& viewer) {
    const PixelRect window = viewer.place();
    const PixelRect lower{window.x, window.y + window.height / 2, window.width, window.height / 3};
    return first_row(areas_of(Screen::get().shot(), lower, {kButton}));
}
constexpr std::size_t kButtons = 5;  // two lists, Restart, Export…, and the one for records
constexpr std::size_t kRecordButton = 4;

// Without a filter nothing is raced, and only the record's fastest kernel is green.
TEST_F(GuiRace, ARecordIsOpenedAndClosedByItsButton) {
    const fs::path record = record_of(race_once(), 1);
    Viewer viewer = view({clip(), "--gpu", "off"}, {{"PATH", path("no-dialog")}});
    (void)viewer.clip_place();
    ASSERT_TRUE(eventually([&] { return buttons_of(viewer).size() == kButtons; }))
        << buttons_of(viewer).size();
    EXPECT_EQ(rows_in(viewer, kFaster), 0);
    viewer.click(buttons_of(viewer)[kRecordButton].middle());
    viewer.press({"ctrl+a"});
    viewer.do_all({"type", record.string()});
    viewer.press({"Return"});
    EXPECT_TRUE(eventually([&] { return rows_in(viewer, kFaster) == 1; }));
    Screen::get().put_pointer_aside();  // a button under the mouse has another colour
    ASSERT_TRUE(eventually([&] { return buttons_of(viewer).size() == kButtons; }));
    viewer.click(buttons_of(viewer)[kRecordButton].middle());
    EXPECT_TRUE(eventually([&] { return rows_in(viewer, kFaster) == 0; }));
    EXPECT_EQ(viewer.quit()["errors"], Json::array());
}

TEST_F(GuiRace, ARecordIsChosenInTheDesktopsDialog) {
    const fs::path record = record_of(race_once(), 1);
    const fs::path zenity = path("programs/zenity");
    fs::create_directories(zenity.parent_path());
    cli::write_file(zenity, "#!/bin/sh\nprintf '%s\\n' '" + record.string() + "'\n");
    fs::permissions(zenity, fs::perms::owner_all);
    Viewer viewer = view({clip(), "--gpu", "off"}, {{"PATH", zenity.parent_path().string()}});
    (void)viewer.clip_place();
    ASSERT_TRUE(eventually([&] { return buttons_of(viewer).size() == kButtons; }));
    viewer.click(buttons_of(viewer)[kRecordButton].middle());
    EXPECT_TRUE(eventually([&] { return rows_in(viewer, kFaster) == 1; }));
    EXPECT_EQ(viewer.quit()["errors"], Json::array());
}

TEST_F(GuiRace, ADroppedRecordIsComparedWithTheRace) {
    const fs::path record = record_of(race_once(), 1000);
    const auto kernels = static_cast<int>(json_of(record)["steps"][0]["kernels"].size());
    Viewer viewer = race();
    const PixelRect at = viewer.clip_place();
    ASSERT_TRUE(eventually([&] { return rows_in(viewer, kFaster) > 0; }));
    EXPECT_LT(rows_in(viewer, kFaster), kernels);
    EXPECT_TRUE(drop_file(Screen::get().name(), viewer.window(), record, at.middle()));
    EXPECT_TRUE(eventually([&] { return rows_in(viewer, kFaster) >= kernels; }))
        << rows_in(viewer, kFaster) << " of " << kernels;
    EXPECT_TRUE(viewer.shows(kFrames - 1, at)) << "the film stays";
    EXPECT_EQ(viewer.quit()["errors"], Json::array());
}

TEST_F(GuiRace, ADroppedFileThatIsNoRecordIsOneMessage) {
    const fs::path file = path("other.json");
    std::ofstream(file) << "[1, 2]";
    Viewer viewer = view({clip(), "--gpu", "off"});
    const PixelRect at = viewer.clip_place();
    EXPECT_TRUE(drop_file(Screen::get().name(), viewer.window(), file, at.middle()));
    EXPECT_TRUE(eventually([&] { return buttons_of(viewer).size() == kButtons; }));
    EXPECT_EQ(viewer.quit()["errors"],
              Json({file.string() + ": this is not the record of a race: not a JSON object"}));
}

}  // namespace
}  // namespace weft::gui
