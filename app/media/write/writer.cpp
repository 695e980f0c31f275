#include "app/media/write/writer.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/media/demux/image_sequence.h"
#include "app/media/metadata/picture_metadata.h"
#include "app/media/metadata/side_data.h"
#include "app/media/metadata/unread_metadata.h"
#include "app/media/picture/samples.h"
#include "app/media/write/encoder_traits.h"
#include "app/media/write/frame_preparer.h"
#include "app/media/write/gpu_encoder.h"
#include "app/media/write/muxed_output.h"
#include "app/media/write/segment_store.h"
#include "app/media/write/segmented_encoder.h"
#include "app/media/write/source_metadata.h"
#include "app/media/write/still_output.h"
#include "app/media/write/write_plan.h"

namespace weft {
namespace {

WriterOptions with_run(WriterOptions options, const WriterSource& source) {
    if (options.run) return options;
    const char* url = source.streams->url;
    options.run = url != nullptr ? std::make_shared<RunFiles>(url) : std::make_shared<RunFiles>();
    return options;
}

void check_names(const WriterOptions& options, Overwrite overwrite) {
    options.run->refuse_taken(options.path);
    if (options.path == "-") return;
    if (!options.numbered) check_output_path(follow_links(options.path), overwrite);
}

EncoderSettings encoder_settings(const WriterOptions& options, const WritePlan& plan,
                                 const FrameClock& clock, const AVFrame& sample,
                                 std::int64_t frames) {
    const bool is_still = plan.container->kind == OutputKind::still;
    return {.choice = plan.video,
            .time_base = clock.time_base(),
            .frame_rate = plan.frame_rate,
            .sample_aspect = sample.sample_aspect_ratio,
            .field_order = plan.field_order,
            .global_header = plan.global_header,
            .reorder = plan.container->clock != Clock::constant_rate &&
                       plan.container->clock != Clock::slots,
            .lossless = plan.lossless,
            // A part that a later run encodes must continue the parts of this one.
            .repeatable = options.threads > 0 || options.resume.has_value(),
            .quality = options.quality,
            .crf = options.crf,
            .bit_rate = options.bit_rate,
            .preset = options.preset,
            .jpeg_tables = plan.jpeg_tables,
            .options = options.encoder_options,
            .threads = options.threads > 0 ? options.threads : options.encoder_threads,
            .frames = is_still ? 1 : frames,
            .gpu = options.gpu,
            .gpu_jpegs = is_still ? options.gpu_jpegs : nullptr,
            .path = options.path};
}

// The facts that the video packets depend on.
JobFacts encoder_facts(const WriterOptions& options, const WritePlan& plan,
                       const EncoderSettings& settings, const AVFrame& sample) {
    const auto rate = [](AVRational value) { return fmt::format("{}/{}", value.num, value.den); };
    return {
        {"output", std::filesystem::path(options.path).filename().string()},
        {"container", std::string(plan.container->name)},
        {"encoder", settings.choice.encoder->name},
        {"picture",
         fmt::format("{}x{} {}, aspect {}, fields {}", sample.width, sample.height,
                     av_get_pix_fmt_name(settings.choice.format), rate(settings.sample_aspect),
                     static_cast<int>(settings.field_order))},
        {"clock", fmt::format("{} at {}", rate(settings.time_base), rate(settings.frame_rate))}};
}

}  // namespace

WriterSource source_of(const Reader& reader) {
    return {.streams = &reader.source(),
            .video_index = reader.video_stream().index,
            .time_base = reader.time_base(),
            .first_frame = &reader.first_frame(),
            .rotation_degrees = reader.rotation_degrees(),
            .interlaced = reader.interlaced(),
            .picture = reader.picture_metadata(),
            .unread = &reader.unread_metadata(),
            .still = reader.is_still_image(),
            .frames_skipped = reader.frames_skipped()};
}

struct Writer::Impl {
    Impl(WriterOptions wanted, const WriterSource& from, bool dry_run = false)
        : options(with_run(std::move(wanted), from)),
          source(from),
          plan(make_write_plan(options, source)),
          clock(plan.container->clock, source.time_base, plan.clock_rate, plan.shift),
          preparer(plan.turn, plan.video, options.path) {
        width = source.first_frame->av->width;
        height = source.first_frame->av->height;
        report.frames = source.frames_skipped;
        if (options.proof != ProofMode::none) collector.emplace(plan.streams, *source.streams);
        const bool alone = options.proof == ProofMode::alone;
        if (!alone && !options.part) check_names(options, overwrite());
        if (!alone) open_encoder(*preparer.prepare(*source.first_frame->av), dry_run);
        if (store || collector || is_compared()) hashes.emplace(plan.video.format);
        if (!alone && !dry_run && !options.part) open_output();
        report_plan();
        if (dry_run) count_side_data(*source.first_frame->av);
        if (dry_run) name_side_data();
    }

    void open_encoder(const AVFrame& sample, bool dry_run) {
        EncoderSettings settings = encoder_settings(
            options, plan, clock, sample, source.streams->streams[source.video_index]->nb_frames);
        if (plan.frames_on_gpu) {
            surfaces = std::make_shared<EncoderSurfaces>(options.gpu, plan.video.format,
                                                         sample.width, sample.height);
            settings.surfaces = &surfaces->frames();
        }
        if (options.resume) use_store(segment_request(settings, sample), dry_run);
        encoder = std::make_unique<SegmentedEncoder>(settings, sample, store.get());
        if (store) frames_stored = first_frame() + store->frames();
    }

    std::int64_t first_frame() const { return options.part ? options.part->begin : 0; }

    SegmentRequest segment_request(const EncoderSettings& settings, const AVFrame& sample) const {
        if (!plan.container->supports(kSegments) || options.path == "-")
            throw Error(Outcome::usage, fmt::format("{}: {} is for videos in files", options.path,
                                                    options.remedies.resume));
        if (takes_gpu_frames(*settings.choice.encoder))
            throw Error(Outcome::usage,
                        fmt::format("{}: {} needs a CPU encoder; {} is not one", options.path,
                                    options.remedies.resume, settings.choice.encoder->name));
        SegmentRequest request{.output = options.path,
                               .job = encoder_facts(options, plan, settings, sample),
                               .encoder_threads = settings.threads,
                               .part = options.part,
                               .overwrite = options.overwrite,
                               .on_full_disk = options.on_full_disk,
                               .remedies = options.remedies};
        request.job.insert(request.job.end(), options.resume->begin(), options.resume->end());
        return request;
    }

    void use_store(const SegmentRequest& request, bool dry_run) {
        if (dry_run)
            report.kept = kept_segments(request.output, request.job);
        else
            store = std::make_unique<SegmentStore>(request);
    }

    Overwrite overwrite() const {
        return options.may_replace ? Overwrite::replace : options.overwrite;
    }

    OutputOptions output_options() const {
        return {.overwrite = overwrite(),
                .run = options.run,
                .on_full_disk = options.on_full_disk,
                .on_complete = options.on_complete};
    }

    // Call it after prove(), which sets report.proof.
    bool replaces() { return !options.may_replace || options.may_replace(*report.proof); }

    Verify verify() const {
        return options.verify.value_or(plan.lossless ? Verify::decode : Verify::packets);
    }

    // Decoding the file gives the frames that the encoder was given.
    bool is_lossless() const {
        return plan.lossless || encoder_traits(plan.video.encoder->name).always_lossless;
    }

    bool is_compared() const {
        return plan.lossless && verify() == Verify::decode && options.path != "-";
    }

    const FrameHashes* compared_hashes() const { return is_compared() ? &*hashes : nullptr; }

    void open_output() {
        if (plan.container->kind == OutputKind::still) {
            still = std::make_unique<StillOutput>(options.path, options.numbered, output_options(),
                                                  compared_hashes());
            return;
        }
        muxed = std::make_unique<MuxedOutput>(MuxedOutputSettings{
            .container = plan.container,
            .path = options.path,
            .options = output_options(),
            .source = source.streams,
            .video_index = source.video_index,
            .plans = plan.streams,
            .shift = plan.shift,
            .length_us = options.length_us,
            .encoder = &encoder->context(),
            .time_base = encoder->time_base(),
            .first_frame = source.first_frame->av.get(),
            .keep_matrix = plan.container->supports(kRotation),
            .plays = plays(),
            .redacted = options.redacted,
            .list_entries =
                source.unread != nullptr && !(options.redacted && source.unread->may_hold_picture())
                    ? source.unread->list_entries
                    : std::string(),
            .index_first = options.index_first});
    }

    std::uint32_t plays() const {
        return source.picture == nullptr ? 0 : source.picture->plays().value_or(0);
    }

    void report_plan() {
        report.video_codec = plan.video.encoder->name;
        report.pixel_format = av_get_pix_fmt_name(plan.video.format);
        report.streams = outcomes(plan, *source.streams, report.video_codec);
        report.warnings = plan.warnings;
        report.notes = plan.notes;
        if (store)
            report.notes.insert(report.notes.end(), store->notes().begin(), store->notes().end());
        if (options.path == "-")
            report.notes.emplace_back(
                "standard output cannot be read back, so it was not verified");
    }

    PacketSink frame_sink() {
        return [this](AVPacketPtr packet) {
            if (still)
                write_still(*packet);
            else if (muxed)
                muxed->write_frame(std::move(packet), encoder->time_base());
        };
    }

    // Too large an EXIF segment, for one, shows only here: the picture is then written without.
    void write_still(const AVPacket& packet) {
        const std::span encoded(packet.data, static_cast<std::size_t>(packet.size));
        if (source.picture == nullptr || plan.picture.blocks == 0)
            return still->write(encoded, encoder->context());
        DescribedPicture described;
        try {
            described = source.picture->add_to(encoded, plan.picture);
        } catch (const MediaError& error) {
            lose_metadata(error.what());
            return still->write(encoded, encoder->context());
        }
        if (!described.missing.empty()) lose_missing(described.missing);
        still->write(described.bytes, encoder->context());
    }

    void lose_missing(const std::vector<std::string>& names) {
        constexpr std::size_t kMost = 8;
        const std::span shown = std::span(names).first(std::min(names.size(), kMost));
        lose_metadata(
            fmt::format("{}{}", fmt::join(shown, ", "), names.size() > kMost ? ", …" : ""));
    }

    void lose_metadata(const std::string& what) {
        const std::string text =
            fmt::format("lost picture metadata that the file cannot hold: {}", what);
        if (options.strict)
            throw Error(Outcome::usage, fmt::format("{}: --strict: {}", options.path, text));
        report.warnings.push_back(text);
    }

    void count_side_data(const AVFrame& frame) {
        const auto stored = encoder_traits(plan.video.encoder->name).side_data;
        const std::string kind = side_data.add(unstored_side_data(frame, stored));
        if (options.strict && !kind.empty())
            throw Error(Outcome::usage,
                        fmt::format("{}: --strict: {} cannot store {}, which frame {} has",
                                    options.path, plan.video.encoder->name, kind, report.frames));
    }

    void name_side_data() {
        for (std::string& text : side_data.sentences(plan.video.encoder->name))
            report.warnings.push_back(std::move(text));
    }

    void write(Frame frame) {
        count_side_data(*frame.av);
        if (report.frames < first_frame()) {
            (void)next_time(frame);
            ++report.frames;
            return;
        }
        if (encoder && encoder->takes_over()) {
            hashes->add(encoder->stored_hash());
            encoder->take_over(next_time(frame), frame_sink());
            ++report.frames;
            return;
        }
        if (frame.av->width != width || frame.av->height != height)
            throw MediaError(
                Outcome::failed,
                fmt::format("{}: picture {} is {}x{}, but earlier ones are {}x{}; a file can "
                            "hold only one size",
                            options.path, report.frames, frame.av->width, frame.av->height, width,
                            height));
        const FrameTime time = next_time(frame);
        AVFramePtr prepared = surfaces ? std::move(frame.av) : preparer.prepare(*frame.av);
        frame.av.reset();
        if (report.frames > 0 && plan.container->muxer == "apng") drop_hidden_colors(*prepared);
        const Hash128 hash = hashes ? hashes->add(*prepared) : Hash128{};
        if (options.on_frame) options.on_frame(*prepared);
        if (encoder) encoder->encode(std::move(prepared), time, hash, frame_sink());
        ++report.frames;
    }

    // FFmpeg's APNG encoder stores pixels of any color that have not changed since the frame before
    // as black under full transparency. libav's GIF decoder invents such colors.
    void drop_hidden_colors(AVFrame& frame) {
        if (!clear_hidden_colors(frame) || hidden_colors_lost) return;
        hidden_colors_lost = true;
        const AVStream& video = *source.streams->streams[source.video_index];
        if (video.codecpar->codec_id == AV_CODEC_ID_GIF) return;
        const std::string text =
            "the colors of fully transparent pixels are lost: animated PNGs store them as black";
        if (options.strict)
            throw Error(Outcome::usage, fmt::format("{}: --strict: {}", options.path, text));
        report.warnings.push_back(text);
    }

    // libav counts microseconds in 64 bits, which end after 9.2e12 seconds.
    void check_time(const Frame& frame) const {
        constexpr double kMostSeconds = 1e12;
        const double seconds = static_cast<double>(frame.pts) * av_q2d(source.time_base);
        if (std::abs(seconds) > kMostSeconds)
            throw MediaError(Outcome::failed,
                             fmt::format("{}: frame {} has a timestamp of {:.3g} s, which no "
                                         "container can store: the input's times are damaged",
                                         options.path, report.frames, seconds));
    }

    FrameTime next_time(const Frame& frame) {
        check_time(frame);
        const FrameTime time = clock.next(frame.pts, frame.duration);
        if (options.strict && clock.complaint())
            throw Error(Outcome::usage, "--strict: " + *clock.complaint());
        if (collector) collector->add_time(time.pts);
        return time;
    }

    void write(SourcePacket packet) {
        if (collector) collector->add(*packet.packet);
        if (muxed) muxed->write_packet(std::move(packet.packet));
    }

    void finish(const std::stop_token& stop, std::optional<std::int64_t> expected) {
        name_side_data();
        if (!encoder) return prove();
        encoder->flush([&stop, sink = frame_sink()](AVPacketPtr packet) {
            if (stop.stop_requested()) throw Cancelled();
            sink(std::move(packet));
        });
        if (stop.stop_requested()) throw Cancelled();
        if (clock.complaint()) report.warnings.push_back(*clock.complaint());
        if (options.part) return finish_part(expected);
        if (still) return finish_still(expected);
        if (muxed->pictures() == 0 && report.frames == 0)
            throw MediaError(Outcome::failed, options.path + ": no frames were written");
        lose_tags(muxed->finish(verify(), compared_hashes()));
        check_counts(muxed->pictures(), expected);
        report_end();
        prove();
        if (replaces()) muxed->commit();
        if (store) store->remove();
    }

    // Reports the tags that the finished file lacks and of which the plan did not know.
    void lose_tags(std::vector<std::string> missing) {
        std::erase_if(missing, [&](const std::string& tag) {
            return std::ranges::find(plan.lost_tags, tag) != plan.lost_tags.end();
        });
        if (missing.empty()) return;
        const std::string text = lost_tags_text(*plan.container, missing);
        if (options.strict)
            throw Error(Outcome::usage, fmt::format("{}: --strict: {}", options.path, text));
        report.warnings.push_back(text);
    }

    // Fewer frames than planned are all that the input has.
    void finish_part(std::optional<std::int64_t> expected) {
        check_counts(report.frames, expected);
        report.segments = segments();
        store->finish_part();
    }

    // Called before the file is renamed: nothing after that can fail.
    void report_end() {
        report.segments = segments();
        report.bytes = muxed->bytes();
        if (muxed->shift_seconds() > 0)
            report.notes.push_back(
                fmt::format("{} cannot start below zero, so every stream starts {:.6f} s later",
                            plan.container->name, muxed->shift_seconds()));
        if (const auto damaged = muxed->damaged_packets(); damaged > 0)
            report.warnings.push_back(
                fmt::format("{} packets of converted streams could not be decoded", damaged));
    }

    void finish_still(std::optional<std::int64_t> expected) {
        check_counts(still->pictures(), expected);
        if (!encoder->gpu_failure().empty())
            report.notes.push_back(fmt::format("encoded in software because the GPU failed: {}",
                                               encoder->gpu_failure()));
        encoder.reset();  // frees its frames before another one is decoded
        report.bytes = still->bytes();
        if (options.numbered) report_sequence();
        prove();
        if (replaces()) still->commit();
    }

    void report_sequence() {
        if (still->pictures() == 1)
            report.notes.push_back(fmt::format(
                "the only picture is {} because %d in the name of an output numbers its pictures",
                still->first_name()));
        const std::vector<std::string> older = still->older_files();
        if (older.empty()) return;
        const std::string text = fmt::format(
            "{} older picture{} of this sequence stay{} next to the {} new ones, from {} to {}: "
            "programs that read the sequence will take them for a part of it; remove them",
            older.size(), older.size() == 1 ? "" : "s", older.size() == 1 ? "s" : "",
            still->pictures(), older.front(), older.back());
        if (options.strict)
            throw Error(Outcome::usage, fmt::format("{}: --strict: {}", options.path, text));
        report.warnings.push_back(text);
    }

    // Called before the file is renamed: another run may replace it then.
    void prove() {
        if (!collector) return;
        WrittenProof& proof = report.proof.emplace();
        proof.frames = hashes->list();
        proof.pixel_format = report.pixel_format;
        proof.time_base = clock.time_base();
        proof.lossless = is_lossless();
        collector->finish(proof);
        if (options.path == "-") return;
        if (muxed) muxed->prove(proof);
        if (still) still->prove(proof);
    }

    std::optional<SegmentCounts> segments() const {
        return store ? std::optional(encoder->counts()) : std::nullopt;
    }

    // Called before the file is renamed.
    void check_counts(std::int64_t pictures, std::optional<std::int64_t> expected) const {
        if (pictures != report.frames)
            throw MediaError(Outcome::failed, fmt::format("{}: the encoder made {} pictures of {}",
                                                          options.path, pictures, report.frames));
        if (expected.value_or(report.frames) != report.frames)
            throw MediaError(Outcome::failed, fmt::format("{}: {} frames went in, {} came out",
                                                          options.path, *expected, report.frames));
    }

    WriterOptions options;
    WriterSource source;
    WritePlan plan;
    FrameClock clock;
    FramePreparer preparer;
    std::shared_ptr<EncoderSurfaces> surfaces;  // null: frames are in host memory
    std::unique_ptr<SegmentStore> store;        // --resume
    std::unique_ptr<SegmentedEncoder> encoder;
    std::optional<FrameHashes> hashes;  // for the frames sent to the encoder; nothing: not needed
    std::optional<ProofCollector> collector;  // with WriterOptions::proof
    std::unique_ptr<MuxedOutput> muxed;       // either this or `still`
    std::unique_ptr<StillOutput> still;
    SideDataLosses side_data;
    std::int64_t frames_stored = 0;
    bool hidden_colors_lost = false;
    int width = 0;
    int height = 0;
    WriteReport report;
};

Writer::Writer(WriterOptions options, const Reader& source)
    : Writer(std::move(options), source_of(source)) {}

Writer::Writer(WriterOptions options, const WriterSource& source)
    : impl_(std::make_unique<Impl>(std::move(options), source)) {}

WriteReport Writer::plan(WriterOptions options, const WriterSource& source) {
    options.part.reset();
    return Impl(std::move(options), source, true).report;
}

Writer::~Writer() = default;
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;

std::shared_ptr<EncoderSurfaces> Writer::surfaces() const {
    return impl_->surfaces;
}

std::int64_t Writer::frames_stored() const {
    return impl_->frames_stored;
}

std::int64_t Writer::bytes_so_far() const {
    return impl_->muxed ? impl_->muxed->bytes() : 0;
}

std::optional<SegmentCounts> Writer::segments() const {
    return impl_->segments();
}

void Writer::write(Frame frame) {
    impl_->write(std::move(frame));
}

void Writer::write(SourcePacket packet) {
    impl_->write(std::move(packet));
}

WriteReport Writer::finish(const std::stop_token& stop, std::optional<std::int64_t> expected) {
    impl_->finish(stop, expected);
    return std::move(impl_->report);
}

}  // namespace weft
