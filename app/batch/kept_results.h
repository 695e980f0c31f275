// The results of a batch, as far as its closing reports need them: a few bytes per file, since
// batches have many.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "app/batch/batch_events.h"
#include "app/pipeline/file_job.h"

namespace weft {

// Adds the result to `tally`, except for its seconds, which the caller sets.
void count(const FileResult& result, BatchTally& tally);

class KeptResults {
 public:
    // With `all`, each result is kept separately. Otherwise results of files done or skipped are
    // added up if their steps used the same kernels.
    explicit KeptResults(bool all) : all_(all) {}

    void add(std::size_t file, FileResult result);
    const BatchTally& tally() const { return tally_; }
    // In the order of the files. kernel_table() and bound_line() show the same as for all results,
    // and so does every report on files that failed.
    std::vector<FileResult> take();

 private:
    bool merge(const FileResult& result);

    bool all_;
    BatchTally tally_;
    std::map<std::size_t, FileResult> kept_;  // by the number of the file
    std::vector<std::size_t> merged_;         // those of kept_ that others are added to
};

}  // namespace weft
