// Small helpers on text and files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace kgrade {

// Reads the whole file. An Error names the file if it is missing, a folder, unreadable or larger than `limit`
// bytes.
Result<std::string> read_text_file(const std::filesystem::path& path, std::uint64_t limit = 16 << 20);

// Writes a file so that a reader never sees half of it. If the target is absent or a regular file, the
// content is written beside it and renamed. A replaced file keeps its permissions, and a new one has 0644. A
// symbolic link stays, and the file that it names is written or made. Anything else that exists (a fifo, a
// device) is written directly, and so is an open descriptor named as /dev/stdout or /dev/fd/N. Opening a fifo
// waits for its reader. An Error names the file. After an Error nothing new is left, except what a device has
// already taken.
Result<bool> write_file_atomically(const std::filesystem::path& path, std::string_view content);

// The path without links and dots, as far as it exists. A path that cannot be resolved is made absolute and
// normal.
std::filesystem::path resolved(const std::filesystem::path& path);

// True if `path` is `folder` or below it. Both must be absolute and without dots.
inline bool is_within(const std::filesystem::path& path, const std::filesystem::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

// Writes all of `content` and closes the file. Returns 0 or the errno of the failure. If `fd` is not open,
// returns the errno of the failed open.
int write_and_close(UniqueFd fd, std::string_view content);

// ASCII characters by kind, whatever the locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_small_letter(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_letter(char c) { return is_small_letter(c) || (c >= 'A' && c <= 'Z'); }
constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
// The text with its ASCII letters made small or large.
std::string lower_case(std::string_view text);
std::string upper_case(std::string_view text);

// The byte offset of the first byte that is not UTF-8 (RFC 3629: no surrogates, no overlong forms).
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

// Text of a candidate or a compiler, made safe for a terminal. These become "\xNN", byte by byte: control
// characters other than newline and tab (C0, DEL and, in UTF-8, C1: U+0080 to U+009F); invisible characters
// that change how others are shown (U+061C, U+200B to U+200F, U+2028 to U+202E, U+2060 to U+2069, U+FEFF);
// and bytes that are not UTF-8.
std::string printable(std::string_view text);

// Like printable(), but for one line, such as a path: newlines and tabs become "\xNN" too.
std::string printable_line(std::string_view text);

// The option nearest to `word` by edit distance, if it is near enough to be a typing error.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& options);

// Every occurrence of `from` replaced; an empty `from` replaces nothing.
std::string replace_all(std::string text, std::string_view from, std::string_view to);

// The text without the `blanks` at its beginning and end.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n");

// Text for HTML, MathML and SVG: & < > " and ' become entities. It fits content and quoted attributes.
std::string escape_markup(std::string_view text);

// "1 byte", "2 bytes".
std::string counted(std::uint64_t count, std::string_view thing);

// "1.5 GiB".
std::string format_bytes(std::uint64_t bytes);

// Reads a size that a user wrote: "4G", "500 MiB", "4096". K, M, G and T are powers of 1024. Nothing for
// other texts.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

// "2.15 GFLOP". The smallest unit is MFLOP.
std::string format_operations(std::int64_t count);

// The SHA-256 of the bytes as 64 hexadecimal digits (FIPS 180-4).
std::string sha256_hex(std::string_view bytes);

// "65,536".
std::string with_commas(std::uint64_t number);

// The folder in which this user's programs keep files that can be made again: kgrade/<part> below
// $XDG_CACHE_HOME, or else $HOME/.cache (XDG Base Directory Specification). Only absolute paths count. Empty
// if there is neither.
std::filesystem::path user_cache_folder(std::string_view part, std::string_view xdg_cache_home,
                                        std::string_view home);
std::filesystem::path user_cache_folder(std::string_view part);  // from this process's environment

}  // namespace kgrade
