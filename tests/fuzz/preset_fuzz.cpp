// Any text is a preset whose stack round-trips, or a FilterError that names the file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "filters/preset.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const weft::Preset preset = weft::parse_preset(text, "p.toml");
        if (!(weft::parse_stack(weft::print_stack(preset.stack)) == preset.stack)) std::abort();
    } catch (const weft::FilterError& error) {
        if (!std::string_view(error.what()).starts_with("p.toml:")) std::abort();
        if (error.position() > error.text().size()) std::abort();
    }
    return 0;
}
