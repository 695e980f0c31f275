// The shaders that turn a picture's planes into colours of the screen.
#pragma once

namespace weft {

// Draws one triangle that covers the viewport; no attributes.
extern const char* const kPictureVertexShader;

// Samples up to four planes of each of two pictures, makes RGB of them and shows the left one, the
// right one, either side of a line, or their difference.
extern const char* const kPictureFragmentShader;

}  // namespace weft
