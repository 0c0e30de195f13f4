#include "authoring/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "authoring/draft.h"
#include "base/text.h"
#include "problem/module_file.h"
#include "problem/problem.h"

namespace kgrade::authoring {
namespace {

constexpr std::size_t most_parameters = 1'000;

bool is_word(char c) { return is_digit(c) || is_letter(c) || c == '_'; }

// Reads the `parameters` list of a `def.py`. The list consists of literals and is never executed. The text
// has a line `parameters = [...]` at any indentation. Its items are dicts with the members name, type,
// pointer and const (`constant`). Values are text, numbers, True, False and None. Anything else in the list
// is an Error with its line.
class DefReader {
 public:
  DefReader(std::string_view text, const std::filesystem::path& path) : text_(text), path_(path) {}

  // The list as YAML of a problem file: "parameters:\n  - {name: ..., ...}\n".
  Result<std::string> list() {
    if (!go_to_list()) return error("has no list `parameters = [...]`");
    std::string yaml = "parameters:\n";
    for (std::size_t count = 0; !take(']'); ++count) {
      if (count == most_parameters) return error("lists too many parameters");
      const auto item = dict();
      if (!item) return item.errors();
      yaml += "  - {" + *item + "}\n";
      if (!take(',') && !sees(']')) return error("is no list of literals");
    }
    return yaml;
  }

 private:
  Error error(const std::string& what) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    return Error{what,
                 "write parameters = [{\"name\": \"x\", \"type\": \"float\", \"pointer\": True, \"const\": "
                 "True}, ...], "
                 "or write the parameters into the problem file's frontmatter",
                 {path_.string(), static_cast<int>(line), 0}};
  }

  // Moves behind the bracket of the first line that begins the list.
  bool go_to_list() {
    for (std::size_t found = text_.find("parameters"); found != text_.npos;
         found = text_.find("parameters", found + 1)) {
      const std::size_t line = text_.rfind('\n', found) == text_.npos ? 0 : text_.rfind('\n', found) + 1;
      at_ = found + std::string_view("parameters").size();
      if (trimmed(text_.substr(line, found - line)).empty() && take('=') && take('[')) return true;
    }
    at_ = 0;
    return false;
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::string_view(" \t\r\n").find(text_[at_]) == std::string_view::npos) {
        return;
      } else {
        ++at_;
      }
    }
  }
  bool sees(char c) {
    skip_blanks();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool take(char c) {
    if (!sees(c)) return false;
    ++at_;
    return true;
  }

  // A dict as members of a YAML map.
  Result<std::string> dict() {
    if (!take('{')) return error("has an item that is not a dict");
    std::string yaml;
    while (!take('}')) {
      const auto name = string();
      static constexpr std::array<std::string_view, 5> known = {"name", "type", "pointer", "const",
                                                                "constant"};
      if (!name || std::find(known.begin(), known.end(), *name) == known.end())
        return error("has a key other than name, type, pointer, const and constant");
      if (!take(':')) return error("has a key without a value");
      const auto value = literal();
      if (!value) return error("has a value that is no literal");
      yaml += (yaml.empty() ? "" : ", ") + *name + ": " + *value;
      if (!take(',') && !sees('}')) return error("has a dict that does not end");
    }
    return yaml;
  }

  std::optional<std::string> literal() {
    if (auto text = string()) return "\"" + *text + "\"";
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "True") return "true";
    if (word == "False") return "false";
    if (word == "None") return "null";
    const bool number = !word.empty() && std::all_of(word.begin(), word.end(), is_digit);
    return number ? std::optional(std::string(word)) : std::nullopt;
  }

  // A string without escapes, quotes and control characters.
  std::optional<std::string> string() {
    skip_blanks();
    if (at_ == text_.size() || (text_[at_] != '"' && text_[at_] != '\'')) return std::nullopt;
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == text_.npos) return std::nullopt;
    const std::string_view inner = text_.substr(at_ + 1, end - at_ - 1);
    const bool plain = std::all_of(inner.begin(), inner.end(), [](char c) {
      return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && c != '\\' && c != '"';
    });
    if (!plain) return std::nullopt;
    at_ = end + 1;
    return std::string(inner);
  }

  std::string_view text_;
  const std::filesystem::path& path_;
  std::size_t at_ = 0;
};

// A tensor's shape in the statement.
struct StatedShape {
  std::vector<std::string> extents;  // expressions of parameters; empty: it cannot be used
  std::string written;               // "(B, C_{in}, H, W)"; empty if the statement has none
  std::string problem;               // why it cannot be used
};

using Names = std::vector<std::string>;

// The symbols for arguments of layers in papers and in PyTorch's documentation.
constexpr std::pair<std::string_view, std::string_view> conventions[] = {
    {"B", "batch_size"}, {"N", "batch_size"},  {"C_in", "in_channels"}, {"C_out", "out_channels"},
    {"C", "channels"},   {"D", "depth"},       {"H", "height"},         {"W", "width"},
    {"L", "length"},     {"K", "kernel_size"}, {"K_d", "kernel_d"},     {"K_h", "kernel_h"},
    {"K_w", "kernel_w"}, {"g", "groups"},      {"G", "groups"},         {"groups", "groups"},
};

// "C_{\text{in}}" becomes "C_in".
std::string plain_symbol(std::string_view latex) {
  std::string text(trimmed(latex));
  for (const char* command : {"\\text", "\\mathrm", "\\,", "\\;", "\\left", "\\right", "\\_"})
    text = replace_all(std::move(text), command, std::string_view(command) == "\\_" ? "_" : "");
  std::erase_if(text, [](char c) { return c == '{' || c == '}' || c == ' '; });
  return text;
}

bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The parameter that a symbol stands for. Empty if no parameter fits, or more than one: the symbol `N` fits
// both `n` and `batch_size`.
std::string parameter_of(const std::string& symbol, const Names& integers) {
  const bool is_number = !symbol.empty() && std::all_of(symbol.begin(), symbol.end(), is_digit);
  if (is_number || contains(integers, symbol)) return symbol;
  Names meant;
  if (contains(integers, lower_case(symbol))) meant.push_back(lower_case(symbol));
  for (const auto& [convention, name] : conventions) {
    if (symbol == convention && contains(integers, name) && !contains(meant, name)) meant.emplace_back(name);
  }
  return meant.size() == 1 ? meant.front() : "";
}

// The extent as an expression. Nothing if a symbol stands for no parameter; then `unknown` is that symbol.
std::optional<std::string> extent_of(std::string_view latex, const Names& integers, std::string& unknown) {
  std::string expression;
  for (std::string_view rest = latex;;) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string symbol = plain_symbol(rest.substr(0, slash));
    const std::string parameter = parameter_of(symbol, integers);
    if (parameter.empty()) {
      unknown = symbol;
      return std::nullopt;
    }
    expression += (expression.empty() ? "" : " / ") + parameter;
    if (slash == rest.size()) return expression;
    rest.remove_prefix(slash + 1);
  }
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; end != text.npos;) {
    end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end != text.npos) text.remove_prefix(end + separator.size());
  }
  return parts;
}

// The extents of "(B, H, W)" or "M \times N". Nothing for other formulas.
std::vector<std::string_view> extents_in(std::string_view formula) {
  const std::string_view text = trimmed(formula);
  if (text.starts_with('(') && text.ends_with(')')) {
    auto parts = split(text.substr(1, text.size() - 2), ",");
    if (parts.size() > 1 && trimmed(parts.back()).empty()) parts.pop_back();  // "(n,)"
    return parts;
  }
  if (text.find("\\times") != text.npos) return split(text, "\\times");
  return {};
}

StatedShape shape_of(std::string_view formula, const Names& integers) {
  StatedShape shape{{}, std::string(trimmed(formula)), ""};
  for (const std::string_view extent : extents_in(formula)) {
    std::string unknown;
    const auto expression = extent_of(extent, integers, unknown);
    if (!expression) {
      shape.extents.clear();
      shape.problem = unknown.empty() ? "an extent is missing" : fmt::format("'{}' is no parameter", unknown);
      return shape;
    }
    shape.extents.push_back(*expression);
  }
  return shape;
}

// The texts between pairs of this character, and the position in the line at which each ends.
std::vector<std::pair<std::string_view, std::size_t>> quoted_in(std::string_view line, char quote) {
  std::vector<std::pair<std::string_view, std::size_t>> found;
  for (std::size_t begin = line.find(quote); begin != line.npos;) {
    const std::size_t end = line.find(quote, begin + 1);
    if (end == line.npos) break;
    found.emplace_back(line.substr(begin + 1, end - begin - 1), end);
    begin = line.find(quote, end + 1);
  }
  return found;
}

struct Named {
  std::string tensor;
  std::size_t end = 0;  // of its name in the line
};

std::optional<Named> only_tensor_in(std::string_view line, const Names& tensors) {
  std::optional<Named> named;
  for (const char quote : {'`', '$'}) {
    for (const auto& [text, end] : quoted_in(line, quote)) {
      const std::string name = plain_symbol(text);
      if (!contains(tensors, name)) continue;
      if (named && named->tensor != name) return std::nullopt;
      if (!named) named = Named{name, end};
    }
  }
  return named;
}

// Shapes in a statement, by tensor: "- Tensor `input` of shape $(B, C_{in}, H, W)$". A line counts if it
// names exactly one tensor, in backquotes or between dollars, and then has a shape between dollars: a list in
// parentheses, or factors with \times. An extent is a number, a parameter's name, a symbol of `conventions`,
// or a quotient of these. If a symbol stands for no integer parameter, the shape cannot be used. Nothing is
// guessed.
std::map<std::string, StatedShape> stated_shapes(std::string_view statement, const Names& tensors,
                                                 const Names& integers) {
  std::map<std::string, StatedShape> shapes;
  for (const std::string_view line : split(statement, "\n")) {
    const auto named = only_tensor_in(line, tensors);
    if (!named) continue;
    for (const auto& [formula, end] : quoted_in(line, '$')) {
      if (end <= named->end || extents_in(formula).empty()) continue;
      const StatedShape shape = shape_of(formula, integers);
      const auto [known, is_new] = shapes.try_emplace(named->tensor, shape);
      if (!is_new && known->second.written != shape.written)
        known->second = {{}, known->second.written, "elsewhere the statement writes " + shape.written};
      break;
    }
  }
  return shapes;
}
// The frontmatter. If it has no parameters, the parameters of a def.py are added.
Result<std::string> with_parameters(std::string_view content, const std::filesystem::path& path,
                                    std::string_view def_py) {
  const std::size_t line = content.find('\n');
  const std::size_t end = content.find("\n---", 1);
  const bool has = end == content.npos || content.substr(0, end).find("\nparameters:") != content.npos;
  if (has || def_py.empty() || line == content.npos) return std::string(content);
  const std::filesystem::path file = path.parent_path() / "def.py";
  const auto parameters = DefReader(def_py, file).list();
  if (!parameters) return parameters.errors();
  return std::string(content.substr(0, line + 1)) + *parameters + std::string(content.substr(line + 1));
}

DraftParameter draft_of(const Parameter& parameter) {
  DraftParameter draft{parameter.name, parameter.type, parameter.pointer, parameter.is_const, {}, "", {}};
  for (const Expression& extent : parameter.shape) draft.shape.push_back(extent.text());
  if (parameter.init) (parameter.begins ? draft.begins : draft.init.text) = parameter.init->text;
  if (parameter.begins && !parameter.init) draft.begins = parameter.begins->input;
  return draft;
}

// A draft with everything that the frontmatter states.
Draft draft_of(const Problem& problem) {
  Draft draft;
  draft.slug = problem.slug;
  draft.title = problem.title;
  draft.difficulty = problem.difficulty;
  draft.author = problem.author;
  draft.tags = problem.tags;
  draft.source = problem.source;
  draft.statement = problem.statement;
  if (!problem.dtypes.empty()) draft.dtypes = problem.dtypes;
  draft.precision = problem.precision;
  for (const Parameter& parameter : problem.parameters) draft.parameters.push_back(draft_of(parameter));
  for (const auto& [name, value] : problem.let) draft.let.push_back({name, {value.text(), ""}});
  for (const Expression& condition : problem.require) draft.require.push_back({condition.text(), ""});
  if (problem.flops) draft.flops = Noted{problem.flops->text(), ""};
  draft.cases = problem.cases;
  draft.fuzz = problem.fuzz;
  draft.scales = problem.scales;
  return draft;
}

std::vector<std::string> names_of(const Problem& problem, bool tensors) {
  std::vector<std::string> names;
  for (const Parameter& parameter : problem.parameters) {
    if (tensors ? parameter.pointer : parameter.is_integer()) names.push_back(parameter.name);
  }
  return names;
}

// The value for `source` if the statement contains a path such as ".../KernelBench/level1/75_conv...":
// "KernelBench level1/75". Empty if the statement contains none.
std::string source_in(std::string_view statement) {
  const std::size_t level = statement.find("/level");
  if (statement.find("KernelBench") == statement.npos || level == statement.npos) return "";
  const std::size_t begin = level + 1;
  const std::size_t slash = statement.find('/', begin);
  if (slash == statement.npos || slash - begin > 8) return "";
  const std::size_t end = statement.find_first_not_of("0123456789", slash + 1);
  if (end == statement.npos || end == slash + 1 || end - slash > 8) return "";
  return "KernelBench " + std::string(statement.substr(begin, end - begin));
}

void add_shapes(Imported& imported, const std::map<std::string, StatedShape>& stated) {
  for (DraftParameter& parameter : imported.draft.parameters) {
    if (!parameter.pointer || !parameter.shape.empty()) continue;
    const auto found = stated.find(parameter.name);
    if (found != stated.end() && !found->second.extents.empty()) {
      parameter.shape = found->second.extents;
      parameter.shape_note = "from the statement: " + found->second.written;
      continue;
    }
    const Todo todo{fmt::format("shape of '{}'", parameter.name),
                    found == stated.end() ? std::string("the statement gives no shape for this parameter")
                                          : fmt::format("the statement writes {}, and {}",
                                                        found->second.written, found->second.problem)};
    parameter.shape_note = fmt::format("{} {}: {}", todo_mark, todo.what, todo.why);
    imported.todos.push_back(todo);
  }
}

// Adds the tasks that are not about shapes: init, require, flops, cases and fuzz.
void add_rest(Imported& imported) {
  Draft& draft = imported.draft;
  const auto add = [&](bool missing, const char* what, const char* why) {
    if (!missing) return;
    imported.todos.push_back({what, why});
    draft.todos.push_back(fmt::format("{} {}: {}", todo_mark, what, why));
  };
  const bool draws = std::any_of(draft.parameters.begin(), draft.parameters.end(), [](const auto& parameter) {
    return parameter.pointer && parameter.is_const && parameter.init.text.empty();
  });
  add(draws, "init", "how each input is drawn, so that wrong answers stand out");
  add(draft.require.empty(), "require",
      "the conditions that the statement sets; if there are none, remove this line");
  add(!draft.flops, "flops", "how many operations a case takes; if unknown, remove this line");
  add(draft.cases.empty(), "cases", "a sample, tests, and a bench of the size that matters");
  add(draft.fuzz.empty(), "fuzz", "the ranges that hidden shapes are drawn from");
  add(draft.may_have_domain(), "domain",
      "how far inputs may go beyond what `init` draws, as in {x: \"-90..90\"}; if unknown, remove this line");
}

}  // namespace

Result<Imported> import_problem(std::string_view content, const std::filesystem::path& path,
                                const std::string& slug, std::string_view def_py) {
  const auto whole = with_parameters(content, path, def_py);
  if (!whole) return whole.errors();
  auto problem = parse_problem(*whole, path);
  if (!problem) return problem.errors();
  const Location place{path.string(), 0, 0};
  if (!problem->family.empty() || problem->bytes || problem->libraries != Libraries::any)
    return Error{"the file has keys that only kgrade's own problem files have, so it is not a bare interface",
                 "copy it into the folder of problems, and run `kgrade lint` on it", place};
  constexpr std::size_t largest_statement = 256 << 10;
  if (problem->statement.size() > largest_statement)
    return Error{"the statement is larger than 256 KiB", "keep what says how the kernel's result is computed",
                 place};
  Imported imported{draft_of(*problem), {}};
  if (!slug.empty()) imported.draft.slug = slug;
  if (const auto error = check_slug(imported.draft.slug)) return *error;
  if (imported.draft.source.empty()) imported.draft.source = source_in(problem->statement);
  add_shapes(imported,
             stated_shapes(problem->statement, names_of(*problem, true), names_of(*problem, false)));
  add_rest(imported);
  // A file that cannot be read would be worse than no file.
  if (const auto again = parse_problem(problem_text(imported.draft), path); !again)
    return Error{"the imported problem file would be invalid: " + again.error().message,
                 "write the shapes and cases yourself: `kgrade lint` says what is missing",
                 {path.string(), 0, 0}};
  return imported;
}

Result<ImportedModule> import_module(std::string text, const std::filesystem::path& path,
                                     const std::string& slug) {
  // The file's shapes are numbers and its module's arguments are values. Cases of other sizes need names for
  // these numbers and values.
  ImportedModule imported{
      slug_of_module_file(path),
      std::move(text),
      {{"parameters",
        "name the extents that cases vary, as in {name: rows, type: size_t, pointer: false}, and "
        "write shapes with these names"},
       {"torch",
        "write `init:` with these names in the place of `given:`; if you add no cases, remove this line"},
       {"flops", "how many operations a case takes; if you do not know, remove this line"},
       {"cases", "a sample and tests, smaller than kernelbench"},
       {"fuzz", "the ranges that hidden shapes are drawn from"}}};
  if (!slug.empty()) {
    if (auto error = check_slug(slug)) return *std::move(error);
    const std::string line = "\nslug: ";
    const std::size_t begin = imported.text.find(line) + line.size();
    imported.text.replace(begin, imported.text.find('\n', begin) - begin, slug);
    imported.slug = slug;
  }
  std::string comments = "\n\n";
  for (const Todo& todo : imported.todos)
    comments += fmt::format("# {} {}: {}\n", todo_mark, todo.what, todo.why);
  // The file's own text cannot begin a line, because it is always quoted.
  imported.text.replace(imported.text.find("\n---\n"), 1, comments);
  return imported;
}

}  // namespace kgrade::authoring
