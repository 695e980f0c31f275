#include "app/pipeline/receipt/receipt.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "app/media/demux/input_file.h"
#include "app/media/output/content_hash.h"
#include "app/pipeline/report/json_object.h"
#include "app/pipeline/report/json_text.h"
#include "filters/text/printable.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;
constexpr std::string_view kType = "receipt";
constexpr std::string_view kEnding = ".weft.json";
// JSON strings hold no line breaks, and other keys are further right: this is found only once.
constexpr std::string_view kChecksum = ",\n  \"checksum\": \"";
constexpr std::string_view kHashes = "\",\n  \"hashes\": [";
constexpr std::string_view kEnd = "]\n}\n";
// The beginning of every receipt, apart from the version of its schema.
constexpr std::string_view kBegin = "{\n  \"schema\": ";
constexpr std::string_view kTypeLine = ",\n  \"type\": \"receipt\",\n";
constexpr std::size_t kHashDigits = 16;
constexpr std::size_t kLineBytes = kHashDigits + 4;           // a line break, two quotes, a comma
constexpr std::size_t kMostHeadBytes = std::size_t{4} << 20;  // a stack has at most one MiB
constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;

[[noreturn]] void refuse_receipt(const std::string& why) {
    throw Error(Outcome::failed, why);
}

std::string hash_text(std::string_view bytes) {
    return hex_text(hash_of(bytes.data(), bytes.size()));
}

// ---- to JSON ----

Json job_json(const JobFacts& job) {
    Json json = Json::object();
    for (const JobFact& fact : job) json[fact.name] = fact.value;
    return json;
}

Json input_json(const ReceiptInput& input) {
    return {{"path", input.path},
            {"name", input.name},
            {"bytes", input.bytes},
            {"modified", json_time(input.mtime_ns)},
            {"beginning", input.beginning}};
}

Json output_json(const std::optional<ReceiptOutput>& output) {
    if (!output) return nullptr;
    return {{"bytes", output->bytes},
            {"modified", json_time(output->mtime_ns)},
            {"sha256", output->sha256}};
}

Json frames_json(const ReceiptFrames& frames) {
    return {{"count", frames.count},         {"pixel_format", frames.pixel_format},
            {"time_base", frames.time_base}, {"times", frames.times},
            {"hash", frames.hash},           {"largest_difference", frames.largest_difference},
            {"lossless", frames.lossless}};
}

Json streams_json(const std::vector<ReceiptStream>& streams) {
    Json list = Json::array();
    for (const ReceiptStream& stream : streams)
        list.push_back({{"index", stream.index},
                        {"kind", stream.kind},
                        {"packets", stream.packets},
                        {"hash", stream.hash}});
    return list;
}

Json damage_json(const std::optional<ReceiptDamage>& damage) {
    if (!damage) return nullptr;
    return {{"reason", damage->reason},
            {"first_bad_seconds", or_null(damage->first_bad_seconds)},
            {"first_bad_byte", or_null(damage->first_bad_byte)}};
}

Json run_json(const ReceiptRun& run) {
    return {{"weft", run.weft},       {"ffmpeg", run.ffmpeg},   {"device", run.device},
            {"kernels", run.kernels}, {"encoder", run.encoder}, {"host", run.host},
            {"engine", run.engine},   {"shard", run.shard},     {"shards", run.shards},
            {"started", run.started}, {"seconds", run.seconds}};
}

// Returns the text up to the checksum, which covers it.
std::string head_text(const Receipt& receipt) {
    Json json = {{"schema", kSchema}, {"type", kType}, {"name", receipt.name}};
    json["error"] = receipt.error.empty() ? Json(nullptr) : Json(receipt.error);
    json["retry"] = receipt.error.empty()           ? Json(nullptr)
                    : receipt.retry == Retry::never ? Json("never")
                                                    : Json("maybe");
    if (!receipt.error.empty() && receipt.attempts > 1) json["attempts"] = receipt.attempts;
    json["job"] = job_json(receipt.job);
    json["input"] = input_json(receipt.input);
    json["output"] = output_json(receipt.output);
    json["frames"] = frames_json(receipt.frames);
    json["streams"] = streams_json(receipt.streams);
    json["damage"] = damage_json(receipt.damage);
    json["run"] = run_json(receipt.run);
    std::string text = json_page(json);
    text.resize(text.size() - std::string_view("\n}\n").size());
    return text;
}

// ---- from JSON ----

int hex_value(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

bool are_hex(std::string_view text) {
    return std::ranges::all_of(text, [](char digit) { return hex_value(digit) >= 0; });
}

constexpr std::size_t kFastDigits = 32;
constexpr std::size_t kShaDigits = 64;

// A receipt may be moved with its files, and must not name others by accident.
std::string relative(std::string path, const std::string& name) {
    if (path.empty() || fs::path(path).is_absolute())
        refuse_receipt(fmt::format("\"{}\" is not a relative path", name));
    return path;
}

JobFacts job_of(const Json& json) {
    JsonObject members(json, "job");
    JobFacts job;
    for (const auto& item : json.items()) {
        const std::string& key = item.key();
        if (key.ends_with("_bytes")) continue;
        job.push_back({key, members.text(key)});
    }
    members.finish();
    return job;
}

ReceiptInput input_of(const Json& json) {
    JsonObject members(json, "input");
    ReceiptInput input;
    input.path = relative(members.text("path"), "input.path");
    input.name = relative(members.text("name"), "input.name");
    input.bytes = members.count("bytes");
    input.mtime_ns = members.time("modified");
    input.beginning = members.hash("beginning", kFastDigits);
    members.finish();
    return input;
}

std::optional<ReceiptOutput> output_of(const Json& json) {
    if (json.is_null()) return std::nullopt;
    JsonObject members(json, "output");
    ReceiptOutput output;
    output.bytes = members.count("bytes");
    output.mtime_ns = members.time("modified");
    output.sha256 = members.hash("sha256", kShaDigits);
    members.finish();
    return output;
}

ReceiptFrames frames_of(const Json& json) {
    JsonObject members(json, "frames");
    ReceiptFrames frames;
    frames.count = members.count("count");
    frames.pixel_format = members.text("pixel_format");
    frames.time_base = members.text("time_base");
    frames.times = members.hash("times", kFastDigits);
    frames.hash = members.hash("hash", kFastDigits);
    frames.largest_difference = members.number("largest_difference");
    frames.lossless = members.yes("lossless");
    members.finish();
    return frames;
}

std::vector<ReceiptStream> streams_of(const Json& json) {
    if (!json.is_array()) refuse_receipt("\"streams\" is not a list");
    std::vector<ReceiptStream> streams;
    for (const Json& item : json) {
        JsonObject members(item, "streams");
        ReceiptStream stream;
        stream.index = members.whole<int>("index", 0, std::numeric_limits<int>::max());
        stream.kind = members.text("kind");
        stream.packets = members.count("packets");
        stream.hash = members.hash("hash", kFastDigits);
        members.finish();
        streams.push_back(std::move(stream));
    }
    return streams;
}

std::optional<ReceiptDamage> damage_of(const Json& json) {
    if (json.is_null()) return std::nullopt;
    JsonObject members(json, "damage");
    ReceiptDamage damage;
    damage.reason = members.text("reason");
    if (!members.at("first_bad_seconds").is_null())
        damage.first_bad_seconds = members.number("first_bad_seconds");
    if (!members.at("first_bad_byte").is_null())
        damage.first_bad_byte = members.count("first_bad_byte");
    members.finish();
    return damage;
}

ReceiptRun run_of(const Json& json) {
    JsonObject members(json, "run");
    ReceiptRun run;
    run.weft = members.text("weft");
    run.ffmpeg = members.text("ffmpeg");
    run.device = members.text("device");
    run.kernels = members.text("kernels");
    run.encoder = members.text("encoder");
    run.host = members.text("host");
    run.engine = members.text("engine");
    constexpr int kMost = std::numeric_limits<int>::max();
    run.shards = members.whole<int>("shards", 1, kMost);
    run.shard = members.whole<int>("shard", 1, run.shards);
    run.started = members.text("started");
    run.seconds = members.number("seconds");
    members.finish();
    return run;
}

Retry retry_of(const Json& json) {
    if (json == "never") return Retry::never;
    if (json == "maybe") return Retry::maybe;
    refuse_receipt("\"retry\" is neither never nor maybe");
}

void take_error(JsonObject& members, Receipt& receipt) {
    const bool failed = !members.at("error").is_null();
    if (failed) receipt.error = members.text("error");
    if (failed == receipt.error.empty()) refuse_receipt("\"error\" is empty");
    if (failed) receipt.retry = retry_of(members.at("retry"));
    if (!failed && !members.at("retry").is_null())
        refuse_receipt("\"retry\" is given without an error");
    if (failed && members.has("attempts"))
        receipt.attempts = members.whole<int>("attempts", 2, std::numeric_limits<int>::max());
}

Receipt receipt_of(const Json& json) {
    JsonObject members(json, "");
    if (const std::int64_t schema = members.count("schema"); schema != kSchema)
        refuse_receipt(
            fmt::format("it has schema {}, from another version of weft; this version reads {}",
                        schema, kSchema));
    if (members.at("type") != kType) refuse_receipt("it is not a receipt");
    Receipt receipt;
    receipt.name = members.text("name");
    if (receipt.name.empty() || receipt.name == "." || receipt.name == ".." ||
        receipt.name.find('/') != std::string::npos)
        refuse_receipt("\"name\" is not the name of a file in the receipt's folder");
    take_error(members, receipt);
    receipt.job = job_of(members.at("job"));
    receipt.input = input_of(members.at("input"));
    receipt.output = output_of(members.at("output"));
    receipt.frames = frames_of(members.at("frames"));
    receipt.streams = streams_of(members.at("streams"));
    receipt.damage = damage_of(members.at("damage"));
    receipt.run = run_of(members.at("run"));
    members.finish();
    if (receipt.error.empty() && !receipt.output)
        refuse_receipt("it has neither an output nor an error");
    return receipt;
}

Receipt parse_head(std::string_view head) {
    try {
        return receipt_of(Json::parse(std::string(head) + "\n}"));
    } catch (const Json::exception& error) {
        refuse_receipt(fmt::format("not JSON: {}", printable_line(error.what())));
    } catch (const JsonError& error) {
        refuse_receipt(error.what());
    }
}

std::uint64_t hash_value(std::string_view digits) {
    std::uint64_t value = 0;
    for (const char digit : digits)
        value = value << 4U | static_cast<std::uint64_t>(hex_value(digit));
    return value;
}

// The list in exactly the form in which receipt_text() writes it.
std::vector<std::uint64_t> hashes_of(std::string_view list) {
    if (list == kEnd) return {};
    if (!list.ends_with(kEnd)) refuse_receipt("it is incomplete");
    list.remove_suffix(kEnd.size());
    const std::size_t count = list.size() / kLineBytes;
    if (count == 0 || list.size() != count * kLineBytes || list.back() != '\n')
        refuse_receipt("its list of hashes was changed");
    std::vector<std::uint64_t> hashes(count);
    for (std::size_t k = 0; k < count; ++k) {
        const std::string_view line = list.substr(k * kLineBytes, kLineBytes);
        const std::string_view digits = line.substr(2, kHashDigits);
        const std::string_view end = line.substr(2 + kHashDigits);
        if (!line.starts_with("\n\"") || !are_hex(digits) ||
            end != (k + 1 < count ? "\"," : "\"\n"))
            refuse_receipt("its list of hashes was changed");
        hashes[k] = hash_value(digits);
    }
    return hashes;
}

// Reads at most `most` bytes.
std::string read_text(const fs::path& path, std::int64_t most) {
    const InputFile file(path.string());
    if (file.size() > kMostBytes)
        throw Error(Outcome::failed, fmt::format("{}: larger than any receipt", path.string()));
    std::string text(static_cast<std::size_t>(std::min(file.size(), most)), '\0');
    text.resize(file.read_at(0, {reinterpret_cast<std::uint8_t*>(text.data()), text.size()}));
    return text;
}

bool begins_as_receipt(const fs::path& path) {
    constexpr std::int64_t kBytes = 64;
    std::error_code error;
    if (fs::is_empty(path, error)) return true;  // left by a crash, and nothing is lost
    const std::string text = read_text(path, kBytes);
    return text.starts_with(kBegin) && text.find(kTypeLine) != std::string::npos;
}

fs::path folder_of(const std::string& output) {
    const fs::path folder = follow_links(output).parent_path();
    return folder.empty() ? fs::path(".") : folder;
}

}  // namespace

fs::path receipt_path(const std::string& output) {
    constexpr std::size_t kMostNameBytes = 255;
    std::string name = follow_links(output).filename().string();
    if (1 + name.size() + kEnding.size() > kMostNameBytes) {
        const std::string mark = "-" + hash_text(name).substr(0, kHashDigits);
        name = name.substr(0, kMostNameBytes - 1 - mark.size() - kEnding.size()) + mark;
    }
    return folder_of(output) / fmt::format(".{}{}", name, kEnding);
}

bool is_receipt_name(std::string_view name) {
    return name.size() > 1 + kEnding.size() && name.starts_with('.') && name.ends_with(kEnding);
}

std::string relative_path(const std::string& path, const fs::path& folder) {
    // A relative name that does not exist yet would stay relative.
    const auto resolved = [](const fs::path& place) {
        std::error_code error;  // the current folder was deleted: no output can be written
        const fs::path absolute = fs::absolute(place.empty() ? fs::path(".") : place, error);
        fs::path real = error ? place : fs::weakly_canonical(absolute, error);
        return error ? place : real;
    };
    const fs::path file(path);
    return (resolved(file.parent_path()) / file.filename())
        .lexically_relative(resolved(folder))
        .string();
}

std::string frames_hash(const std::vector<std::uint64_t>& hashes) {
    FastHash all;
    for (std::uint64_t hash : hashes) {
        std::array<std::uint8_t, sizeof hash> bytes{};
        for (std::size_t k = bytes.size(); k > 0; hash >>= 8U)
            bytes[--k] = static_cast<std::uint8_t>(hash);
        all.add(bytes.data(), bytes.size());
    }
    return hex_text(all.digest());
}

std::string receipt_text(const Receipt& receipt) {
    std::string text = head_text(receipt);
    text.reserve(text.size() + 256 + receipt.frames.hashes.size() * kLineBytes);
    text += fmt::format("{}{}{}", kChecksum, hash_text(text), kHashes);
    const char* separator = "";
    for (const std::uint64_t hash : receipt.frames.hashes) {
        fmt::format_to(std::back_inserter(text), "{}\n\"{:016x}\"", separator, hash);
        separator = ",";
    }
    if (!receipt.frames.hashes.empty()) text += '\n';
    text += kEnd;
    return text;
}

Receipt parse_receipt(std::string_view text, ReceiptPart part) {
    const std::size_t at = text.substr(0, kMostHeadBytes).find(kChecksum);
    if (at == std::string_view::npos)
        refuse_receipt("it is not a receipt, or not as weft wrote it");
    const std::string_view head = text.substr(0, at);
    std::string_view rest = text.substr(at + kChecksum.size());
    Receipt receipt = parse_head(head);
    if (!rest.starts_with(hash_text(head)) || head_text(receipt) != head)
        refuse_receipt("it was changed after weft wrote it (its checksum is wrong)");
    rest.remove_prefix(kFastDigits);
    if (!rest.starts_with(kHashes)) refuse_receipt("its list of hashes is missing");
    if (part == ReceiptPart::without_hashes) return receipt;
    rest.remove_prefix(kHashes.size());
    receipt.frames.hashes = hashes_of(rest);
    const auto listed = static_cast<std::int64_t>(receipt.frames.hashes.size());
    constexpr auto kMost = static_cast<std::int64_t>(ReceiptFrames::kMostHashes);
    if (listed != std::min(receipt.frames.count, kMost))
        refuse_receipt(
            fmt::format("it lists {} hashes for {} frames", listed, receipt.frames.count));
    if (receipt.frames.count <= kMost && receipt.frames.hash != frames_hash(receipt.frames.hashes))
        refuse_receipt("its list of hashes was changed");
    return receipt;
}

Receipt read_receipt(const fs::path& path, ReceiptPart part) {
    const std::int64_t most = part == ReceiptPart::all
                                  ? kMostBytes
                                  : static_cast<std::int64_t>(kMostHeadBytes + kChecksum.size() +
                                                              kFastDigits + kHashes.size());
    const std::string text = read_text(path, most);
    try {
        return parse_receipt(text, part);
    } catch (const Error& error) {
        throw Error(Outcome::failed, fmt::format("{}: this receipt proves nothing: {}",
                                                 path.string(), error.what()));
    }
}

void check_receipt_place(const std::string& output, Overwrite overwrite) {
    const fs::path path = receipt_path(output);
    std::error_code error;
    if (overwrite == Overwrite::replace || !fs::is_regular_file(path, error)) return;
    if (!begins_as_receipt(path))
        throw Error(
            Outcome::usage,
            fmt::format("{}: has the name of a receipt but is not one; rename it, or give -y "
                        "to replace it",
                        path.string()));
}

void write_receipt(const Receipt& receipt, const std::string& output,
                   std::shared_ptr<RunFiles> run) {
    const fs::path path = receipt_path(output);
    std::error_code error;
    const fs::file_status status = fs::symlink_status(path, error);
    if (fs::exists(status) && !fs::is_regular_file(status))
        throw Error(Outcome::not_written,
                    fmt::format("{}: not a regular file, so no receipt is written: remove it",
                                path.string()));
    AtomicOutput file(path.string(), {.overwrite = Overwrite::replace, .run = std::move(run)});
    file.write(receipt_text(receipt));
    file.commit();
}

}  // namespace weft
