#include "filters/where.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "filters/text/nearest.h"
#include "filters/text/number_text.h"
#include "filters/text/text_error.h"

namespace weft {
namespace {

constexpr std::size_t kMostRegions = 1024;

constexpr std::array<std::string_view, 2> kShapes{"rectangle", "ellipse"};
constexpr std::array<std::string_view, 2> kShapeLabels{"Rectangle", "Ellipse"};

constexpr std::array<std::string_view, 3> kGaps{"interpolate", "hold", "off"};
constexpr std::array<std::string_view, 3> kGapLabels{"Move along", "Hold", "Do not filter"};

constexpr std::array<std::string_view, 2> kDithers{"off", "ordered"};
constexpr std::array<std::string_view, 2> kDitherLabels{"Off", "Ordered"};

constexpr std::array<ParamDef, 11> kStepParams{{
    {.name = "region",
     .help = "the part of the picture to filter, as displayed; several are separated by |",
     .kind = ParamKind::text,
     .advanced = true,
     .check = [](std::string_view text) { (void)parse_regions(text); },
     .accepts = "WxH+X+Y in px, or with % of the frame"},
    {.name = "boxes",
     .help = "a file with regions that move: boxes of objects in each frame",
     .kind = ParamKind::file,
     .advanced = true},
    {.name = "ids",
     .help = "the objects whose boxes count; all others are left alone",
     .kind = ParamKind::text,
     .advanced = true,
     .check = [](std::string_view text) { (void)parse_ids(text); },
     .accepts = "numbers that are separated by |"},
    {.name = "gap",
     .help = "what holds where an object has no box",
     .kind = ParamKind::choice,
     .def_text = "interpolate",
     .choices = kGaps,
     .choice_labels = kGapLabels,
     .advanced = true},
    {.name = "mask",
     .help = "a picture, numbered pictures or a video whose luma is the weight of each pixel",
     .kind = ParamKind::file,
     .advanced = true},
    {.name = "shape",
     .help = "the shape of the regions",
     .kind = ParamKind::choice,
     .def_text = "rectangle",
     .choices = kShapes,
     .choice_labels = kShapeLabels,
     .advanced = true},
    {.name = "feather",
     .help = "the distance from a region over which the filter fades out",
     .unit = "px",
     .max = 1000,
     .advanced = true},
    {.name = "grow",
     .help = "moves each side of a region outwards",
     .kind = ParamKind::text,
     .def_text = "0",
     .advanced = true,
     .check = [](std::string_view text) { (void)parse_length(text); },
     .accepts = "px, or with % of the region's width and height"},
    {.name = "invert",
     .help = "filters everything except the regions",
     .kind = ParamKind::boolean,
     .advanced = true},
    {.name = "enable",
     .help = "when to filter: an expression of ffmpeg, with t in seconds and n in frames",
     .kind = ParamKind::text,
     .advanced = true,
     .check = check_enable_names,
     .accepts = "an expression, such as between(t,2,5)"},
    {.name = "dither",
     .help = "results of 8 bits are rounded by a fine pattern, which hides bands",
     .kind = ParamKind::choice,
     .def_text = "off",
     .choices = kDithers,
     .choice_labels = kDitherLabels,
     .advanced = true},
}};

// Reads the parts of a region from left to right.
class RegionReader {
 public:
    explicit RegionReader(std::string_view text) : text_(text) {}

    RegionText read() {
        RegionText region;
        region.width = side('x', "its width");
        region.height = side('+', "its height");
        region.left = place("its left side");
        region.top = place("its upper side");
        return region;
    }

    bool at_end() const { return at_ == text_.size(); }

    void pass_bar() {
        if (text_[at_] != '|') fail("a region ends with its upper side; '|' separates regions");
        ++at_;
    }

 private:
    [[noreturn]] void fail(const std::string& what) const {
        throw TextError(what + ": a region is WxH+X+Y, such as 120x60+300+200 or 10%x5%+40%+60%",
                        at_);
    }

    Length length(std::string_view what) {
        const std::size_t begin = at_;
        while (at_ < text_.size() &&
               (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.'))
            ++at_;
        if (at_ == begin) fail(fmt::format("{} is missing", what));
        Length length;
        try {
            length.value = parse_number(text_.substr(begin, at_ - begin));
        } catch (const TextError&) {
            at_ = begin;
            fail(fmt::format("{} is not a number", what));
        }
        if (length.value > kMostSide) {
            at_ = begin;
            fail(fmt::format("{} is more than any frame has", what));
        }
        length.percent = at_ < text_.size() && text_[at_] == '%';
        if (length.percent) ++at_;
        return length;
    }

    Length side(char end, std::string_view what) {
        const std::size_t begin = at_;
        const Length side = length(what);
        if (side.value == 0) {
            at_ = begin;
            fail(fmt::format("{} is 0", what));
        }
        const bool stops = at_ < text_.size() && text_[at_] == end;
        if (end == 'x' && !stops) fail("'x' and its height are missing");
        if (end == 'x') ++at_;
        return side;
    }

    Length place(std::string_view what) {
        if (at_ == text_.size() || (text_[at_] != '+' && text_[at_] != '-'))
            fail(fmt::format("{} is missing", what));
        const bool negative = text_[at_++] == '-';
        Length place = length(what);
        if (negative) place.value = -place.value;
        return place;
    }

    static constexpr double kMostSide = 16'777'216;

    std::string_view text_;
    std::size_t at_ = 0;
};

RegionRect grown(const RegionRect& rect, const Length& grow) {
    const double sideways = grow.of(rect.right - rect.left);
    const double upright = grow.of(rect.bottom - rect.top);
    return {rect.left - sideways, rect.top - upright, rect.right + sideways, rect.bottom + upright};
}

// In pixels of the frame as it is displayed.
RegionRect displayed_rect(const RegionText& text, const Length& grow, double width, double height) {
    RegionRect rect;
    rect.left = text.left.of(width);
    rect.top = text.top.of(height);
    rect.right = rect.left + text.width.of(width);
    rect.bottom = rect.top + text.height.of(height);
    return grown(rect, grow);
}

// A player turns the coded frame, of width × height pixels, clockwise by the frame's rotation.
RegionRect coded_rect(const RegionRect& shown, const FrameInfo& info) {
    const double width = info.width;
    const double height = info.height;
    switch (info.rotation_degrees) {
        case 90:
            return {shown.top, height - shown.right, shown.bottom, height - shown.left};
        case 180:
            return {width - shown.right, height - shown.bottom, width - shown.left,
                    height - shown.top};
        case 270:
            return {width - shown.bottom, shown.left, width - shown.top, shown.right};
        default:
            return shown;
    }
}

// Percents of a frame are seldom whole in binary: sides this close to a pixel's edge are on it.
constexpr double kOnEdge = 1e-6;

int first_touched(double side) {
    return static_cast<int>(std::floor(std::clamp(side + kOnEdge, -1e9, 1e9)));
}

int after_touched(double side) {
    return static_cast<int>(std::ceil(std::clamp(side - kOnEdge, -1e9, 1e9)));
}

PixelRect clipped(const PixelRect& rect, int width, int height) {
    const int left = std::clamp(rect.left, 0, width);
    const int top = std::clamp(rect.top, 0, height);
    return {left, top, std::clamp(rect.right(), left, width) - left,
            std::clamp(rect.bottom(), top, height) - top};
}

// The pixels that a region of these touched pixels can change.
PixelRect with_feather(const PixelRect& rect, const Where& where) {
    const int margin = static_cast<int>(std::ceil(where.feather));
    return {rect.left - margin, rect.top - margin, rect.width + 2 * margin,
            rect.height + 2 * margin};
}

bool meets_frame(const RegionRect& region, const FrameInfo& info) {
    return !clipped(touched_pixels(region), info.width, info.height).empty();
}

// How far `at` is outside of the interval.
double outside(double at, double begin, double end) {
    return std::max({begin - at, at - end, 0.0});
}

// The distance of the point from the shape, see Where.
double distance_of(RegionShape shape, const PixelRect& rect, double x, double y) {
    if (shape == RegionShape::rectangle)
        return std::hypot(outside(x, rect.left, rect.right()), outside(y, rect.top, rect.bottom()));
    const double across = x - (rect.left + rect.width / 2.0);
    const double down = y - (rect.top + rect.height / 2.0);
    const double reach = std::hypot(across / (rect.width / 2.0), down / (rect.height / 2.0));
    return reach <= 1 ? 0 : std::hypot(across, down) * (1 - 1 / reach);
}

// The weight of the pixel at (x, y) of the frame, without `invert`.
unsigned weight_at(const Where& where, std::span<const PixelRect> regions, int x, int y) {
    unsigned weight = 0;
    for (const PixelRect& rect : regions) {
        const double distance = distance_of(where.shape, rect, x + 0.5, y + 0.5);
        if (distance <= 0) return kFullWeight;
        if (distance >= where.feather) continue;
        const double share = 1 - distance / where.feather;
        weight = std::max(weight, static_cast<unsigned>(std::lround(share * kFullWeight)));
    }
    return weight;
}

bool is_name_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Calls visit(name, its place, whether '(' follows) for each name in an expression. A number with
// its exponent or unit is none.
template <class Visit>
void for_each_name(std::string_view text, const Visit& visit) {
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at + 1;
        while (is_name_character(text[at]) && end < text.size() && is_name_character(text[end]))
            ++end;
        const std::size_t next = text.find_first_not_of(' ', end);
        if (is_name_character(text[at]) && std::isdigit(static_cast<unsigned char>(text[at])) == 0)
            visit(text.substr(at, end - at), at,
                  next != std::string_view::npos && text[next] == '(');
        at = end;
    }
}

// libavutil's functions, without those whose result depends on the calls before (st, ld, random),
// on the clock (time) or that print and loop (print, while, taylor, root).
const std::vector<std::string_view> kFunctions{
    "abs",  "acos",  "asin",   "atan",  "atan2", "between", "bitand", "bitor", "ceil",
    "clip", "cos",   "cosh",   "eq",    "exp",   "floor",   "gauss",  "gcd",   "gt",
    "gte",  "hypot", "if",     "ifnot", "isinf", "isnan",   "lerp",   "log",   "lt",
    "lte",  "max",   "min",    "mod",   "not",   "pow",     "round",  "sgn",   "sin",
    "sinh", "sqrt",  "squish", "tan",   "tanh",  "trunc"};
const std::vector<std::string_view> kConstants{"t", "n", "w", "h", "PI", "E", "PHI"};

// Whether the name may be one of numbered pictures, "mask_%04d.png".
bool is_numbered(std::string_view path) {
    return path.find('%') != std::string_view::npos;
}

// Whether the file's boxes are those of numbered frames. The plan reports a file that has none.
bool have_numbers(const std::string& path) {
    try {
        return !path.empty() && load_boxes(path).clock() == BoxClock::frames;
    } catch (const FilterError&) {
        return false;
    }
}

std::vector<RegionRect> still_regions(const Params& params, const Length& grow,
                                      const FrameInfo& info) {
    const bool turned = info.rotation_degrees % 180 != 0;
    const int width = turned ? info.height : info.width;
    const int height = turned ? info.width : info.height;
    std::vector<RegionRect> regions;
    for (const RegionText& text : parse_regions(params.text("region"))) {
        const RegionRect rect = coded_rect(displayed_rect(text, grow, width, height), info);
        if (meets_frame(rect, info)) regions.push_back(rect);
    }
    if (regions.empty())
        params.fail("region", fmt::format("lies outside the frame of {}×{}", width, height));
    return regions;
}

std::shared_ptr<const MovingRegions> moving_regions(const Params& params, const Length& grow,
                                                    const FrameInfo& info) {
    MovingRegions moving;
    moving.grow = grow;
    moving.frame = info;
    try {
        moving.boxes = load_boxes(params.text("boxes"));
    } catch (const FilterError& error) {
        params.fail("boxes", error.what());
    }
    if (params.is_set("ids")) {
        const std::vector<std::int64_t> ids = parse_ids(params.text("ids"));
        if (const std::string absent = moving.boxes.absent(ids); !absent.empty())
            params.fail("ids", absent);
        moving.boxes = moving.boxes.only(ids);
    }
    const std::string_view gap = params.choice("gap");
    moving.gap = gap == "hold" ? Gap::hold : gap == "off" ? Gap::off : Gap::interpolate;
    return std::make_shared<const MovingRegions>(std::move(moving));
}

}  // namespace

std::span<const ParamDef> step_params() {
    return kStepParams;
}

std::vector<RegionText> parse_regions(std::string_view text) {
    std::vector<RegionText> regions;
    RegionReader reader(text);
    while (true) {
        regions.push_back(reader.read());
        if (reader.at_end()) return regions;
        if (regions.size() == kMostRegions)
            throw TextError(fmt::format("a step has at most {} regions", kMostRegions), 0);
        reader.pass_bar();
    }
}

Length parse_length(std::string_view text) {
    Length length;
    length.percent = text.ends_with('%');
    std::string_view number = text;
    if (length.percent) number.remove_suffix(1);
    if (number.ends_with("px") && !length.percent) number.remove_suffix(2);
    length.value = parse_number(number);
    if (length.value < 0 || length.value > 10'000)
        throw TextError(fmt::format("{} is outside 0 to 10000", shown(text)), 0);
    return length;
}

void check_enable_names(std::string_view text) {
    for_each_name(text, [&](std::string_view name, std::size_t at, bool called) {
        const auto& known = called ? kFunctions : kConstants;
        if (std::ranges::find(known, name) == known.end())
            throw TextError(
                fmt::format("unknown {} '{}'{} valid are {}", called ? "function" : "name",
                            shown(name), suggestion(name, known), fmt::join(known, ", ")),
                at);
    });
}

std::vector<std::int64_t> parse_ids(std::string_view text) {
    std::vector<std::int64_t> ids;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('|', at), text.size());
        const std::string_view one = text.substr(at, end - at);
        const auto id = parse_whole_number<std::int64_t>(one, kNoId);
        if (!id)
            throw TextError(fmt::format("'{}' is not the number of an object", shown(one)), at);
        ids.push_back(*id);
        at = end + 1;
    }
    return ids;
}

bool counts_frames(const Stack& stack) {
    bool counts = false;
    for (const Step& step : stack)
        counts = counts || have_numbers(step.params.text("boxes")) ||
                 is_numbered(step.params.text("mask"));
    for (const Step& step : stack)
        for_each_name(step.params.text("enable"), [&](std::string_view name, std::size_t, bool) {
            counts = counts || name == "n";
        });
    return counts;
}

void check_where(const Params& params) {
    const bool moves = params.is_set("boxes");
    const bool stands = params.is_set("region");
    if (moves && stands)
        params.fail("boxes", "the regions are either those of region or those of boxes");
    if (params.is_set("mask") && (moves || stands))
        params.fail("mask", fmt::format("a mask takes the place of {}: remove one of them",
                                        moves ? "boxes" : "region"));
    for (const std::string_view name : {"ids", "gap"})
        if (!moves && params.is_set(name)) params.fail(name, "needs boxes: add boxes=FILE");
    for (const std::string_view name : {"shape", "feather", "grow"})
        if (!moves && !stands && params.is_set(name))
            params.fail(name, "needs a region: add region=WxH+X+Y or boxes=FILE");
    if (!moves && !stands && !params.is_set("mask") && params.is_set("invert"))
        params.fail("invert", "needs a region: add region=WxH+X+Y, boxes=FILE or mask=FILE");
}

std::optional<Where> where_of(const Params& params, const FrameInfo& info) {
    const bool moves = params.is_set("boxes");
    const bool masked = params.is_set("mask");
    if (!moves && !masked && !params.is_set("region")) return std::nullopt;
    Where where;
    where.shape =
        params.choice("shape") == "ellipse" ? RegionShape::ellipse : RegionShape::rectangle;
    where.feather = params.number("feather");
    where.invert = params.boolean("invert");
    where.masked = masked;
    if (masked) return where;
    const Length grow = parse_length(params.text("grow"));
    if (moves)
        where.moving = moving_regions(params, grow, info);
    else
        where.regions = still_regions(params, grow, info);
    return where;
}

std::vector<RegionRect> MovingRegions::at(const FramePlace& place) const {
    std::vector<RegionRect> regions;
    for (const ObjectBox& box : boxes.at(place, gap)) {
        const RegionRect shown{box.left, box.top, box.left + box.width, box.top + box.height};
        const RegionRect rect = coded_rect(grown(shown, grow), frame);
        if (meets_frame(rect, frame)) regions.push_back(rect);
    }
    return regions;
}

BoxSize MovingRegions::largest() const {
    const BoxSize shown = boxes.largest();
    const RegionRect rect = grown({0, 0, shown.width, shown.height}, grow);
    const bool turned = frame.rotation_degrees % 180 != 0;
    const BoxSize size{rect.right - rect.left, rect.bottom - rect.top};
    return turned ? BoxSize{size.height, size.width} : size;
}

PixelRect touched_pixels(const RegionRect& region) {
    const int left = first_touched(region.left);
    const int top = first_touched(region.top);
    return {left, top, std::max(after_touched(region.right) - left, 1),
            std::max(after_touched(region.bottom) - top, 1)};
}

PixelRect reach_of(const Where& where, const RegionRect& region, int width, int height,
                   Lines lines) {
    const PixelRect rect = with_feather(touched_pixels(region), where);
    // The picture's line k is the frame's line first + k * step.
    const auto line_from = [&](int y) {
        return static_cast<int>(std::ceil((y - lines.first) / static_cast<double>(lines.step)));
    };
    const int top = line_from(rect.top);
    return clipped({rect.left, top, rect.width, line_from(rect.bottom()) - top}, width, height);
}

void fill_weights(const Where& where, const PixelRect& samples, Coverage coverage, Lines lines,
                  WeightRows rows) {
    std::vector<PixelRect> regions;
    for (const RegionRect& region : where.regions) regions.push_back(touched_pixels(region));
    std::vector<PixelRect> near;  // those that can change the current row
    const auto weight_of = [&](int column, int row) {
        unsigned weight = 0;
        const int bottom = std::min((row + 1) * coverage.rows, coverage.height);
        const int right = std::min((column + 1) * coverage.columns, coverage.width);
        for (int y = row * coverage.rows; y < bottom; ++y)
            for (int x = column * coverage.columns; x < right; ++x)
                weight = std::max(weight, weight_at(where, near, x, lines.first + y * lines.step));
        return where.invert ? kFullWeight - weight : weight;
    };
    for (int row = samples.top; row < samples.bottom(); ++row) {
        const int begin = lines.first + row * coverage.rows * lines.step;
        const int end = begin + coverage.rows * lines.step;
        near.clear();
        for (const PixelRect& region : regions) {
            const PixelRect reach = with_feather(region, where);
            if (reach.top < end && reach.bottom() > begin) near.push_back(region);
        }
        std::uint16_t* weight = rows.first + (row - samples.top) * rows.pitch;
        for (int column = samples.left; column < samples.right(); ++column)
            *weight++ = static_cast<std::uint16_t>(weight_of(column, row));
    }
}

}  // namespace weft
