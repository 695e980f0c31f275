#include "tests/kernels/cases/conv_tables.h"

#include <array>
#include <cstdlib>

#include "tests/kernels/cases/case_maker.h"
#include "tests/kernels/cases/conv_table_parts.h"

namespace weft::test {

namespace {

constexpr std::array<ConvTable, 24> kTables = {{
    {"Seams", seams},
    {"TapSizes", tap_sizes},
    {"PerChannel", per_channel},
    {"ColourMatrices", colour_matrices},
    {"Combined", combined},
    {"SummedChannels", summed_channels},
    {"Sobel", sobel},
    {"Finishes", finishes},
    {"Factored", factored},
    {"FactoredSeams", factored_seams},
    {"Boxes", boxes},
    {"BoxSeams", box_seams},
    {"FactoredRectangles", factored_rectangles},
    {"ScaledFactors", scaled_factors},
    {"SymmetricFactors", symmetric_factors},
    {"LargeGaussians", large_gaussians},
    {"TinyImages", tiny_images},
    {"Layouts", layouts},
    {"Fp32Squares", fp32_squares},
    {"LongSides", long_sides},
    {"LargestExactSums", largest_exact_sums},
    {"SparseTaps", sparse_taps},
    {"StructuredPictures", structured_pictures},
    {"CoarseSums", coarse_sums},
}};

constexpr ConvTable kLargestSizes{"LargestSizes", largest_sizes};

}  // namespace

std::span<const ConvTable> conv_tables() {
    return kTables;
}

std::vector<const ConvTable*> all_tables() {
    std::vector<const ConvTable*> out;
    out.reserve(kTables.size());
    for (const ConvTable& table : conv_tables()) out.push_back(&table);
    return out;
}

std::vector<const ConvTable*> tables_for_rows() {
    std::vector<const ConvTable*> out = all_tables();
    if (std::getenv("WEFT_LONG_TESTS") != nullptr) out.push_back(&kLargestSizes);
    return out;
}

// Every number of channels meets every form; a size meets another one in each.
std::vector<ConvCase> sanitizer_cases() {
    constexpr std::array<Size, 9> kSizes = {
        {{1, 1}, {3, 3}, {4, 4}, {5, 5}, {9, 9}, {15, 15}, {17, 33}, {63, 1}, {40, 63}}};
    struct Form {
        int sets;
        Combine combine;
        bool factored;
    };
    constexpr std::array<Form, 4> kForms = {{{1, Combine::single, true},
                                             {1, Combine::single, false},
                                             {2, Combine::magnitude, false},
                                             {16, Combine::maximum, false}}};
    std::vector<ConvCase> out;
    for (std::size_t k = 0; k < kSizes.size(); ++k) {
        for (const PixelType type : kTypes) {
            for (int channels = 1; channels <= 4; ++channels) {
                Dice dice(static_cast<std::uint32_t>(out.size()) + 9900);
                const Image image{{75, 37}, channels, type, dice.of(kBorders)};
                const Form& form = kForms[(k + static_cast<std::size_t>(channels) - 1) % 4];
                const int entries = dice.below(2) == 0 ? 1 : channels;
                ConvCase c =
                    make_case(dice, image, several_sets(dice, kSizes[k], form.sets, entries));
                c.problem.combine = form.combine;
                if (form.factored) c.problem.conv = {one_set(random_factored(dice, kSizes[k]))};
                out.push_back(c);
            }
        }
    }
    const std::vector<ConvCase> matrices = colour_matrices();
    for (std::size_t k = 0; k < matrices.size(); k += 7) out.push_back(matrices[k]);
    const std::vector<ConvCase> rectangles = factored_rectangles();
    for (std::size_t k = 0; k < rectangles.size(); k += 9) out.push_back(rectangles[k]);
    const std::vector<ConvCase> summed = summed_channels();
    for (std::size_t k = 0; k < summed.size(); k += 13) out.push_back(summed[k]);
    return out;
}

bool row_takes(const ConvKernel& row, const Device& device, const ConvCase& c) {
    return why_cannot(row, c.problem, device).empty();
}

}  // namespace weft::test
