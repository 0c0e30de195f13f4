// Small helpers on text and files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kgrade {

// The whole file. An Error names the file when it is missing, a folder, unreadable or over `limit` bytes.
Result<std::string> read_text_file(const std::filesystem::path& path, std::uint64_t limit = 16 << 20);

// Writes beside the target and renames, so that a reader never sees half a file.
Result<bool> write_file_atomically(const std::filesystem::path& path, std::string_view content);

// The byte offset of the first byte that is not UTF-8 (RFC 3629: no surrogates, no overlong forms).
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

// The option nearest to `word` by edit distance, if one is near enough to be a slip of the keyboard.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& options);

// Every occurrence of `from` replaced; an empty `from` replaces nothing.
std::string replace_all(std::string text, std::string_view from, std::string_view to);

// "1.5 GiB".
std::string format_bytes(std::uint64_t bytes);

// The SHA-256 of the bytes as 64 hexadecimal digits (FIPS 180-4).
std::string sha256_hex(std::string_view bytes);

}  // namespace kgrade
