#include "app/cli/batch/trial_sheet.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/viewer/export/frame_export.h"
#include "app/viewer/play/frame_source.h"
#include "app/viewer/play/thumbnails.h"
#include "filters/text/printable.h"

namespace weft {
namespace {

constexpr int kSide = 480;
constexpr int kGap = 8;
constexpr std::size_t kMostRows = 20;
constexpr std::uint8_t kBackground = 24;
constexpr double kRounding = 1e-3;  // of times in Matroska

struct Shown {
    ThumbnailPtr picture;
    double seconds = 0;  // after the first frame that was filtered
    bool still = false;
};

double filtered_from(const ReaderOptions& options) {
    return media_info(Reader(options), options.path).origin;
}

// The first frame at `seconds` or later, or the last one; without `seconds`, of the file's middle.
Shown show(const ReaderOptions& options, std::optional<double> seconds) {
    FrameSource source(options.path, {}, options.frame_rate);
    const MediaInfo media = media_info(source.reader(), options.path);
    const double origin = options.start_us ? filtered_from(options) : media.origin;
    const double wanted = origin + seconds.value_or(media.duration / 2);
    const double unit = av_q2d(source.time_base());
    if (!media.still) source.seek(std::llround(wanted / unit));
    std::optional<Frame> shown;
    double time = 0;
    while (!shown || time < wanted - kRounding) {
        std::optional<Frame> next = source.next();
        if (!next) break;
        shown = std::move(next);
        time = static_cast<double>(shown->pts) * unit;
        if (media.still) break;
    }
    if (!shown) return {};
    return {make_thumbnail(*shown->av, media, 0, kSide), time - origin, media.still};
}

struct Row {
    ThumbnailPtr before;
    ThumbnailPtr after;
    int height() const { return std::max(before->height, after->height); }
};

// RGB rows without padding.
struct Sheet {
    Sheet(int columns, int rows)
        : width(columns),
          height(rows),
          rgb(std::size_t{3} * static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
              kBackground) {}

    void paste(const Thumbnail& picture, int left, int top) {
        const std::ptrdiff_t bytes = std::ptrdiff_t{3} * picture.width;
        for (int y = 0; y < picture.height; ++y)
            std::copy_n(picture.rgb.begin() + y * bytes, bytes,
                        rgb.begin() + 3 * ((std::ptrdiff_t{top} + y) * width + left));
    }

    int width;
    int height;
    std::vector<std::uint8_t> rgb;
};

Sheet draw(const std::vector<Row>& rows) {
    int height = kGap;
    for (const Row& row : rows) height += row.height() + kGap;
    Sheet sheet(2 * kSide + 3 * kGap, height);
    int top = kGap;
    for (const Row& row : rows) {
        int left = kGap;
        for (const ThumbnailPtr& picture : {row.before, row.after}) {
            sheet.paste(*picture, left + (kSide - picture->width) / 2,
                        top + (row.height() - picture->height) / 2);
            left += kSide + kGap;
        }
        top += row.height() + kGap;
    }
    return sheet;
}

}  // namespace

std::string save_trial_sheet(const std::vector<JobFile>& files, const ReaderOptions& reader,
                             const std::filesystem::path& folder, const std::string& name) {
    const std::size_t count = std::min(files.size(), kMostRows);
    std::vector<Row> rows;
    std::vector<std::string> names;
    for (std::size_t k = 0; k < count; ++k) {
        const JobFile& file = files[k * files.size() / count];
        ReaderOptions before = reader;
        before.path = file.input;
        ReaderOptions after;
        after.path = file.output;
        const Shown filtered = show(after, {});
        Row row{show(before, filtered.seconds).picture, filtered.picture};
        if (!row.before || !row.after) continue;
        rows.push_back(std::move(row));
        names.push_back(printable_line(file.name) +
                        (filtered.still ? "" : " at " + time_text(filtered.seconds)));
    }
    if (rows.empty()) return "no picture of these files can be shown";
    const Sheet sheet = draw(rows);
    Shot shot;
    shot.picture =
        frame_of_rgb(std::as_bytes(std::span(sheet.rgb)), sheet.width, sheet.height, false);
    shot.folder = folder;
    shot.input = name + ".png";
    shot.seconds = std::nullopt;
    return fmt::format("{} shows files before (left) and after (right), from top to bottom: {}",
                       printable_line(save_shot(shot).string()), fmt::join(names, ", "));
}

}  // namespace weft
