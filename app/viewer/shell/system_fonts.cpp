#include "app/viewer/shell/system_fonts.h"

#include <fontconfig/fontconfig.h>
#include <memory>
#include <stdexcept>

#include "kernels/device/loaded_library.h"

namespace weft {
namespace {

// Functions of libfontconfig. Throws if one is missing.
struct Fontconfig {
    explicit Fontconfig(const LoadedLibrary& library) {
        library.load("FcCharSetCreate", create_set);
        library.load("FcCharSetAddChar", add_char);
        library.load("FcCharSetHasChar", has_char);
        library.load("FcCharSetDestroy", destroy_set);
        library.load("FcPatternCreate", create_pattern);
        library.load("FcPatternDestroy", destroy_pattern);
        library.load("FcPatternAddCharSet", add_set);
        library.load("FcPatternAddBool", add_bool);
        library.load("FcPatternAddString", add_string);
        library.load("FcPatternGetCharSet", get_set);
        library.load("FcPatternGetBool", get_bool);
        library.load("FcPatternGetString", get_string);
        library.load("FcPatternGetInteger", get_integer);
        library.load("FcConfigSubstitute", substitute);
        library.load("FcDefaultSubstitute", substitute_defaults);
        library.load("FcFontMatch", match);
    }

    decltype(&FcCharSetCreate) create_set = nullptr;
    decltype(&FcCharSetAddChar) add_char = nullptr;
    decltype(&FcCharSetHasChar) has_char = nullptr;
    decltype(&FcCharSetDestroy) destroy_set = nullptr;
    decltype(&FcPatternCreate) create_pattern = nullptr;
    decltype(&FcPatternDestroy) destroy_pattern = nullptr;
    decltype(&FcPatternAddCharSet) add_set = nullptr;
    decltype(&FcPatternAddBool) add_bool = nullptr;
    decltype(&FcPatternAddString) add_string = nullptr;
    decltype(&FcPatternGetCharSet) get_set = nullptr;
    decltype(&FcPatternGetBool) get_bool = nullptr;
    decltype(&FcPatternGetString) get_string = nullptr;
    decltype(&FcPatternGetInteger) get_integer = nullptr;
    decltype(&FcConfigSubstitute) substitute = nullptr;
    decltype(&FcDefaultSubstitute) substitute_defaults = nullptr;
    decltype(&FcFontMatch) match = nullptr;
};

// Null without the library.
const Fontconfig* fontconfig() {
    static const LoadedLibrary library({"libfontconfig.so.1"});
    static const std::unique_ptr<const Fontconfig> all = []() -> std::unique_ptr<Fontconfig> {
        try {
            return std::make_unique<Fontconfig>(library);
        } catch (const std::runtime_error&) {
            return nullptr;
        }
    }();
    return all.get();
}

const FcChar8* as_text(const char* text) {
    return reinterpret_cast<const FcChar8*>(text);
}

// What the match is about, or nothing if it is the nearest font that lacks the character.
std::optional<FontFile> file_of(const Fontconfig& fc, FcPattern* font, char32_t character) {
    FcChar8* path = nullptr;
    FcCharSet* characters = nullptr;
    FcBool outline = FcFalse;
    int index = 0;
    if (fc.get_string(font, FC_FILE, 0, &path) != FcResultMatch ||
        fc.get_set(font, FC_CHARSET, 0, &characters) != FcResultMatch ||
        fc.has_char(characters, character) == FcFalse ||
        fc.get_bool(font, FC_OUTLINE, 0, &outline) != FcResultMatch || outline == FcFalse)
        return std::nullopt;
    (void)fc.get_integer(font, FC_INDEX, 0, &index);
    // The upper half names an instance of a variable font.
    return FontFile{.path = reinterpret_cast<const char*>(path), .index = index & 0xFFFF};
}

}  // namespace

std::optional<FontFile> system_font_for(char32_t character) {
    const Fontconfig* const fc = fontconfig();
    if (fc == nullptr) return std::nullopt;
    const std::unique_ptr<FcCharSet, decltype(&FcCharSetDestroy)> wanted(fc->create_set(),
                                                                         fc->destroy_set);
    fc->add_char(wanted.get(), character);
    const std::unique_ptr<FcPattern, decltype(&FcPatternDestroy)> pattern(fc->create_pattern(),
                                                                          fc->destroy_pattern);
    fc->add_string(pattern.get(), FC_FAMILY, as_text("sans-serif"));
    fc->add_set(pattern.get(), FC_CHARSET, wanted.get());
    fc->add_bool(pattern.get(), FC_OUTLINE, FcTrue);
    fc->substitute(nullptr, pattern.get(), FcMatchPattern);
    fc->substitute_defaults(pattern.get());
    FcResult result = FcResultNoMatch;
    const std::unique_ptr<FcPattern, decltype(&FcPatternDestroy)> font(
        fc->match(nullptr, pattern.get(), &result), fc->destroy_pattern);
    return font == nullptr ? std::nullopt : file_of(*fc, font.get(), character);
}

}  // namespace weft
