// The Scopes panel: histograms, waveforms, a vectorscope, and errors against the original.
#pragma once

#include <memory>
#include <vector>

#include "app/gui/picture/gl_objects.h"
#include "app/gui/window/window.h"
#include "app/viewer/screen/scope_worker.h"

namespace weft {

struct ScopesPanel {
    explicit ScopesPanel(const Device& device) : worker(device, Window::wake) {}

    bool original = false;  // show the original instead of the filtered picture
    ScopeWorker worker;
    std::shared_ptr<const Scopes> drawn;  // contents of the textures
    std::vector<GlTexture> textures;      // one per waveform
    GlTexture vectorscope;
};

// Draws the scopes of that side of the frame, or of the original.
void draw_scopes(ScopesPanel& panel, const ShownFramePtr& shown, Side side);

}  // namespace weft
