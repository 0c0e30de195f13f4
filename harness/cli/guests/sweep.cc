#include "sweep/sweep.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "cli/app.h"
#include "cli/guests/lane.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "compile/module_file.h"
#include "compile/python_interpreter.h"
#include "device/registry.h"
#include "problem/catalogue.h"
#include "problem/set_files.h"
#include "record/ci_formats.h"
#include "sweep/module_candidates.h"
#include "sweep/plan.h"
#include "sweep/report.h"

namespace kgrade::cli {
namespace {

struct SweepArguments {
  SweepSelection selection;
  LaneOptions lane;
  std::string gpus;
  int jobs = 0;
  std::string output = "sweep.jsonl";
  bool resume = false;
  bool overwrite = false;
  std::vector<std::string> fail_on;
  std::string lane_command;
  int lanes = 1;
  CiOutput ci;
};

int exit_code_of(const SweepArguments& arguments, const SweepOutcome& outcome) {
  const auto asked = [&](const char* what) {
    return std::find(arguments.fail_on.begin(), arguments.fail_on.end(), what) != arguments.fail_on.end();
  };
  const auto any = [&](auto is_bad) {
    return std::any_of(outcome.records.begin(), outcome.records.end(), is_bad);
  };
  int ungraded = exit_ok;
  for (const UngradedCandidate& one : outcome.ungraded) ungraded = std::max(ungraded, one.exit_code);
  if (ungraded != exit_ok) return ungraded;
  if (asked("not-accepted") &&
      any([](const Record& e) { return e.candidate().verdict != Verdict::accepted && !needs_a_gpu(e); }))
    return exit_not_accepted;
  if (asked("unsupported") && any([](const Record& e) { return needs_a_gpu(e); })) return exit_not_accepted;
  const auto is_slower = [](const Record& record) {
    const Score* score = record.candidate().headline();
    return score != nullptr && statement_of(score->speedup.interval) == Statement::slower;
  };
  return asked("slower") && any(is_slower) ? exit_slower : exit_ok;
}

SweepOptions options_of(const SweepArguments& arguments, std::vector<std::string> devices, Layout layout) {
  SweepOptions options;
  options.lane = arguments.lane;
  if (arguments.lane_command.empty()) {
    const bool emulated = devices.front() == "emulated";
    options.build_jobs = emulated ? 0 : arguments.jobs > 0 ? arguments.jobs : spare_cores(devices.size());
    options.lane_command = {own_lane_command()};
  } else {
    options.lane_command = lane_command_of(arguments.lane_command);
  }
  options.devices = std::move(devices);
  options.layout = std::move(layout);
  return options;
}

// The JUnit file of a sweep that is cut short by a signal, or because no device is left. It has the verdicts
// so far, and every other candidate as not graded.
class JunitSoFar {
 public:
  // Writes to `file` if a signal ends the process. If the name is empty, does nothing.
  JunitSoFar(const SweepPlan& plan, std::string file);
  ~JunitSoFar() { Cleanup::of_this_process().set_last_action(nullptr); }
  JunitSoFar(const JunitSoFar&) = delete;
  JunitSoFar& operator=(const JunitSoFar&) = delete;

  void take(const Record& record);
  // An Error if the file cannot be written.
  Result<bool> write();

 private:
  const SweepPlan& plan_;
  std::string file_;
  std::mutex mutex_;  // guards the records: a signal's thread writes them
  std::vector<Record> records_;
};

JunitSoFar::JunitSoFar(const SweepPlan& plan, std::string file) : plan_(plan), file_(std::move(file)) {
  if (!file_.empty()) Cleanup::of_this_process().set_last_action([this] { (void)write(); });
}

void JunitSoFar::take(const Record& record) {
  if (file_.empty()) return;
  // Keeps the parts of a record that JUnit shows. Cases are left out.
  Record summary;
  static_cast<RunRecord&>(summary) = record;
  summary.candidates.resize(1);
  summary.candidate().path = record.candidate().path;
  summary.candidate().verdict = record.candidate().verdict;
  summary.candidate().message = record.candidate().message;
  const std::lock_guard lock(mutex_);
  records_.push_back(std::move(summary));
}

Result<bool> JunitSoFar::write() {
  if (file_.empty()) return true;
  const std::lock_guard lock(mutex_);
  using Name = std::tuple<std::string, Dtype, std::string>;
  std::set<Name> graded;
  for (const Record& record : records_)
    graded.insert({record.problem_slug, record.dtype, record.candidate().path});
  const std::string device = records_.empty() ? "" : records_.front().device.name;
  std::vector<Ungraded> ungraded;
  const auto add = [&](const UngradedCandidate& one) {
    if (graded.contains({one.slug, one.dtype, one.candidate.string()})) return;
    ungraded.push_back({one.slug, one.dtype, device, one.candidate.string(), one.message, utc_now()});
  };
  for (std::size_t task = 0; task < plan_.tasks.size(); ++task)
    add(without_verdict(plan_, task, "the sweep was cut short before it"));
  for (const UngradedCandidate& one : plan_.refused) add(one);
  return write_file_atomically(file_, junit_xml(records_, ungraded));
}

// Tells the user after Ctrl-C that nothing is lost.
class Farewell {
 public:
  explicit Farewell(const std::string& file) {
    const char* const line_start = ::isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "";
    Cleanup::of_this_process().set_final_message(fmt::format(
        "{}interrupted: results so far are in {}; the same command with --resume goes on from there\n",
        line_start, file));
  }
  ~Farewell() { Cleanup::of_this_process().set_final_message(""); }
  Farewell(const Farewell&) = delete;
  Farewell& operator=(const Farewell&) = delete;
};

// "candidates in solutions, problems in problems, /usr/share/kgrade/problems".
std::string searched_text(const SweepPlan& plan) {
  std::string text;
  if (!plan.solution_folders.empty()) text += "candidates in " + folder_names(plan.solution_folders);
  if (!plan.problem_folders.empty())
    text += fmt::format("{}problems in {}", text.empty() ? "" : ", ", folder_names(plan.problem_folders));
  return text.empty() ? "" : printable_line(text) + "\n";
}

// Takes KernelBench's files out of --problems, so that they are not searched for as a folder of problem
// files.
Errors take_modules(SweepArguments& arguments) {
  std::string& named = arguments.lane.problems;
  arguments.selection.modules = module_files(named);
  for (const std::filesystem::path& path : paths_matching(named)) {
    if (!is_set_path(path)) continue;
    auto file = problem_file_of(path);
    if (!file) return file.errors();
    arguments.selection.modules.push_back(*std::move(file));
  }
  // A folder of problem files has no pattern.
  const bool is_pattern = named.find('/') != named.npos && named.find_first_of("*?[") != named.npos;
  if (arguments.selection.modules.empty() && (is_pattern || named.ends_with(".py")))
    return {{fmt::format("--problems: '{}' matches no problem in Python and none of a set", named),
             "quote the pattern, so that the shell leaves it alone: --problems 'KernelBench/level*/*.py'",
             {}}};
  if (!arguments.selection.modules.empty()) named.clear();
  return {};
}

// A user may easily give a pattern of slugs to the option for folders.
Errors pattern_remedy(const SweepArguments& arguments, Errors errors) {
  std::error_code ignored;
  const std::string& folder = arguments.lane.problems;
  if (!folder.empty() && !std::filesystem::exists(folder, ignored))
    errors.front().remedy =
        fmt::format("--problems names a folder; a pattern of slugs is --only '{}'", folder);
  return errors;
}

// "kgrade: warning: sweep.jsonl:3 and 1 more are no records: ...".
std::string skipped_text(const SkippedLines& skipped) {
  const Location& first = skipped.first.location;
  return fmt::format(
      "kgrade: warning: {}:{}{} no record: skipped, and graded again\n", printable_line(first.file),
      first.line,
      skipped.count == 1 ? " is" : fmt::format(" and {} are", counted(skipped.count - 1, "more line")));
}

int run(SweepArguments& arguments) {
  const Errors errors = check_ci_output(arguments.ci, {{"--output", arguments.output, true}});
  if (!errors.empty()) return fail(errors);
  auto devices = arguments.lane_command.empty()
                     ? lane_devices(arguments.gpus, arguments.lane.device, arguments.jobs)
                     : names_of_lanes(arguments.lanes);
  if (!devices) return fail(devices.errors());
  arguments.selection.dtype = arguments.lane.dtype;
  if (const Errors wrong = take_modules(arguments); !wrong.empty()) return fail(wrong);
  // Reading KernelBench's files needs a Python with PyTorch. If the machine has none, that is reported once,
  // not for each candidate.
  if (!arguments.selection.modules.empty())
    if (const auto python = find_python_with_torch(arguments.lane.python); !python)
      return fail(python.errors());
  Layout layout = Layout::find(arguments.lane.problems);
  const auto load = [&](const std::filesystem::path& file) {
    return load_problem_file(file, arguments.lane.python, layout, arguments.lane.inputs);
  };
  const SteadyClock clock;
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  const auto show = [&](Progress& progress, LogInterval& log, const std::string& what) {
    progress.show(what);
    if (!terminal && log.is_due(clock.now())) fmt::print(stderr, "{}", log_text(arguments.ci, what + "\n"));
  };
  const auto plan = [&] {
    Progress progress;
    LogInterval log(clock.now(), LogInterval::of_reading);
    return make_plan(arguments.selection, layout, load, [&](std::size_t done, std::size_t all) {
      show(progress, log, fmt::format("reading problems: {} of {}", done, all));
    });
  }();
  if (!plan) return fail(pattern_remedy(arguments, plan.errors()));
  fmt::print(stderr, "{}", log_text(arguments.ci, searched_text(*plan)));
  const ResultMode mode = arguments.overwrite ? ResultMode::overwrite
                          : arguments.resume  ? ResultMode::resume
                                              : ResultMode::create;
  auto results = ResultFile::open(arguments.output, mode);
  if (!results) return fail(results.errors());
  if (!results->skipped().empty())
    fmt::print(stderr, "{}", log_text(arguments.ci, skipped_text(results->skipped())));
  SweepOptions options = options_of(arguments, std::move(*devices), std::move(layout));
  const Style style = Style::for_descriptor(STDERR_FILENO);
  Result<SweepOutcome> outcome = SweepOutcome{};
  {
    Progress progress;
    LogInterval log(clock.now(), LogInterval::of_grading);
    const Farewell farewell(arguments.output);
    JunitSoFar junit(*plan, arguments.ci.junit);
    options.events.progress = [&](const std::string& what) { show(progress, log, what); };
    options.events.taken_over = [&](const Record& record) { junit.take(record); };
    options.events.result = [&](const Record& record, std::size_t done, std::size_t all) {
      junit.take(record);
      progress.clear();
      const std::string line = fmt::format("[{}/{}] {}\n", done, all, result_line(record, style));
      fmt::print(stderr, "{}", log_text(arguments.ci, line));
    };
    options.note = [&](const std::string& what) {
      progress.clear();
      fmt::print(stderr, "{}", log_text(arguments.ci, what + "\n"));
    };
    outcome = sweep(*plan, options, *results);
    if (!outcome) {
      if (const auto written = junit.write(); !written) fail(written.errors());
    }
  }
  if (!outcome) return fail(outcome.errors());
  const std::string summary = render_summary(*outcome, Style::for_descriptor(STDOUT_FILENO));
  fmt::print("{}", log_text(arguments.ci, summary));
  const auto told = write_ci_output(arguments.ci, outcome->records, stdout, ungraded_of(*outcome));
  if (!told) return fail(told.errors());
  // Print once what the machine lacks, after the candidates that were left out because of this.
  if (!outcome->lacks.empty()) {
    std::fflush(stdout);
    fail(outcome->lacks);
  }
  return exit_code_of(arguments, *outcome);
}

void add_what(CLI::App& command, SweepArguments& arguments) {
  CLI::Option* const only =
      command
          .add_option("--only", arguments.selection.only,
                      "Problems to grade: slugs, as a shell pattern; with a slash, problem files")
          ->type_name("GLOB");
  command.add_flag("--all")
      ->description("Grade for all problems; a sweep needs this, --only, --solutions or --problems")
      ->excludes(only);
  command
      .add_option("--solutions", arguments.selection.solutions,
                  "Candidates in solutions/<slug>/ of the working folder, or else beside the problems, as a "
                  "shell pattern; with a slash, files in folders named after their problems; or a folder of "
                  "such folders")
      ->type_name("GLOB|FOLDER");
  command
      .add_option("--problems", arguments.lane.problems,
                  "A further folder of problem files, as for `kgrade grade`; or KernelBench's problems, as a "
                  "folder or a pattern of .py files: then --solutions names files or folders of candidates, "
                  "which are matched to problems by their names (docs/kernelbench.md)")
      ->type_name("FOLDER|GLOB");
}

void add_how(CLI::App& command, SweepArguments& arguments) {
  command
      .add_option("--jobs", arguments.jobs,
                  "Compilers to run at once, and on the emulated device also candidates (default: all "
                  "cores that kgrade may use, less two for each GPU)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  CLI::Option* const device = command.get_option("--device");
  command.add_option("--gpus", arguments.gpus, "CUDA devices to grade on, one candidate at a time on each")
      ->type_name("0,1,..")
      ->excludes(device);
  add_grade_options(command, by_sweep, arguments.lane);
  command.get_option("--seed")->description(
      "Seed from which the inputs of each candidate follow (default: a new one for each run)");
}

void add_results(CLI::App& command, SweepArguments& arguments) {
  command
      .add_option("--output", arguments.output,
                  "Write the results to FILE, one record per line (default: sweep.jsonl)")
      ->type_name("FILE");
  CLI::Option* const resume =
      command.add_flag("--resume", arguments.resume, "Grade only what has no result in the file yet");
  command.add_flag("--overwrite", arguments.overwrite, "Start again, and replace what the file holds")
      ->excludes(resume);
  command
      .add_option(
          "--fail-on", arguments.fail_on,
          "not-accepted: exit with 1 if a candidate is not accepted, but for those that the emulated device "
          "cannot run; unsupported: with 1 for these too; slower: with 4 if one is slower than what it is "
          "compared with (may be repeated)")
      ->check(CLI::IsMember({"not-accepted", "unsupported", "slower"}))
      ->delimiter(',')
      ->type_name("WHAT");
}

}  // namespace

Command add_sweep(CLI::App& app) {
  auto arguments = std::make_shared<SweepArguments>();
  CLI::App* command = app.add_subcommand("sweep", "Grade many candidates, and resume after an interruption");
  add_what(*command, *arguments);
  add_device_option(*command, arguments->lane.device);
  add_how(*command, *arguments);
  add_results(*command, *arguments);
  CLI::Option* const lane_command =
      add_lane_command_option(*command, arguments->lane_command, arguments->lanes);
  // --python is not excluded, because a Python of this machine may have to read KernelBench's files.
  for (const char* const other : {"--gpus", "--device", "--jobs"})
    lane_command->excludes(command->get_option(other));
  add_ci_options(*command, arguments->ci);
  command->footer(
      "Example: kgrade sweep --only 'conv-transpose-*' --solutions 'naive*' --output naive.jsonl\n"
      "Exit codes: 0 all graded, 1 and 4 by --fail-on, 2 wrong usage, or a file that cannot be read, 3 the "
      "machine lacks something, 70 some not graded by a fault of kgrade.");
  return {
      command,
      [arguments, command] {
        // Without a selection, a sweep would grade everything, which takes minutes to hours.
        for (const char* const option : {"--all", "--only", "--solutions", "--problems"})
          if (command->count(option) > 0) return run(*arguments);
        return fail(
            {{"nothing is named that the sweep should grade",
              "--solutions FOLDER names candidates, --only 'conv-*' problems; --all grades all candidates in "
              "`solutions` for all problems",
              {}}});
      },
      builds_contestants};
}

}  // namespace kgrade::cli
