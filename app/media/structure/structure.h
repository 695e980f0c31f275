// Checks a file's structure independently of libav: sizes in headers, checksums, counts. libav's
// demuxers skip most of the defects found here without an error.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/media/demux/input_file.h"

namespace weft {

// The samples that the container attributes to a stream.
struct StreamContent {
    int id = 0;                // AVStream::id, which Matroska has not: its index
    std::int64_t packets = 0;  // 0: unknown (PCM)
    std::int64_t bytes = 0;    // -1: unknown (Matroska may compress)
    bool one_format = true;    // false: libav reads only the samples of one of several formats
    bool trimmed = false;      // by an edit list
};

struct StructureReport {
    std::string problem;            // one sentence; empty: nothing found
    std::int64_t byte = 0;          // of the problem; of a whole PNG's or JPEG's end
    std::optional<double> seconds;  // of the part with the problem, if it has a time
    // The problem counts only if frames are missing: it may be after the pictures (a trailing
    // index), and the file is complete if its full promised duration was delivered.
    bool only_if_short = false;
    std::optional<std::int64_t> frames;  // promised pictures: APNG, GIF
    std::vector<std::int64_t> indexed;   // entries of an AVI's closing index, by stream
    // The evidence that nothing is missing at the file's end, for "proven by …"; empty: no
    // evidence.
    std::string proof;
    // Why the file proves nothing although no part is known to be missing: "2 parts of its media
    // belong to no track". It outweighs `proof`.
    std::string doubt;
    std::vector<StreamContent> streams;  // as far as the container counts them
};

// The part of the file that was read: problems outside it are ignored.
struct ByteRange {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

// A check of one file, in progress.
class StructureWalk {
 public:
    StructureWalk() = default;
    virtual ~StructureWalk() = default;
    StructureWalk(const StructureWalk&) = delete;
    StructureWalk& operator=(const StructureWalk&) = delete;

    // Call once everything before `byte` has been read: checking it now is fastest, since it is
    // still in the page cache. Throws MediaError on I/O errors.
    virtual void follow(std::int64_t byte) = 0;
    // Checks the rest. `range` includes everything followed. Call once. Throws as follow().
    virtual StructureReport finish(ByteRange range) = 0;
};

// Checks `file`, which must outlive the walk, by the rules of its kind: libav's demuxer name, or
// "image " and libav's codec name. Kinds without a check give an empty report, and so do pipes.
// Reads every byte of the range for formats with checksums (Matroska, PNG, Ogg): Matroska in
// follow(), the others in finish().
std::unique_ptr<StructureWalk> walk_structure(const InputFile& file, std::string_view kind);

// Returns every kind that has a check.
std::vector<std::string_view> structure_kinds();

// Checks in one call, without follow(). Throws MediaError on I/O errors.
StructureReport check_structure(const InputFile& file, std::string_view kind, ByteRange range);

// Returns a report of one problem, for the checks.
StructureReport problem_at(std::int64_t byte, std::string sentence);
// Reports that the part `what` at byte `at` ends at byte `end`, beyond the end of the file.
StructureReport beyond_end(const InputFile& file, std::int64_t at, std::int64_t end,
                           std::string_view what);

// Each of these checks one kind of file.
StructureReport check_png(const InputFile& file);
StructureReport check_gif(const InputFile& file);
StructureReport check_jpeg(const InputFile& file);  // the first picture
StructureReport check_jpeg_ls(const InputFile& file);
StructureReport check_qoi(const InputFile& file);
StructureReport check_exr(const InputFile& file);
StructureReport check_jpeg2000(const InputFile& file);
StructureReport check_sun_raster(const InputFile& file);
StructureReport check_motion_jpeg(const InputFile& file);  // an unlimited number of pictures
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
