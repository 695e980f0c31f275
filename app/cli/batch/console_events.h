// Prints a batch while it runs: a bar on a terminal, one line per file elsewhere, or JSON lines.
#pragma once

#include <memory>

#include "app/batch/batch_events.h"
#include "app/batch/batch_options.h"

namespace weft {

// Writes to standard error.
std::unique_ptr<BatchEvents> make_batch_events(ProgressMode mode);

}  // namespace weft
