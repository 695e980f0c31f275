#include "filters/matrix_file.h"

#include <stdexcept>

#include <fmt/format.h>

#include "filters/text_error.h"
#include "filters/text_file.h"

namespace weft {

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
        params.fail(name, fmt::format("{}:{}:{}: {}", path, at.line, at.column, error.what()));
    } catch (const std::runtime_error& error) {
        params.fail(name, error.what());
    }
}

}  // namespace weft
