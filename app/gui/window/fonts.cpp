#include "app/gui/window/fonts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <imgui.h>
#include <imgui_freetype.h>
#include <iterator>
#include <vector>

#include "app/viewer/shell/type_scale.h"

// The assembler includes the file: compiling 260 kB as an array would take seconds.
asm(".section .rodata\n"
    ".global weft_font_begin\n"
    ".global weft_font_end\n"
    ".balign 16\n"
    "weft_font_begin:\n"
    ".incbin \"" WEFT_FONT_FILE
    "\"\n"
    "weft_font_end:\n"
    ".byte 0\n"
    ".previous\n");
extern "C" const std::byte weft_font_begin[];
extern "C" const std::byte weft_font_end[];

namespace weft {
namespace {

constexpr auto kOwnRanges = [] {
    std::array<ImWchar, 2 * kOwnGlyphs.size() + 1> ranges{};
    for (std::size_t k = 0; k < kOwnGlyphs.size(); ++k) {
        ranges[2 * k] = static_cast<ImWchar>(kOwnGlyphs[k].first);
        ranges[2 * k + 1] = static_cast<ImWchar>(kOwnGlyphs[k].second);
    }
    return ranges;  // ends with 0
}();

std::vector<std::byte> contents_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
    const auto* const begin = reinterpret_cast<const std::byte*>(bytes.data());
    return {begin, begin + bytes.size()};
}

// ImGui only reads a font that it does not own.
void add_font(const std::byte* begin, std::size_t size, int pixels, const ImWchar* ranges,
              const ImFontConfig& config) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
    ImGui::GetIO().Fonts->AddFontFromMemoryTTF(const_cast<std::byte*>(begin),
                                               static_cast<int>(size), static_cast<float>(pixels),
                                               &config, ranges);
}

// Numbers that change do not move, and stand below each other: all digits get the widest one's
// width.
void make_figures_tabular(ImFont& font) {
    float width = 0;
    for (ImWchar digit = '0'; digit <= '9'; ++digit)
        width = std::max(width, font.FindGlyph(digit)->AdvanceX);
    for (ImWchar digit = '0'; digit <= '9'; ++digit) {
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): ImGui has no call for this
        auto& glyph = const_cast<ImFontGlyph&>(*font.FindGlyph(digit));
        const float shift = std::floor((width - glyph.AdvanceX) / 2);
        glyph.X0 += shift;
        glyph.X1 += shift;
        glyph.AdvanceX = width;
        font.IndexAdvanceX[digit] = width;
    }
}

}  // namespace

UiFonts& ui_fonts() {
    return *static_cast<UiFonts*>(ImGui::GetIO().UserData);
}

UiFonts::Glyphs UiFonts::system_glyphs() {
    Glyphs glyphs;
    for (const char32_t character : demand_.wanted()) {
        const auto [entry, is_new] = found_.try_emplace(character);
        if (is_new) entry->second = system_font_for(character);
        if (!entry->second) continue;
        std::vector<ImWchar>& ranges = glyphs[*entry->second];
        ranges.insert(ranges.end(), 2, static_cast<ImWchar>(character));
    }
    for (auto& [file, ranges] : glyphs) ranges.push_back(0);
    return glyphs;
}

void UiFonts::load(double scale) {
    const Glyphs others = system_glyphs();
    for (const auto& [file, ranges] : others)
        if (!files_.contains(file)) files_[file] = contents_of(file.path);
    ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
    fonts.Clear();
    fonts.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
    // Glyphs keep their widths, and their heights are whole pixels at every scale.
    fonts.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
    ImFontConfig own;
    own.FontDataOwnedByAtlas = false;
    for (const TextSize size : kTextSizes) {
        const int pixels = font_pixels(size, scale);
        own.MergeMode = false;
        own.FontNo = 0;
        add_font(weft_font_begin, static_cast<std::size_t>(weft_font_end - weft_font_begin), pixels,
                 kOwnRanges.data(), own);
        own.MergeMode = true;
        for (const auto& [file, ranges] : others) {
            const std::vector<std::byte>& bytes = files_[file];
            own.FontNo = file.index;
            if (!bytes.empty()) add_font(bytes.data(), bytes.size(), pixels, ranges.data(), own);
        }
    }
    fonts.Build();
    for (ImFont* const font : fonts.Fonts) make_figures_tabular(*font);
}

}  // namespace weft
