#include "app/pipeline/report/json_text.h"

#include <string_view>

#include <fmt/format.h>

#include "filters/text/printable.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

bool is_unreserved(char c) {
    constexpr std::string_view kMarks = "-._~/";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
}

std::string percent_encoded(std::string_view bytes) {
    std::string text;
    for (const char c : bytes)
        text += is_unreserved(c) ? std::string(1, c)
                                 : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    return text;
}

Json with_utf8_only(const Json& json) {
    if (json.is_string()) return with_bytes_escaped(json.get_ref<const std::string&>());
    if (!json.is_structured()) return json;
    Json out = json.is_array() ? Json::array() : Json::object();
    for (const auto& item : json.items()) {
        if (json.is_array()) {
            out.push_back(with_utf8_only(item.value()));
            continue;
        }
        const std::string key = with_bytes_escaped(item.key());
        out[key] = with_utf8_only(item.value());
        if (!item.value().is_string()) continue;
        const auto& bytes = item.value().get_ref<const std::string&>();
        if (!is_utf8(bytes)) out[key + "_bytes"] = percent_encoded(bytes);
    }
    return out;
}

// nlohmann escapes only C0 controls. The others can occur only inside strings, where JSON accepts
// \u009b as well.
std::string without_controls(std::string_view json) {
    std::string text;
    for (const char c : json)
        if (c == '\x7f')
            text += "\\u007f";
        else
            text += c;
    return printable(text);
}

std::string json_text(const Json& json, int indent) {
    try {
        return without_controls(json.dump(indent));
    } catch (const Json::type_error&) {  // not UTF-8
        return without_controls(with_utf8_only(json).dump(indent));
    }
}

}  // namespace

std::string json_line(const Json& json) {
    constexpr int kOneLine = -1;
    return json_text(json, kOneLine);
}

std::string json_page(const Json& json) {
    return json_text(json, 2) + "\n";
}

}  // namespace weft
