// Audio output through PortAudio, loaded at run time so that the program starts without it.
#include <algorithm>
#include <mutex>
#include <portaudio.h>
#include <stdexcept>

#include <fmt/format.h>

#include "app/viewer/audio/audio_output.h"
#include "kernels/device/loaded_library.h"

namespace weft {

namespace {

struct PortAudio {
    explicit PortAudio(const LoadedLibrary& library)
        : initialize(library.find<decltype(&Pa_Initialize)>("Pa_Initialize")),
          terminate(library.find<decltype(&Pa_Terminate)>("Pa_Terminate")),
          default_device(
              library.find<decltype(&Pa_GetDefaultOutputDevice)>("Pa_GetDefaultOutputDevice")),
          device_info(library.find<decltype(&Pa_GetDeviceInfo)>("Pa_GetDeviceInfo")),
          open(library.find<decltype(&Pa_OpenStream)>("Pa_OpenStream")),
          close(library.find<decltype(&Pa_CloseStream)>("Pa_CloseStream")),
          start(library.find<decltype(&Pa_StartStream)>("Pa_StartStream")),
          abort(library.find<decltype(&Pa_AbortStream)>("Pa_AbortStream")),
          write(library.find<decltype(&Pa_WriteStream)>("Pa_WriteStream")),
          write_available(
              library.find<decltype(&Pa_GetStreamWriteAvailable)>("Pa_GetStreamWriteAvailable")),
          stream_info(library.find<decltype(&Pa_GetStreamInfo)>("Pa_GetStreamInfo")),
          error_text(library.find<decltype(&Pa_GetErrorText)>("Pa_GetErrorText")) {}

    bool complete() const {
        return initialize && terminate && default_device && device_info && open && close && start &&
               abort && write && write_available && stream_info && error_text;
    }

    decltype(&Pa_Initialize) initialize;
    decltype(&Pa_Terminate) terminate;
    decltype(&Pa_GetDefaultOutputDevice) default_device;
    decltype(&Pa_GetDeviceInfo) device_info;
    decltype(&Pa_OpenStream) open;
    decltype(&Pa_CloseStream) close;
    decltype(&Pa_StartStream) start;
    decltype(&Pa_AbortStream) abort;
    decltype(&Pa_WriteStream) write;
    decltype(&Pa_GetStreamWriteAvailable) write_available;
    decltype(&Pa_GetStreamInfo) stream_info;
    decltype(&Pa_GetErrorText) error_text;
};

void ignore_message(const char* /*file*/, int /*line*/, const char* /*function*/, int /*code*/,
                    const char* /*format*/, ...) {}

// Silences ALSA and JACK, which PortAudio probes in turn and which print every missing device to
// the terminal. PortAudio returns the errors that matter.
void silence_back_ends() {
    using AlsaHandler = void (*)(const char*, int, const char*, int, const char*, ...);
    using JackHandler = void (*)(const char*);
    static const LoadedLibrary alsa({"libasound.so.2"});
    static const LoadedLibrary jack({"libjack.so.0"});
    const auto set_alsa = alsa.find<int (*)(AlsaHandler)>("snd_lib_error_set_handler");
    if (set_alsa) (void)set_alsa(ignore_message);
    for (const char* name : {"jack_set_error_function", "jack_set_info_function"})
        if (const auto set_jack = jack.find<void (*)(JackHandler)>(name))
            set_jack([](const char*) {});
}

// Throws if the library is missing.
const PortAudio& port_audio() {
    static const LoadedLibrary library({"libportaudio.so.2", "libportaudio.so"});
    static const PortAudio api(library);
    if (!api.complete())
        throw std::runtime_error("no audio: PortAudio is not installed (libportaudio2)");
    return api;
}

int check(const PortAudio& api, int result, const char* doing) {
    if (result < 0 && result != paOutputUnderflowed)
        throw std::runtime_error(fmt::format("no audio: {}: {}", doing, api.error_text(result)));
    return result;
}

// PortAudio's initialization and termination, which are not thread-safe.
class Session {
 public:
    explicit Session(const PortAudio& api) : api_(api) {
        const std::scoped_lock lock(mutex());
        silence_back_ends();
        check(api_, api_.initialize(), "starting PortAudio");
    }
    ~Session() {
        const std::scoped_lock lock(mutex());
        (void)api_.terminate();
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    static std::mutex& mutex() {
        static std::mutex only;
        return only;
    }

 private:
    const PortAudio& api_;
};

class PortAudioOutput : public AudioOutput {
 public:
    PortAudioOutput() : api_(port_audio()), session_(api_) {
        const std::scoped_lock lock(Session::mutex());
        PaStreamParameters to{};
        to.device = api_.default_device();
        if (to.device == paNoDevice)
            throw std::runtime_error("no audio: no audio device was found");
        to.channelCount = 2;
        to.sampleFormat = paFloat32;
        to.suggestedLatency = api_.device_info(to.device)->defaultHighOutputLatency;
        check(api_,
              api_.open(&stream_, nullptr, &to, kAudioRate, paFramesPerBufferUnspecified, paNoFlag,
                        nullptr, nullptr),
              "opening the audio device");
        buffered_ = api_.write_available(stream_);
    }
    ~PortAudioOutput() override {
        const std::scoped_lock lock(Session::mutex());
        (void)api_.close(stream_);
    }
    PortAudioOutput(const PortAudioOutput&) = delete;
    PortAudioOutput& operator=(const PortAudioOutput&) = delete;

    void start() override {
        check(api_, api_.start(stream_), "starting the audio device");
        buffered_ = std::max(buffered_, api_.write_available(stream_));
    }
    void write(std::span<const float> stereo) override {
        check(api_, api_.write(stream_, stereo.data(), stereo.size() / 2),
              "writing to the audio device");
    }
    void abort() override { check(api_, api_.abort(stream_), "stopping the audio device"); }
    // The reported latency is that of a full buffer.
    double delay() override {
        const long room = std::clamp(api_.write_available(stream_), 0L, std::max(buffered_, 0L));
        const double latency = api_.stream_info(stream_)->outputLatency;
        return std::max(latency - static_cast<double>(room) / kAudioRate, 0.0);
    }
    SteadyTime now() const override { return std::chrono::steady_clock::now(); }

 private:
    const PortAudio& api_;
    Session session_;
    PaStream* stream_ = nullptr;
    long buffered_ = 0;  // capacity of the device's buffer in frames
};

}  // namespace

std::unique_ptr<AudioOutput> open_default_audio() {
    return std::make_unique<PortAudioOutput>();
}

}  // namespace weft
