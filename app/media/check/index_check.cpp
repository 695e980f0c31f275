#include "app/media/check/index_check.h"

#include <algorithm>
#include <string_view>

namespace weft {

namespace {

bool has_index(const Demuxer& demuxer) {
    const std::string_view format = demuxer.format_name();
    return format == "avi" || format.starts_with("mov,");
}

bool is_frame(const AVIndexEntry& entry) {
    return entry.size > 0 && (entry.flags & AVINDEX_DISCARD_FRAME) == 0;
}

// libav's index functions take a non-const stream, but do not change it.
template <class Visit>
void for_each_entry(AVStream& stream, Visit visit) {
    const int count = avformat_index_get_entries_count(&stream);
    for (int i = 0; i < count; ++i)
        if (const AVIndexEntry* entry = avformat_index_get_entry(&stream, i)) visit(*entry);
}

AVStream& mutable_stream(const Demuxer& demuxer, const AVStream& stream) {
    return *demuxer.context().streams[stream.index];
}

double seconds_of(const AVStream& stream, std::int64_t ticks) {
    return static_cast<double>(ticks) * av_q2d(stream.time_base);
}

}  // namespace

std::optional<IndexedPart> first_part_beyond_end(const Demuxer& demuxer, const TimeRange& range) {
    std::optional<IndexedPart> first;
    const std::int64_t size = demuxer.file().size();
    if (!has_index(demuxer) || !demuxer.file().seekable()) return first;
    const AVFormatContext& context = demuxer.context();
    for (unsigned i = 0; i < context.nb_streams; ++i) {
        AVStream& stream = *context.streams[i];
        for_each_entry(stream, [&](const AVIndexEntry& entry) {
            const std::int64_t end = entry.pos + entry.size;
            if (end <= size || !range.contains(entry.timestamp, stream.time_base)) return;
            if (!first || entry.pos < first->byte)
                first = {entry.pos, end, seconds_of(stream, entry.timestamp)};
        });
    }
    return first;
}

std::int64_t indexed_frames(const Demuxer& demuxer, const AVStream& stream) {
    if (!has_index(demuxer)) return 0;
    std::int64_t count = 0;
    for_each_entry(mutable_stream(demuxer, stream),
                   [&](const AVIndexEntry& entry) { count += is_frame(entry) ? 1 : 0; });
    return count;
}

std::int64_t hidden_frames(const Demuxer& demuxer, const AVStream& stream) {
    const bool mp4 = std::string_view(demuxer.format_name()).starts_with("mov,");
    if (!mp4 || stream.nb_frames == 0) return 0;
    std::int64_t shown = 0;
    for_each_entry(mutable_stream(demuxer, stream), [&](const AVIndexEntry& entry) {
        shown += (entry.flags & AVINDEX_DISCARD_FRAME) == 0 ? 1 : 0;
    });
    return std::max<std::int64_t>(stream.nb_frames - shown, 0);
}

BadPlace indexed_place(const Demuxer& demuxer, const AVStream& stream, std::int64_t nth) {
    BadPlace place;
    for_each_entry(mutable_stream(demuxer, stream), [&](const AVIndexEntry& entry) {
        if (is_frame(entry) && nth-- == 0) place = {seconds_of(stream, entry.timestamp), entry.pos};
    });
    return place;
}

}  // namespace weft
