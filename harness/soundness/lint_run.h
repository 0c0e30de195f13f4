// A whole run of `kgrade lint`: checks form, meaning and soundness of problem files.
//
// Also checks the entries with which a problem file leaves out families of inputs (`without`) and short cuts
// (`harmless`).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "problem/problem.h"
#include "soundness/case_limits.h"
#include "soundness/lint_findings.h"
#include "soundness/soundness.h"

namespace kgrade {

// Adds family-not-drawn and short-cut-unknown for entries that leave out nothing.
void find_entries_without_effect(LintFindings& findings, const Problem& problem);

// A note for each input that has no families in a case, although its elements are drawn one by one. Grading
// then draws only what `init` says.
std::vector<std::string> notes_on_families(const Problem& problem, const std::vector<Case>& cases);

struct LintOptions : SoundnessOptions {
  std::vector<std::filesystem::path> files;
  bool run = true;  // check soundness of files without other errors
  SoundnessScope scope;
  MemoryBudget budget;
  std::vector<std::string> inputs;  // for Python files: problem/other_inputs.h
  std::optional<std::string>
      dtype;  // only this type; unset: all listed types, or the first type of a Python file
};

struct FileReport {
  std::filesystem::path path;
  std::optional<Problem> problem;  // unset if the file does not parse
  std::vector<LintFinding> findings;
  std::vector<std::string> notes;  // what was not checked and why; observations that are not faults
  std::string costs;               // costs_table() of the cases that resolve
  int cases = 0;                   // checked for soundness
  int hidden = 0;                  // hidden cases among them
  ClassErrors errors;              // over these cases

  int error_count() const;
};

struct LintReport {
  std::vector<FileReport> files;
  std::string device;  // its name; empty if none was opened
  bool cannot_run =
      false;        // one of them cannot run on the device, or not in the memory of the host: see the notes
  Failure failure;  // of the machine: some files were not read or not checked

  int error_count() const;
  int case_count() const;
  int hidden_count() const;
};

LintReport lint_files(const LintOptions& options, Bench& bench);

}  // namespace kgrade
