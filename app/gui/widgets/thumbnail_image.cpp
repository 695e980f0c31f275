#include "app/gui/widgets/thumbnail_image.h"

#include <algorithm>
#include <cstdint>

#include "app/gui/widgets/small_widgets.h"

namespace weft {

ImTextureID ThumbnailTextures::texture_of(const ThumbnailPtr& picture) {
    GlTexture& texture = textures_[picture];
    if (!texture) {
        texture = make_texture();
        glBindTexture(GL_TEXTURE_2D, texture.name());
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, picture->width, picture->height, 0, GL_RGB,
                     GL_UNSIGNED_BYTE, picture->rgb.data());
        glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    }
    const std::uintptr_t name = texture.name();
    // NOLINTNEXTLINE(performance-no-int-to-ptr): ImGui 1.86 declares names as pointers
    return reinterpret_cast<ImTextureID>(name);
}

void draw_in_box(ThumbnailTextures& textures, const ThumbnailPtr& picture, ImVec2 corner,
                 ImVec2 size) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 end{corner.x + size.x, corner.y + size.y};
    list.AddRectFilled(corner, end, packed(palette().field), ImGui::GetStyle().FrameRounding);
    if (!picture) return;
    const auto width = static_cast<float>(picture->width);
    const auto height = static_cast<float>(picture->height);
    const float scale = std::min(size.x / width, size.y / height);
    const ImVec2 free{(size.x - width * scale) / 2, (size.y - height * scale) / 2};
    list.AddImage(textures.texture_of(picture), {corner.x + free.x, corner.y + free.y},
                  {end.x - free.x, end.y - free.y});
}

}  // namespace weft
