// An ImGui window that fills a given part of the screen.
#pragma once

#include "app/viewer/view/view_geometry.h"

namespace weft {

// ImGui calls go into the window during this object's lifetime. False: the part is empty or not
// visible.
class UiWindow {
 public:
    UiWindow(const char* name, const Rect& place, int more_flags = 0);
    ~UiWindow();
    UiWindow(const UiWindow&) = delete;
    UiWindow& operator=(const UiWindow&) = delete;

    explicit operator bool() const { return visible_; }

 private:
    bool begun_ = false;
    bool visible_ = false;
};

}  // namespace weft
