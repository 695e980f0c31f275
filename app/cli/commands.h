// The commands of the program. Each takes the arguments after its name, writes data to standard
// output and everything else to standard error, and returns the exit code or throws what main()
// turns into one.
#pragma once

#include <span>
#include <string>

#include "app/media/error.h"

namespace weft {

using Arguments = std::span<const std::string>;

ExitCode run_batch(Arguments arguments);
ExitCode run_bench(Arguments arguments);  // becomes another program, if that is there
ExitCode run_compare(Arguments arguments);
ExitCode run_info(Arguments arguments);
ExitCode run_list(Arguments arguments);
ExitCode run_view(Arguments arguments);

// The whole command line but the program's name: finds the command, catches what it throws and
// closes standard error with the line "weft: error: …".
ExitCode run_program(Arguments arguments);

}  // namespace weft
