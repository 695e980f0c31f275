#include "app/pipeline/opened_input.h"

#include <algorithm>
#include <sys/stat.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/media/output/content_hash.h"
#include "app/pipeline/job_options.h"
#include "app/pipeline/kept_filters.h"
#include "app/pipeline/measured_plans.h"
#include "app/pipeline/stack/allowed_difference.h"
#include "filters/where.h"

namespace weft {
namespace {

// Pictures are composed on the host.
ReaderOptions reader_options(const FileJob& job) {
    ReaderOptions options = job.reader;
    if (job.compose) options.hwaccel = Hwaccel::none;
    if (!job.receipt) options.gpu_jpegs = job.gpu_jpegs;
    options.counts_frames = counts_frames(job.stack) || counts_frames(job.compared);
    return options;
}

// The picture as it is now, for films of this shape; "" if it is no file, such as numbered
// pictures.
std::string mask_key(const std::string& path, const MaskedFilm& film) {
    struct stat file {};
    if (::stat(path.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) return "";
    return fmt::format("{} {} {} {} {}.{:09} for {}x{} {}", path, file.st_dev, file.st_ino,
                       file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec, film.width,
                       film.height, film.rotation_degrees);
}

// A mask of another length is refused here, before anything is filtered. A batch of photos decodes
// one of a single picture once for each of their shapes.
std::shared_ptr<MaskSource> mask_for(const Step& step, const FileJob& job, const Reader& film) {
    if (!step.params.is_set("mask")) return nullptr;
    MaskedFilm masked = masked_film(film);
    masked.heartbeat = job.reader.heartbeat;
    const std::string key = job.filters ? mask_key(step.params.text("mask"), masked) : "";
    if (!key.empty())
        if (std::shared_ptr<MaskSource> kept = job.filters->mask(key)) return kept;
    std::shared_ptr<MaskSource> mask = open_masks({step}, masked).front();
    mask->require_length_of(film);
    if (!key.empty() && mask->is_still() && !mask->damage().damaged) {
        (void)mask->weights();
        job.filters->keep_mask(key, mask);
    }
    return mask;
}

StepMasks masks_for(const Stack& stack, const FileJob& job, const Reader& film) {
    StepMasks masks;
    for (const Step& step : stack) masks.push_back(mask_for(step, job, film));
    return masks;
}

// Each of a video's parts would read all of it for the hash: they take the time of the last change
// instead, which a link or a chmod sets, too.
std::string input_text(const FileJob& job) {
    const InputFile file(job.reader.path);
    if (!file.seekable()) throw Error(Outcome::failed, job.reader.path + ": is not a file");
    const struct stat& info = file.opened();
    const bool in_parts = job.writer.part || !job.joined.empty();
    return fmt::format(
        "{} bytes of {}.{:09} {}", file.size(), info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
        in_parts ? fmt::format("changed {}.{:09}", info.st_ctim.tv_sec, info.st_ctim.tv_nsec)
                 : "with hash " + content_hash(file));
}

// The facts must describe the file that is read.
void require_unchanged(const Reader& reader) {
    const std::string change = reader.input_change();
    if (!change.empty()) throw Error(Outcome::failed, change + ": run it again");
}

std::string kernels_text(const std::vector<StackPlan>& plans) {
    std::vector<std::string> names;
    for (const StackPlan& plan : plans)
        for (const StepPlan& step : plan.steps) names.push_back(step.kernel_names());
    return fmt::format("{}", fmt::join(names, ", "));
}

// Empty if every device and kernel gives the same bits: any of them can continue the others' work.
JobFacts device_facts(const FileJob& job, const std::vector<StackPlan>& plans) {
    const auto differs = std::ranges::find_if_not(plans, same_on_every_device);
    if (differs == plans.end()) return {};
    const std::string why = difference_text(*differs);
    return {{"device", job.device.name, why}, {"kernels", kernels_text(plans), why}};
}

// Steps in time need some frames before the part.
void skip_to_part(const FileJob& job, OpenedInput& opened) {
    const std::optional<VideoPart>& part = job.writer.part;
    if (!part || !part->key) return;
    if (part->key->frame + opened.plans.front().frames_before() <= part->begin)
        opened.reader.skip_to(*part->key);
}

}  // namespace

OpenedInput open_input(const FileJob& job) {
    Reader reader(reader_options(job));
    const FrameInfo info = frame_info(*reader.first_frame().av, reader.rotation_degrees());
    try {
        auto plans = plan_frames(job.stack, info, job.device, with_measured_plans(job.forced),
                                 job.fields, job.sums);
        StepMasks masks = masks_for(job.stack, job, reader);
        StepMasks compared_masks = masks_for(job.compared, job, reader);
        std::vector<StackPlan> compared;
        if (!job.compared.empty())
            compared = plan_frames(job.compared, info, job.device,
                                   with_measured_plans(job.compared_forced), job.fields, job.sums);
        OpenedInput opened{std::move(reader), std::move(plans), std::move(masks),
                           std::move(compared), std::move(compared_masks)};
        skip_to_part(job, opened);
        return opened;
    } catch (const Error& error) {
        throw Error(error.outcome(), fmt::format("{}: {}", job.reader.path, error.what()));
    }
}

std::string content_hash(const InputFile& file) {
    constexpr std::int64_t kBlock = std::int64_t{1} << 20;
    FastHash hash;
    std::vector<std::uint8_t> block(static_cast<std::size_t>(std::min(file.size(), kBlock)));
    std::int64_t at = 0;
    while (const std::size_t got = file.read_at(at, block)) {
        hash.add(block.data(), got);
        at += static_cast<std::int64_t>(got);
    }
    return hex_text(hash.digest());
}

std::vector<std::string> OpenedInput::notes() const {
    std::vector<std::string> notes = reader.notes();
    if (reader.decoding().on_gpu && !reader.is_still_image())
        notes.emplace_back(
            "decoded by the GPU, which does not report broken pictures; software does");
    if (reader.frames_skipped() > 0)
        notes.push_back(fmt::format("decoding starts at frame {}, a key frame before the part",
                                    reader.frames_skipped()));
    if (const std::string& compared = reader.decoding().compared; !compared.empty())
        notes.push_back("decoded " + compared);
    for (const StepPlan& step : plans.front().steps)
        for (const std::string& note : step.notes)
            notes.push_back(fmt::format("{}: {}", step.filter, note));
    return notes;
}

JobFacts frame_facts(const FileJob& job, const OpenedInput& opened) {
    const std::string input = input_text(job);
    require_unchanged(opened.reader);
    JobFacts facts = {{"input", input}, {"stack", print_stack(job.stack)}};
    if (const int definition = definition_of(job.stack); definition > 1)
        facts.push_back({"definition", std::to_string(definition)});
    for (const auto& [name, value, why_apart] : option_facts(job, Affects::encoding))
        facts.push_back({name, value.empty() ? "default" : value});
    const JobFacts device = device_facts(job, opened.plans);
    facts.insert(facts.end(), device.begin(), device.end());
    return facts;
}

}  // namespace weft
