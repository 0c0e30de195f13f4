#include "device/emulated/rewriter/launches.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kgrade::emulated {
namespace {

// Words that end the search for a kernel expression, because a bracket after such a word is not a call.
bool is_statement_keyword(const Token& token) {
  constexpr std::array<std::string_view, 12> words = {"if",     "while", "for",       "switch",
                                                      "return", "else",  "case",      "do",
                                                      "throw",  "goto",  "constexpr", "co_return"};
  return std::find(words.begin(), words.end(), token.text) != words.end();
}

// Where the expression that ends with tokens[last] begins: names with template arguments, joined by :: . ->,
// calls, subscripts, and expressions in parentheses.
class KernelFinder {
 public:
  explicit KernelFinder(Tokens tokens) : tokens_(tokens) {}

  std::optional<std::size_t> first_token(std::size_t end) {
    if (end == 0) return std::nullopt;
    std::optional<std::size_t> first = operand(end - 1);
    while (first && *first > 0) {
      const Token& before = tokens_[*first - 1];
      if (!before.is("::") && !before.is(".") && !before.is("->") && !before.is("##")) break;
      if (*first < 2 || !can_end_operand(tokens_[*first - 2])) return *first - 1;  // ::kernel
      first = operand(*first - 2);
    }
    return first;
  }

 private:
  bool can_end_operand(const Token& token) const {
    return (token.is_identifier() && !is_statement_keyword(token)) || token.is(")") || token.is("]") ||
           token.is(">");
  }

  std::optional<std::size_t> operand(std::size_t last) {
    if (++parts_ > most_parts) return std::nullopt;
    const Token& token = tokens_[last];
    if (token.is_identifier() && is_statement_keyword(token)) return std::nullopt;
    if (token.is_identifier()) return with_template_word(last);
    if (token.is(">")) {
      const auto open = matching_angle(tokens_, last);
      if (!open || *open == 0 || !tokens_[*open - 1].is_identifier()) return std::nullopt;
      return with_template_word(*open - 1);
    }
    if (token.is(")") || token.is("]")) return after_bracket(last);
    return std::nullopt;
  }

  // `kernels::template scale<T>`
  std::size_t with_template_word(std::size_t name) const {
    return name > 0 && tokens_[name - 1].is("template") ? name - 1 : name;
  }

  // (kernel), table[i], choose(n): a bracket, and the operand before it if there is one.
  std::optional<std::size_t> after_bracket(std::size_t close) {
    const auto open = matching_open(tokens_, close);
    if (!open) return std::nullopt;
    if (*open == 0 || !can_end_operand(tokens_[*open - 1])) return open;
    // if (condition) (kernel)<<<...>>>: the condition is not a function.
    if (tokens_[*open - 1].is(")")) {
      const auto before = matching_open(tokens_, *open - 1);
      if (before && *before > 0 && is_statement_keyword(tokens_[*before - 1])) return open;
    }
    const auto applied_to = operand(*open - 1);
    return applied_to ? applied_to : open;
  }

  // The number of parts is limited, since f()()()... with ten thousand calls is also an expression.
  static constexpr int most_parts = 256;

  Tokens tokens_;
  int parts_ = 0;
};

// Whether the tokens are <<< or << <. Some formatters write the second form, and nvcc accepts it.
bool opens_configuration(Tokens tokens, std::size_t at) {
  return is_run(tokens, at, 2, "<") && at + 2 < tokens.size() && tokens[at + 2].is("<");
}

// >>> or >> > before the arguments. In a longer run, the last three characters count, since the earlier ones
// close template argument lists.
bool closes_configuration(Tokens tokens, std::size_t at) {
  if (is_run(tokens, at, 3, ">")) return !is_run(tokens, at, 4, ">");
  return is_run(tokens, at, 2, ">") && at + 2 < tokens.size() && tokens[at + 2].is(">") &&
         (at + 3 == tokens.size() || tokens[at + 3].is("("));
}

// The first '>' of the >>> that closes the configuration.
std::optional<std::size_t> configuration_end(Tokens tokens, std::size_t begin) {
  std::size_t steps = 0;
  for (std::size_t i = begin; i < tokens.size() && ++steps <= longest_angle_arguments; ++i) {
    if (is_search_over()) return std::nullopt;
    spend_search(1);
    if (is_opening(tokens[i])) {
      const auto close = matching_close(tokens, i);
      if (!close) return std::nullopt;
      i = *close;
    } else if (is_closing(tokens[i]) || tokens[i].is(";")) {
      return std::nullopt;
    } else if (closes_configuration(tokens, i)) {
      return i;
    }
  }
  return std::nullopt;
}

// The name in messages: without the spaces between tokens.
std::string display_name(Tokens kernel) {
  std::string result;
  for (const Token& token : kernel) {
    if (!result.empty() && is_word_character(result.back()) && is_word_character(token.text.front()))
      result += ' ';
    result += token.text;
    if (token.is(",")) result += ' ';
  }
  return result;
}

std::string configuration_object(Tokens configuration) {
  return "kgrade_emulated::Configuration(" + joined(configuration) + ")";
}

void put_kernelless_launcher(Tokens tokens, std::size_t open, std::size_t close, Edits& edits) {
  const Tokens configuration = tokens.subspan(open + 3, close - open - 3);
  edits.replace(tokens[open].begin, tokens[close + 2].end(),
                "->*kgrade_emulated::KernellessLauncher<KGRADE_EMULATED_BLOCK_MODE>(" +
                    configuration_object(configuration) + ")");
}

}  // namespace

std::vector<Launch> find_launches(Tokens tokens) {
  std::vector<Launch> result;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!opens_configuration(tokens, i) || (i > 0 && tokens[i - 1].is("operator"))) continue;
    const auto close = configuration_end(tokens, i + 3);
    const auto kernel = KernelFinder(tokens).first_token(i);
    if (close && kernel) result.push_back({*kernel, i, *close});
    i += 2;
  }
  return result;
}

void rewrite_launches(Tokens tokens, Edits& edits) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    // A configuration without a kernel before it, as the argument of a macro that puts a kernel there:
    // LAUNCH(kernel, <<<grid, block>>>(arguments)).
    const bool begins_macro_argument = i > 0 && (tokens[i - 1].is(",") || tokens[i - 1].is("("));
    if (!begins_macro_argument || !opens_configuration(tokens, i)) continue;
    if (const auto close = configuration_end(tokens, i + 3))
      put_kernelless_launcher(tokens, i, *close, edits);
  }
  for (const Launch& launch : find_launches(tokens)) {
    if (is_search_over()) return;
    const Tokens kernel = tokens.subspan(launch.kernel, launch.open - launch.kernel);
    const Tokens configuration = tokens.subspan(launch.open + 3, launch.close - launch.open - 3);
    const std::string name = joined(kernel);
    std::string call = "kgrade_emulated::launcher<KGRADE_EMULATED_BLOCK_MODE>(" +
                       configuration_object(configuration) + ", " + string_literal(display_name(kernel)) +
                       ", KGRADE_EMULATED_PARAMETERS_OF(" + name + "), KGRADE_EMULATED_CALL_OF(" + name +
                       "))";
    // The cost counts, because a launch may be the kernel expression of the next launch, and so on.
    spend_search(call.size());
    edits.replace(tokens[launch.kernel].begin, tokens[launch.close + 2].end(), std::move(call));
  }
}

void rewrite_kernelless_launch(Tokens macro_body, Edits& edits) {
  if (!opens_configuration(macro_body, 0)) return;
  if (const auto close = configuration_end(macro_body, 3))
    put_kernelless_launcher(macro_body, 0, *close, edits);
}

}  // namespace kgrade::emulated
