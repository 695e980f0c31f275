// The panels around the picture: one list, used by the tabs and the menus. A new panel needs a file
// and a row.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace weft {

struct Gui;

enum class PanelPlace : std::uint8_t { side, bottom };

struct Panel {
    std::string_view name;  // "Filters"
    PanelPlace place = PanelPlace::side;
    void (*draw)(Gui&) = nullptr;  // inside the ImGui window of its place
};

std::span<const Panel> panels();

void draw_filters(Gui& gui);
void draw_inspector(Gui& gui);
void draw_view(Gui& gui);
void draw_kernels(Gui& gui);

// The columns that contain the panels, and the other parts around the picture.
void draw_side(Gui& gui);
void draw_bottom(Gui& gui);
void draw_menu(Gui& gui);
void draw_transport(Gui& gui);
void draw_matrix(Gui& gui);
void draw_toasts(Gui& gui);
void draw_help(Gui& gui);
void draw_stats(Gui& gui);
// Asks whether to stop a running export.
void draw_quit(Gui& gui);

// Whether the window closes: requested, and no export runs or draw_quit()'s question was answered.
bool closes_now(Gui& gui);

}  // namespace weft
