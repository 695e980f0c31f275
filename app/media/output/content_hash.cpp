#include "app/media/output/content_hash.h"

#include <cerrno>
#include <cstring>
#include <nettle/sha2.h>
#include <new>
#include <string_view>
#include <unistd.h>
#include <xxhash.h>

#include <fmt/format.h>

#include "app/media/libav/error.h"

namespace weft {
namespace {

Hash128 canonical(XXH128_hash_t hash) {
    XXH128_canonical_t text;
    XXH128_canonicalFromHash(&text, hash);
    Hash128 bytes{};
    static_assert(sizeof text.digest == sizeof bytes);
    std::memcpy(bytes.data(), static_cast<const unsigned char*>(text.digest), bytes.size());
    return bytes;
}

XXH3_state_t* as_state(void* state) {
    return static_cast<XXH3_state_t*>(state);
}

}  // namespace

void FastHash::Free::operator()(void* state) const noexcept {
    XXH3_freeState(as_state(state));
}

FastHash::FastHash() : state_(XXH3_createState()) {
    if (!state_) throw std::bad_alloc();
    XXH3_128bits_reset(as_state(state_.get()));
}

void FastHash::add(const void* data, std::size_t bytes) {
    XXH3_128bits_update(as_state(state_.get()), data, bytes);
}

Hash128 FastHash::digest() const {
    return canonical(XXH3_128bits_digest(as_state(state_.get())));
}

Hash128 hash_of(const void* data, std::size_t bytes) {
    return canonical(XXH3_128bits(data, bytes));
}

struct FileHash::State {
    State() { sha256_init(&sha); }
    sha256_ctx sha{};
};

FileHash::FileHash() : state_(std::make_unique<State>()) {}
FileHash::~FileHash() = default;
FileHash::FileHash(FileHash&&) noexcept = default;
FileHash& FileHash::operator=(FileHash&&) noexcept = default;

void FileHash::add(const void* data, std::size_t bytes) {
    sha256_update(&state_->sha, bytes, static_cast<const std::uint8_t*>(data));
}

std::int64_t FileHash::add_file(int fd, const std::string& path) {
    // Most outputs of large batches are smaller; clearing more memory would take longer than
    // hashing.
    constexpr std::size_t kBlock = std::size_t{1} << 18;
    const auto block = std::make_unique_for_overwrite<std::uint8_t[]>(kBlock);
    std::int64_t position = 0;
    for (;;) {
        const ssize_t count = pread(fd, block.get(), kBlock, position);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0)
            throw Error(Outcome::failed, fmt::format("{}: cannot be read at byte {}: {}", path,
                                                     position, std::strerror(errno)));
        if (count == 0) return position;
        add(block.get(), static_cast<std::size_t>(count));
        position += count;
    }
}

std::string FileHash::digest() {
    std::array<std::uint8_t, SHA256_DIGEST_SIZE> bytes{};
    sha256_digest(&state_->sha, bytes.size(), bytes.data());
    return hex_text(bytes);
}

std::string hex_text(std::span<const std::uint8_t> bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const std::uint8_t byte : bytes) {
        text += kDigits[byte >> 4U];
        text += kDigits[byte & 15U];
    }
    return text;
}

std::uint64_t first_half(const Hash128& hash) {
    std::uint64_t value = 0;
    for (const std::uint8_t byte : std::span(hash).first<sizeof value>())
        value = value << 8U | byte;
    return value;
}

}  // namespace weft
