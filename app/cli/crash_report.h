// A crash says so: that of a driver or a library would be silent.
#pragma once

namespace weft {

// From now on a signal that ends the program for a fault (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT)
// first writes a line with its name, and the calls that led to it, to standard error; the program
// ends by that signal all the same, and a core is written where the system writes one. A signal
// that is handled already, by a sanitizer for one, stays as it is. The calling thread's handler has
// a stack of its own, so that an overflown stack is reported as well. Children that are forked, not
// started anew, do the same. Call it on the main thread before other threads start.
void report_crashes();

}  // namespace weft
