#include "filters/matrix_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "filters/taps.h"
#include "filters/text/nearest.h"
#include "filters/text/number_text.h"
#include "filters/text/text_error.h"

namespace weft {
namespace {

constexpr double kMaxWeight = 1e9;  // 63 × 63 of them times 65,535 stay far from fp32's limit
constexpr std::size_t kMaxNumbers = std::size_t{Taps::kMaxDense} * Taps::kMaxDense;

// Walks over the text once; every method leaves `at_` on the next byte to read.
class MatrixParser {
 public:
    MatrixParser(std::string_view text, std::size_t most) : text_(text), most_(most) {}

    std::vector<MatrixText> parse() {
        matrices_.emplace_back();
        while (at_ < text_.size()) step();
        end_matrix();
        return std::move(matrices_);
    }

 private:
    void step() {
        switch (text_[at_]) {
            case ' ':
            case '\t':
            case '\r':
                ++at_;
                return;
            case '#':
                at_ = std::min(text_.find('\n', at_), text_.size());
                return;
            case '\n':
                end_row();
                return;
            case ';':
                read_semicolon();
                return;
            case '|':
                read_bar();
                return;
            case ',':
                read_comma();
                return;
            default:
                read_number();
                return;
        }
    }

    void read_semicolon() {
        if (matrices_.back().rows.empty() || semicolon_)
            throw TextError("a row is missing before this ';'", at_);
        end_row();
        semicolon_ = true;
    }

    void read_bar() {
        end_matrix();
        if (matrices_.size() == most_)
            throw TextError(fmt::format("more than {} matrices", most_), at_);
        matrices_.emplace_back();
        row_open_ = semicolon_ = false;
        ++at_;
    }

    void read_comma() {
        if (!row_open_ || comma_) throw TextError("a number is missing before this ','", at_);
        comma_ = true;
        ++at_;
    }

    // Ends the row on the separator at `at_`.
    void end_row() {
        check_comma();
        row_open_ = false;
        ++at_;
    }

    void end_matrix() {
        check_comma();
        if (matrices_.back().rows.empty())
            throw TextError(
                matrices_.size() == 1 ? "the matrix is empty" : "a matrix is missing here", at_);
    }

    void check_comma() const {
        if (comma_) throw TextError("a number is missing after the ','", at_);
    }

    void read_number() {
        const std::size_t end = std::min(text_.find_first_of(" \t\r\n;|,#", at_), text_.size());
        const double value = parse_at(at_, end);
        MatrixText& matrix = matrices_.back();
        if (!row_open_) {
            matrix.rows.emplace_back();
            matrix.row_offsets.push_back(at_);
            numbers_ = matrix.rows.size() == 1 ? 0 : numbers_;
        }
        if (++numbers_ > kMaxNumbers)
            throw TextError(fmt::format("a matrix has at most {0}×{0} numbers", Taps::kMaxDense),
                            at_);
        matrix.rows.back().push_back(value);
        row_open_ = true;
        comma_ = semicolon_ = false;
        at_ = end;
    }

    double parse_at(std::size_t begin, std::size_t end) const {
        const std::string_view word = text_.substr(begin, end - begin);
        double value = 0;
        try {
            value = parse_number(word);
        } catch (const TextError& error) {
            throw TextError(error.what(), begin + error.offset());
        }
        if (std::fabs(value) > kMaxWeight)
            throw TextError(fmt::format("{} is outside -1e9 to 1e9", shown(word)), begin);
        return value;
    }

    std::string_view text_;
    std::size_t most_;
    std::size_t at_ = 0;
    std::size_t numbers_ = 0;  // in the current matrix
    std::vector<MatrixText> matrices_;
    bool row_open_ = false;   // the current row has a number
    bool comma_ = false;      // since the last number
    bool semicolon_ = false;  // since the last number
};

int square_side(std::size_t count) {
    const int side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(count))));
    return static_cast<std::size_t>(side) * static_cast<std::size_t>(side) == count ? side : 0;
}

// The width of a flat list of `count` numbers; throws if it cannot be laid out.
int flat_width(std::size_t count, MatrixShape shape, int width, std::size_t offset) {
    if (shape == MatrixShape::row) return static_cast<int>(count);
    if (shape == MatrixShape::column) return 1;
    if (width > 0) {
        if (count % static_cast<std::size_t>(width) != 0)
            throw TextError(fmt::format("{} numbers do not fill rows of {}", count, width), offset);
        return width;
    }
    const int side = square_side(count);
    if (side == 0)
        throw TextError(fmt::format("{} numbers are not a square: separate the rows with ';', or "
                                    "give width=, mode=row or mode=column",
                                    count),
                        offset);
    return side;
}

void check_equal_rows(const MatrixText& text) {
    const std::size_t width = text.rows.front().size();
    for (std::size_t row = 1; row < text.rows.size(); ++row)
        if (text.rows[row].size() != width)
            throw TextError(fmt::format("row {} has {} numbers, the rows above have {}", row + 1,
                                        text.rows[row].size(), width),
                            text.row_offsets[row]);
}

std::string_view shape_name(MatrixShape shape) {
    switch (shape) {
        case MatrixShape::automatic:
            return "auto";
        case MatrixShape::square:
            return "square";
        case MatrixShape::row:
            return "row";
        case MatrixShape::column:
            return "column";
    }
    return "";
}

// Explicit rows must match the shape and the width.
void check_shape(const MatrixText& text, const Matrix& matrix, MatrixShape shape, int width) {
    const bool agrees = shape == MatrixShape::automatic ||
                        (shape == MatrixShape::square && matrix.width == matrix.height) ||
                        (shape == MatrixShape::row && matrix.height == 1) ||
                        (shape == MatrixShape::column && matrix.width == 1);
    if (!agrees)
        throw TextError(fmt::format("this matrix is {}×{}, but mode={} was given", matrix.width,
                                    matrix.height, shape_name(shape)),
                        text.row_offsets.front());
    if (width > 0 && matrix.width != width)
        throw TextError(
            fmt::format("this matrix is {} wide, but width={} was given", matrix.width, width),
            text.row_offsets.front());
}

}  // namespace

std::vector<MatrixText> parse_matrices(std::string_view text, std::size_t most) {
    return MatrixParser(text, most).parse();
}

std::string print_matrices(const std::vector<MatrixText>& matrices) {
    std::string out;
    for (const MatrixText& matrix : matrices) {
        out += out.empty() ? "" : " | ";
        for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
            out += row == 0 ? "" : "; ";
            for (std::size_t k = 0; k < matrix.rows[row].size(); ++k)
                out += (k == 0 ? "" : " ") + format_number(matrix.rows[row][k]);
        }
    }
    return out;
}

Matrix shape_matrix(const MatrixText& text, MatrixShape shape, int width) {
    check_equal_rows(text);
    Matrix matrix;
    for (const std::vector<double>& row : text.rows)
        matrix.weights.insert(matrix.weights.end(), row.begin(), row.end());
    matrix.width = text.rows.size() > 1
                       ? static_cast<int>(text.rows.front().size())
                       : flat_width(matrix.weights.size(), shape, width, text.row_offsets.front());
    matrix.height = static_cast<int>(matrix.weights.size()) / matrix.width;
    check_shape(text, matrix, shape, width);
    if (std::max(matrix.width, matrix.height) > Taps::kMaxDense)
        throw TextError(fmt::format("this matrix is {}×{}, but a side may have at most {}",
                                    matrix.width, matrix.height, Taps::kMaxDense),
                        text.row_offsets.front());
    return matrix;
}

}  // namespace weft
