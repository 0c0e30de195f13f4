#include "serve/tokens.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "base/text.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view scheme = "Bearer ";

// The end of a day "2026-01-31" in UTC, as seconds since 1970.
std::optional<double> end_of_day(const std::string& text) {
  int year = 0, month = 0, day = 0, read = 0;
  if (text.size() != 10 || std::sscanf(text.c_str(), "%4d-%2d-%2d%n", &year, &month, &day, &read) != 3 ||
      read != 10)
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  const std::chrono::sys_days next = std::chrono::sys_days(date) + std::chrono::days(1);
  return std::chrono::duration<double>(next.time_since_epoch()).count();
}

// Reads one of the words after the hash. False if the word is unknown.
bool read_right(const std::string& word, Token& token) {
  constexpr std::string_view quota = "quota=", feedback = "feedback=", expires = "expires=";
  Client& client = token.client;
  if (word == "problems") {
    client.may_upload = true;
  } else if (word == "teacher") {
    client.is_teacher = true;
  } else if (word.starts_with(feedback)) {
    const auto level = enum_from<Feedback>(word.substr(feedback.size()));
    client.feedback = level.value_or(Feedback::verdict);
    return level.has_value();
  } else if (word.starts_with(expires)) {
    const auto until = end_of_day(word.substr(expires.size()));
    token.until = until.value_or(1);
    return until.has_value();
  } else if (word == "seeds") {
    client.may_seed = true;
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
  const Stamp stamp = stamp_of(file);  // before it is read, so that no change is missed
  const auto text = read_text_file(file, std::uint64_t{1} << 20);
  if (!text) return text.errors();
  std::error_code failure;
  const fs::perms others = fs::perms::group_all | fs::perms::others_all;
  if ((fs::status(file, failure).permissions() & others) != fs::perms::none)
    return Error{"others may read the tokens' file", "chmod 600 " + file.string(), {file.string(), 0, 0}};
  Tokens tokens;
  tokens.file_ = fs::absolute(file);
  tokens.stamp_ = stamp;
  std::istringstream lines(*text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    number += 1;
    std::istringstream words(line);
    Token token;
    if (!(words >> token.client.owner) || token.client.owner.front() == '#') continue;
    words >> token.sha256;
    std::string word;
    const std::string& owner = token.client.owner;
    bool is_right =
        owner.size() <= 64 && is_sha256(token.sha256) && std::all_of(owner.begin(), owner.end(), [](char c) {
          return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.';
        });
    while (words >> word) is_right = read_right(word, token) && is_right;
    if (!is_right)
      return Error{
          "is no token: OWNER SHA256 [seeds] [problems] [teacher] [quota=SECONDS] "
          "[feedback=verdict|agent|full] "
          "[expires=YYYY-MM-DD]",
          "make a token with `openssl rand -hex 32`, and its hash with `printf %s TOKEN | sha256sum`",
          {file.string(), number, 0}};
    tokens.tokens_.push_back(std::move(token));
  }
  // All tokens of an owner get the least feedback that any of them has. Otherwise an owner could choose the
  // token that shows more.
  std::map<std::string, Feedback> least;
  for (const Token& token : tokens.tokens_) {
    const auto place = least.emplace(token.client.owner, token.client.feedback).first;
    place->second = std::min(place->second, token.client.feedback);
  }
  for (Token& token : tokens.tokens_) token.client.feedback = least.at(token.client.owner);
  if (tokens.tokens_.empty())
    return Error{"the file has no token", "write a line OWNER SHA256", {file.string(), 0, 0}};
  return tokens;
}

Tokens::Stamp Tokens::stamp_of(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return {};
  return {status.st_ino, status.st_ctim.tv_sec, status.st_ctim.tv_nsec};
}

void Tokens::look_at_file(const std::function<void(const std::string&)>& note) {
  if (file_.empty()) return;
  const Stamp stamp = stamp_of(file_);
  if (stamp == stamp_) return;
  stamp_ = stamp;
  auto read = Tokens::read(file_);
  if (read) {
    tokens_ = std::move(read->tokens_);
    note(fmt::format("the tokens were read again: {}", counted(tokens_.size(), "token")));
  } else {
    note("the tokens have changed and cannot be used, so the former ones stay: " + to_string(read.errors()));
  }
}

const Token* Tokens::find(std::string_view authorization) const {
  if (!authorization.starts_with(scheme)) return nullptr;
  // Hashes are compared, because the time of the comparison then says nothing about a token.
  const std::string hash = sha256_hex(authorization.substr(scheme.size()));
  const auto at =
      std::find_if(tokens_.begin(), tokens_.end(), [&](const Token& one) { return one.sha256 == hash; });
  return at == tokens_.end() ? nullptr : &*at;
}

std::optional<Client> Tokens::client_of(std::string_view authorization) const {
  if (tokens_.empty())
    return Client{.owner = "local", .may_seed = true, .may_upload = true, .is_teacher = true};
  const Token* const token = find(authorization);
  if (token == nullptr || (token->until > 0 && wall_clock() >= token->until)) return std::nullopt;
  return token->client;
}

std::vector<std::string> Tokens::students() const {
  std::set<std::string> students, others;
  for (const Token& token : tokens_) {
    const bool is_student = !token.client.is_teacher;
    (is_student ? students : others).insert(token.client.owner);
  }
  std::vector<std::string> list;
  std::set_difference(students.begin(), students.end(), others.begin(), others.end(),
                      std::back_inserter(list));
  return list;
}

bool Tokens::have_teacher() const {
  return std::any_of(tokens_.begin(), tokens_.end(), [](const Token& one) { return one.client.is_teacher; });
}

std::string Tokens::refusal_of(std::string_view authorization) const {
  const Token* const token = find(authorization);
  if (token != nullptr)
    return fmt::format("this token has expired: it was valid until {}", iso_time(token->until));
  return "send the header Authorization: Bearer TOKEN, with a token that this service knows";
}

}  // namespace kgrade
