// What of a candidate's file is graded: the whole file, or the last block of a document that is a submission.
// Here, and nowhere else, it is decided what kind of code a candidate is.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kgrade {

enum class SubmissionKind { cuda, python };

struct Submission {
  SubmissionKind kind = SubmissionKind::cuda;
  // Each line where it is in the file: lines outside of a block are empty, so that line numbers in messages
  // are those of the file.
  std::string text;
  // Of the block's code, without its fences; 0: the whole file.
  int first_line = 0;
  int last_line = 0;

  bool is_block() const { return first_line > 0; }
};

// Of the content of a candidate's file. A document is any text with fenced code blocks, as Markdown and the
// answers of language models have them (CommonMark 0.31, section 4.5: ``` or longer, ~~~, indented by up to 3
// spaces, the last one perhaps unclosed). A block is a submission if it defines the function `solution` in
// CUDA C++, or in Python `solution`, `custom_kernel` or `run` with a parameter, or the class ModelNew; its
// language, where it names one, has to fit. Of several the last one counts. What a source file holds in
// comments and literals is no block.
//
// An Error, with its line, for what is neither code nor holds any: what it is, or which blocks there are and
// why none is a submission.
Result<Submission> find_submission(std::string_view content, const std::filesystem::path& file);

// The same of the file as it is now; also an Error where that cannot be read.
Result<Submission> read_submission(const std::filesystem::path& file);

// Whether it is for a Python worker. In a .cu file Python is a mistake, which gets a sentence.
bool is_python_candidate(const Submission& submission, const std::filesystem::path& file);
// The same of a file; false where it cannot be read, or holds no submission.
bool is_in_python(const std::filesystem::path& candidate);

// Whether a file defines an entry point: a document with a submission in it, or a source.
bool holds_submission(const std::filesystem::path& file);

// True for a file that `kgrade sweep` grades where it lies among others: *.cu, and *.py, *.md and *.txt that
// hold a submission.
bool is_candidate(const std::filesystem::path& file);

}  // namespace kgrade
