// Reports the signal that ends the program; a crash in a driver or a library is silent otherwise.
#pragma once

namespace weft {

// After this call, a fatal signal (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT) first writes its name
// and a backtrace to standard error. The program still ends by that signal, and the system writes a
// core file if it is set to. Handlers that are installed already, such as a sanitizer's, are kept.
// The handler of the calling thread runs on its own stack, so a stack overflow is reported as well.
// A child inherits the handlers by fork, but not by exec. Call it on the main thread before other
// threads start.
void report_crashes();

}  // namespace weft
