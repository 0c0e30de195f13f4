#include "compile/submission.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/text.h"
#include "compile/candidate_kind.h"
#include "compile/solution_file.h"

namespace kgrade {
namespace {

// --- Blocks ---

enum class Language { cuda, python, unnamed, other };

struct CodeBlock {
  Language language = Language::unnamed;
  std::string name;    // of the language, as written; may be empty
  int first_line = 0;  // of its code
  int last_line = 0;   // less than `first_line` if the block is empty
  std::string code;    // its lines, without the indentation of its fence
};

struct Fence {
  std::size_t indentation = 0;
  char mark = '`';
  std::size_t length = 0;
  std::string_view info;  // the text after the fence
};

// A line that may open a block.
std::optional<Fence> fence_in(std::string_view line) {
  Fence fence;
  fence.indentation = std::min(line.find_first_not_of(' '), line.size());
  const std::string_view rest = line.substr(fence.indentation);
  if (fence.indentation > 3 || rest.empty()) return std::nullopt;
  fence.mark = rest.front();
  fence.length = std::min(rest.find_first_not_of(fence.mark), rest.size());
  if ((fence.mark != '`' && fence.mark != '~') || fence.length < 3) return std::nullopt;
  fence.info = trimmed(rest.substr(fence.length));
  // A backtick in the info string means that this is code within a line of prose.
  if (fence.mark == '`' && fence.info.find('`') != fence.info.npos) return std::nullopt;
  return fence;
}

bool closes(const Fence& opening, std::string_view line) {
  const auto fence = fence_in(line);
  return fence && fence->mark == opening.mark && fence->length >= opening.length && fence->info.empty();
}

// "cpp" of "cpp", "CPP title=x", "{.cpp}", "cpp:mine.cu".
std::string language_name(std::string_view info) {
  std::string name;
  for (const char c : trimmed(info, "{. ")) {
    if (!is_letter(c) && !is_digit(c) && c != '+' && c != '#' && c != '-' && c != '_') break;
    name += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  }
  return name.substr(0, 20);
}

Language language_of(const std::string& name) {
  constexpr std::array cuda = {"cuda", "cu", "cuh", "cpp", "c++",      "cxx",
                               "cc",   "c",  "h",   "hpp", "cuda-cpp", "cuda-c++"};
  constexpr std::array python = {"python", "py", "python3"};
  constexpr std::array unnamed = {"", "text", "txt", "plaintext", "code"};
  const auto is_in = [&name](const auto& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (is_in(cuda)) return Language::cuda;
  if (is_in(python)) return Language::python;
  return is_in(unnamed) ? Language::unnamed : Language::other;
}

// Calls `visit` with each line, without its line break, and its number.
template <class Visit>
void each_line(std::string_view text, Visit visit) {
  int number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    visit(text.substr(begin, end - begin), number);
    begin = end + 1;
  }
}

std::vector<CodeBlock> blocks_in(std::string_view document) {
  if (document.starts_with(byte_order_mark)) document.remove_prefix(byte_order_mark.size());
  std::vector<CodeBlock> blocks;
  std::optional<Fence> open;
  each_line(document, [&](std::string_view line, int number) {
    if (open && closes(*open, line)) {
      open.reset();
    } else if (open) {
      blocks.back().last_line = number;
      const std::size_t spaces = std::min(line.find_first_not_of(' '), line.size());
      blocks.back().code += line.substr(std::min(spaces, open->indentation));
      blocks.back().code += '\n';
    } else if ((open = fence_in(line))) {
      const std::string name = language_name(open->info);
      blocks.push_back({language_of(name), name, number + 1, number, ""});
    }
  });
  return blocks;
}

// --- What a block defines ---

bool is_name_character(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

constexpr std::string_view entry = "solution";

// Whether the bracket at `at` follows the name `solution`, which follows the end of a type.
bool names_entry(std::string_view code, std::size_t at) {
  std::string_view before = trimmed(code.substr(0, at));
  if (!before.ends_with(entry)) return false;
  before.remove_suffix(entry.size());
  const std::string_view type = trimmed(before);
  if (type.empty() || (type.size() == before.size() && is_name_character(before.back()))) return false;
  const char last = type.back();
  return is_name_character(last) || last == '*' || last == '&' || last == '>' || last == ']';
}

// Whether a body begins at `at`, after the parameters: "{", perhaps after `noexcept` or a trailing type.
bool begins_body(std::string_view code, std::size_t at) {
  constexpr std::size_t longest = 200;
  const std::string_view rest = code.substr(std::min(at, code.size()), longest);
  const std::size_t end = rest.find_first_of("{};,()=\"");
  return end != rest.npos && rest[end] == '{';
}

bool defines_cuda_entry(std::string_view source) {
  // The code is joined into one line. Literals stay in the text. They do no harm, because brackets are
  // matched from the inside outwards.
  std::string code;
  each_code_line(source, [&code](const CodeLine& line) {
    code += line.text + ' ';
    return true;
  });
  std::vector<bool> open;  // brackets; true: of the entry's parameters
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at] == '(') {
      const std::size_t from = at > 256 ? at - 256 : 0;
      open.push_back(names_entry(std::string_view(code).substr(from), at - from));
    } else if (code[at] == ')' && !open.empty()) {
      if (open.back() && begins_body(code, at + 1)) return true;
      open.pop_back();
    }
  }
  return false;
}

// The text after "KEYWORD NAME" at the beginning of `text`, without leading space. Empty if `text` begins
// otherwise. Methods are indented and are not entry points.
std::string_view behind_definition(std::string_view text, std::string_view keyword, std::string_view name) {
  if (!text.starts_with(keyword)) return "";
  text.remove_prefix(keyword.size());
  const std::string_view rest = trimmed(text);
  if (rest.size() == text.size() || !rest.starts_with(name)) return "";
  return trimmed(rest.substr(name.size()));
}

// Whether a function of this name begins here. A function without parameters is not an entry point: it is
// usually a test of the file.
bool begins_function(std::string_view text, std::string_view name) {
  const std::string_view behind = behind_definition(text, "def", name);
  return behind.starts_with("(") && !trimmed(behind.substr(1)).starts_with(")");
}

// "custom_kernel = torch.compile(kernel)".
bool begins_assignment(std::string_view text, std::string_view name) {
  if (!text.starts_with(name)) return false;
  const std::string_view behind = trimmed(text.substr(name.size()));
  return behind.starts_with("=") && !behind.starts_with("==");
}

bool begins_class(std::string_view text, std::string_view name) {
  const std::string_view behind = behind_definition(text, "class", name);
  return behind.starts_with("(") || behind.starts_with(":");
}

// Whether `begins` accepts the text from the beginning of any line. A signature may continue on the next
// lines.
template <class Begins>
bool any_line(std::string_view source, Begins begins) {
  bool found = false;
  constexpr std::size_t longest = 1000;
  each_line(source, [&](std::string_view line, int) {
    found = found || begins(source.substr(static_cast<std::size_t>(line.data() - source.data()), longest));
  });
  return found;
}

bool defines_python_entry(std::string_view source) {
  return any_line(source, [](std::string_view text) {
    return begins_class(text, "ModelNew") || begins_function(text, "solution") ||
           begins_function(text, "custom_kernel") || begins_function(text, "run") ||
           begins_assignment(text, "solution") || begins_assignment(text, "custom_kernel") ||
           begins_assignment(text, "ModelNew");
  });
}

// Whether the source has a class Model, which is an entry point if there is no other one.
bool defines_model(std::string_view source) {
  return any_line(source, [](std::string_view text) { return begins_class(text, "Model"); });
}

// Whether a line imports a module that problems in KernelBench's form do not import.
bool imports_tools(std::string_view text) {
  constexpr std::array<std::string_view, 8> plain = {"torch",  "math",      "numpy",     "typing",
                                                     "einops", "functools", "itertools", "collections"};
  const std::string_view line = trimmed(text.substr(0, text.find('\n')));
  if (!line.starts_with("import ") && !line.starts_with("from ")) return false;
  const std::string_view name = trimmed(line.substr(line.find(' ')));
  const auto end = std::find_if_not(name.begin(), name.end(), is_name_character);
  const std::string_view root(name.begin(), end);
  return std::find(plain.begin(), plain.end(), root) == plain.end() ||
         line.find("cpp_extension") != line.npos || line.find(',') < line.find(" import ");
}

// Whether a file with a Model is a problem in KernelBench's form and not a submission. A problem makes
// inputs, and imports nothing that kernels are made with.
bool is_problem(std::string_view source) {
  const auto begins = [](std::string_view text) {
    return behind_definition(text, "def", "get_inputs").starts_with("(");
  };
  return any_line(source, begins) && !any_line(source, imports_tools);
}

std::optional<SubmissionKind> kind_of(const CodeBlock& block, bool (*defines_python)(std::string_view)) {
  const bool any = block.language == Language::unnamed;
  if ((any || block.language == Language::python) && defines_python(block.code))
    return SubmissionKind::python;
  if ((any || block.language == Language::cuda) && defines_cuda_entry(block.code))
    return SubmissionKind::cuda;
  return std::nullopt;
}

// --- Documents ---

std::optional<Submission> last_submission(const std::vector<CodeBlock>& blocks,
                                          bool (*defines_python)(std::string_view)) {
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    const auto kind = kind_of(*block, defines_python);
    if (!kind) continue;
    const auto before = static_cast<std::size_t>(block->first_line) - 1;
    return Submission{*kind, std::string(before, '\n') + block->code, block->first_line, block->last_line};
  }
  return std::nullopt;
}

std::string why_none(const CodeBlock& block) {
  switch (block.language) {
    case Language::cuda:
      return "defines no function 'solution'";
    case Language::python:
      return "defines none of solution, custom_kernel, run, ModelNew and Model";
    case Language::unnamed:
      return "defines neither 'solution' in CUDA C++ nor an entry point in Python";
    case Language::other:
      break;
  }
  return "is neither CUDA C++ nor Python";
}

// "the one of lines 3 to 9 (bash) is neither CUDA C++ nor Python".
std::string complaint_about(const CodeBlock& block) {
  const std::string language = block.name.empty() ? "" : fmt::format(" ({})", block.name);
  if (block.last_line < block.first_line)
    return fmt::format("the one that begins in line {} is empty", block.first_line - 1);
  const std::string lines = block.first_line == block.last_line
                                ? fmt::format("line {}", block.first_line)
                                : fmt::format("lines {} to {}", block.first_line, block.last_line);
  return fmt::format("the one of {}{} {}", lines, language, why_none(block));
}

constexpr std::size_t most_blocks_named = 4;

std::string complaints_about(const std::vector<CodeBlock>& blocks) {
  std::string text;
  const std::size_t first = blocks.size() > most_blocks_named ? blocks.size() - most_blocks_named : 0;
  for (std::size_t i = first; i < blocks.size(); ++i)
    text += (i > first ? ", " : "") + complaint_about(blocks[i]);
  if (first > 0) text += fmt::format(", nor is any of the {} before them", first);
  return fmt::format(
      "is a document, and none of its code blocks is a submission: {}; put the whole submission into one "
      "block, or into a file of its own",
      text);
}

constexpr const char* no_blocks =
    "is a document without a code block, so that it holds no submission; put one between lines of ```, or "
    "into a file of its own";

Submission whole_file(SubmissionKind kind, std::string_view content) {
  return {kind, std::string(content), 0, 0};
}

// Like line_of_fence(), for Python, where only a literal of several lines can have such a line.
int line_of_fence_in_python(std::string_view content) {
  int found = 0;
  bool may_be_literal = false;
  each_line(content, [&](std::string_view line, int number) {
    may_be_literal = may_be_literal || line.find("\"\"\"") != line.npos || line.find("'''") != line.npos;
    if (found == 0 && !may_be_literal && fence_in(line)) found = number;
  });
  return found;
}

}  // namespace

Result<Submission> find_submission(std::string_view content, const std::filesystem::path& file) {
  if (const char* const why = why_not_text(content)) return Error{why, "", {file.string(), 0, 0}};
  if (file.extension() == ".json") {
    auto solution = read_solution(content, file);
    if (!solution) return solution.errors();
    Submission found = whole_file(SubmissionKind::python, solution->text);
    found.solution = std::move(*solution);
    return found;
  }
  const bool is_named_python = file.extension() == ".py";
  const int fence = is_named_python ? line_of_fence_in_python(content) : line_of_fence(content);
  if (line_of_python(content) > 0 || (is_named_python && fence == 0))
    return whole_file(SubmissionKind::python, content);
  // The search for a fence may fail in a document, because no fence is certain, or because an unfinished
  // comment precedes it. So the file's name counts too.
  constexpr std::array<std::string_view, 4> of_documents = {".md", ".markdown", ".txt", ""};
  const bool is_named_document =
      !trimmed(content).empty() &&
      std::find(of_documents.begin(), of_documents.end(), file.extension().string()) != of_documents.end();
  if (fence == 0 && !is_named_document) return whole_file(SubmissionKind::cuda, content);
  const std::vector<CodeBlock> blocks = blocks_in(content);
  if (auto found = last_submission(blocks, defines_python_entry)) return std::move(*found);
  if (auto found = last_submission(blocks, defines_model)) return std::move(*found);
  // Explain the file here, because a compiler would report an error for every line of it.
  if (fence == 0 && (file.extension().empty() || defines_cuda_entry(content)))
    return whole_file(SubmissionKind::cuda, content);
  return Error{blocks.empty() ? no_blocks : complaints_about(blocks), "", {file.string(), fence, 0}};
}

bool is_python_candidate(const Submission& submission, const std::filesystem::path& file) {
  return submission.kind == SubmissionKind::python && file.extension() != ".cu";
}

bool is_candidate(const std::filesystem::path& file) {
  std::error_code failure;
  const std::string extension = file.extension().string();
  if (std::filesystem::is_directory(file, failure)) return false;
  // A link to a missing file also counts. The error is reported when the file is read.
  if (extension == ".cu") return true;
  if (extension != ".py" && extension != ".md" && extension != ".txt" && extension != ".json") return false;
  const auto content = read_text_file(file);
  // Most files of JSON are data, which may be large.
  if (content && extension == ".json" && content->find("\"sources\"") == content->npos) return false;
  return content && holds_submission(*content, file);
}

bool holds_submission(std::string_view content, const std::filesystem::path& file) {
  const auto found = find_submission(content, file);
  if (!found) return false;
  if (found->solution) return true;
  if (found->kind == SubmissionKind::cuda) return found->is_block() || defines_cuda_entry(content);
  return defines_python_entry(found->text) || (defines_model(found->text) && !is_problem(found->text));
}

bool has_module_entry(std::string_view python) {
  const auto begins = [](std::string_view text) { return begins_class(text, "ModelNew"); };
  return any_line(python, begins) || (defines_model(python) && !defines_python_entry(python));
}

}  // namespace kgrade
