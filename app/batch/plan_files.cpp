#include "app/batch/plan_files.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <set>
#include <span>

#include <fmt/format.h>

#include "app/batch/for_all.h"
#include "app/media/check/frame_list.h"
#include "app/media/demux/demuxer.h"
#include "app/media/demux/image_sequence.h"
#include "app/media/demux/video_stream.h"
#include "app/media/libav/error.h"
#include "app/media/libav/shortage.h"
#include "app/media/write/container_table.h"
#include "app/pipeline/file_job.h"
#include "app/pipeline/folders.h"
#include "app/pipeline/resumable.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

// More than cores: most of the time is spent waiting for a file server.
constexpr std::size_t kThreads = 16;

struct Header {
    InputStamp stamp;
    double seconds = 0;
    double frames = 0;    // in the video; 0: unknown
    double samples = 0;   // in all of them; 0: unknown
    std::string codecs;   // in all streams; empty: the file could not be opened
    std::string problem;  // why, as a sentence
    bool wrong = false;   // the problem is one of usage
};

double duration_of(const AVFormatContext& context, const AVStream& video) {
    if (context.duration > 0) return static_cast<double>(context.duration) / AV_TIME_BASE;
    return video.duration > 0 ? static_cast<double>(video.duration) * av_q2d(video.time_base) : 0;
}

double frames_of(const AVStream& video, double seconds) {
    if (video.nb_frames > 0) return static_cast<double>(video.nb_frames);
    constexpr double kUsualRate = 25;
    const AVRational rate =
        video.avg_frame_rate.num > 0 ? video.avg_frame_rate : video.r_frame_rate;
    return seconds * (rate.num > 0 && rate.den > 0 ? av_q2d(rate) : kUsualRate);
}

void read_streams(const Demuxer& demuxer, const std::string& path, Header& header) {
    const AVFormatContext& context = demuxer.context();
    for (const AVStream* stream : std::span(context.streams, context.nb_streams))
        header.codecs += fmt::format("{} ", avcodec_get_name(stream->codecpar->codec_id));
    const AVStream& video = *context.streams[find_video_stream(context, path)];
    header.seconds = demuxer.is_images() ? 0 : duration_of(context, video);
    const double pixels = static_cast<double>(video.codecpar->width) * video.codecpar->height;
    header.frames = demuxer.is_images() ? 1 : frames_of(video, header.seconds);
    header.samples = pixels * header.frames;
}

Header header_of(const std::string& path, ReaderOptions options) {
    Header header;
    try {
        header.stamp = stamp_of(path);
        options.path = path;
        options.headers_only = true;
        read_streams(Demuxer(options), path, header);
    } catch (const Error& error) {
        header.problem = error.what();
        header.wrong = error.outcome() == Outcome::usage;
    }
    return header;
}

void refuse_unplannable(const JobFile& file) {
    const auto refuse = [](const std::string& name, const char* why) {
        throw Error(Outcome::usage, fmt::format("{}: {}: filter it without a plan", name, why));
    };
    if (file.input == "-") refuse("standard input", "another task cannot read it");
    if (file.output == "-") refuse("standard output", "a plan works only with files");
    if (file.output == kNoOutput)
        refuse(file.input, "-o null: writes nothing that could be checked");
    if (is_sequence(file.input)) refuse(file.input, "is a sequence of pictures, not one file");
    if (file.numbered) refuse(file.output, "is a sequence of pictures");
}

// Files without a known number of samples count by their bytes, at the rate of the others.
void set_work(const std::vector<Header>& headers, std::vector<PlannedFile>& files) {
    constexpr double kSamplesPerUnit = 1000;
    double samples = 0;
    double bytes = 0;
    for (const Header& header : headers) {
        if (header.samples <= 0) continue;
        samples += header.samples;
        bytes += static_cast<double>(header.stamp.bytes);
    }
    const double per_byte = bytes > 0 ? samples / bytes : 100;  // of common videos
    for (std::size_t k = 0; k < files.size(); ++k) {
        const double known = headers[k].samples;
        const double all =
            known > 0 ? known : static_cast<double>(headers[k].stamp.bytes) * per_byte;
        constexpr double kMostWork = 1e15;
        files[k].work =
            std::max<std::int64_t>(1, std::llround(std::min(all / kSamplesPerUnit, kMostWork)));
    }
}

// Whole segments, of about the same number of frames. Nothing for a file that stays whole.
std::vector<VideoPart> parts_of(double frames, int most) {
    constexpr double kMostFrames = 1e15;
    const auto segments = static_cast<std::int64_t>(
        std::ceil(std::min(frames, kMostFrames) / static_cast<double>(kSegmentFrames)));
    const int count = static_cast<int>(std::min<std::int64_t>(most, segments));
    std::vector<VideoPart> parts;
    const auto begin = [&](int part) { return segments * part / count * kSegmentFrames; };
    if (count < 2) return parts;
    for (int part = 0; part < count; ++part)
        parts.push_back({.number = part + 1, .of = count, .begin = begin(part)});
    for (int part = 0; part + 1 < count; ++part)
        parts[static_cast<std::size_t>(part)].end = begin(part + 1);
    return parts;
}

// The last key frame from which the frames of the part, and those that its filters need before, can
// be decoded.
void set_key(VideoPart& part, const std::vector<ClosedKey>& keys, int frames_before) {
    const auto after =
        std::ranges::upper_bound(keys, part.begin - frames_before, {}, &ClosedKey::frame);
    if (after != keys.begin()) part.key = *(after - 1);
}

// A container that counts frames gives each a time that depends on all before it.
bool keeps_times(const JobFile& file, const std::string& format) {
    return find_container(file.output, format).clock != Clock::slots;
}

std::vector<VideoPart> parts_of(const JobFile& file, const PlanRequest& request, Header& header,
                                const std::stop_token& stop) {
    if (!why_not_resumable(file.input, file.output, request.format).empty()) return {};
    std::vector<VideoPart> parts = parts_of(header.frames, request.parts);
    if (parts.empty() || !keeps_times(file, request.format)) return parts;
    ReaderOptions options = request.reader;
    options.path = file.input;
    std::optional<FrameList> list;
    try {
        list = list_frames(options, stop);
    } catch (const MediaError&) {
        return parts;  // its tasks report it
    }
    if (!list) return parts;
    header.frames = static_cast<double>(list->frames);
    parts = parts_of(header.frames, request.parts);
    for (VideoPart& part : parts) set_key(part, list->keys, request.frames_before);
    return parts;
}

// Each part is a file of the plan.
void split(const PlanRequest& request, std::vector<Header>& headers,
           std::vector<PlannedFile>& files, const std::stop_token& stop) {
    std::vector<std::vector<VideoPart>> parts_of_files(files.size());
    for_all(files.size(), kThreads, stop, [&](std::size_t k) {
        parts_of_files[k] = parts_of(request.files[k], request, headers[k], stop);
    });
    std::vector<PlannedFile> all;
    for (std::size_t k = 0; k < files.size(); ++k) {
        const std::vector<VideoPart>& parts = parts_of_files[k];
        for (const VideoPart& part : parts) {
            PlannedFile& added = all.emplace_back(files[k]);
            const double share =
                static_cast<double>(part.end.value_or(std::llround(headers[k].frames)) -
                                    part.begin) /
                headers[k].frames;
            added.part = part;
            added.seconds *= share;
            added.work =
                std::max<std::int64_t>(1, std::llround(static_cast<double>(added.work) * share));
        }
        if (parts.empty()) all.push_back(std::move(files[k]));
    }
    files = std::move(all);
}

// The deepest folder that contains all files, absolute.
fs::path common_folder(const std::vector<JobFile>& files) {
    fs::path common;
    for (const JobFile& file : files) {
        const fs::path folder = absolute_path(file.input).lexically_normal().parent_path();
        if (common.empty()) common = folder;
        const auto end = std::ranges::mismatch(common, folder).in1;
        fs::path both;
        for (auto part = common.begin(); part != end; ++part) both /= *part;
        common = both;
    }
    return common;
}

void set_paths(const PlanRequest& request, PlannedFiles& planned) {
    const fs::path folder = plan_folder(request.plan);
    const bool elsewhere = std::ranges::any_of(
        request.files, [&](const JobFile& file) { return !path_below(folder, file.input); });
    const fs::path inputs = elsewhere ? common_folder(request.files) : folder;
    if (elsewhere) planned.inputs = inputs.string();
    for (const JobFile& file : request.files) {
        const std::optional<std::string> output = path_below(folder, file.output);
        if (!output)
            throw Error(
                Outcome::usage,
                fmt::format("{}: is not in the folder of the plan ({}), which the outputs "
                            "are relative to: put the plan in a folder that contains all "
                            "outputs",
                            file.output, absolute_path(folder.empty() ? "." : folder).string()));
        planned.files.push_back(
            {.input = path_below(inputs, file.input).value(), .output = *output});
    }
}

}  // namespace

PlannedFiles plan_files(const PlanRequest& request, const std::stop_token& stop) {
    for (const JobFile& file : request.files) refuse_unplannable(file);
    PlannedFiles planned;
    set_paths(request, planned);
    std::vector<Header> headers(request.files.size());
    for_all(headers.size(), kThreads, stop,
            [&](std::size_t k) { headers[k] = header_of(request.files[k].input, request.reader); });
    std::set<std::string> seen;
    std::string wrong;
    for (std::size_t k = 0; k < headers.size(); ++k) {
        const Header& header = headers[k];
        planned.files[k].stamp = header.stamp;
        planned.files[k].seconds = header.seconds;
        if (!header.problem.empty()) planned.problems.push_back(header.problem);
        if (header.wrong && wrong.empty()) wrong = header.problem;
        const std::string kind = fmt::format(
            "{}|{}", find_container(request.files[k].output, request.format).name, header.codecs);
        if (header.problem.empty() && seen.insert(kind).second)
            planned.samples.push_back(request.files[k]);
    }
    if (!wrong.empty()) throw Error(Outcome::usage, wrong);
    set_work(headers, planned.files);
    if (request.parts > 1) split(request, headers, planned.files, stop);
    assign_shards(planned.files, request.shards);
    return planned;
}

std::vector<JobFile> spread_over(std::vector<JobFile> files, int count) {
    const std::size_t wanted = std::min(files.size(), static_cast<std::size_t>(count));
    std::ranges::stable_sort(files, {}, &JobFile::work);
    std::vector<JobFile> chosen;
    for (std::size_t k = 0; k < wanted; ++k) {
        // A single file is the one in the middle.
        const std::size_t at =
            wanted == 1 ? files.size() / 2 : k * (files.size() - 1) / (wanted - 1);
        chosen.push_back(std::move(files[at]));
    }
    return chosen;
}

std::vector<JobFile> planned_jobs(PlanReader& plan, const std::string& path,
                                  const std::optional<Shard>& shard, RunFiles& run) {
    const fs::path folder = plan_folder(path);
    const fs::path inputs = plan.head().inputs.empty() ? folder : fs::path(plan.head().inputs);
    std::vector<JobFile> jobs;
    while (const std::optional<PlannedFile> file = plan.next())
        jobs.push_back({.input = (inputs / file->input).string(),
                        .output = (folder / file->output).string(),
                        .name = file->input,
                        .elsewhere = shard && file->shard != shard->index,
                        .planned = file->stamp,
                        .work = file->work,
                        .part = file->part});
    for (const JobFile& job : jobs)
        if (!job.elsewhere) run.add_source(job.input);
    for (const JobFile& job : jobs)
        if (!job.elsewhere) run.refuse_taken(job.output);
    return jobs;
}

std::vector<JobFile> videos_to_join(std::vector<JobFile> parts) {
    std::vector<JobFile> videos;
    for (JobFile& file : parts) {
        if (!file.part) continue;
        const VideoPart part = *std::exchange(file.part, std::nullopt);
        if (part.number == 1) videos.push_back(std::move(file));
        videos.back().joined.push_back(part);
    }
    return videos;
}

void assign_shards(std::vector<PlannedFile>& files, int shards) {
    std::vector<PlannedFile*> order;
    for (PlannedFile& file : files) order.push_back(&file);
    // Files of equal work keep an order that does not depend on the one in which folders list them.
    std::ranges::sort(order, [](const PlannedFile* a, const PlannedFile* b) {
        if (a->work != b->work) return a->work > b->work;
        if (a->output != b->output) return a->output < b->output;
        return a->part && b->part && a->part->number < b->part->number;
    });
    using Load = std::pair<std::int64_t, int>;  // the least first, then the lowest number
    std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
    for (int shard = 1; shard <= shards; ++shard) loads.emplace(0, shard);
    for (PlannedFile* file : order) {
        const auto [work, shard] = loads.top();
        loads.pop();
        file->shard = shard;
        loads.emplace(work + file->work, shard);
    }
}

double imbalance(const std::vector<PlannedFile>& files, int shards) {
    std::vector<double> loads(static_cast<std::size_t>(shards));
    double all = 0;
    for (const PlannedFile& file : files) {
        loads[static_cast<std::size_t>(file.shard - 1)] += static_cast<double>(file.work);
        all += static_cast<double>(file.work);
    }
    return all > 0 ? *std::ranges::max_element(loads) * shards / all : 1;
}

}  // namespace weft
