#include "app/pipeline/job_receipt.h"

#include <fmt/format.h>

#include "app/media/demux/input_file.h"
#include "app/media/output/content_hash.h"
#include "app/pipeline/receipt/receipt.h"

namespace weft {
namespace {

// Matrix files are small: the parser refuses larger ones.
std::string content_hash(const std::string& path) {
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    const InputFile file(path);
    std::vector<std::uint8_t> block(kBlock);
    FastHash hash;
    std::int64_t at = 0;
    while (const std::size_t count = file.read_at(at, block)) {
        hash.add(block.data(), count);
        at += static_cast<std::int64_t>(count);
    }
    return hex_text(hash.digest());
}

// The stack as text without absolute paths, and the hashes of its files.
JobFacts stack_facts(Stack stack, const std::string& output) {
    const std::filesystem::path folder = receipt_path(output).parent_path();
    std::string hashes;
    for (Step& step : stack)
        for (const ParamDef& param : step.filter->params) {
            if (param.kind != ParamKind::file || !step.params.is_set(param.name)) continue;
            const std::string path = step.params.text(param.name);
            hashes += (hashes.empty() ? "" : " ") + content_hash(path);
            step.params.set(param.name, relative_path(path, folder));
        }
    JobFacts facts = {{"-vf", print_stack(stack)}};
    if (!hashes.empty()) facts.push_back({"files", hashes});
    return facts;
}

class FactList {
 public:
    explicit FactList(JobFacts facts) : facts_(std::move(facts)) {}

    void text(const char* name, const std::string& value) {
        if (!value.empty()) facts_.push_back({name, value});
    }
    void flag(const char* name, bool is_set) { text(name, is_set ? "yes" : ""); }
    template <class T>
    void number(const char* name, const std::optional<T>& value, const char* unit = "") {
        if (value) text(name, fmt::format("{}{}", *value, unit));
    }

    JobFacts take() { return std::move(facts_); }

 private:
    JobFacts facts_;
};

}  // namespace

JobFacts receipt_job(const FileJob& job) {
    const WriterOptions& writer = job.writer;
    FactList facts(stack_facts(job.stack, writer.path));
    facts.text("--fields", job.fields == Fields::split ? "split" : "");
    facts.text("--on-change", job.on_change == OnChange::scale ? "scale" : "");
    facts.number("-ss", job.reader.start_us, "us");
    facts.number("-to", job.reader.end_us, "us");
    facts.flag("-an", !job.reader.audio);
    facts.flag("-sn", !job.reader.subtitles);
    facts.text("-f", writer.format);
    facts.text("-c:v", writer.video_codec);
    facts.text("-c:a", writer.audio_codec == "copy" ? "" : writer.audio_codec);
    facts.number("-crf", writer.crf);
    facts.text("-b:v", writer.bit_rate);
    facts.text("-preset", writer.preset);
    facts.text("-pix_fmt", writer.pixel_format);
    facts.number("-threads", writer.threads > 0 ? std::optional(writer.threads) : std::nullopt);
    facts.flag("--lossless", writer.lossless);
    return facts.take();
}

}  // namespace weft
