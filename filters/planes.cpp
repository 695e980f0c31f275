#include "filters/planes.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "filters/text/nearest.h"
#include "filters/text/number_text.h"
#include "filters/text/text_error.h"

namespace weft {
namespace {

constexpr std::string_view kLetters = "yuvrgba";  // in the order of Component
constexpr unsigned kAllMask = 15;
constexpr unsigned kColourMask = 7;

unsigned bit(Component c) {
    return 1U << static_cast<unsigned>(c);
}

bool all_digits(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Planes parse_mask(std::string_view text) {
    const long long mask = parse_integer(text);
    if (mask == 0)
        throw TextError(
            "planes=0 selects nothing: a number alone is ffmpeg's bit mask; 1 (or y, or r) is the "
            "first component",
            0);
    if (mask > kAllMask)
        throw TextError(
            fmt::format("planes={} is outside ffmpeg's bit mask 1 to {}", shown(text), kAllMask),
            0);
    if (mask == kAllMask || mask == kColourMask) return {.all = true};
    return {.mask = static_cast<unsigned>(mask)};
}

void add_once(unsigned& set, unsigned added, char name, std::size_t at) {
    if ((set & added) != 0) throw TextError(fmt::format("'{}' is named twice", name), at);
    set |= added;
}

void add_letters(Planes& planes, std::string_view word, std::size_t at) {
    for (std::size_t k = 0; k < word.size(); ++k) {
        const std::size_t index = kLetters.find(word[k]);
        if (index == std::string_view::npos)
            throw TextError(fmt::format("'{}' names no component: valid are all, luma, the letters "
                                        "y u v r g b a, numbers such as 0+2, or a bit mask",
                                        shown(word.substr(k))),
                            at + k);
        add_once(planes.letters, 1U << index, word[k], at + k);
    }
}

void add_word(Planes& planes, std::string_view word, std::size_t at) {
    if (word.empty()) throw TextError("a component is missing here", at);
    if (word == "all") {
        planes.all = true;
    } else if (word == "luma") {
        planes.luma = true;
    } else if (all_digits(word)) {
        if (word.size() != 1 || word[0] > '3')
            throw TextError(
                fmt::format("'{}' is outside the component numbers 0 to 3", shown(word)), at);
        add_once(planes.numbers, 1U << static_cast<unsigned>(word[0] - '0'), word[0], at);
    } else {
        add_letters(planes, word, at);
    }
}

bool has(const std::vector<Component>& components, Component c) {
    return std::find(components.begin(), components.end(), c) != components.end();
}

std::string list(const std::vector<Component>& components) {
    std::string out;
    for (Component c : components) out += fmt::format("{}{}", out.empty() ? "" : ", ", letter(c));
    return out;
}

bool selects(const Planes& planes, Component c) {
    if (planes.mask != 0) return (planes.mask >> component_number(c) & 1U) != 0;
    if (planes.all && c != Component::a) return true;
    return (planes.letters & bit(c)) != 0 || (planes.numbers >> component_number(c) & 1U) != 0;
}

// Named letters of the frame's own colour family that the frame does not have.
std::string missing_letters(const Planes& planes, const FrameInfo& info) {
    const std::vector<Component> present = frame_components(info);
    const std::string_view family = info.is_rgb() ? "rgba" : "yuva";
    std::string missing;
    for (std::size_t k = 0; k < kLetters.size(); ++k) {
        const bool named = (planes.letters >> k & 1U) != 0;
        if (named && family.find(kLetters[k]) != std::string_view::npos &&
            !has(present, static_cast<Component>(k)))
            missing += kLetters[k];
    }
    return missing;
}

std::string luma_note(const FrameInfo& info) {
    static constexpr std::array<std::string_view, 4> kNames{"", "BT.601", "BT.709", "BT.2020"};
    const bool tagged = info.matrix != ColorMatrix::unspecified;
    return fmt::format("acts on the {} luma of RGB{}; planes=rgb acts on r, g and b",
                       kNames[static_cast<std::size_t>(luma_matrix(info))],
                       tagged ? "" : " (assumed: not stated in the file)");
}

ComponentSelection select_luma(const FrameInfo& info, std::vector<std::string>& notes) {
    if (!info.is_rgb())
        return {.filtered = {Component::y},
                .neutral_chroma = has(frame_components(info), Component::u)};
    notes.push_back(luma_note(info));
    return {.filtered = {Component::r, Component::g, Component::b}, .rgb_luma = true};
}

[[noreturn]] void throw_nothing_selected(const Planes& planes, const FrameInfo& info) {
    const bool wants_y = (planes.letters & bit(Component::y)) != 0;
    throw TextError(
        fmt::format("planes={} selects none of this picture's components, {}{}",
                    print_planes(planes), list(frame_components(info)),
                    info.is_rgb() && wants_y ? ": planes=luma acts on the luma of RGB" : ""),
        0);
}

}  // namespace

char letter(Component component) {
    return kLetters[static_cast<std::size_t>(component)];
}

unsigned component_number(Component c) {
    switch (c) {
        case Component::y:
        case Component::r:
            return 0;
        case Component::u:
        case Component::g:
            return 1;
        case Component::v:
        case Component::b:
            return 2;
        case Component::a:
            return 3;
    }
    return 0;
}

Planes parse_planes(std::string_view text) {
    if (all_digits(text)) return parse_mask(text);
    Planes planes;
    std::size_t begin = 0;
    while (true) {
        const std::size_t end = std::min(text.find('+', begin), text.size());
        add_word(planes, text.substr(begin, end - begin), begin);
        if (end == text.size()) break;
        begin = end + 1;
    }
    if (planes.luma && (planes.all || planes.letters != 0 || planes.numbers != 0))
        throw TextError("luma cannot be combined: use a separate step for other components", 0);
    return planes;
}

std::string print_planes(const Planes& planes) {
    if (planes.mask != 0) return fmt::format("{}", planes.mask);
    std::vector<std::string> words;
    if (planes.all) words.emplace_back("all");
    if (planes.luma) words.emplace_back("luma");
    std::string letters;
    for (std::size_t k = 0; k < kLetters.size(); ++k)
        if ((planes.letters >> k & 1U) != 0) letters += kLetters[k];
    if (!letters.empty()) words.push_back(letters);
    for (unsigned k = 0; k < 4; ++k)
        if ((planes.numbers >> k & 1U) != 0) words.push_back(fmt::format("{}", k));
    return fmt::format("{}", fmt::join(words, "+"));
}

std::vector<Component> frame_components(const FrameInfo& info) {
    std::vector<Component> out;
    for (const PlaneInfo& plane : info.planes)
        out.insert(out.end(), plane.components.begin(), plane.components.end());
    std::sort(out.begin(), out.end());  // Component's order is y u v r g b a
    return out;
}

ComponentSelection select_components(const Planes& planes, const FrameInfo& info,
                                     std::vector<std::string>& notes) {
    if (planes.luma) return select_luma(info, notes);
    ComponentSelection selection;
    for (Component c : frame_components(info))
        if (selects(planes, c)) selection.filtered.push_back(c);
    if (selection.filtered.empty()) throw_nothing_selected(planes, info);
    const std::string missing = missing_letters(planes, info);
    if (!missing.empty())
        notes.push_back(fmt::format("planes={}: this picture has no {}", print_planes(planes),
                                    fmt::join(missing, ", ")));
    return selection;
}

}  // namespace weft
