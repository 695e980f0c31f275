// What a file's own structure promises, read beside libav: sizes in headers, checksums, counts.
// libav's demuxers step over most of what these find, and say nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/media/input_file.h"

namespace weft {

struct StructureReport {
    std::string problem;            // one sentence; empty: nothing found
    std::int64_t byte = 0;          // where the problem is
    std::optional<double> seconds;  // of the part with the problem, where it carries a time
    // The problem lies behind the pictures (a trailing index) unless frames are missing: with all
    // promised time delivered the file is whole.
    bool only_if_short = false;
    std::optional<std::int64_t> frames;  // promised pictures: APNG, GIF
    std::vector<std::int64_t> indexed;   // entries of an AVI's closing index, by stream
    // What shows that nothing is missing at the file's end, for "proven by …"; empty: nothing does.
    std::string proof;
};

// The part of the file that was read: a problem outside it is none of ours.
struct ByteRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

// A check of one file, on its way.
class StructureWalk {
 public:
    StructureWalk() = default;
    virtual ~StructureWalk() = default;
    StructureWalk(const StructureWalk&) = delete;
    StructureWalk& operator=(const StructureWalk&) = delete;

    // All before `byte` has been read, and what it takes of time is spent best now: the system
    // still has it in memory. Throws MediaError on I/O errors.
    virtual void follow(std::int64_t byte) = 0;
    // The rest. `range` holds all that was followed. Once. Throws as follow().
    virtual StructureReport finish(ByteRange range) = 0;
};

// Checks `file`, which must outlive the walk, by the rules of its kind: libav's name of the
// demuxer, or "image " and libav's name of the codec. Kinds without a check give an empty report,
// and so do pipes. Reads every byte of the range for formats with checksums (Matroska, PNG, Ogg):
// Matroska as it is followed, the others in the end.
std::unique_ptr<StructureWalk> walk_structure(const InputFile& file, std::string_view kind);

// Without following. Throws MediaError on I/O errors.
StructureReport check_structure(const InputFile& file, std::string_view kind, ByteRange range);

// For the checks: a report of one problem.
StructureReport problem_at(std::int64_t byte, std::string sentence);
// The part `what` at byte `at` ends at byte `end`, behind the file's own end.
StructureReport reaches_too_far(const InputFile& file, std::int64_t at, std::int64_t end,
                                std::string_view what);

// One check a kind.
StructureReport check_png(const InputFile& file);
StructureReport check_gif(const InputFile& file);
StructureReport check_jpeg(const InputFile& file);  // the first picture
StructureReport check_jpeg_ls(const InputFile& file);
StructureReport check_qoi(const InputFile& file);
StructureReport check_exr(const InputFile& file);
StructureReport check_sun_raster(const InputFile& file);
StructureReport check_motion_jpeg(const InputFile& file);  // pictures without end
StructureReport check_riff(const InputFile& file);
StructureReport check_mp4(const InputFile& file);
StructureReport check_mpegts(const InputFile& file);
StructureReport check_mpegps(const InputFile& file);
StructureReport check_flv(const InputFile& file);
StructureReport check_ivf(const InputFile& file);
StructureReport check_asf(const InputFile& file);
StructureReport check_real_media(const InputFile& file);
StructureReport check_ogg(const InputFile& file);
StructureReport check_nut(const InputFile& file);
StructureReport check_mxf(const InputFile& file);
std::unique_ptr<StructureWalk> walk_matroska(const InputFile& file);

}  // namespace weft
