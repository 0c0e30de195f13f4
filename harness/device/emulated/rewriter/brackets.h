// Finds matching brackets in a run of tokens, and the scope of each token.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/emulated/rewriter/lexer.h"

namespace kgrade::emulated {

using Tokens = std::span<const Token>;

bool is_word_character(char c);  // may be in an identifier or a number

bool is_opening(const Token& token);  // ( [ {
bool is_closing(const Token& token);  // ) ] }

// The search for the end of a template argument list stops after this many tokens and bracketed parts.
// Otherwise, in a text full of angle brackets, each search would go through all later brackets.
inline constexpr std::size_t longest_angle_arguments = 1024;

// The index of the bracket that matches the one at `open` or `close`; nothing if there is none.
std::optional<std::size_t> matching_close(Tokens tokens, std::size_t open);
std::optional<std::size_t> matching_open(Tokens tokens, std::size_t close);

// While an object of this class exists, this thread's search steps, the bytes that it writes repeatedly, and
// its time are limited. Each search may go to the end of the file, so without limits a source with thousands
// of failing searches, or with thousands of variables of one long type, would take hours. When the budget is
// spent, searches find nothing more and nothing more is written.
class SearchBudget {
 public:
  SearchBudget();
  ~SearchBudget();
  SearchBudget(const SearchBudget&) = delete;
  SearchBudget& operator=(const SearchBudget&) = delete;

  bool is_spent() const { return left_ == 0; }
  void spend(std::size_t steps);

 private:
  std::size_t left_;
  std::size_t until_look_ = 0;  // steps until the next look at the clock
  std::chrono::steady_clock::time_point deadline_;
  SearchBudget* outer_;
};

// Spends steps of this thread's budget, if it has one.
void spend_search(std::size_t steps);
bool is_search_over();

// The index of every token's partner, or `tokens.size()` for a token that has no partner. The result is that
// of matching_close() and matching_open() for all tokens at once.
std::vector<std::size_t> bracket_partners(Tokens tokens);

// The '<' of the template argument list that the '>' at `close` ends. Nothing if the tokens between cannot be
// such a list, or are more than longest_angle_arguments.
std::optional<std::size_t> matching_angle(Tokens tokens, std::size_t close);

// The '>' of the template argument list that the '<' at `open` begins.
std::optional<std::size_t> closing_angle(Tokens tokens, std::size_t open);

// Whether tokens[at] and the `count - 1` tokens after it are all `text` and touch each other.
bool is_run(Tokens tokens, std::size_t at, std::size_t count, std::string_view text);

// The tokens on one line and without comments, with one space where two tokens do not touch.
std::string joined(Tokens tokens);

// The scope of a token, as brackets and qualifiers show it.
struct Scope {
  bool in_namespace = true;         // no braces around it except those of namespaces and extern "C"
  bool in_device_function = false;  // in the body of a __global__ or __device__ function or lambda
};

// The scope of each token.
std::vector<Scope> find_scopes(Tokens tokens);

}  // namespace kgrade::emulated
