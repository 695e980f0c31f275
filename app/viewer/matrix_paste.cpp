#include "app/viewer/matrix_paste.h"

#include <algorithm>
#include <cmath>
#include <regex>
#include <string>

#include "filters/text_error.h"

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

// Only the list: no "float k[3][3] =", no "dtype=float32", no "f" behind C's numbers.
std::string without_language(std::string_view text) {
    static const std::regex kNamed(R"(,\s*[a-z_]+\s*=\s*[A-Za-z0-9_.:'"]+)");
    static const std::regex kSuffix(R"(([0-9.])[fFlL]\b)");
    std::string out = std::regex_replace(std::string(text), kNamed, "");
    out.erase(0, out.find('=') == std::string::npos ? 0 : out.rfind('=') + 1);
    out.erase(0, std::min(out.find_first_of(kOpening), out.size()));
    return std::regex_replace(out, kSuffix, "$1");
}

// Turns brackets around rows, and around matrices if there are three levels, into ';' and '|'.
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

    // The end of a row, or, behind one, of the matrix.
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

// A ';' between the cells of several lines, one number each.
bool semicolons_part_cells(const std::vector<std::string>& lines) {
    static const std::regex kCells(R"(\s*[-+0-9.,eE/]+\s*(;\s*[-+0-9.,eE/]+\s*)+;?)");
    return lines.size() > 1 && std::all_of(lines.begin(), lines.end(), [](const std::string& line) {
               return std::regex_match(line, kCells);
           });
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

// A list without rows is a square if its length allows, else a row.
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
