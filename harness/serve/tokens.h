// Who may use a service: the tokens in a file, of which only hashes are stored.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/service.h"

namespace kgrade {

struct Token {
  std::string sha256;  // of the token's text
  Client client;
};

class Tokens {
 public:
  // Without tokens, everybody who reaches the service is the owner "local", with all rights.
  Tokens() = default;
  // Reads a file with one token a line: "OWNER SHA256 [seeds] [lanes] [quota=SECONDS]". Empty lines and lines
  // with # are left out. Errors: a wrong line, no token, or a file that others may read.
  static Result<Tokens> read(const std::filesystem::path& file);

  bool are_needed() const { return !tokens_.empty(); }
  // The client of the header `Authorization: Bearer TOKEN`. Nothing for an unknown token.
  std::optional<Client> client_of(std::string_view authorization) const;

 private:
  std::vector<Token> tokens_;
};

}  // namespace kgrade
