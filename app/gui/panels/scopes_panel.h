// Scopes: histogram and waveform of the picture, and its error against the original.
#pragma once

#include <memory>
#include <vector>

#include "app/gui/picture/gl_objects.h"
#include "app/viewer/screen/scope_worker.h"

namespace weft {

struct Gui;

struct ScopesPanel {
    explicit ScopesPanel(const Device& device);

    bool original = false;  // show the original instead of the filtered picture
    ScopeWorker worker;
    std::shared_ptr<const Scopes> drawn;  // contents of `textures`
    std::vector<GlTexture> textures;      // one per waveform
};

}  // namespace weft
