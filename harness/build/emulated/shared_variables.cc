#include "build/emulated/shared_variables.h"

#include <algorithm>
#include <array>

namespace kgrade::emulated {
namespace {

bool ends_statement(const Token& token) { return token.is(";") || token.is("{") || token.is("}"); }

// The first token of the declaration that holds tokens[at].
std::size_t declaration_begin(Tokens tokens, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0) {
    const Token& before = tokens[begin - 1];
    if (ends_statement(before) || before.is(":") || before.directive >= 0) break;
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

std::optional<std::size_t> declaration_end(Tokens tokens, std::size_t at) {
  for (std::size_t i = at; i < tokens.size(); ++i) {
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
  return std::nullopt;
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

// Takes a declaration apart: the words that go, the alignment, and the tokens that stay.
class DeclarationReader {
 public:
  DeclarationReader(Tokens tokens, std::size_t begin, std::size_t end) : tokens_(tokens) {
    result_.begin = begin;
    result_.end = end;
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
    for (std::size_t i = result_.begin; i + 1 < result_.end; ++i) {
      const Token& token = tokens_[i];
      if (token.is("extern")) {
        result_.is_extern = true;
      } else if (token.is("__align__") || token.is("alignas") || token.is("__attribute__")) {
        const auto close = matching_close(tokens_, i + 1);
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

  // The declared name is the last one outside brackets: what follows it are array bounds.
  static std::optional<std::size_t> name_position(Tokens part) {
    std::optional<std::size_t> name;
    for (std::size_t i = 0; i < part.size(); ++i) {
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

  bool read_declarator(Tokens part, bool first) {
    const auto name = name_position(part);
    if (!name) return false;
    std::size_t type_end = 0;
    if (first) {
      type_end = *name;
      while (type_end > 0 && (part[type_end - 1].is("*") || part[type_end - 1].is("const"))) --type_end;
      // `T const tile[4]`: that const belongs to the type.
      while (type_end < *name && part[type_end].is("const")) ++type_end;
      if (type_end == 0) return false;
      result_.type = joined(part.subspan(0, type_end));
    }
    const Tokens after = part.subspan(*name + 1);
    // Anything but array bounds is an initialiser or a function.
    if (!after.empty() && (!after.front().is("[") || !after.back().is("]"))) return false;
    result_.declarators.push_back(
        {joined(part.subspan(type_end, *name - type_end)), std::string(part[*name].text), joined(after)});
    return true;
  }

  Tokens tokens_;
  std::vector<Token> kept_;
  SharedDeclaration result_;
};

std::string type_definition(const SharedDeclaration& declaration, const Declarator& declarator) {
  return "typedef " + declaration.type + " " + declarator.before + " kgrade_type_" + declarator.name + " " +
         declarator.after + ";";
}

std::string alignment_argument(const SharedDeclaration& declaration) {
  return declaration.alignment.empty() ? "" : ", (" + declaration.alignment + ")";
}

// An array at namespace scope: a pointer that is set whenever a block begins.
std::string hooked_pointer(const std::string& name, const std::string& value) {
  return " static thread_local std::remove_extent_t<kgrade_type_" + name + ">* " + name +
         "; static kgrade_emulated::BlockHook kgrade_hook_" + name + "([] { " + name + " = " + value +
         "; });";
}

std::string dynamic_variable(const Declarator& declarator, bool in_namespace) {
  const std::string value = "kgrade_emulated::dynamic_shared<kgrade_type_" + declarator.name + ">()";
  if (in_namespace) return hooked_pointer(declarator.name, value);
  return " auto* const " + declarator.name + " = " + value + ";";
}

std::string static_variable(const SharedDeclaration& declaration, const Declarator& declarator,
                            bool in_namespace) {
  const std::string type = "kgrade_type_" + declarator.name;
  const std::string arguments = "<" + type + alignment_argument(declaration) + ">";
  const bool is_array = !declarator.after.empty();
  if (in_namespace && !is_array) {
    return " static kgrade_emulated::SharedObject" + arguments + " " + declarator.name + ";";
  }
  const std::string slot = "kgrade_slot_" + declarator.name;
  const std::string value = "kgrade_emulated::shared_variable" + arguments + "(" + slot + ")";
  const std::string slot_definition = " static kgrade_emulated::SharedSlot " + slot + ";";
  if (in_namespace) return slot_definition + hooked_pointer(declarator.name, value);
  return slot_definition + " " + type + "& " + declarator.name + " = " + value + ";";
}

std::string replacement_of(const SharedDeclaration& declaration, bool in_namespace) {
  std::string text;
  for (const Declarator& declarator : declaration.declarators) {
    text += type_definition(declaration, declarator);
    text += declaration.is_extern ? dynamic_variable(declarator, in_namespace)
                                  : static_variable(declaration, declarator, in_namespace);
  }
  return text;
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
  for (const SharedDeclaration& declaration : find_shared_declarations(tokens)) {
    edits.replace(tokens[declaration.begin].begin, tokens[declaration.end - 1].end(),
                  replacement_of(declaration, scopes[declaration.begin].in_namespace));
  }
}

}  // namespace kgrade::emulated
