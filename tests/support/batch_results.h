// All results of a batch, in the order of its files.
#pragma once

#include <algorithm>
#include <vector>

#include "app/batch/batch_runner.h"
#include "app/batch/kept_results.h"

namespace weft::test {

inline std::vector<FileResult> results_of(const std::vector<JobFile>& files, const BatchRoom& room,
                                          const RunFile& run, const std::stop_token& stop,
                                          BatchEvents& events) {
    KeptResults kept(true);
    run_jobs(files, room, run, stop, events,
             [&](std::size_t file, FileResult result) { kept.add(file, std::move(result)); });
    return kept.take();
}

}  // namespace weft::test
