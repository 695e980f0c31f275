// Reads the objects of JSON files that are not trusted: plans and receipts.
#pragma once

#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace weft {

// A clause about the mistake in a file, such as "\"input.bytes\" is not a string". The caller that
// knows the file and the line adds them.
class JsonError : public std::runtime_error {
 public:
    using std::runtime_error::runtime_error;
};

// Reads the members of one JSON object by name, and refuses members that were not read. Every
// function throws JsonError. The JSON must outlive this.
class JsonObject {
 public:
    // `name` is that of the member that holds the object, and empty for a whole file or line.
    JsonObject(const nlohmann::ordered_json& json, std::string name);

    bool has(const std::string& key) const { return json_->contains(key); }
    const nlohmann::ordered_json& at(const std::string& key);

    // All bytes of a text; if it is not UTF-8, they are in the member "…_bytes".
    std::string text(const std::string& key);

    // Lower-case hexadecimal digits, exactly so many.
    std::string hash(const std::string& key, std::size_t digits);

    template <std::integral Number = std::int64_t>
    Number whole(const std::string& key, std::int64_t least, std::int64_t most) {
        return static_cast<Number>(whole_in(key, least, most));
    }
    std::int64_t count(const std::string& key);  // 0 or more
    double number(const std::string& key);
    bool yes(const std::string& key);
    std::int64_t time(const std::string& key);  // see json_time()

    // Throws if the object has other members than those that were read.
    void finish() const;

 private:
    std::int64_t whole_in(const std::string& key, std::int64_t least, std::int64_t most);
    [[noreturn]] void refuse(const std::string& key, const std::string& why) const;

    const nlohmann::ordered_json* json_;
    std::string name_;
    std::vector<std::string> known_;
};

}  // namespace weft
