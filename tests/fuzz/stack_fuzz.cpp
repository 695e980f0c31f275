// Any text is a stack that round-trips and can be made, or a FilterError whose caret is inside it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "filters/stack.h"
#include "tests/filters/frames.h"

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

// A `file` parameter would open what the fuzzer names.
bool reads_file(const weft::Step& step) {
    return weft::find_param(*step.filter, "file") != nullptr && step.params.is_set("file");
}

void make_all(const weft::Stack& stack) {
    for (const weft::test::NamedFrame& frame : weft::test::frames())
        for (const weft::Step& step : stack) {
            if (reads_file(step)) continue;
            try {
                step.filter->make(step.params, frame.info);
            } catch (const weft::FilterError& error) {
                require(error.position() <= error.text().size());
            }
        }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const weft::Stack stack = weft::parse_stack(text);
        const std::string printed = weft::print_stack(stack);
        require(weft::parse_stack(printed) == stack);
        require(weft::print_stack(weft::parse_stack(printed)) == printed);
        if (stack.size() <= 4) make_all(stack);
    } catch (const weft::FilterError& error) {
        require(error.position() <= error.text().size());
        require(!error.with_caret().empty());
    }
    return 0;
}
