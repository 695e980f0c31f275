#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "filters/boxes.h"
#include "filters/filter.h"
#include "filters/text/number_text.h"
#include "filters/text/text_error.h"
#include "filters/text/text_file.h"

namespace weft {
namespace {

constexpr std::size_t kMaxLine = std::size_t{64} << 10;
constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kForm = "frame,id,left,top,width,height";

enum Column : std::uint8_t { place, id, left, top, width, height, confidence };
constexpr std::size_t kColumns = 7;
constexpr std::array<std::string_view, kColumns> kColumnNames{"frame", "id",     "left",      "top",
                                                              "width", "height", "confidence"};

// The number of each column in a line; nothing: the file has no such column.
using Columns = std::array<std::optional<std::size_t>, kColumns>;

struct Field {
    std::string_view text;
    std::size_t offset;  // in the line
};

std::string_view without_blanks(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// The end of the field that begins at `begin`, or after its opening quote.
std::size_t field_end(std::string_view line, std::size_t begin, bool quoted,
                      std::string_view stops) {
    std::size_t end = std::min(line.find_first_of(quoted ? "\"" : stops, begin), line.size());
    while (quoted && end + 1 < line.size() && line[end + 1] == '"')
        end = std::min(line.find('"', end + 2), line.size());
    return end;
}

void split(std::string_view line, std::vector<Field>& fields) {
    fields.clear();
    const bool commas = line.find(',') != std::string_view::npos;
    const std::string_view stops = commas ? "," : kBlanks;
    for (std::size_t at = 0;; ++at) {
        at = std::min(line.find_first_not_of(kBlanks, at), line.size());
        if (at == line.size() && !commas) return;
        const bool quoted = at < line.size() && line[at] == '"';
        const std::size_t begin = quoted ? at + 1 : at;
        const std::size_t end = field_end(line, begin, quoted, stops);
        fields.push_back({without_blanks(line.substr(begin, end - begin)), begin});
        at = std::min(line.find_first_of(stops, end), line.size());
        if (at == line.size()) return;
    }
}

bool same_name(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, [](char x, char y) {
        return (x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x) == y;
    });
}

// A message quotes nothing else: a stack from elsewhere can name any file that its user may read,
// and passwords must not end up in a log.
bool is_plainly_numeric(std::string_view text) {
    return text.find_first_not_of("0123456789+-.eE/:, \t\r") == std::string_view::npos;
}

// Reads a text line by line.
class BoxReader {
 public:
    BoxReader(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {
        if (text_.starts_with("\xEF\xBB\xBF")) next_ = 3;
        if (!next_line()) fail("the file has no boxes: leave it out if there is nothing to cover");
        read_header();
    }

    BoxClock clock() const { return clock_; }

    // The box of the next line; nothing at the end.
    std::optional<PlacedBox> next() {
        if (is_read_ && !next_line()) return {};
        is_read_ = true;
        for (std::size_t column = 0; column < confidence; ++column)
            if (*columns_[column] >= fields_.size()) fail_short(*columns_[column]);
        PlacedBox placed{.place = read_place(), .box = {}};
        placed.box.id = static_cast<std::int64_t>(read_whole(id, -0x1p53));
        placed.box.left = read_number(left, -kMaxBoxPixels, kMaxBoxPixels);
        placed.box.top = read_number(top, -kMaxBoxPixels, kMaxBoxPixels);
        placed.box.width = read_size(width);
        placed.box.height = read_size(height);
        if (has_confidence()) placed.box.confidence = read_confidence();
        return placed;
    }

    // Throws FilterError at a byte of the current line.
    [[noreturn]] void fail(const std::string& message, std::size_t offset = 0) const {
        const TextPlace at = place_in(text_, begin_ + offset);
        const std::string what = fmt::format("{}:{}:{}: {}", origin_, at.line, at.column, message);
        if (is_plainly_numeric(line_)) throw FilterError(what, std::string(line_), offset);
        throw FilterError(what, origin_, 0);
    }

 private:
    // Goes to the next line that is not empty and splits it. False at the end.
    bool next_line() {
        while (next_ < text_.size()) {
            begin_ = next_;
            const std::size_t end = std::min(text_.find('\n', begin_), text_.size());
            next_ = end + 1;
            if (end - begin_ > kMaxLine) fail("the line is longer than 64 KiB");
            line_ = text_.substr(begin_, end - begin_);
            line_ = line_.substr(0, line_.find('#'));
            split(line_, fields_);
            if (line_.find_first_not_of(kBlanks) != std::string_view::npos) return true;
        }
        return false;
    }

    // The current line names the columns, or is the first one with a box.
    void read_header() {
        for (std::size_t column = 0; column < kColumns; ++column) columns_[column] = column;
        const std::string_view first = fields_.front().text;
        is_read_ = first.empty() ||
                   std::string_view("0123456789+-.").find(first.front()) == std::string_view::npos;
        if (!is_read_) return;
        for (std::size_t column = 0; column < kColumns; ++column)
            columns_[column] = column_of(kColumnNames[column]);
        if (!columns_[place]) {
            columns_[place] = column_of("time");
            clock_ = BoxClock::seconds;
        }
        check_columns();
    }

    std::optional<std::size_t> column_of(std::string_view name) const {
        std::optional<std::size_t> found;
        for (std::size_t k = 0; k < fields_.size(); ++k) {
            if (!same_name(fields_[k].text, name)) continue;
            if (found) fail(fmt::format("two columns have the name {}", name), fields_[k].offset);
            found = k;
        }
        return found;
    }

    void check_columns() const {
        std::vector<std::string_view> missing;
        for (std::size_t column = 0; column < confidence; ++column)
            if (!columns_[column])
                missing.push_back(column == place ? "time or frame" : kColumnNames[column]);
        if (missing.empty()) return;
        const bool only_id = missing.size() == 1 && missing.front() == kColumnNames[id];
        fail(fmt::format(
            "the first line is neither a box, {} as in the MOT Challenge, nor the names "
            "of columns with commas or blanks between them: {} missing: {}{}",
            kForm, missing.size() == 1 ? "this one is" : "these are", fmt::join(missing, ", "),
            only_id ? "; give a single object the id 1 in every line" : ""));
    }

    [[noreturn]] void fail_short(std::size_t field) const {
        fail(
            fmt::format("field {} is missing: a line has the fields {}", field + 1, columns_text()),
            line_.size());
    }

    // The columns in the order of the file, such as "time,id,left,top,width,height".
    std::string columns_text() const {
        std::vector<std::pair<std::size_t, std::string_view>> names;
        for (std::size_t column = 0; column < confidence; ++column)
            names.emplace_back(*columns_[column], name_of(static_cast<Column>(column)));
        std::ranges::sort(names);
        std::string text;
        std::size_t next = 0;
        for (const auto& [field, name] : names) {
            text += fmt::format("{}{}{}", text.empty() ? "" : ",", field == next ? "" : "…,", name);
            next = field + 1;
        }
        return text;
    }

    std::string_view name_of(Column column) const {
        return column == place && clock_ == BoxClock::seconds ? "time" : kColumnNames[column];
    }
    const Field& field(Column column) const { return fields_[*columns_[column]]; }

    [[noreturn]] void fail_at(Column column, std::string_view message) const {
        fail(fmt::format("{}: {}", name_of(column), message), field(column).offset);
    }

    double parsed(Column column, double (*parse)(std::string_view)) const {
        try {
            return parse(field(column).text);
        } catch (const TextError& error) {
            const bool numeric =
                !field(column).text.empty() && is_plainly_numeric(field(column).text);
            fail_at(column, numeric ? error.what() : "a number is expected here");
        }
    }

    double read_number(Column column, double least, double most) const {
        const double value = parsed(column, parse_number);
        if (value >= least && value <= most) return value;
        fail_at(column, fmt::format("{} is outside {} to {}", format_number(value),
                                    format_number(least), format_number(most)));
    }

    double read_whole(Column column, double least) const {
        const double value = parsed(column, parse_number);
        if (value >= least && value <= 0x1p53 && std::trunc(value) == value) return value;
        fail_at(column, fmt::format("a whole number from {} to 2^53 is expected here",
                                    least < 0 ? "-2^53" : "1"));
    }

    double read_place() const {
        if (clock_ == BoxClock::seconds) return parsed(place, parse_seconds);
        if (parsed(place, parse_number) == 0)
            fail_at(place, "frames count from 1; where a file counts from 0, add 1 to every frame");
        return read_whole(place, 1) - 1;
    }

    double read_size(Column column) const {
        if (parsed(column, parse_number) < 0)
            fail_at(column,
                    "a size cannot be negative: a box is its left and top edges, its width "
                    "and its height");
        return read_number(column, 0, kMaxBoxPixels);
    }

    bool has_confidence() const {
        return columns_[confidence] && *columns_[confidence] < fields_.size() &&
               !field(confidence).text.empty();
    }

    double read_confidence() const {
        const double value = parsed(confidence, parse_number);
        return value < 0 ? 1 : value;
    }

    std::string_view text_;
    const std::string& origin_;
    std::size_t begin_ = 0;  // the current line's
    std::size_t next_ = 0;   // the next one's
    std::string_view line_;
    std::vector<Field> fields_;  // the current line's
    Columns columns_;
    BoxClock clock_ = BoxClock::frames;
    bool is_read_ = false;  // the current line
};

// Fails at the second box of an id in one place.
void check_twice(const std::vector<PlacedBox>& sorted, std::string_view text,
                 const std::string& origin) {
    const auto twice = std::ranges::adjacent_find(sorted, [](const auto& a, const auto& b) {
        return a.box.id == b.box.id && a.place == b.place && a.box.id >= 0;
    });
    if (twice == sorted.end()) return;
    BoxReader reader(text, origin);
    for (int found = 0; const auto placed = reader.next();)
        if (placed->box.id == twice->box.id && placed->place == twice->place && ++found == 2)
            reader.fail(
                fmt::format("id {} has a second box at this {}: number the objects, or give "
                            "all of them the id -1",
                            twice->box.id, reader.clock() == BoxClock::frames ? "frame" : "time"));
}

}  // namespace

BoxTracks parse_boxes(std::string_view text, const std::string& origin) {
    BoxReader reader(text, origin);
    std::vector<PlacedBox> boxes;
    const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
    boxes.reserve(std::min(lines, kMaxBoxes));
    while (const auto placed = reader.next()) {
        if (boxes.size() == kMaxBoxes)
            reader.fail(
                "the file has more than 10 million boxes: split the film, or leave out "
                "boxes between which others can be interpolated");
        boxes.push_back(*placed);
    }
    if (boxes.empty())
        reader.fail("the file has no boxes: leave it out if there is nothing to cover");
    std::ranges::sort(
        boxes, {}, [](const PlacedBox& placed) { return std::pair(placed.box.id, placed.place); });
    check_twice(boxes, text, origin);
    return {reader.clock(), std::move(boxes)};
}

BoxTracks load_boxes(const std::filesystem::path& path) {
    std::string text;
    try {
        text = read_text_file(path, kMaxBoxFile);
    } catch (const std::runtime_error& error) {
        throw FilterError(error.what(), path.string(), 0);
    }
    return parse_boxes(text, path.string());
}

std::string print_boxes(const BoxTracks& tracks) {
    const auto boxes = tracks.boxes();
    std::vector<std::size_t> order(boxes.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::size_t k) { return boxes[k].place; });
    const bool frames = tracks.clock() == BoxClock::frames;
    std::string text = frames ? "" : "time,id,left,top,width,height,confidence\n";
    for (const std::size_t k : order) {
        const auto& [place, box] = boxes[k];
        text +=
            frames ? fmt::format("{}", static_cast<std::int64_t>(place) + 1) : format_number(place);
        text += fmt::format(",{}", box.id);
        for (const double number : {box.left, box.top, box.width, box.height, box.confidence})
            text += "," + format_number(number);
        text += frames ? ",-1,-1,-1\n" : "\n";
    }
    return text;
}

}  // namespace weft
