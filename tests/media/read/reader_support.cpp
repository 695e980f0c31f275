#include "tests/media/read/reader_support.h"

#include <algorithm>
#include <random>

#include <nlohmann/json.hpp>

#include "app/media/picture/frame.h"
#include "kernels/device/image_buffer.h"
#include "kernels/pixels/pixel_ops.h"
#include "tests/support/frame_hash.h"

namespace weft::test {

namespace {

void take(const Reader& reader, MediaItem& item, ReadResult& result) {
    if (const auto* frame = std::get_if<Frame>(&item)) {
        EXPECT_EQ(frame->index, static_cast<std::int64_t>(result.pts.size()));
        result.pts.push_back(frame->pts);
        result.seconds.push_back(static_cast<double>(frame->pts) * av_q2d(reader.time_base()));
        result.hashes.push_back(frame_hash(*frame->av));
    }
    if (const auto* packet = std::get_if<SourcePacket>(&item))
        ++result.packets[packet->packet->stream_index];
}

std::size_t part(const Bytes& bytes, int percent) {
    return bytes.size() * static_cast<std::size_t>(percent) / 100;
}

}  // namespace

Bytes samples_of(const AVFrame& frame) {
    Bytes all;
    for (const ImageView& plane : plane_views(frame)) {
        const ImageBuffer copy(plane.width, plane.height, plane.channels, plane.type,
                               Allocation::host);
        copy_image(plane, copy.view(), nullptr);
        for (int y = 0; y < plane.height; ++y) {
            const auto* row = reinterpret_cast<const std::uint8_t*>(copy.view().row(y));
            all.insert(all.end(), row, row + plane.row_bytes());
        }
    }
    return all;
}

ReadResult read_all(ReaderOptions options) {
    av_log_set_level(AV_LOG_QUIET);
    ReadResult result;
    try {
        Reader reader(std::move(options));
        for (MediaItem item = reader.next(); !std::holds_alternative<EndOfInput>(item);
             item = reader.next())
            take(reader, item, result);
        result.damage = reader.damage();
        result.notes = reader.notes();
    } catch (const Error& error) {
        result.outcome = error.outcome();
        result.error = error.what();
    }
    return result;
}

ReadResult read_all(const std::filesystem::path& file) {
    ReaderOptions options;
    options.path = file.string();
    return read_all(std::move(options));
}

std::vector<std::int64_t> probed_pts(const std::filesystem::path& file) {
    const nlohmann::json probed =
        ffprobe(file, "-select_streams V:0 -show_entries frame=best_effort_timestamp");
    std::vector<std::int64_t> pts;
    for (const nlohmann::json& frame : probed.value("frames", nlohmann::json::array()))
        pts.push_back(frame.value("best_effort_timestamp", AV_NOPTS_VALUE));
    return pts;
}

std::string test_name(std::string text) {
    std::replace(text.begin(), text.end(), '.', '_');
    return text;
}

Mutation cut_to_percent(int percent) {
    return [=](Bytes bytes) {
        bytes.resize(part(bytes, percent));
        return bytes;
    };
}

Mutation cut_tail(std::size_t count) {
    return [=](Bytes bytes) {
        bytes.erase(bytes.end() - static_cast<std::ptrdiff_t>(std::min(count, bytes.size())),
                    bytes.end());
        return bytes;
    };
}

Mutation cut_head(int percent) {
    return [=](Bytes bytes) {
        const std::size_t count = part(bytes, percent);
        return Bytes(bytes.begin() + static_cast<std::ptrdiff_t>(count), bytes.end());
    };
}

Mutation flip_bytes(int count) {
    return [=](Bytes bytes) {
        std::mt19937 random(static_cast<std::uint32_t>(count));
        const std::size_t first = part(bytes, 10);
        const std::size_t span = part(bytes, 95) - first;
        for (int i = 0; i < count; ++i) {
            std::uint8_t& byte = bytes[first + random() % span];
            byte = static_cast<std::uint8_t>(byte ^ (1U + random() % 255U));
        }
        return bytes;
    };
}

Mutation zero_block(int at_percent, std::size_t count) {
    return [=](Bytes bytes) {
        const std::size_t first = part(bytes, at_percent);
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(first),
                    std::min(count, bytes.size() - first), std::uint8_t{0});
        return bytes;
    };
}

Mutation remove_block(int at_percent, std::size_t count) {
    return [=](Bytes bytes) {
        const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(part(bytes, at_percent));
        bytes.erase(first, first + static_cast<std::ptrdiff_t>(count));
        return bytes;
    };
}

Mutation cut_at_last(const Bytes& pattern, std::size_t after) {
    return [=](Bytes bytes) {
        const auto found =
            std::find_end(bytes.begin(), bytes.end(), pattern.begin(), pattern.end());
        if (found == bytes.end()) throw std::runtime_error("the file lacks the pattern");
        bytes.resize(static_cast<std::size_t>(found - bytes.begin()) + after);
        return bytes;
    };
}

Mutation append(const Bytes& tail) {
    return [=](Bytes bytes) {
        bytes.insert(bytes.end(), tail.begin(), tail.end());
        return bytes;
    };
}

Mutation x264_version(const std::string& digits) {
    return [=](Bytes bytes) {
        const std::string_view before = "x264 - core ";
        const auto found = std::search(bytes.begin(), bytes.end(), before.begin(), before.end());
        if (found == bytes.end()) throw std::runtime_error("the file names no x264");
        std::copy(digits.begin(), digits.end(), found + std::ssize(before));
        return bytes;
    };
}

std::filesystem::path mutate(const std::filesystem::path& file, const std::string& name,
                             const Mutation& mutation) {
    return write_bytes(name, mutation(read_bytes(file)));
}

}  // namespace weft::test
