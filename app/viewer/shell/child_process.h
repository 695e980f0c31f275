// Programs of the desktop that the window starts.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace weft {

// Descriptors of the child's standard input and output; -1 is /dev/null. Standard error goes there,
// too.
struct ChildStreams {
    int input = -1;
    int output = -1;
};

// Starts a program, which is searched on PATH if its name has no slash. Returns 0 or an errno.
int start_child(const std::vector<std::string>& command, ChildStreams streams, pid_t& child);

// waitpid() that goes on after a signal.
pid_t wait_for_child(pid_t child, int flags, int& status);

}  // namespace weft
