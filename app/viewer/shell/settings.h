// Window settings that persist between runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "app/viewer/view/view_geometry.h"

namespace weft {

enum class Theme : std::uint8_t { system, dark, light };
inline constexpr std::array<std::string_view, 3> kThemeNames{"system", "dark", "light"};

inline constexpr std::array<std::string_view, 2> kWipeOrientationNames{"vertical", "horizontal"};

// settings.cpp lists all names in the file and their ranges.
inline constexpr std::int64_t kLeastFrameCacheMib = 64;

struct Settings {
    double ui_scale = 0;  // scale of text and controls; 0: the display's
    Theme theme = Theme::system;

    double volume_percent = 100;
    bool muted = false;

    double loop_below_seconds = 30;  // shorter files loop when they are opened

    std::int64_t frame_cache_mib = 2048;  // maximum for decoded frames kept for stepping back
    std::size_t frame_cache_bytes() const {
        return static_cast<std::size_t>(frame_cache_mib) << 20;
    }

    WipeOrientation wipe = WipeOrientation::vertical;
    double difference_gain = 8;
    bool pixel_grid = true;

    bool show_stack = true;
    bool show_kernels = false;
    std::string section = {};  // title of the open section of the side panel; "": none
    // Sizes as dragged, in pixels at scale 1; 0: automatic.
    double panel_width = 0;     // the side panel's
    double kernels_height = 0;  // that panel's

    std::int64_t window_width = 1280;
    std::int64_t window_height = 800;
    bool window_maximised = false;

    std::string last_folder = {};  // for the file list and exports; "": none yet

    bool operator==(const Settings&) const = default;
};

struct LoadedSettings {
    Settings settings;
    std::string problem;  // one sentence for the user, or ""
};

// config_folder()/settings.toml; "" if that folder does not exist.
std::filesystem::path settings_path();

// Missing keys get their default, as do all keys if the file is not TOML. Values with a wrong type
// or out of range keep their default and are listed in `problem`. A file with a problem is kept as
// settings.toml.bad. Keys from newer versions are ignored. Never throws.
LoadedSettings load_settings(const std::filesystem::path& path);

// Replaces the file atomically. Throws Error(not_written). An empty path saves nothing.
void save_settings(const Settings& settings, const std::filesystem::path& path);

}  // namespace weft
