#include "app/gui/ui_session.h"

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <epoxy/gl.h>
#include <imgui.h>

#include "app/gui/input_feed.h"
#include "app/gui/panels/gui.h"
#include "app/gui/panels/picture_area.h"
#include "app/gui/window/theme.h"

namespace weft {
namespace {

constexpr double kLeastScaleChange = 0.01;

// The display's scale, without the part already included in the window's units.
double wanted_scale(const Gui& gui) {
    const ScreenSize units = gui.window.size();
    const double density = units.width > 0 ? gui.window.framebuffer().width / units.width : 1;
    return gui.window.content_scale() / density * gui.look.user_scale;
}

void follow_scale(Gui& gui) {
    const double scale = wanted_scale(gui);
    if (std::abs(scale - gui.look.scale) < kLeastScaleChange && gui.look.applied) return;
    gui.look.scale = scale;
    gui.look.applied = true;
    apply_theme(scale, gui.look.dark);
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
}

// Otherwise arrows, Home and Space would mark a control the first time they control the video, and
// no longer reach the video after that. Keys move in an open list in any case.
void mark_controls_by_key(bool wanted) {
    ImGuiConfigFlags& flags = ImGui::GetIO().ConfigFlags;
    flags = wanted ? flags | ImGuiConfigFlags_NavEnableKeyboard
                   : flags & ~ImGuiConfigFlags_NavEnableKeyboard;
}

}  // namespace

UiSession::UiSession(Window& window) {
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    ImGui_ImplGlfw_InitForOpenGL(window.handle(), false);  // feed_input() passes events
    ImGui_ImplOpenGL3_Init("#version 330 core");
}

UiSession::~UiSession() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
}

void begin_ui_frame(Gui& gui) {
    follow_scale(gui);
    if (ImGui::IsAnyMouseDown()) gui.panels.keys_mark_controls = false;
    constexpr ImGuiPopupFlags kAny = ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel;
    mark_controls_by_key(gui.panels.keys_mark_controls || ImGui::IsPopupOpen("", kAny));
    gui.layout = lay_out({.window = gui.window.size(),
                          .scale = gui.look.scale,
                          .menu_height = ImGui::GetFrameHeight(),
                          .side_open = gui.panels.side_open,
                          .bottom_open = gui.panels.bottom_open,
                          .bare = gui.view.fullscreen});
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    place_mouse(gui);
    ImGui::NewFrame();
}

void render_ui_frame(Gui& gui) {
    ImGui::Render();
    const ScreenSize pixels = gui.window.framebuffer();
    glViewport(0, 0, static_cast<GLsizei>(pixels.width), static_cast<GLsizei>(pixels.height));
    glClearColor(0.05F, 0.05F, 0.055F, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    render_picture(gui);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

}  // namespace weft
