// Decides who may use a service: clients with a token whose hash is in a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/service.h"

namespace kgrade {

struct Token {
  std::string sha256;  // of the token's text
  Client client;
  double until = 0;  // when it expires; seconds since 1970; 0: never
};

class Tokens {
 public:
  // Without tokens, everybody who reaches the service is the owner "local", with all rights.
  Tokens() = default;
  // Reads a file with one token per line: OWNER SHA256, and words that docs/service.md lists. Empty lines and
  // lines that begin with # are skipped. Errors: a wrong line, no token, or a file that other users may read.
  static Result<Tokens> read(const std::filesystem::path& file);

  // Reads the file again if it has changed. If the file is now wrong, the former tokens stay valid. `note`
  // gets a message about the change.
  void look_at_file(const std::function<void(const std::string&)>& note);

  bool are_needed() const { return !tokens_.empty(); }
  // The owners who have neither a token with `teacher` nor one with `lanes`, in alphabetical order.
  std::vector<std::string> students() const;
  bool have_teacher() const;
  // The client of the header `Authorization: Bearer TOKEN`. Nothing for an unknown or expired token.
  std::optional<Client> client_of(std::string_view authorization) const;
  // The reason why this header has no client.
  std::string refusal_of(std::string_view authorization) const;

 private:
  // Changes when the file is written or replaced, or when its permissions change.
  struct Stamp {
    std::uint64_t inode = 0;
    std::int64_t changed_s = 0, changed_ns = 0;  // st_ctim of stat(2)
    bool operator==(const Stamp&) const = default;
  };
  static Stamp stamp_of(const std::filesystem::path& file);
  const Token* find(std::string_view authorization) const;

  std::vector<Token> tokens_;
  std::filesystem::path file_;  // empty: no tokens
  Stamp stamp_;
};

}  // namespace kgrade
