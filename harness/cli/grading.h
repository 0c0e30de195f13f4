// Shared by the commands that run candidates: their common options, the run, and the printing of its record.
// Each of them has its own printout_of(), and tell(), which writes the output for CI systems about all
// records of a run: run_and_print() finds them by the types of their arguments.
//
// A candidate may come from standard input: on the command line its name is `-`.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/temporary_directory.h"
#include "cli/app.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "compile/declarations.h"
#include "device/registry.h"
#include "grade/run.h"
#include "problem/catalogue.h"

namespace kgrade::cli {

// Keeps the candidate in a file for as long as the object lives.
class StandardInput {
 public:
  // Replaces `-`, if present, with the file. Errors: `-` is there twice, or standard input cannot be read.
  Errors replace(std::vector<std::filesystem::path>& candidates);
  // The text with `<stdin>` instead of the file's path, as compilers write it.
  std::string shown(std::string text) const;

 private:
  std::optional<TemporaryDirectory> folder_;
  std::string path_;
};

struct GradingArguments : GradeSettings {
  std::string command;  // its name
  std::string problem;
  std::vector<std::string> candidates;
  std::string device = "auto";
  std::string json;
  bool verbose = false;
  bool agent = false;  // only `grade` has it
  CiOutput ci;
  std::vector<std::string> fail_on;  // only `check` has it
};

// The problem, the candidates, and the options that the commands share. `by`: see add_grade_options().
// `verbose`: what --verbose does.
void add_run_options(CLI::App& command, unsigned by, GradingArguments& arguments, const std::string& verbose);

// The values of --order, without repetitions. An Error for an unknown word, or for any value on a GPU.
Result<std::vector<ThreadOrder>> read_orders(const std::vector<std::string>& texts,
                                             const DeviceChoice& device);

// A record as JSON and as text.
struct Printout {
  std::string json;
  std::string table;
  bool all_good = false;
};

// Prints one form of the record, writes the file of `--json FILE`, and returns the exit code.
int print(const Printout& printout, const std::string& json);

RunOptions run_options(const GradingArguments& arguments);

// The problem in each type and class in which it is graded. An Error if there are several but one record is
// asked for.
Result<std::vector<CandidateGroup>> groups_of(const Problem& problem, const GradingArguments& arguments,
                                              std::vector<CandidateSource> candidates);

// The errors of a problem or candidates that cannot be read. If the user gave the problem after the
// candidates, there is only one Error, with the right command.
Errors explained(const GradingArguments& arguments, const Layout& layout, const Errors& errors);

// Runs a command and returns its exit code. `options` holds the options that only this command has. Results
// from before a failure are still printed and written.
template <class Options, class RecordType>
int run_and_print(const GradingArguments& arguments, const DeviceChoice& device, Options options,
                  RunOutcome<RecordType> (*run)(const Problem&, const Options&, std::shared_ptr<Bench>)) {
  const Errors errors =
      check_ci_output(arguments.ci, {{"--json", arguments.json, true}}, arguments.candidates);
  if (!errors.empty()) return fail(errors);
  if (arguments.candidates.empty())
    return fail({{"no candidate is named", "name the file of a candidate behind the problem", {}}});
  static_cast<RunOptions&>(options) = run_options(arguments);
  StandardInput input;
  std::vector<std::filesystem::path> paths(arguments.candidates.begin(), arguments.candidates.end());
  if (const Errors unread = input.replace(paths); !unread.empty()) return fail(unread);
  const auto problem = problem_named(arguments.problem, options.layout, arguments.python, arguments.inputs);
  if (!problem) return fail(explained(arguments, options.layout, problem.errors()));
  auto candidates = read_candidates(paths, options.layout);
  if (!candidates) return fail(explained(arguments, options.layout, candidates.errors()));
  auto groups = groups_of(*problem, arguments, std::move(*candidates));
  if (!groups) return fail(groups.errors());
  int exit_code = exit_ok;
  std::vector<RecordType> records;
  const std::shared_ptr<Bench> bench = real_bench(device, options.layout);
  for (CandidateGroup& group : *groups) {
    if (&group != &groups->front()) bench->begin_run();
    options.candidates = std::move(group.candidates);
    RunOutcome<RecordType> outcome;
    {
      Progress progress;
      options.progress = [&](const std::string& what) { progress.show(input.shown(what)); };
      options.notice = [&](const std::string& what) {
        progress.clear();
        fmt::print(stderr, "{}", log_text(arguments.ci, "kgrade: note: " + what + "\n"));
      };
      outcome = run(group.problem, options, bench);
    }
    if (outcome.record) {
      outcome.record->problem_named = arguments.problem;
      for (auto& candidate : outcome.record->candidates) {
        candidate.path = input.shown(candidate.path);
        if constexpr (requires { candidate.neighbours; }) {
          for (Neighbour& neighbour : candidate.neighbours) neighbour.path = input.shown(neighbour.path);
        }
      }
      Printout printout = printout_of(*outcome.record, arguments);
      printout.json = input.shown(std::move(printout.json));
      printout.table = log_text(arguments.ci, input.shown(std::move(printout.table)));
      exit_code = std::max(exit_code, print(printout, arguments.json));
      records.push_back(std::move(*outcome.record));
    }
    if (outcome.failure) {
      for (Error& error : *outcome.failure) error.location.file = input.shown(std::move(error.location.file));
      exit_code = fail(*outcome.failure);
      break;
    }
  }
  // If JSON goes to standard output, nothing else may go there.
  const auto told = tell(arguments, std::move(records), arguments.json == "-" ? stderr : stdout);
  return told ? exit_code : fail(told.errors());
}

}  // namespace kgrade::cli
