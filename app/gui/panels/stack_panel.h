// The panel that edits a stack of filters.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/panels/matrix_editor.h"
#include "app/gui/panels/playing.h"
#include "app/gui/widgets/param_field.h"
#include "app/gui/widgets/thumbnail_image.h"
#include "app/gui/window/window.h"
#include "app/viewer/edit/preset_store.h"
#include "app/viewer/edit/region_edit.h"
#include "app/viewer/edit/region_tracker.h"
#include "app/viewer/edit/stack_pair.h"
#include "app/viewer/edit/stack_previews.h"
#include "app/viewer/shell/toasts.h"

namespace weft {

// The searchable list of filters that "Add filter" opens.
struct FilterMenuState {
    std::string query;
    std::size_t marked = 0;     // the row that Enter selects
    bool first = true;          // the stack is empty: adding a filter is the next thing to do
    bool open = false;          // set by a key to open the list
    bool marked_moved = false;  // since the last redraw: scroll to it
};

// The list of presets that "Presets" opens: load, save, rename, remove.
struct PresetMenuState {
    std::vector<StoredPreset> presets;  // when the list was opened or changed
    std::string name;                   // for the preset to save
    std::string description;
    std::string renamed;  // the preset that is being renamed; "": none
    std::string new_name;
    std::string problem;
    std::string saved;      // the name of the preset that was saved last, while the list is open
    bool open = false;      // set by a key to open the list
    bool own_menu = false;  // the menu of a preset was open in the last redraw
};

// The action of a pressed button in a card; act_on_region() in gui.h takes it.
enum class RegionAction : std::uint8_t {
    none,
    track,
    cancel_track,
    redraw,
    hold,
    delete_from_here,
    next_uncertain,
    previous_uncertain,
};

// The name of a region while it is typed.
struct RegionName {
    std::int64_t id = 0;  // the region's; 0: none is typed
    std::string text;
};

// An advanced parameter that is shown outside of "More", because it has a value.
struct UnfoldedParam {
    StepId step = 0;
    std::string_view name;

    bool operator==(const UnfoldedParam&) const = default;
};

// State of the panel for one stack between redraws.
struct StackPanelState {
    FilterMenuState filter_menu;
    PresetMenuState preset_menu;
    ParamFieldState fields;
    MatrixEditorState matrix;
    RegionEdit regions;
    RegionName region_name;
    // They stay while any control is in use, because a field that moved would lose the keyboard.
    std::vector<UnfoldedParam> unfolded;
    StepId unfold = 0;  // a newly added step: shown with its parameters
    RegionAction region_action = RegionAction::none;  // asked for in this redraw
    StepId raced = 0;     // the step whose kernels to race, in this redraw
    std::string note;     // a sentence for a toast: "copied"; taken and emptied by the caller
    std::string problem;  // with the pasted text
};

// The pictures of the lists of filters and presets, of which one is open at a time.
struct StackPictures {
    explicit StackPictures(const Device& device) : previews(device, Window::wake) {}

    StackPreviews previews;
    ThumbnailTextures textures;
};

struct FiltersPanel {
    explicit FiltersPanel(const Device& device) : pictures(device) {}

    std::array<StackPanelState, 2> of_stack;
    PresetStore presets = user_presets();
    StackPictures pictures;
    RegionTracker tracker{Window::wake};
    std::size_t tracked_stack = 0;  // the stack with the region that it follows
    bool drawing = false;           // the next drag draws a region, as of the last redraw
};

// Returns the active step whose kernels to race, by its index in the edited stack, if the user asks
// for that.
[[nodiscard]] std::optional<std::size_t> draw_filters(FiltersPanel& panel, StackPair& stacks,
                                                      const Playing& playing, Toasts& toasts);

// ---- parts of the panel ----

// A button and its popup with the filters by group, each with a picture of its effect on the shown
// frame. Returns the chosen filter, or null.
const FilterDef* draw_filter_menu(FilterMenuState& state, StackPictures& pictures,
                                  const Playing& playing);

// A button and its popup with the presets, each with a picture of its effect on the shown frame.
// Loading replaces the stack, as one step of undo.
struct PresetMenu {
    PresetMenuState& state;
    StackEditor& editor;
    const PresetStore& store;
    StackPictures& pictures;
    const Playing& playing;
    // If the preset needs a region, the next drag on the picture draws it.
    RegionEdit& regions;
    StepId& unfold;
};
void draw_preset_menu(const PresetMenu& menu);

// A row in the list of filters or of presets: a picture, a name and a line of text.
struct StackRow {
    std::string_view name, line;
    Stack stack;                            // whose effect is shown
    std::string_view without_picture = {};  // words for its place
    bool usable = true;
    bool marked = false;
};
float stack_row_height();
// True if it was chosen. The row is the last item. No pictures are shown while `pictures` is null.
bool draw_stack_row(const StackRow& row, StackPictures* pictures);

// One step of the stack: its switch, its name, its handle for dragging, and its parameters.
struct StepCard {
    ParamFieldState& fields;
    MatrixEditorState& matrix;
    RegionEdit& regions;
    RegionName& region_name;
    const std::vector<UnfoldedParam>& unfolded;
    StackEditor& editor;
    StepId& raced;  // set to a step whose kernels to race
    RegionAction& region_action;
    std::optional<double> tracked;     // progress of the region that is followed, of this stack
    const FrameInfo* frame = nullptr;  // the format of the shown one, or null
    bool unfold = false;               // show the parameters from now on
};

// Draws the step into the current ImGui window; nothing if it is gone.
void draw_step_card(const StepCard& card, StepId id);

}  // namespace weft
