// Finds camera cuts in small pictures of the frames.
#pragma once

#include "app/pipeline/track/gray_pyramid.h"

namespace weft {

// The finest level that is at most 48 pixels wide, or the coarsest one.
const GrayImage& thumbnail_of(const GrayPyramid& frame);

// False for a flash, or for a film that fades to black.
bool has_contrast(const GrayImage& thumbnail);

// Whether no shift by up to an eighth of the picture makes the thumbnails of two frames alike.
bool is_cut(const GrayImage& before, const GrayImage& now);

}  // namespace weft
