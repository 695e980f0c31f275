#include "app/media/output/write_error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "app/media/demux/input_file.h"
#include "app/media/output/file_sink.h"

namespace weft {
namespace {

struct Sender {
    std::string_view scheme;
    std::string_view command;
};

constexpr std::array kSenders = {
    Sender{"s3", "aws s3 cp"},
    Sender{"gs", "gcloud storage cp"},
    Sender{"http", "curl -T"},
    Sender{"https", "curl -T"},
    Sender{"ftp", "curl -T"},
    Sender{"sftp", "curl -T"},
    Sender{"rtmp", "ffmpeg -re -i FILE -c copy -f flv"},
    Sender{"rtmps", "ffmpeg -re -i FILE -c copy -f flv"},
};

}  // namespace

WriteError::WriteError(const std::string& path, int errno_code, std::int64_t bytes)
    : Error(Outcome::not_written, write_failure_text(path, errno_code, bytes)),
      errno_code_(errno_code) {}

void refuse_address(const std::string& output) {
    const std::string scheme = output.substr(0, output.find(':'));
    std::error_code error;
    if (!is_address(output) || std::filesystem::exists(scheme + ":", error)) return;
    if (scheme == "file")
        throw Error(Outcome::usage, fmt::format("{}: outputs are named without file://", output));
    const auto sender = std::ranges::find(kSenders, scheme, &Sender::scheme);
    const std::string example =
        sender == kSenders.end() ? "" : fmt::format(", for example with {}", sender->command);
    throw Error(Outcome::usage,
                fmt::format("{}: outputs are local files; write one here, then send it there{}",
                            output, example));
}

bool is_full_disk(int errno_code) {
    return errno_code == ENOSPC || errno_code == EDQUOT;
}

}  // namespace weft
