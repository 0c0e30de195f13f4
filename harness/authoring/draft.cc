#include "authoring/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "problem/fields.h"

namespace kgrade::authoring {
namespace {

constexpr std::size_t width = 108;

bool is_alphanumeric(char c) { return is_letter(c) || is_digit(c); }

// The text in double quotes, with escapes that YAML knows.
std::string in_double_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += std::string{'\\', c};
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

bool is_plain_word(std::string_view text) {
  const bool letters = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_alphanumeric(c) || c == '_' || c == '-';
  });
  if (!letters || !is_letter(text[0])) return false;
  for (const std::string_view word : {"true", "false", "null", "yes", "no", "on", "off"}) {
    if (text == word) return false;
  }
  return true;
}

std::string word(std::string_view text) {
  return is_plain_word(text) ? std::string(text) : in_double_quotes(text);
}

// An expression or an init. It is quoted only if it has characters that YAML would read in another way.
std::string formula(std::string_view text) {
  const bool plain = !text.empty() && (is_alphanumeric(text[0]) || text[0] == '(') &&
                     text.find_first_of(",[]{}#\"':\\\n") == text.npos;
  return plain ? std::string(text) : in_double_quotes(text);
}

std::string comment(std::string_view note) {
  if (note.empty()) return "";
  std::string line = replace_all(std::string(note), "\n", " ");
  if (line.size() > 160) {
    std::size_t end = 157;
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80) --end;
    line = line.substr(0, end) + "...";
  }
  return "  # " + line;
}

std::string listed(const std::vector<std::string>& texts, std::string (*write)(std::string_view)) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + write(text);
  return "[" + list + "]";
}

std::string parameter_text(const DraftParameter& parameter) {
  std::string text = fmt::format("  - {{name: {}, type: {}, pointer: {}, const: {}", word(parameter.name),
                                 parameter.type == "[VAR]" ? "\"[VAR]\"" : word(parameter.type),
                                 parameter.pointer, parameter.is_const);
  std::string note;
  if (!parameter.shape.empty()) {
    text += ",\n     shape: " + listed(parameter.shape, formula);
    note = comment(parameter.shape_note);
  } else if (!parameter.shape_note.empty()) {
    // Without a value, the note is on a line of its own.
    text = comment(parameter.shape_note) + "\n" + text;
  }
  if (!parameter.init.text.empty()) {
    text += "," + note + "\n     init: " + in_double_quotes(parameter.init.text);
    note = comment(parameter.init.note);
  }
  if (!parameter.begins.empty()) {
    text += "," + note + "\n     begins: " + in_double_quotes(parameter.begins);
    note.clear();
  }
  return text + "}" + note + "\n";
}

std::string case_text(const CaseSpec& spec, const Draft& draft) {
  std::vector<std::string> entries = {"name: " + spec.name, fmt::format("role: {}", to_string(spec.role))};
  for (const DraftParameter& parameter : draft.parameters) {
    const auto whole = spec.integers.find(parameter.name);
    const auto real = spec.reals.find(parameter.name);
    if (whole != spec.integers.end()) entries.push_back(fmt::format("{}: {}", parameter.name, whole->second));
    if (real == spec.reals.end()) continue;
    const auto known = draft.defaults.find(parameter.name);
    if (known == draft.defaults.end() || known->second != real->second)
      entries.push_back(fmt::format("{}: {}", parameter.name, real->second));
  }
  // A {flow: map} after "- ". Lines are broken before entries that would pass the margin.
  std::string text = "  - {";
  std::size_t column = text.size();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool fits = column + entries[i].size() + 2 <= width;
    if (i > 0) text += fits ? ", " : ",\n     ";
    column = i > 0 && !fits ? 5 + entries[i].size() : column + entries[i].size() + 2;
    text += entries[i];
  }
  return text + "}\n";
}

constexpr std::size_t longest_slug = 128;

// "Row Softmax.md" becomes row-softmax. Empty if no characters remain.
std::string suggested_slug(std::string_view text) {
  if (text.ends_with(".md")) text.remove_suffix(3);
  std::string slug;
  for (const char c : text) {
    const bool kept = is_alphanumeric(c);
    if (kept) slug += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!kept && !slug.empty() && slug.back() != '-') slug += '-';
  }
  slug.resize(std::min(slug.size(), longest_slug));
  while (slug.ends_with('-')) slug.pop_back();
  return slug;
}

// The position at which YAML would see the beginning of a comment: after a blank, and not in double quotes.
std::optional<std::size_t> comment_in(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && (i == 0 || line[i - 1] != '\\')) quoted = !quoted;
    if (line[i] == '#' && !quoted && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) return i;
  }
  return std::nullopt;
}

}  // namespace

bool Draft::may_have_domain() const {
  return std::any_of(parameters.begin(), parameters.end(), [](const DraftParameter& parameter) {
    const std::string& init = parameter.init.text;
    return parameter.pointer && parameter.is_const &&
           (init.empty() || init.starts_with("uniform") || init.starts_with("normal"));
  });
}

std::string problem_text(const Draft& draft) {
  std::string text = fmt::format("---\nslug: {}\ntitle: {}\ndifficulty: {}\n", in_double_quotes(draft.slug),
                                 in_double_quotes(draft.title), to_string(draft.difficulty));
  if (is_plain_word(draft.slug)) text = replace_all(text, in_double_quotes(draft.slug), draft.slug);
  if (!draft.author.empty()) text += "author: " + word(draft.author) + "\n";
  if (!draft.tags.empty()) text += "tags: " + listed(draft.tags, word) + "\n";
  if (!draft.source.empty()) text += "source: " + in_double_quotes(draft.source) + "\n";
  text += "\nparameters:\n";
  for (const DraftParameter& parameter : draft.parameters) text += parameter_text(parameter);
  text += draft.dtypes.empty() ? "\n" : fmt::format("\ndtypes: {}\n", listed(draft.dtypes, word));
  text += fmt::format("precision: {}\n", draft.precision);
  if (!draft.let.empty() || !draft.require.empty() || draft.flops) text += "\n";
  if (!draft.let.empty()) text += "let:\n";
  for (const auto& [name, value] : draft.let)
    text += "  " + name + ": " + formula(value.text) + comment(value.note) + "\n";
  if (!draft.require.empty()) text += "require:\n";
  for (const Noted& condition : draft.require)
    text += "  - " + formula(condition.text) + comment(condition.note) + "\n";
  if (draft.flops) text += "flops: " + formula(draft.flops->text) + comment(draft.flops->note) + "\n";
  if (!draft.defaults.empty()) text += "\ndefaults:" + comment(draft.defaults_note) + "\n";
  for (const auto& [name, value] : draft.defaults) text += fmt::format("  {}: {}\n", name, value);
  if (!draft.cases.empty()) text += "\ncases:" + comment(draft.cases_note) + "\n";
  for (const CaseSpec& spec : draft.cases) text += case_text(spec, draft);
  if (!draft.fuzz.empty()) text += "\nfuzz:" + comment(draft.fuzz_note) + "\n";
  for (const FuzzRange& range : draft.fuzz) {
    text += !range.text.empty()       ? fmt::format("  {}: {}\n", range.parameter, range.text)
            : range.low == range.high ? fmt::format("  {}: {}\n", range.parameter, range.low)
                                      : fmt::format("  {}: {}..{}\n", range.parameter, range.low, range.high);
  }
  for (const ScaleRange& scale : draft.scales) text += fmt::format("  {}: {}\n", scale.input, scale.text);
  if (!draft.todos.empty()) text += "\n";
  for (const std::string& todo : draft.todos) text += std::string(trimmed(comment(todo))) + "\n";
  text += "---\n" + draft.statement;
  return text.ends_with('\n') ? text : text + "\n";
}

std::optional<Error> check_slug(const std::string& slug) {
  if (is_slug(slug) && !slug.ends_with('-')) return std::nullopt;
  const std::string shown = slug.size() > 60 ? slug.substr(0, 60) + "..." : slug;
  const std::string better = suggested_slug(slug);
  return Error{
      fmt::format("'{}' cannot be a slug", shown),
      "use lower-case letters, digits and hyphens" +
          (is_slug(better) ? fmt::format(", as in `{}`", better) : std::string(", as in `row-softmax`")),
      {}};
}

std::vector<Mark> marks_left_in(std::string_view file) {
  std::vector<Mark> marks;
  int dashes = 0;
  for (int number = 1; !file.empty(); ++number) {
    const std::size_t end = std::min(file.find('\n'), file.size());
    const std::string_view line = file.substr(0, end);
    file.remove_prefix(std::min(end + 1, file.size()));
    if (dashes < 2 && line.starts_with("---") && trimmed(line) == "---") ++dashes;
    if (dashes < 2) {
      const auto comment = comment_in(line);
      const std::string_view text = comment ? trimmed(line.substr(*comment + 1)) : "";
      if (text.starts_with(todo_mark))
        marks.push_back({number, static_cast<int>(*comment) + 1, std::string(text), true});
      continue;
    }
    for (const std::string_view placeholder : {sentence_placeholder, formula_placeholder}) {
      const std::size_t at = line.find(placeholder);
      if (at == line.npos) continue;
      marks.push_back({number, static_cast<int>(at) + 1, std::string(placeholder), false});
      break;
    }
  }
  return marks;
}

}  // namespace kgrade::authoring
