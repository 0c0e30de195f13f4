#include "serve/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/text.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view scheme = "Bearer ";

bool is_hash(const std::string& text) {
  return text.size() == 64 &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

bool is_owner(const std::string& text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.';
  });
}

// One of the words after the hash.
bool read_right(const std::string& word, Client& client) {
  constexpr std::string_view quota = "quota=";
  if (word == "seeds") {
    client.may_seed = true;
  } else if (word == "lanes") {
    client.may_grade = true;
  } else if (word.starts_with(quota)) {
    const char* const end = word.data() + word.size();
    const auto [rest, failure] = std::from_chars(word.data() + quota.size(), end, client.quota_s);
    return failure == std::errc{} && rest == end && client.quota_s > 0 && client.quota_s < 1e12;
  } else {
    return false;
  }
  return true;
}

}  // namespace

Result<Tokens> Tokens::read(const fs::path& file) {
  const auto text = read_text_file(file, std::uint64_t{1} << 20);
  if (!text) return text.errors();
  std::error_code failure;
  const fs::perms others = fs::perms::group_all | fs::perms::others_all;
  if ((fs::status(file, failure).permissions() & others) != fs::perms::none)
    return Error{"others may read the tokens' file", "chmod 600 " + file.string(), {file.string(), 0, 0}};
  Tokens tokens;
  std::istringstream lines(*text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    number += 1;
    std::istringstream words(line);
    Token token;
    if (!(words >> token.client.owner) || token.client.owner.front() == '#') continue;
    words >> token.sha256;
    std::string word;
    bool is_right = is_owner(token.client.owner) && is_hash(token.sha256);
    while (words >> word) is_right = read_right(word, token.client) && is_right;
    if (!is_right)
      return Error{
          "is no token: OWNER SHA256 [seeds] [lanes] [quota=SECONDS]",
          "make a token with `openssl rand -hex 32`, and its hash with `printf %s TOKEN | sha256sum`",
          {file.string(), number, 0}};
    tokens.tokens_.push_back(std::move(token));
  }
  if (tokens.tokens_.empty())
    return Error{"the file has no token", "write a line OWNER SHA256", {file.string(), 0, 0}};
  return tokens;
}

std::optional<Client> Tokens::client_of(std::string_view authorization) const {
  if (tokens_.empty()) return Client{.owner = "local", .may_seed = true, .may_grade = true};
  if (!authorization.starts_with(scheme)) return std::nullopt;
  // Hashes are compared. How long that takes says nothing about a token.
  const std::string hash = sha256_hex(authorization.substr(scheme.size()));
  for (const Token& token : tokens_) {
    if (token.sha256 == hash) return token.client;
  }
  return std::nullopt;
}

}  // namespace kgrade
