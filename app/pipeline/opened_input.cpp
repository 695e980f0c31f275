#include "app/pipeline/opened_input.h"

#include <fmt/format.h>

namespace weft {
namespace {

// Discards the packets of these streams; a discarded stream is left out of the output as well.
void leave_out_streams(const Reader& reader, const ReaderOptions& options) {
    for (unsigned k = 0; k < reader.source().nb_streams; ++k) {
        AVStream* stream = reader.source().streams[k];
        const AVMediaType type = stream->codecpar->codec_type;
        if ((type == AVMEDIA_TYPE_AUDIO && !options.audio) ||
            (type == AVMEDIA_TYPE_SUBTITLE && !options.subtitles))
            stream->discard = AVDISCARD_ALL;
    }
}

// Pictures are composed on the host.
ReaderOptions reader_options(const FileJob& job) {
    ReaderOptions options = job.reader;
    if (job.compose) options.hwaccel = Hwaccel::none;
    return options;
}

}  // namespace

OpenedInput open_input(const FileJob& job) {
    Reader reader(reader_options(job));
    leave_out_streams(reader, job.reader);
    const FrameInfo info = frame_info(*reader.first_frame().av, reader.rotation_degrees());
    try {
        auto plans = plan_frames(job.stack, info, job.device, job.forced, job.fields);
        std::vector<StackPlan> compared;
        if (!job.compared.empty())
            compared = plan_frames(job.compared, info, job.device, job.compared_forced, job.fields);
        return {std::move(reader), std::move(plans), std::move(compared)};
    } catch (const Error& error) {
        throw Error(error.code(), fmt::format("{}: {}", job.reader.path, error.what()));
    }
}

std::vector<std::string> OpenedInput::notes() const {
    std::vector<std::string> notes = reader.notes();
    if (reader.decoding().on_gpu)
        notes.emplace_back(
            "decoded by the GPU, which does not report broken pictures; software does");
    if (const std::string& compared = reader.decoding().compared; !compared.empty())
        notes.push_back("decoded " + compared);
    for (const StepPlan& step : plans.front().steps)
        for (const std::string& note : step.notes)
            notes.push_back(fmt::format("{}: {}", step.filter, note));
    return notes;
}

}  // namespace weft
