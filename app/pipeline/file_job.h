// The job of filtering one file, and its result.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/media/libav/error.h"
#include "app/media/read/reader.h"
#include "app/media/read/stream_changes.h"
#include "app/media/write/writer.h"
#include "app/pipeline/format_keeper.h"
#include "app/pipeline/report/durations.h"
#include "app/pipeline/report/stage_clock.h"
#include "app/pipeline/stack/stack_plan.h"
#include "filters/stack.h"
#include "kernels/device/device.h"

namespace weft {

class GpuJpegs;
class KeptFilters;

// Composes the picture that is written, for example a comparison, from the input picture (or the
// result of FileJob::compared) and the filtered one, which have the same size and format. Size and
// format of the result depend on these alone. Called with the first picture as both, to get the
// shape of the output, then for every frame in order; never by two threads at once. Throws Error.
using FrameComposer = std::function<AVFramePtr(const AVFrame& original, const AVFrame& filtered)>;

// The null output: frames are filtered and discarded, to measure speed.
constexpr std::string_view kNoOutput = "null:";

// The facts that only the batch knows about the receipt of a job.
struct ReceiptRequest {
    std::string name;  // the input's, relative to the folder that the batch was given
    int shard = 1;     // 1 to shards
    int shards = 1;
    std::string engine = {};  // "Slurm array 4711, task 3, attempt 2"
};

struct FileJob {
    ReaderOptions reader;
    WriterOptions writer;  // path kNoOutput: nothing is written
    Stack stack;
    Device device;
    ForcedKernels forced;
    bool graphs = true;  // see StackRunner
    Fields fields = Fields::together;
    Sums sums = Sums::as_given;
    OnChange on_change = OnChange::fail;
    bool keep_damaged = false;  // keep the recoverable part of a damaged input
    FrameComposer compose;      // empty: the filtered picture is written
    Stack compared;             // the other picture to compose; empty: the input picture
    ForcedKernels compared_forced;
    // The parts of the video that are joined to the output: nothing is filtered.
    std::vector<VideoPart> joined;
    std::optional<ReceiptRequest> receipt;  // nothing: no receipt is written
    // The filters that the run keeps for its files; null: one is made for this file alone.
    std::shared_ptr<KeptFilters> filters;
    // Decode and encode JPEG stills on `device`, if ReaderOptions::hwaccel allows it and no receipt
    // is written, since receipts prove software decoding. Null: use software.
    std::shared_ptr<GpuJpegs> gpu_jpegs;
    Trace* trace = nullptr;  // records the timeline; null: no trace was requested
};

enum class FileStatus { ok, skipped, failed, damaged };

// State of the GPU after a failure on a file.
enum class DeviceFailure {
    none,       // not a failure of the device
    this_file,  // it failed on this one, out of memory for example, and still works for others
    in_use,     // none of its encoders was free; one may be when another file has ended
    lost,       // it no longer works
};

struct StepReport {
    std::string filter;
    std::string kernel;
    std::string reason;
    std::vector<std::string> explanation;  // StepPlan::explanation()
    std::int64_t launches = 0;
    Durations frames;  // kernel time, one sample per frame
    // The difference between any two devices after this step, see stack_differences(). 0: none.
    double largest_difference = 0;
};

struct StageReport {
    Durations decode, upload, kernels, download, encode;
};

// How busy the three threads of a file were, from the start of the stages until the output has its
// name, which the encode stage's time includes.
struct Utilisation {
    StageSeconds decode, filter, encode;
    double seconds = 0;  // for all of them; 0: the end was not reached
};

// Everything that is reported about one file.
struct FileResult {
    std::string input;
    std::string output;
    std::optional<VideoPart> part;  // only this part of the output was made
    FileStatus status = FileStatus::failed;
    Outcome outcome = Outcome::failed;
    std::string error;    // one sentence unless status is ok or skipped
    int write_errno = 0;  // why a file could not be written, if that is the error
    std::int64_t frames_in = 0;
    std::int64_t frames_out = 0;
    std::optional<Device> device;  // the device that filtered it, or began to
    DeviceFailure device_failure = DeviceFailure::none;
    std::string moved;    // why the device that began with it was replaced; empty: none was
    DamageReport damage;  // the input is damaged if damage.damaged
    Decoding decoding;
    StreamChanges changes;           // in mid-stream; complete if the end was reached
    std::vector<std::string> notes;  // conversions, what filters act on
    std::vector<std::string> warnings;
    WriteReport written;
    StageReport stages;
    Utilisation utilisation;
    std::vector<StepReport> steps;
    double media_seconds = 0;  // from the first frame to the end of the last
    double wall_seconds = 0;
};

// Progress on a file; sent after each frame that was written.
struct FileProgress {
    std::int64_t frames = 0;
    std::int64_t frames_estimated = 0;  // 0: unknown
    double media_seconds = 0;
    std::int64_t frames_stored = 0;  // the first ones, neither filtered nor encoded again
    std::int64_t bytes = 0;          // in the output so far; 0: unknown
    // A small picture is complete and only waits for the disk: another file may take its cores.
    bool syncing = false;
};

using ProgressCallback = std::function<void(const FileProgress&)>;

}  // namespace weft
