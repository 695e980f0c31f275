// Thumbnails as images of ImGui.
#pragma once

#include <imgui.h>
#include <map>

#include "app/gui/picture/gl_objects.h"
#include "app/viewer/play/thumbnails.h"

namespace weft {

// A texture for each thumbnail that was drawn; clear() when others follow.
class ThumbnailTextures {
 public:
    // Uploads the pixels at the first call.
    ImTextureID texture_of(const ThumbnailPtr& picture);
    void clear() { textures_.clear(); }
    bool empty() const { return textures_.empty(); }

 private:
    std::map<ThumbnailPtr, GlTexture> textures_;
};

// Draws the picture into the middle of a box, as large as it fits; an empty box for null.
void draw_in_box(ThumbnailTextures& textures, const ThumbnailPtr& picture, ImVec2 corner,
                 ImVec2 size);

}  // namespace weft
