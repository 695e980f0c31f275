#include "app/gui/picture/gl_objects.h"

#include <stdexcept>
#include <string>
#include <type_traits>

namespace weft {
namespace {

static_assert(std::is_nothrow_move_constructible_v<GlTexture>);
static_assert(std::is_nothrow_move_assignable_v<GlTexture>);
static_assert(!std::is_copy_constructible_v<GlTexture>);

GlShader compile(GLenum kind, const char* source) {
    GlShader shader(glCreateShader(kind));
    glShaderSource(shader.name(), 1, &source, nullptr);
    glCompileShader(shader.name());
    GLint good = GL_FALSE;
    glGetShaderiv(shader.name(), GL_COMPILE_STATUS, &good);
    if (good == GL_TRUE) return shader;
    std::string words(4096, '\0');
    GLsizei length = 0;
    glGetShaderInfoLog(shader.name(), static_cast<GLsizei>(words.size()), &length, words.data());
    words.resize(static_cast<std::size_t>(length));
    throw std::runtime_error("OpenGL cannot compile a shader: " + words);
}

}  // namespace

GlTexture make_texture() {
    GLuint name = 0;
    glGenTextures(1, &name);
    return GlTexture(name);
}

GlPixelBuffer make_buffer() {
    GLuint name = 0;
    glGenBuffers(1, &name);
    return GlPixelBuffer(name);
}

GlVertexArray make_vertex_array() {
    GLuint name = 0;
    glGenVertexArrays(1, &name);
    return GlVertexArray(name);
}

GlProgram make_program(const char* vertex_source, const char* fragment_source) {
    const GlShader vertex = compile(GL_VERTEX_SHADER, vertex_source);
    const GlShader fragment = compile(GL_FRAGMENT_SHADER, fragment_source);
    GlProgram program(glCreateProgram());
    glAttachShader(program.name(), vertex.name());
    glAttachShader(program.name(), fragment.name());
    glLinkProgram(program.name());
    GLint good = GL_FALSE;
    glGetProgramiv(program.name(), GL_LINK_STATUS, &good);
    if (good != GL_TRUE) throw std::runtime_error("OpenGL cannot link the picture's shaders");
    return program;
}

}  // namespace weft
