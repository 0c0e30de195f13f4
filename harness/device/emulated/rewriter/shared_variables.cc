#include "device/emulated/rewriter/shared_variables.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace kgrade::emulated {
namespace {

bool is_attribute(Tokens tokens, std::size_t open) { return is_run(tokens, open, 2, "["); }

// The first token of the declaration that holds tokens[at].
std::size_t declaration_begin(Tokens tokens, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0) {
    const Token& before = tokens[begin - 1];
    if (before.is(";") || before.is("{") || before.is("}") || before.is(":")) break;
    if (before.is("]")) {  // [[maybe_unused]], or the end of something else
      const auto open = matching_open(tokens, begin - 1);
      if (!open || !is_attribute(tokens, *open)) break;
      begin = *open;
      continue;
    }
    if (before.is(")")) {  // __align__(16), or the end of something else
      const auto open = matching_open(tokens, begin - 1);
      const bool of_a_name = open && *open > 0 && tokens[*open - 1].is_identifier();
      const std::string_view name = of_a_name ? tokens[*open - 1].text : std::string_view();
      if (name != "__align__" && name != "alignas" && name != "__attribute__") break;
      begin = *open - 1;
      continue;
    }
    if (!before.is_identifier() && !before.is("::") && !before.is("<") && !before.is(">") && !before.is(","))
      break;
    --begin;
  }
  return begin;
}

// The index after the semicolon, or after the last token if there is no semicolon.
std::optional<std::size_t> declaration_end(Tokens tokens, std::size_t at) {
  for (std::size_t i = at; i < tokens.size(); ++i) {
    if (is_search_over()) return std::nullopt;
    spend_search(1);
    if (is_opening(tokens[i])) {
      const auto close = matching_close(tokens, i);
      if (!close) return std::nullopt;
      i = *close;
    } else if (is_closing(tokens[i])) {
      return std::nullopt;
    } else if (tokens[i].is(";")) {
      return i + 1;
    }
  }
  return tokens.size();
}

// A word that types are made of and that cannot be a variable's name.
bool is_type_word(const Token& token) {
  constexpr std::array<std::string_view, 17> words = {
      "const", "volatile", "struct",   "class", "union", "enum", "typename", "bool",  "char",
      "short", "int",      "unsigned", "long",  "float", "auto", "double",   "signed"};
  return std::find(words.begin(), words.end(), token.text) != words.end();
}

// Whether the tokens are only words like `volatile` or `struct`, so that the type needs more words.
bool is_incomplete_type(Tokens type) {
  constexpr std::array<std::string_view, 7> words = {"const", "volatile", "struct",  "class",
                                                     "union", "enum",     "typename"};
  return std::all_of(type.begin(), type.end(), [&](const Token& token) {
    return std::find(words.begin(), words.end(), token.text) != words.end();
  });
}

// "16" of __align__(16), alignas(16) or __attribute__((aligned(16))).
std::string alignment_of(Tokens arguments) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (!arguments[i].is("aligned") && !arguments[i].is("__aligned__")) continue;
    const auto close = matching_close(arguments, i + 1);
    return close ? joined(arguments.subspan(i + 2, *close - i - 2)) : "";
  }
  return joined(arguments);
}

// Splits a declaration into the words to remove, the alignment, and the tokens that stay.
class DeclarationReader {
 public:
  DeclarationReader(Tokens tokens, std::size_t begin, std::size_t end) : tokens_(tokens) {
    result_.begin = begin;
    result_.end = end;
    result_.has_semicolon = end > begin && tokens[end - 1].is(";");
  }

  std::optional<SharedDeclaration> read() {
    drop_qualifiers();
    const std::vector<Tokens> parts = split_at_commas();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!read_declarator(parts[i], i == 0)) return std::nullopt;
    }
    if (result_.type.empty() || result_.declarators.empty()) return std::nullopt;
    return std::move(result_);
  }

 private:
  void drop_qualifiers() {
    constexpr std::array<std::string_view, 4> dropped = {"__shared__", "static", "__device__", "inline"};
    const std::size_t end = result_.end - (result_.has_semicolon ? 1 : 0);
    for (std::size_t i = result_.begin; i < end; ++i) {
      const Token& token = tokens_[i];
      const bool attribute = token.is("[") && is_attribute(tokens_, i);
      if (attribute) {
        i = matching_close(tokens_, i).value_or(i);
      } else if (token.is("extern")) {
        result_.is_extern = true;
      } else if (token.is("__align__") || token.is("alignas") || token.is("__attribute__")) {
        const auto close = i + 1 < end ? matching_close(tokens_, i + 1) : std::nullopt;
        if (!close) return;
        result_.alignment = alignment_of(tokens_.subspan(i + 2, *close - i - 2));
        i = *close;
      } else if (std::find(dropped.begin(), dropped.end(), token.text) == dropped.end()) {
        kept_.push_back(token);
      }
    }
  }

  std::vector<Tokens> split_at_commas() const {
    const Tokens kept(kept_);
    std::vector<Tokens> parts;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      std::optional<std::size_t> close;
      if (is_opening(kept[i])) close = matching_close(kept, i);
      if (kept[i].is("<")) close = closing_angle(kept, i);
      if (close) {
        i = *close;
      } else if (kept[i].is(",")) {
        parts.push_back(kept.subspan(begin, i - begin));
        begin = i + 1;
      }
    }
    parts.push_back(kept.subspan(begin));
    return parts;
  }

  // The declared name is the last name outside brackets, or the first name in brackets, as in `(*name)[4]`.
  // Only array bounds follow it.
  static std::optional<std::size_t> name_position(Tokens part) {
    std::optional<std::size_t> name;
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (part[i].is("(") && i + 1 < part.size() && part[i + 1].is("*")) return name_in_brackets(part, i);
      std::optional<std::size_t> close;
      if (is_opening(part[i])) close = matching_close(part, i);
      if (part[i].is("<")) close = closing_angle(part, i);
      if (close) {
        i = *close;
      } else if (part[i].is("=")) {
        break;
      } else if (part[i].is_identifier()) {
        name = i;
      }
    }
    return name;
  }

  static std::optional<std::size_t> name_in_brackets(Tokens part, std::size_t open) {
    for (std::size_t i = open + 1; i < part.size(); ++i) {
      if (part[i].is_identifier() && !part[i].is("const") && !part[i].is("volatile")) return i;
    }
    return std::nullopt;
  }

  bool read_declarator(Tokens part, bool first) {
    const auto name = name_position(part);
    if (!name || is_type_word(part[*name])) return false;
    // The first token of a pasted name such as `name##_left`.
    std::size_t name_begin = *name;
    while (name_begin > 1 && part[name_begin - 1].is("##")) name_begin -= 2;
    std::size_t type_end = 0;
    if (first) {
      type_end = name_begin;
      while (type_end > 0 &&
             (part[type_end - 1].is("*") || part[type_end - 1].is("(") || part[type_end - 1].is("const")))
        --type_end;
      // `T const tile[4]`: that const belongs to the type.
      while (type_end < name_begin && part[type_end].is("const")) ++type_end;
      if (is_incomplete_type(part.subspan(0, type_end))) return false;
      result_.type = joined(part.subspan(0, type_end));
    }
    const Tokens after = part.subspan(*name + 1);
    // If anything but array bounds and closing brackets follows, this is an initialiser or a function.
    const bool bounds = after.empty() || ((after.front().is("[") || after.front().is(")")) &&
                                          (after.back().is("]") || after.back().is(")")));
    if (!bounds) return false;
    result_.declarators.push_back({joined(part.subspan(type_end, name_begin - type_end)),
                                   joined(part.subspan(name_begin, *name + 1 - name_begin)), joined(after)});
    return true;
  }

  Tokens tokens_;
  std::vector<Token> kept_;
  SharedDeclaration result_;
};

// Turns "[a > b ? a : b][2]" into "[(a > b ? a : b)][2]".
std::string with_bounds_in_parentheses(const std::string& bounds) {
  if (bounds.find('>') == std::string::npos) return bounds;
  std::string result;
  int depth = 0;
  for (const char c : bounds) {
    if (c == ']' && --depth == 0) result += ')';
    result += c;
    if (c == '[' && depth++ == 0) result += '(';
  }
  return result;
}

// Writes the variables of one declaration.
class VariableWriter {
 public:
  VariableWriter(const SharedDeclaration& declaration, bool in_namespace)
      : declaration_(declaration), type_(declaration.type), in_namespace_(in_namespace) {}

  std::string text() {
    std::string text;
    // A type that the declaration itself defines gets a typedef, since no template argument may define a
    // type.
    if (type_.find('{') != std::string::npos) {
      const std::string name = "kgrade_type_" + declaration_.declarators.front().name;
      text = "typedef " + type_ + " " + name + ";";
      type_ = name;
    }
    for (const Declarator& declarator : declaration_.declarators) {
      if (is_search_over()) break;
      if (!text.empty()) text += " ";
      const std::string variable =
          declaration_.is_extern ? dynamic_variable(declarator) : static_variable(declarator);
      spend_search(variable.size());
      text += variable;
    }
    if (!declaration_.has_semicolon && !text.empty()) text.pop_back();
    return text;
  }

 private:
  // The type as a template argument. A bound with a '>' would end the list of arguments, so it gets
  // parentheses: [(a > b ? a : b)].
  std::string type_id(const Declarator& declarator) const {
    return type_ + " " + declarator.before + with_bounds_in_parentheses(declarator.after);
  }

  std::string declared_as(const Declarator& declarator, const std::string& name,
                          const std::string& after) const {
    return type_ + " " + declarator.before + name + after;
  }

  std::string dynamic_variable(const Declarator& declarator) const {
    const std::string value = "kgrade_emulated::dynamic_shared<" + type_id(declarator) + ">()";
    if (in_namespace_) return hooked_pointer(declarator, value);
    // The pointer replaces the first bound: T (*const name)[32] of extern T name[][32].
    const std::size_t bound_end = declarator.after.find(']');
    const std::string rest = bound_end == std::string::npos ? "" : declarator.after.substr(bound_end + 1);
    return declared_as(declarator, "(*const " + declarator.name + ")", rest) + " = " + value + ";";
  }

  std::string static_variable(const Declarator& declarator) const {
    const std::string arguments =
        "<" + type_id(declarator) +
        (declaration_.alignment.empty() ? "" : ", (" + declaration_.alignment + ")") + ">";
    if (in_namespace_ && declarator.after.empty()) {
      return "static kgrade_emulated::SharedObject" + arguments + " " + declarator.name + ";";
    }
    const std::string value = "kgrade_emulated::shared_variable" + arguments +
                              "([]() -> kgrade_emulated::SharedSlot& { static kgrade_emulated::SharedSlot "
                              "kgrade_slot{\"" +
                              declarator.name + "\"}; return kgrade_slot; }())";
    if (in_namespace_) return hooked_pointer(declarator, value);
    return declared_as(declarator, "(&" + declarator.name + ")", declarator.after) + " = " + value + ";";
  }

  // Replaces an array at namespace scope by a pointer that is set whenever a block begins.
  std::string hooked_pointer(const Declarator& declarator, const std::string& value) const {
    const std::string& name = declarator.name;
    return "static thread_local std::remove_extent_t<" + type_id(declarator) + ">* " + name +
           "; static kgrade_emulated::BlockHook kgrade_hook_" + name + "([] { " + name + " = " + value +
           "; });";
  }

  const SharedDeclaration& declaration_;
  std::string type_;
  bool in_namespace_;
};

struct Lambda {
  std::size_t open = 0;   // [
  std::size_t close = 0;  // ]
  std::size_t body_end = 0;
};

// A '[' after an operand is a subscript.
bool can_begin_lambda(Tokens tokens, std::size_t at) {
  if (is_run(tokens, at, 2, "[")) return false;
  if (at == 0) return true;
  const Token& before = tokens[at - 1];
  const bool operand = before.is_identifier() && !before.is("return");
  return !operand && !before.is(")") && !before.is("]") && !before.is("[") &&
         before.kind != TokenKind::string;
}

// The lambda that begins at `at`, if one does.
std::optional<Lambda> lambda_at(Tokens tokens, const std::vector<std::size_t>& partners, std::size_t at) {
  if (!tokens[at].is("[") || !can_begin_lambda(tokens, at)) return std::nullopt;
  const std::size_t close = partners[at];
  for (std::size_t i = close + 1; i < tokens.size() && !is_search_over(); ++i) {
    spend_search(1);
    if (tokens[i].is("{")) {
      const bool ends = partners[i] < tokens.size();
      return ends ? std::optional(Lambda{at, close, partners[i]}) : std::nullopt;
    }
    if (tokens[i].is("(")) {
      i = partners[i];
    } else if (tokens[i].is(";") || is_closing(tokens[i]) || tokens[i].is(",") || tokens[i].is("=")) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

// The positions of each variable's name in order, except where it is the name of a member.
using Uses = std::map<std::string, std::vector<std::size_t>, std::less<>>;

Uses uses_of(Tokens tokens, const std::vector<SharedDeclaration>& declarations) {
  Uses uses;
  for (const SharedDeclaration& declaration : declarations) {
    for (const Declarator& declarator : declaration.declarators) uses[declarator.name];
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool member = i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->"));
    const auto found = member ? uses.end() : uses.find(tokens[i].text);
    if (found != uses.end()) found->second.push_back(i);
  }
  return uses;
}

bool is_used(const std::vector<std::size_t>& uses, std::size_t begin, std::size_t end) {
  const auto first = std::lower_bound(uses.begin(), uses.end(), begin);
  return first != uses.end() && *first < end;
}

// For every token, the '}' that ends the block around it. That is the first '}' after the token whose '{'
// comes before the token.
std::vector<std::size_t> block_ends(Tokens tokens, const std::vector<std::size_t>& partners) {
  std::vector<std::size_t> ends(tokens.size() + 1, tokens.size());
  for (std::size_t i = tokens.size(); i-- > 0;) {
    if (is_opening(tokens[i])) {
      ends[i] = ends[std::min(partners[i] + 1, tokens.size())];
    } else {
      ends[i] = tokens[i].is("}") ? i : ends[i + 1];
    }
  }
  return ends;
}

using LambdaCaptures = std::map<std::size_t, std::set<std::string>>;  // by the token of the lambda's ]

// Finds the missing captures of one variable in the lambdas between two tokens.
void find_missing_captures(Tokens tokens, const std::vector<Lambda>& lambdas, std::size_t begin,
                           std::size_t end, const std::string& name, const std::vector<std::size_t>& uses,
                           LambdaCaptures& missing) {
  auto lambda = std::lower_bound(lambdas.begin(), lambdas.end(), begin,
                                 [](const Lambda& other, std::size_t at) { return other.open < at; });
  constexpr std::size_t steps = 8;  // two searches among the uses
  for (; lambda != lambdas.end() && lambda->open < end && !is_search_over(); ++lambda) {
    spend_search(steps);
    const Tokens captures = tokens.subspan(lambda->open + 1, lambda->close - lambda->open - 1);
    const bool by_reference =
        !captures.empty() && captures[0].is("&") && (captures.size() == 1 || captures[1].is(","));
    if (by_reference) continue;
    if (is_used(uses, lambda->close, lambda->body_end) && !is_used(uses, lambda->open + 1, lambda->close))
      missing[lambda->close].insert("&" + name);
  }
}

// Adds captures to the lambdas that follow a declaration in its block and name its variables: a lambda can
// use CUDA's static variable without a capture, but has to capture the local reference or pointer that
// replaces the variable.
void capture_shared_variables(Tokens tokens, const std::vector<SharedDeclaration>& declarations,
                              const std::vector<Scope>& scopes, Edits& edits) {
  if (declarations.empty()) return;
  const std::vector<std::size_t> partners = bracket_partners(tokens);
  std::vector<Lambda> lambdas;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (const auto lambda = lambda_at(tokens, partners, i)) lambdas.push_back(*lambda);
  }
  const Uses uses = uses_of(tokens, declarations);
  const std::vector<std::size_t> ends = block_ends(tokens, partners);
  LambdaCaptures missing;
  for (const SharedDeclaration& declaration : declarations) {
    if (scopes[declaration.begin].in_namespace) continue;
    for (const Declarator& declarator : declaration.declarators) {
      find_missing_captures(tokens, lambdas, declaration.end, ends[declaration.end], declarator.name,
                            uses.find(declarator.name)->second, missing);
    }
  }
  for (const auto& [close, captures] : missing) {
    std::string text;
    for (const std::string& capture : captures) {
      if (!text.empty() || !tokens[close - 1].is("[")) text += ", ";
      text += capture;
    }
    edits.insert(tokens[close].begin, text);
  }
}

}  // namespace

std::vector<SharedDeclaration> find_shared_declarations(Tokens tokens) {
  std::vector<SharedDeclaration> result;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("__shared__")) continue;
    const auto end = declaration_end(tokens, i);
    if (!end) continue;
    const std::size_t begin = declaration_begin(tokens, i);
    if (auto declaration = DeclarationReader(tokens, begin, *end).read())
      result.push_back(std::move(*declaration));
    i = *end - 1;
  }
  return result;
}

void rewrite_shared_variables(Tokens tokens, const std::vector<Scope>& scopes, Edits& edits) {
  const std::vector<SharedDeclaration> declarations = find_shared_declarations(tokens);
  for (const SharedDeclaration& declaration : declarations) {
    edits.replace(tokens[declaration.begin].begin, tokens[declaration.end - 1].end(),
                  VariableWriter(declaration, scopes[declaration.begin].in_namespace).text());
  }
  capture_shared_variables(tokens, declarations, scopes, edits);
}

}  // namespace kgrade::emulated
