// Describes the results of files as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/pipeline/file_job.h"

namespace weft {

// "1 frame", "300 frames".
std::string frames_text(std::int64_t frames);

// "in.mp4 -> out/in.mp4: 300 frames, 2 audio copied; nothing dropped; complete: proven by its
// index"
std::string result_line(const FileResult& result);

// "complete: proven by its index", or that nothing in the file proves it. For an input that is not
// damaged.
std::string completeness_text(const DamageReport& input);

// "at 2.433 s the size changes from 320x180 to 640x360": the first eight, and the number of others.
std::vector<std::string> changes_text(const StreamChanges& changes);

// "step filter kernel median p95 total", one line per step; steps of several files that ran the
// same kernel are counted together. Empty if nothing ran.
std::string kernel_table(const std::vector<FileResult>& results);

// "decode", "filter" or "encode": the stage that was busy longest and so limits the run.
std::string_view bound_by(const Utilisation& utilisation);

// "bound by decode: busy 97 % of the time, filter 35 %, encode 20 %" with a newline. Empty if no
// file reached its end.
std::string bound_line(const std::vector<FileResult>& results);

// "340 kB", "12.3 GB": three digits in powers of 1000.
std::string size_text(double bytes);

// Returns "ok", "skipped", "failed" or "damaged".
std::string_view status_name(FileStatus status);

}  // namespace weft
