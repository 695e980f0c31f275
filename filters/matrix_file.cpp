#include "filters/matrix_file.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "filters/text/text_error.h"
#include "filters/text/text_file.h"

namespace weft {
namespace {

// Numbers, separators and comments alone.
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
