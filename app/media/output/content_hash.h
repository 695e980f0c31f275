// Hashes that receipts keep: XXH3-128, fast enough for every frame, and SHA-256 for whole files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace weft {

// In canonical order, as `xxh128sum` prints it.
using Hash128 = std::array<std::uint8_t, 16>;

// XXH3-128 of bytes that arrive in parts. 10 GB/s where SHA-256 reaches 1.3 GB/s (2 cores with
// AVX2): a frame of 1920×1080 takes 0.4 ms.
class FastHash {
 public:
    FastHash();
    void add(const void* data, std::size_t bytes);
    Hash128 digest() const;  // covers the bytes so far

 private:
    struct Free {
        void operator()(void* state) const noexcept;
    };
    std::unique_ptr<void, Free> state_;
};

Hash128 hash_of(const void* data, std::size_t bytes);

// SHA-256 of files one after the other, by Nettle, which FFmpeg's GnuTLS needs anyway: libav's own
// takes five times as long because it does not use the CPU's instructions for it.
class FileHash {
 public:
    FileHash();
    ~FileHash();
    FileHash(FileHash&&) noexcept;
    FileHash& operator=(FileHash&&) noexcept;

    // Adds the open file from its first byte to its end, without moving its position; `path` is
    // for messages. Returns the number of bytes. Throws Error(failed).
    std::int64_t add_file(int fd, const std::string& path);
    void add(const void* data, std::size_t bytes);
    std::string digest();  // 64 hexadecimal digits; starts again

 private:
    struct State;
    std::unique_ptr<State> state_;
};

// Returns two lower-case hexadecimal digits per byte.
std::string hex_text(std::span<const std::uint8_t> bytes);

// The first 8 bytes, in the order in which hex_text() prints them.
std::uint64_t first_half(const Hash128& hash);

}  // namespace weft
