#include "app/media/libav/ffmpeg.h"

#include <array>

extern "C" {
#include <libavutil/cpu.h>
}

#include <fmt/format.h>

#include "kernels/device/cgroup.h"

namespace weft {

namespace {

template <class T>
T require(T owner) {
    if (!owner) throw_no_memory();
    return owner;
}

}  // namespace

std::string av_error_text(int av_code) {
    // libav's own text asks for patches, which helps no user.
    if (av_code == AVERROR_PATCHWELCOME) return "this FFmpeg cannot do it";
    std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
    av_strerror(av_code, text.data(), text.size());
    return text.data();
}

int av_check(int result, const std::string& doing, const std::string& path, Outcome outcome,
             std::source_location where) {
    if (result >= 0) return result;
    if (result == AVERROR(ENOMEM))
        throw MediaError(Outcome::failed, fmt::format("{}: {} failed: {}", path, doing, kNoMemory),
                         result);
    const std::string text = fmt::format("{}: {} failed: {}", path, doing, av_error_text(result));
    av_log(nullptr, AV_LOG_DEBUG, "%s (%s:%u)\n", text.c_str(), where.file_name(), where.line());
    throw MediaError(outcome, text, result);
}

void set_entry(AVDictionary** dict, const char* key, const char* value, int flags) {
    av_check(av_dict_set(dict, key, value, flags), "setting an entry", key);
}

int codec_threads(int wanted) {
    if (wanted > 0) return wanted;
    return usable_cores() < av_cpu_count() ? usable_cores() : 0;
}

AVFramePtr make_frame() {
    return require(AVFramePtr(av_frame_alloc()));
}

AVPacketPtr make_packet() {
    return require(AVPacketPtr(av_packet_alloc()));
}

void free_avio(AVIOContext* io) noexcept {
    av_freep(&io->buffer);
    avio_context_free(&io);
}

}  // namespace weft
