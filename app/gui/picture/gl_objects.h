// OpenGL names deleted by their owners. The context that created them must be current at that time.
#pragma once

#include <epoxy/gl.h>
#include <utility>

namespace weft {

// Move-only; `Delete` is a function of one name.
template <void (*Delete)(GLuint)>
class GlObject {
 public:
    GlObject() = default;
    explicit GlObject(GLuint name) : name_(name) {}
    ~GlObject() {
        if (name_ != 0) Delete(name_);
    }
    GlObject(GlObject&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
    GlObject& operator=(GlObject&& other) noexcept {
        std::swap(name_, other.name_);
        return *this;
    }

    GLuint name() const { return name_; }
    explicit operator bool() const { return name_ != 0; }

 private:
    GLuint name_ = 0;
};

inline void delete_texture(GLuint name) {
    glDeleteTextures(1, &name);
}
inline void delete_buffer(GLuint name) {
    glDeleteBuffers(1, &name);
}
inline void delete_vertex_array(GLuint name) {
    glDeleteVertexArrays(1, &name);
}
inline void delete_program(GLuint name) {
    glDeleteProgram(name);
}
inline void delete_shader(GLuint name) {
    glDeleteShader(name);
}

using GlTexture = GlObject<delete_texture>;
using GlPixelBuffer = GlObject<delete_buffer>;
using GlVertexArray = GlObject<delete_vertex_array>;
using GlProgram = GlObject<delete_program>;
using GlShader = GlObject<delete_shader>;

GlTexture make_texture();
GlPixelBuffer make_buffer();
GlVertexArray make_vertex_array();
// Throws std::runtime_error with the compiler's or the linker's message.
GlProgram make_program(const char* vertex_source, const char* fragment_source);

}  // namespace weft
