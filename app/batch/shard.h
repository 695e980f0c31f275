// --shard: the part of a batch that one task of a batch engine filters.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace weft {

struct Shard {
    int index = 1;            // 1 to count
    int count = 1;            // at least 1
    std::string origin = {};  // "Slurm array 4711, task 3, attempt 2"; empty: I/N was given
};

// Value of an environment variable, or null: std::getenv.
using Environment = std::function<const char*(const char* name)>;

// Parses "I/N", or "auto" and "auto/N": the shard of the engine's task that runs this process, of N
// shards, by the variables that WEFT_SHARD (I/N) or the engine sets. With nested engines the
// innermost takes precedence: WEFT_SHARD, HyperQueue, the others. Throws Error(usage) for any other
// text, a shard out of range, no engine, and an array whose number of tasks the engine does not
// report: a retry of some tasks must not pass for a smaller array.
Shard parse_shard(const std::string& text, const Environment& environment);

// "shard 4 of 100 (Slurm array 4711, task 3, attempt 2)"
std::string shard_text(const Shard& shard);

// Whether the shard filters the input with this path, relative to the folder that was given as the
// input. Each path is in exactly one shard, the same on every machine: number CRC-32 (as in zlib
// and gzip) of its bytes modulo count, plus 1.
bool is_in_shard(const Shard& shard, std::string_view path);

}  // namespace weft
