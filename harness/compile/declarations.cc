#include "compile/declarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <sstream>
#include <utility>

#include "base/text.h"
#include "record/verdict.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

// Declarations are looked for in this many characters at the beginning of a file.
constexpr std::size_t most_characters = 16 * 1024;
constexpr std::string_view mark = "// kgrade:";
// The mark of a declaration in Python. Lines in which one of the words below follows the mark are for the
// worker.
constexpr std::string_view python_mark = "# kgrade:";
constexpr std::string_view words_for_worker[] = {"entry", "state"};

// The declaration in a comment line; nothing for other comments.
std::optional<std::string> declared_in(const std::string& line, bool is_python) {
  if (!is_python) return line.starts_with(mark) ? std::optional(line.substr(mark.size())) : std::nullopt;
  if (!line.starts_with(python_mark)) return std::nullopt;
  std::string rest = line.substr(python_mark.size());
  const std::string_view said = trimmed(rest);
  const bool is_for_worker = std::any_of(std::begin(words_for_worker), std::end(words_for_worker),
                                         [said](std::string_view word) { return said.starts_with(word); });
  return is_for_worker ? std::nullopt : std::optional(std::move(rest));
}

// Follows, line by line, the comments and empty lines at the beginning of a file, and says when they end.
class Preamble {
 public:
  explicit Preamble(bool is_python) : is_python_(is_python) {}

  bool goes_on_at(const std::string& line) {
    const std::string_view text = trimmed(line);
    if (is_over_ || text.empty() || line.starts_with(is_python_ ? "#" : "//")) return !is_over_;
    const bool begins = !is_python_ && !is_in_block_ && text.starts_with("/*");
    if (!begins && !is_in_block_) return end();
    const std::size_t close = text.find("*/", begins ? 2 : 0);
    is_in_block_ = close == std::string_view::npos;
    return is_in_block_ || trimmed(text.substr(close + 2)).empty() ? true : end();
  }

 private:
  bool end() {
    is_over_ = true;
    return false;
  }

  bool is_python_;
  bool is_in_block_ = false;  // in a comment of several lines
  bool is_over_ = false;
};

bool is_class(std::string_view name) { return precision_from(name) != Precision::none; }

// A kind of declaration.
struct Kind {
  std::string_view key;
  std::string_view what;  // for messages
  std::optional<std::string> Declarations::*value;
  bool (*is_known)(std::string_view name);
};

constexpr Kind kinds[] = {{"dtype", "type", &Declarations::dtype,
                           [](std::string_view name) { return dtype_from(name).has_value(); }},
                          {"precision", "precision class", &Declarations::precision, is_class}};

constexpr const char* remedy_for_unknown =
    "write `// kgrade: dtype float16`, with float32, float16 or bfloat16, or `// kgrade: precision tf32`, "
    "with "
    "fp32, tf32 or bf16 (or exact, for problems that ask for it)";

constexpr const char* misplaced = "this line counts only among the comments that the file begins with";
constexpr const char* remedy_for_misplaced =
    "move it above the first line of code, `#include` and `import` too";

// Reads the text after the mark. An Error has no place.
std::optional<Error> read_line(const std::string& line, Declarations& declarations) {
  std::istringstream words(line);
  std::string key;
  std::string name;
  std::string more;
  const bool two_words = (words >> key >> name) && !(words >> more);
  for (const Kind& kind : kinds) {
    if (!two_words || key != kind.key || !kind.is_known(name)) continue;
    if (declarations.*kind.value)
      return Error{fmt::format("the candidate's {} is declared twice", kind.what),
                   fmt::format("keep one line `// kgrade: {} ...`", kind.key),
                   {}};
    declarations.*kind.value = name;
    return std::nullopt;
  }
  return Error{"this line says nothing that is known", remedy_for_unknown, {}};
}

// The problem with another required class. Errors: see as_asked().
Result<Problem> with_precision(Problem problem, std::string_view name) {
  if (!is_class(name))
    return Error{
        fmt::format("there is no precision class '{}'", name), "they are: exact, fp32, tf32, bf16", {}};
  if (problem.is_exact() && name != problem.precision)
    return Error{fmt::format("problem '{}' allows no rounding, and has no class {}", problem.slug, name),
                 "leave the class out, or declare `precision exact`",
                 {}};
  if (!problem.is_exact() && precision_from(name) == Precision::exact)
    return Error{fmt::format("problem '{}' has no class exact: its answers may be rounded", problem.slug),
                 "declare fp32, tf32 or bf16, or leave the class out",
                 {}};
  if (problem.only_fp32 && name != problem.precision)
    return Error{fmt::format("problem '{}' has the class fp32 only, and not {}", problem.slug, name),
                 "leave the class out, or declare `precision fp32`",
                 {}};
  problem.precision = name;
  return problem;
}

// The class that a candidate declares, if the request asks for a better class. Otherwise empty.
std::string overruled_class(const CandidateSource& candidate, const Problem& asked) {
  const auto declared =
      candidate.submission ? read_declarations(*candidate.submission, candidate.path) : Declarations{};
  if (!declared || !declared->precision) return "";
  return precision_from(*declared->precision) > precision_from(asked.precision) ? *declared->precision : "";
}

}  // namespace

Result<Declarations> read_declarations(const Submission& submission, const fs::path& file) {
  const bool is_python = submission.kind == SubmissionKind::python;
  // In a submission from a document, empty lines come before the graded block.
  std::istringstream lines(
      submission.text.substr(0, static_cast<std::size_t>(submission.first_line) + most_characters));
  Declarations declarations;
  Preamble preamble(is_python);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const bool counts = preamble.goes_on_at(line);
    if (!counts && is_python) break;  // only the worker can tell comments from literals
    const auto declared = declared_in(counts ? line : std::string(trimmed(line)), is_python);
    if (!declared) continue;
    auto error = counts ? read_line(*declared, declarations)
                        : std::optional(Error{misplaced, remedy_for_misplaced, {}});
    if (!error) continue;
    if (is_python) error->remedy = replace_all(error->remedy, "`// kgrade:", "`# kgrade:");
    error->location = {file.string(), number, 1};
    return *error;
  }
  return declarations;
}

Result<Problem> as_asked(Problem problem, std::string_view dtype, std::string_view precision) {
  auto bound = with_dtype(std::move(problem), dtype);
  return bound ? with_precision(std::move(*bound), precision) : bound;
}

bool asks_for_the_same(const Problem& one, const Problem& other) {
  return one.dtype == other.dtype && one.precision == other.precision;
}

Result<Problem> as_declared(const Problem& problem, const CandidateSource& candidate,
                            const std::optional<std::string>& dtype,
                            const std::optional<std::string>& precision) {
  const auto declared =
      candidate.submission ? read_declarations(*candidate.submission, candidate.path) : Declarations{};
  if (!declared) return declared.errors();
  Result<Problem> typed(problem);
  if (dtype) {
    typed = with_dtype(problem, *dtype);
  } else if (declared->dtype) {
    typed = with_dtype(problem, *declared->dtype);
    if (!typed) {
      Error error = typed.error();
      error.message = fmt::format("the candidate is for {}: {}", *declared->dtype, error.message);
      error.location = {candidate.path.string(), 0, 0};
      return error;
    }
  }
  if (!typed) return typed;
  // An element type may have a class of its own. A class that the candidate declares overrides it, and a
  // class in `precision` overrides both.
  auto bound = declared->precision ? with_precision(*typed, *declared->precision) : typed;
  if (bound && precision)
    return *precision == own_class ? typed : with_precision(*std::move(typed), *precision);
  if (bound) return bound;
  Error error = bound.error();
  error.location = {candidate.path.string(), 0, 0};
  return error;
}

Result<std::vector<CandidateGroup>> group_candidates(const Problem& problem,
                                                     std::vector<CandidateSource> candidates,
                                                     const std::optional<std::string>& dtype,
                                                     const std::optional<std::string>& precision) {
  auto undeclared = dtype ? with_dtype(problem, *dtype) : Result<Problem>(problem);
  if (undeclared && precision && *precision != own_class)
    undeclared = with_precision(*std::move(undeclared), *precision);
  if (!undeclared) return undeclared.errors();
  std::vector<Result<Problem>> declared;
  for (const CandidateSource& candidate : candidates)
    declared.push_back(as_declared(problem, candidate, dtype, precision));
  const auto first = std::find_if(declared.begin(), declared.end(), std::mem_fn(&Result<Problem>::ok));
  const Problem& of_faults = first != declared.end() ? **first : *undeclared;
  std::vector<CandidateGroup> groups;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!declared[i]) candidates[i].fault = in_one_line(declared[i].error());
    const Problem& asked = declared[i] ? *declared[i] : of_faults;
    // The reference has the problem's own class for the type.
    const auto typed =
        asked.dtype == problem.dtype ? Result<Problem>(problem) : with_dtype(problem, to_string(asked.dtype));
    candidates[i].reference_class = typed ? typed->precision : problem.precision;
    if (precision) candidates[i].overruled_class = overruled_class(candidates[i], asked);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const CandidateGroup& other) {
      return asks_for_the_same(other.problem, asked);
    });
    if (group == groups.end()) group = groups.insert(group, {asked, {}});
    group->candidates.push_back(std::move(candidates[i]));
  }
  return groups;
}

}  // namespace kgrade
