#include "filters/common.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "filters/text/text_error.h"
#include "filters/text/text_file.h"

namespace weft {
namespace {

Border border_of(const Params& params) {
    const auto found = std::find(kBorderNames.begin(), kBorderNames.end(), params.choice("border"));
    return static_cast<Border>(found - kBorderNames.begin());
}

// Only ffmpeg's border changes with the direction of an axis.
Borders coded(Border border, const FrameInfo& info) {
    if (border != Border::ffmpeg) return border;
    const int turn = info.rotation_degrees;
    const auto along = [](bool backwards) {
        return backwards ? Border::ffmpeg_backwards : Border::ffmpeg;
    };
    return {along(turn == 180 || turn == 270), along(turn == 90 || turn == 180)};
}

ComponentTaps coded(ComponentTaps component, const FrameInfo& info) {
    for (Taps& taps : component.taps) taps = rotated_taps(taps, info.rotation_degrees);
    return component;
}

// Whether a file holds only numbers, separators and comments, so that it may be quoted.
bool is_plainly_numeric(std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, std::min(text.find('#'), end));
        if (line.find_first_not_of("0123456789+-.eE/;|, \t\r") != std::string_view::npos)
            return false;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return true;
}

}  // namespace

float samples_per_level(const FrameInfo& info) {
    if (info.sample == SampleType::f32) return 1.0F / 255.0F;
    return static_cast<float>(1U << static_cast<unsigned>(info.depth_bits)) / 256.0F;
}

float samples_per_offset(const Params& params, const FrameInfo& info) {
    const bool of_depth = params.filter().of_ffmpeg && info.sample != SampleType::f32;
    return of_depth ? 1.0F : samples_per_level(info);
}

unsigned ffmpeg_plane(Component component) {
    switch (component) {
        case Component::g:
            return 0;
        case Component::b:
            return 1;
        case Component::r:
            return 2;
        case Component::y:
        case Component::u:
        case Component::v:
        case Component::a:
            return component_number(component);
    }
    return 0;
}

ComponentSelection selected(const Params& params, const FrameInfo& info,
                            std::vector<std::string>& notes) {
    if (find_param(params.filter(), "planes") == nullptr) return {frame_components(info)};
    if (const auto mask = params.ffmpeg_mask("planes")) {
        ComponentSelection selection;
        for (Component c : frame_components(info))
            if ((*mask >> ffmpeg_plane(c) & 1U) != 0) selection.filtered.push_back(c);
        return selection;
    }
    try {
        return select_components(params.planes("planes"), info, notes);
    } catch (const TextError& error) {
        params.fail("planes", error.what());
    }
}

Operation convolution_operation(ConvolutionSpec spec, const Params& params, const FrameInfo& info) {
    Operation operation;
    operation.selection = spec.sums_rgb
                              ? ComponentSelection{{Component::r, Component::g, Component::b}}
                              : selected(params, info, operation.notes);
    Convolution convolution{.components = {},
                            .combine = spec.combine,
                            .sums_rgb = spec.sums_rgb,
                            .border = coded(border_of(params), info),
                            .border_value = samples_per_level(info) *
                                            static_cast<float>(params.number("border_value"))};
    if (operation.selection.rgb_luma) spec.components.resize(1);
    if (spec.components.size() == 1) {
        convolution.components.push_back(coded(std::move(spec.components.front()), info));
    } else {
        for (Component c : frame_components(info))
            convolution.components.push_back(coded(spec.components[component_number(c)], info));
    }
    operation.compute = std::move(convolution);
    return operation;
}

std::vector<Matrix> file_matrices(const Params& params, std::string_view name, std::size_t most,
                                  const ShapeMatrix& shape) {
    const std::string path = params.text(name);
    std::string text;
    try {
        text = read_text_file(path);
        std::vector<Matrix> matrices;
        for (const MatrixText& matrix : parse_matrices(text, most))
            matrices.push_back(shape(matrix, matrices.size()));
        return matrices;
    } catch (const TextError& error) {
        const TextPlace at = place_in(text, error.offset());
        // A stack from elsewhere can name any file that its user may read: passwords must not end
        // up in a log.
        const std::string what =
            is_plainly_numeric(text) ? error.what() : "a number is expected here";
        params.fail(name, fmt::format("{}:{}:{}: {}", path, at.line, at.column, what));
    } catch (const std::runtime_error& error) {
        params.fail(name, error.what());
    }
}

}  // namespace weft
