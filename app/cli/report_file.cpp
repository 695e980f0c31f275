#include "app/cli/report_file.h"

#include "app/cli/messages.h"
#include "app/media/atomic_output.h"

namespace weft {

void write_report(const std::string& where, const std::string& text) {
    if (where == "-") {
        print_output(text);
        return;
    }
    AtomicOutput file(where, {.overwrite = Overwrite::replace});
    file.write(text);
    file.commit();
}

void write_trace(const std::string& where, const Trace& trace) {
    AtomicOutput file(where, {.overwrite = Overwrite::replace});
    trace.write([&](std::string_view text) { file.write(text); });
    file.commit();
}

}  // namespace weft
