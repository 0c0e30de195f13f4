// Decides which part of a candidate's file is graded: the whole file, or the last block of a document that is
// a submission. Also decides, for all of kgrade, what kind of code a candidate is.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "compile/solution_file.h"

namespace kgrade {

enum class SubmissionKind { cuda, python };

struct Submission {
  SubmissionKind kind = SubmissionKind::cuda;
  // The code at its lines in the file. Lines outside of a block are empty, so that line numbers in messages
  // fit the file.
  std::string text;
  // The lines of the block's code, without its fences. 0: the whole file.
  int first_line = 0;
  int last_line = 0;
  std::optional<Solution> solution = {};  // of a .json file; `text` is its text

  bool is_block() const { return first_line > 0; }
};

// Finds the submission in a candidate's file. A document is any text with fenced code blocks, like Markdown
// and answers of language models (CommonMark 0.31, section 4.5: ``` or ~~~ or longer, indented by up to 3
// spaces; the last block may be unclosed). A block is a submission if it defines the function `solution` in
// CUDA C++, or in Python `solution`, `custom_kernel` or `run` with a parameter, or the class ModelNew. If the
// block names a language, that must fit. If there are several submissions, the last one counts. If there is
// none, the last block in Python with a class Model counts. Comments and literals of a source file are not
// blocks. A .json file is a solution of flashinfer-bench or SOL-ExecBench (compile/solution_file.h).
//
// An Error if the file is not text, or, with the line of the first fence, if it is a document without a
// submission. The message lists the blocks and why no block is a submission.
Result<Submission> find_submission(std::string_view content, const std::filesystem::path& file);

// Whether a submission is for a Python worker. Python in a .cu file is a mistake, and why_not_cuda() explains
// it.
bool is_python_candidate(const Submission& submission, const std::filesystem::path& file);

// Whether a file with this content defines an entry point: a document with a submission in it, or a source.
// A class Model counts too, unless the source is a problem in KernelBench's form: it defines get_inputs(),
// and imports nothing that kernels are made with.
bool holds_submission(std::string_view content, const std::filesystem::path& file);

// Whether the entry point of a source in Python is a class, as far as its text shows.
bool has_module_entry(std::string_view python);

// Whether a file that is found in a folder is a candidate: *.cu, and *.py, *.md, *.txt and *.json with a
// submission.
bool is_candidate(const std::filesystem::path& file);

}  // namespace kgrade
