#include "app/pipeline/report/json_object.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/pipeline/report/json_text.h"
#include "filters/text/printable.h"

namespace weft {

using Json = nlohmann::ordered_json;

JsonObject::JsonObject(const Json& json, std::string name) : json_(&json), name_(std::move(name)) {
    if (json.is_object()) return;
    throw JsonError(name_.empty() ? "not a JSON object"
                                  : fmt::format("\"{}\" is not an object", name_));
}

const Json& JsonObject::at(const std::string& key) {
    const auto found = json_->find(key);
    if (found == json_->end()) refuse(key, "is missing");
    known_.push_back(key);
    return *found;
}

std::string JsonObject::text(const std::string& key) {
    const Json& value = at(key);
    if (!value.is_string()) refuse(key, "is not a string");
    auto text = value.get<std::string>();
    const std::string bytes = key + "_bytes";
    if (has(bytes) && json_->at(bytes).is_string()) {
        const auto decoded = percent_decoded(at(bytes).get_ref<const std::string&>());
        if (!decoded) refuse(bytes, "has a percent sign without two digits after it");
        text = *decoded;
    }
    if (text.find('\0') != std::string::npos) refuse(key, "contains a NUL byte");
    return text;
}

std::string JsonObject::hash(const std::string& key, std::size_t digits) {
    std::string text = this->text(key);
    if (text.size() != digits || text.find_first_not_of("0123456789abcdef") != std::string::npos)
        refuse(key, fmt::format("is not a hash of {} hexadecimal digits", digits));
    return text;
}

std::int64_t JsonObject::whole_in(const std::string& key, std::int64_t least, std::int64_t most) {
    const std::optional<std::int64_t> number = whole_number(at(key), least, most);
    if (!number) refuse(key, fmt::format("is not a whole number from {} to {}", least, most));
    return *number;
}

std::int64_t JsonObject::count(const std::string& key) {
    return whole(key, 0, std::numeric_limits<std::int64_t>::max());
}

double JsonObject::number(const std::string& key) {
    const Json& value = at(key);
    if (!value.is_number()) refuse(key, "is not a number");
    return value.get<double>();
}

bool JsonObject::yes(const std::string& key) {
    const Json& value = at(key);
    if (!value.is_boolean()) refuse(key, "is neither true nor false");
    return value.get<bool>();
}

std::int64_t JsonObject::time(const std::string& key) {
    const std::optional<std::int64_t> ns = parse_json_time(text(key));
    if (!ns) refuse(key, "is not a time in seconds with nine decimals");
    return *ns;
}

void JsonObject::finish() const {
    for (const auto& item : json_->items())
        if (std::ranges::find(known_, item.key()) == known_.end())
            refuse(item.key(), "is unknown to this version of weft");
}

void JsonObject::refuse(const std::string& key, const std::string& why) const {
    throw JsonError(
        fmt::format("\"{}\" {}", printable_line(name_.empty() ? key : name_ + "." + key), why));
}

}  // namespace weft
