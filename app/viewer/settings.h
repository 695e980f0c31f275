// What the window remembers from one run to the next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "app/viewer/view_geometry.h"

namespace weft {

enum class Theme : std::uint8_t { system, dark, light };
inline constexpr std::array<std::string_view, 3> kThemeNames{"system", "dark", "light"};

inline constexpr std::array<std::string_view, 2> kWipeOrientationNames{"vertical", "horizontal"};

// Ranges and names in the file are in settings.cpp's one list.
inline constexpr std::int64_t kLeastFrameCacheMib = 64;

struct Settings {
    double ui_scale = 0;  // of text and controls; 0: the display's
    Theme theme = Theme::system;

    double volume_percent = 100;
    bool muted = false;

    std::int64_t frame_cache_mib = 2048;  // decoded frames for stepping back, at most
    std::size_t frame_cache_bytes() const {
        return static_cast<std::size_t>(frame_cache_mib) << 20;
    }

    WipeOrientation wipe = WipeOrientation::vertical;
    double difference_gain = 8;
    bool pixel_grid = true;

    bool show_stack = true;
    bool show_kernels = false;
    bool show_inspector = false;
    bool show_scopes = false;
    double panel_width = 340;  // of the side panel, in pixels at scale 1

    std::int64_t window_width = 1280;
    std::int64_t window_height = 800;
    bool window_maximised = false;

    std::string last_folder = {};  // of the file list and of exports; "": none yet

    bool operator==(const Settings&) const = default;
};

struct LoadedSettings {
    Settings settings;
    std::string problem;  // one sentence for the user, or ""
};

// config_folder()/settings.toml; "" where there is no such folder.
std::filesystem::path settings_path();

// Defaults for what the file does not say, and for all of it if it is no TOML. Values of another
// type or outside their range are left at their default and named in `problem`. A file with a
// problem is kept as settings.toml.bad. Keys of newer versions are ignored. Never throws.
LoadedSettings load_settings(const std::filesystem::path& path);

// Replaces the file in one step. Throws Error(not_written). An empty path saves nothing.
void save_settings(const Settings& settings, const std::filesystem::path& path);

}  // namespace weft
