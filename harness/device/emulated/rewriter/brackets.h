// Brackets in a run of tokens, and what each token stands in.
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

bool is_word_character(char c);  // what an identifier or a number may hold

bool is_opening(const Token& token);  // ( [ {
bool is_closing(const Token& token);  // ) ] }

// Arguments in angles take no more tokens and bracketed parts than this, so that in a text full of angles not
// each of them looks for its partner through all others.
inline constexpr std::size_t longest_angle_arguments = 1024;

// The index of the bracket that closes or opens the one at `at`; nothing when it has no partner.
std::optional<std::size_t> matching_close(Tokens tokens, std::size_t open);
std::optional<std::size_t> matching_open(Tokens tokens, std::size_t close);

// Bounds, while it lives, the steps that this thread takes in searches, each of which may go to the end of
// the file, and the bytes that it writes again and again: a source in which thousands of searches find
// nothing, or thousands of variables share a long type, would take hours. There is a deadline, too. Once
// either is over, nothing is found and nothing written any more.
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
  std::size_t until_look_ = 0;  // at the clock
  std::chrono::steady_clock::time_point deadline_;
  SearchBudget* outer_;
};

// Of this thread's budget, if it has one.
void spend_search(std::size_t steps);
bool is_search_over();

// The partner of every token, `tokens.size()` for one that has none: matching_close() and matching_open() of
// all tokens at once.
std::vector<std::size_t> bracket_partners(Tokens tokens);

// The '<' of the template argument list that the '>' at `close` ends. Nothing when what stands between them
// cannot be one, or is longer than longest_angle_arguments.
std::optional<std::size_t> matching_angle(Tokens tokens, std::size_t close);

// The '>' of the template argument list that the '<' at `open` begins.
std::optional<std::size_t> closing_angle(Tokens tokens, std::size_t open);

// tokens[at] and the `count - 1` tokens after it are all `text` and touch each other.
bool is_run(Tokens tokens, std::size_t at, std::size_t count, std::string_view text);

// The tokens on one line and without comments, with a space where something stood between two.
std::string joined(Tokens tokens);

// What a token stands in, as far as brackets and qualifiers tell.
struct Scope {
  bool in_namespace = true;         // no brace around it but those of namespaces and extern "C"
  bool in_device_function = false;  // in the body of a __global__ or __device__ function or lambda
};

// One entry a token.
std::vector<Scope> find_scopes(Tokens tokens);

}  // namespace kgrade::emulated
