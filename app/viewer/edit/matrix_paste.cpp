#include "app/viewer/edit/matrix_paste.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>

#include "filters/text/text_error.h"

namespace weft {
namespace {

constexpr std::size_t kMaxText = std::size_t{1} << 20;
constexpr std::string_view kOpening = "[{(";

bool one_of(char c, std::string_view set) {
    return set.find(c) != std::string_view::npos;
}

std::string trimmed(std::string_view text, std::string_view what) {
    const std::size_t begin = text.find_first_not_of(what);
    if (begin == std::string_view::npos) return "";
    return std::string(text.substr(begin, text.find_last_not_of(what) - begin + 1));
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string line = trimmed(text.substr(0, end), " \t\r");
        if (!line.empty()) lines.push_back(std::move(line));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The start of the ", name =" that ends with the '=' at `equals`; npos for any other '='.
std::size_t named_argument(std::string_view text, std::size_t equals) {
    const auto back_over = [&](std::size_t end, auto skipped) {
        while (end > 0 && skipped(text[end - 1])) --end;
        return end;
    };
    const auto is_blank = [](char c) { return one_of(c, " \t\r\n"); };
    const std::size_t word_end = back_over(equals, is_blank);
    const std::size_t word = back_over(word_end, is_word);
    const std::size_t comma = back_over(word, is_blank);
    const bool named = word < word_end && comma > 0 && text[comma - 1] == ',';
    return named ? comma - 1 : std::string_view::npos;
}

// Removes Python's ", dtype=float32" or ", device='cuda:0'".
std::string without_named_arguments(std::string_view text) {
    std::string out;
    std::size_t from = 0;
    for (std::size_t equals = text.find('='); equals != std::string_view::npos;
         equals = text.find('=', std::max(equals + 1, from))) {
        const std::size_t begin = named_argument(text, equals);
        if (begin == std::string_view::npos) continue;
        out += text.substr(from, begin - from);
        from = std::min(text.find_first_of(",])}", equals), text.size());
    }
    return out.append(text.substr(from));
}

// Removes the "f" after numbers in C.
std::string without_suffixes(std::string_view text) {
    std::string out;
    for (std::size_t k = 0; k < text.size(); ++k) {
        const bool behind_number =
            k > 0 && (text[k - 1] == '.' || std::isdigit(static_cast<unsigned char>(text[k - 1])));
        const bool last = k + 1 == text.size() || !is_word(text[k + 1]);
        if (!(one_of(text[k], "fFlL") && behind_number && last)) out += text[k];
    }
    return out;
}

// Keeps only the list, without the C or Python code around it: "float k[3][3] =".
std::string without_language(std::string_view text) {
    std::string out = without_named_arguments(text);
    out.erase(0, out.find('=') == std::string::npos ? 0 : out.rfind('=') + 1);
    out.erase(0, std::min(out.find_first_of(kOpening), out.size()));
    return without_suffixes(out);
}

// Converts brackets around rows to ';' and, if there are three levels, those around matrices to
// '|'.
class BracketReader {
 public:
    std::string read(std::string_view text) {
        for (char c : text) {
            if (one_of(c, "])}"))
                close();
            else if (one_of(c, "[({,; \t\r\n"))
                separate();
            else
                add(c);
        }
        return trimmed(out_, " ;|");
    }

 private:
    void add(char c) {
        row_open_ = true;
        out_ += c;
    }

    // Ends the row or, right after one, the matrix.
    void close() {
        if (row_open_)
            out_ += ';';
        else if (!out_.empty() && out_.back() == ';')
            out_.back() = '|';
        row_open_ = false;
    }

    void separate() {
        if (!out_.empty() && !one_of(out_.back(), " ;|")) out_ += ' ';
    }

    std::string out_;
    bool row_open_ = false;  // the current row has a number
};

// "1;2;3": one number between any two ';' and at least two numbers; the line may end with ';'.
bool is_row_of_cells(std::string_view line) {
    std::size_t cells = 0;
    while (!line.empty()) {
        const std::size_t end = std::min(line.find(';'), line.size());
        const std::string cell = trimmed(line.substr(0, end), " \t");
        if (cell.empty() || cell.find_first_not_of("+-0123456789.,eE/") != std::string::npos)
            return false;
        ++cells;
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    return cells > 1;
}

// Whether ';' separates the cells of several lines rather than rows.
bool semicolons_part_cells(const std::vector<std::string>& lines) {
    return lines.size() > 1 && std::all_of(lines.begin(), lines.end(), is_row_of_cells);
}

std::string spreadsheet_rows(std::vector<std::string> lines) {
    std::string out;
    const bool semicolons = semicolons_part_cells(lines);
    for (std::string& line : lines) {
        if (semicolons) {
            std::replace(line.begin(), line.end(), ',', '.');
            std::replace(line.begin(), line.end(), ';', ' ');
        }
        out += trimmed(line, " \t,") + "\n";
    }
    return out;
}

std::string in_our_grammar(std::string_view text) {
    return text.find_first_of(kOpening) == std::string_view::npos
               ? spreadsheet_rows(lines_of(text))
               : BracketReader().read(without_language(text));
}

// A list without rows becomes a square if its length allows, else a row.
Matrix shaped(const MatrixText& text) {
    const std::size_t count = text.rows.front().size();
    const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(count))));
    const bool row = text.rows.size() == 1 && side * side != count;
    return shape_matrix(text, row ? MatrixShape::row : MatrixShape::automatic, 0);
}

}  // namespace

std::vector<Matrix> pasted_matrices(std::string_view text) {
    if (text.size() > kMaxText) throw TextError("the text is longer than 1 MiB", 0);
    std::vector<Matrix> matrices;
    for (const MatrixText& matrix : parse_matrices(in_our_grammar(text)))
        matrices.push_back(shaped(matrix));
    return matrices;
}

}  // namespace weft
