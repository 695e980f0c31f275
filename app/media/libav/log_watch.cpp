#include "app/media/libav/log_watch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <mutex>
#include <new>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "app/media/libav/assertion_trap.h"

namespace weft {

namespace {

struct Registry {
    std::mutex mutex;
    std::vector<LogWatch*> watches;
    std::map<const void*, std::shared_ptr<std::atomic<bool>>> watched;  // for assertions
};

Registry& registry() {
    static Registry all;
    return all;
}

// Everything that a decoder logs, at any level.
struct Message {
    int level = 0;
    const char* format = nullptr;
    int error = 0;  // errno
};

void count_nameless(const Message& message) {
    const std::lock_guard lock(registry().mutex);
    for (LogWatch* watch : registry().watches)
        if (watch->is_called()) watch->message(message.level, message.format, message.error);
}

// Decoders of other code use their opaque pointer differently: only known ones are followed.
void count_message(void* source, const Message& message) {
    if (message.level > AV_LOG_INFO && message.error != ENOMEM) return;
    if (!source) return count_nameless(message);
    if (*static_cast<const AVClass* const*>(source) != avcodec_get_class()) return;
    void* opaque = static_cast<AVCodecContext*>(source)->opaque;
    if (!opaque) return;
    const std::lock_guard lock(registry().mutex);
    const auto& watches = registry().watches;
    const auto found = std::find(watches.begin(), watches.end(), opaque);
    if (found != watches.end()) (*found)->message(message.level, message.format, message.error);
}

thread_local std::atomic<bool>* trap = nullptr;
thread_local LoggedErrors* logged = nullptr;

void keep_message(int level, const char* format, va_list values) {
    std::array<char, 512> text{};
    va_list copy;
    va_copy(copy, values);
    (void)std::vsnprintf(text.data(), text.size(), format, copy);
    va_end(copy);
    logged->message(level, text.data());
}

void log_callback(void* source, int level, const char* format, va_list values) {
    count_message(source, {level, format, errno});
    if (logged != nullptr && level <= AV_LOG_WARNING) keep_message(level, format, values);
    av_log_default_callback(source, level, format, values);
    // av_assert0() alone logs at this level; abort() is next.
    if (level != AV_LOG_PANIC || trap == nullptr) return;
    *trap = true;
    for (;;) pause();
}

void install_callback() {
    static std::once_flag installed;
    std::call_once(installed, [] { av_log_set_callback(log_callback); });
}

bool stands_alone(const AVCodecContext& codec) {
    // These depend on the previous frame, but report only errors of their own part, or log no
    // error for a healthy stream.
    constexpr std::array kOwnPart = {
        AV_CODEC_ID_GIF,      AV_CODEC_ID_APNG,      AV_CODEC_ID_FFV1,      AV_CODEC_ID_THEORA,
        AV_CODEC_ID_VP3,      AV_CODEC_ID_MSMPEG4V1, AV_CODEC_ID_MSMPEG4V2, AV_CODEC_ID_MSMPEG4V3,
        AV_CODEC_ID_WMV1,     AV_CODEC_ID_WMV2,      AV_CODEC_ID_G2M,       AV_CODEC_ID_FLASHSV,
        AV_CODEC_ID_FLASHSV2, AV_CODEC_ID_ZMBV,      AV_CODEC_ID_QTRLE,     AV_CODEC_ID_RPZA,
        AV_CODEC_ID_SMC,      AV_CODEC_ID_CINEPAK,   AV_CODEC_ID_MSVIDEO1,  AV_CODEC_ID_SVQ1,
        AV_CODEC_ID_SNOW};
    if (std::find(kOwnPart.begin(), kOwnPart.end(), codec.codec_id) != kOwnPart.end()) return true;
    const AVCodecDescriptor* known = avcodec_descriptor_get(codec.codec_id);
    return known && (known->props & AV_CODEC_PROP_INTRA_ONLY) != 0;
}

}  // namespace

AssertionWatch::AssertionWatch(const void* work)
    : work_(work), failed_(std::make_shared<std::atomic<bool>>(false)) {
    const std::lock_guard lock(registry().mutex);
    registry().watched.insert_or_assign(work, failed_);
}

AssertionWatch::~AssertionWatch() {
    const std::lock_guard lock(registry().mutex);
    registry().watched.erase(work_);
}

AssertionTrap::AssertionTrap(const void* work) : outer_(trap) {
    install_callback();
    const std::lock_guard lock(registry().mutex);
    const auto found = registry().watched.find(work);
    if (found == registry().watched.end()) return;
    failed_ = found->second;
    trap = failed_.get();
}

AssertionTrap::~AssertionTrap() {
    trap = outer_;
}

LogWatch::LogWatch(AVCodecContext& codec)
    : stands_alone_(stands_alone(codec)), nameless_(codec.codec_id == AV_CODEC_ID_JPEGLS) {
    install_callback();
    const std::lock_guard lock(registry().mutex);
    registry().watches.push_back(this);
    codec.opaque = this;
}

LogWatch::~LogWatch() {
    const std::lock_guard lock(registry().mutex);
    std::erase(registry().watches, this);
}

LoggedErrors::LoggedErrors() {
    install_callback();
    logged = this;
}

LoggedErrors::~LoggedErrors() {
    logged = nullptr;
}

void LoggedErrors::message(int level, std::string_view text) {
    while (text.ends_with('\n') || text.ends_with('.')) text.remove_suffix(1);
    // The wrappers of x264, of AOM's and SVT's encoders, of x265 twice.
    constexpr std::array<std::string_view, 3> kOfOption = {"Error parsing option", "Unknown option",
                                                           "Invalid value for"};
    const bool of_option = std::ranges::any_of(
        kOfOption, [&](std::string_view words) { return text.starts_with(words); });
    try {
        if (first_.empty() && (level <= AV_LOG_ERROR || of_option)) first_ = text;
        if (of_option_.empty() && of_option) of_option_ = text;
    } catch (const std::bad_alloc&) {
        return;  // libav could not pass it on
    }
}

void LogWatch::message(int level, const char* format, int error) {
    if (error == ENOMEM) short_of_memory_.store(true, std::memory_order_relaxed);
    if (level > AV_LOG_INFO) return;
    // libav's error resilience (H.264, MPEG-1 to -4, VC-1, H.263) logs how much it invented. HEVC
    // invents whole reference pictures.
    const std::string_view text = format;
    // The words of libav's decoders for a feature that they lack: the last two are a BMP's masks
    // and a segment in the header of a JPEG 2000. Warnings report features that are skipped,
    // except for libav's own sentence.
    constexpr const char* kMissing = "not implemented. Update your FFmpeg";
    constexpr std::array kLacks = {"upport",           "mplemented",
                                   "nknown pix",       "nknown compression",
                                   "nknown bitfields", "processing marker segment"};
    const auto occurs = [&](const char* words) {
        return text.find(words) != std::string_view::npos;
    };
    // Unreadable metadata are PictureMetadata's to report: the samples are sound.
    if (occurs("EXIF data") || occurs("Exif data") || occurs("decode APP fields")) return;
    if (occurs(kMissing) || (level <= AV_LOG_ERROR && std::ranges::any_of(kLacks, occurs)))
        lacks_feature_.store(true, std::memory_order_relaxed);
    if (occurs("decoder surfaces left")) lacks_surfaces_.store(true, std::memory_order_relaxed);
    const bool conceals =
        text.starts_with("concealing ") || text.starts_with("Could not find ref with POC");
    if (conceals || (stands_alone_ && level <= AV_LOG_ERROR))
        errors_.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace weft
