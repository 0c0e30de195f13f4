#include "cli/grading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/text.h"
#include "cli/additions.h"
#include "cli/app.h"
#include "draw/seed.h"
#include "grade/grade.h"
#include "measure/compared_speeds.h"
#include "record/advice.h"
#include "record/agent_line.h"
#include "record/record_json.h"
#include "record/table.h"

namespace kgrade::cli {

void add_run_options(CLI::App& command, unsigned by, GradingArguments& arguments,
                     const std::string& verbose) {
  arguments.command = command.get_name();
  add_problem_argument(command, arguments.problem);
  command
      .add_option("candidates", arguments.candidates,
                  "Candidates: .cu and .py files, or texts with code blocks, of which the last one that is a "
                  "submission is graded; - reads one from standard input")
      ->type_name("FILE");
  add_device_option(command, arguments.device);
  add_grade_options(command, by, arguments);
  command.add_option("--json", arguments.json, "Write the record to FILE; - prints it instead of the table")
      ->type_name("FILE");
  command.add_flag("--verbose", arguments.verbose, verbose);
}

Result<std::vector<ThreadOrder>> read_orders(const std::vector<std::string>& texts,
                                             const DeviceChoice& device) {
  std::vector<ThreadOrder> orders;
  for (const std::string& text : texts) {
    const auto order = parse_thread_order(text);
    if (!order) return order.errors();
    if (std::find(orders.begin(), orders.end(), *order) == orders.end()) orders.push_back(*order);
  }
  if (!orders.empty() && resolve_choice(device).kind == DeviceChoice::Kind::cuda) {
    return Error{"--order: a GPU runs threads in an order of its own",
                 "leave the option out, or add --device emulated",
                 {}};
  }
  return orders;
}

Printout printout_of(const Record& record, const GradingArguments& arguments) {
  const Style style = Style::for_descriptor(STDOUT_FILENO);
  std::string text;
  for (const CandidateRecord& candidate : record.candidates)
    if (arguments.agent) text += agent_line(candidate, record);
  if (!arguments.agent) text = render_table(record, style, arguments.verbose) + candidates_text(record);
  return {to_text(record), std::move(text), all_accepted(record)};
}

Result<bool> tell(const GradingArguments& arguments, std::vector<Record> records, std::FILE* stream) {
  std::vector<Record> entries;
  for (Record& record : records) {
    std::vector<Record> more = one_a_candidate(std::move(record));
    std::move(more.begin(), more.end(), std::back_inserter(entries));
  }
  return write_ci_output(arguments.ci, entries, stream);
}

int print(const Printout& printout, const std::string& json) {
  fmt::print("{}", json == "-" ? printout.json : printout.table);
  if (!json.empty() && json != "-") {
    const auto written = write_file_atomically(json, printout.json);
    if (!written) return fail(written.errors());
  }
  return printout.all_good ? exit_ok : exit_not_accepted;
}

RunOptions run_options(const GradingArguments& arguments) {
  RunOptions options;
  static_cast<GradeSettings&>(options) = arguments;
  options.shuffled = true;
  options.layout = Layout::find(arguments.problems);
  return options;
}

Errors explained(const GradingArguments& arguments, const Layout& layout, const Errors& errors) {
  const auto is_problem = [&](const std::string& word) { return find_problem(word, layout.problems).ok(); };
  const std::vector<std::string>& candidates = arguments.candidates;
  const auto found = std::find_if(candidates.begin(), candidates.end(), is_problem);
  if (found == candidates.end() || is_problem(arguments.problem)) return errors;
  std::vector<std::string> words = {"kgrade", arguments.command, *found, arguments.problem};
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(words),
               [&](const std::string& candidate) { return candidate != *found; });
  std::transform(words.begin(), words.end(), words.begin(), shell_word);
  return {{fmt::format("'{}' stands where the problem belongs, and '{}' is a problem",
                       printable_line(arguments.problem), printable_line(*found)),
           printable_line(fmt::format("the problem comes first: {}", fmt::join(words, " "))),
           {}}};
}

Result<std::vector<CandidateGroup>> groups_of(const Problem& problem, const GradingArguments& arguments,
                                              std::vector<CandidateSource> candidates) {
  auto groups = group_candidates(problem, std::move(candidates), arguments.dtype, arguments.precision);
  if (!groups || groups->size() == 1 || arguments.json.empty()) return groups;
  const bool with_class = std::any_of(groups->begin(), groups->end(), [&](const CandidateGroup& group) {
    return group.problem.precision != groups->front().problem.precision;
  });
  std::vector<std::string> names;
  for (const CandidateGroup& group : *groups) {
    names.emplace_back(to_string(group.problem.dtype));
    if (with_class) names.back() += " of class " + group.problem.precision;
  }
  return Error{fmt::format("--json: the candidates are for {}, and a record holds those of one type and one "
                           "precision class",
                           fmt::join(names, " and ")),
               "name those of one type and class",
               {}};
}

Errors StandardInput::replace(std::vector<std::filesystem::path>& candidates) {
  const auto named = std::count(candidates.begin(), candidates.end(), "-");
  if (named == 0) return {};
  if (named > 1) return {{"-: standard input can be read once", "name it once", {}}};
  // Reads a file, a pipe or a terminal to its end, and at most one byte more than a candidate's file may
  // have, so that the build reports that the file is too large.
  std::string content((std::size_t{16} << 20) + 1, '\0');
  content.resize(std::fread(content.data(), 1, content.size(), stdin));
  if (std::ferror(stdin) != 0)
    return {{"-: standard input cannot be read", "pipe a candidate into it, or name a file", {}}};
  folder_.emplace();
  path_ = (folder_->path() / "stdin.cu").string();
  const auto written = write_file_atomically(path_, content);
  if (!written) return written.errors();
  *std::find(candidates.begin(), candidates.end(), "-") = path_;
  return {};
}

std::string StandardInput::shown(std::string text) const {
  if (path_.empty()) return text;
  text = replace_all(std::move(text), path_, "<stdin>");
  return replace_all(std::move(text), resolved(path_).string(), "<stdin>");
}

namespace {

struct GradeArguments : GradingArguments {
  std::optional<std::string> order;
};

int run(GradeArguments& arguments) {
  auto device = parse_device_choice(arguments.device);
  if (!device) return fail(device.errors());
  if (arguments.order) {
    // A shuffled order needs a seed, so the seed of the run is drawn now if none was given.
    const auto orders = read_orders({*arguments.order}, *device);
    if (!orders) return fail(orders.errors());
    if (!arguments.seed) arguments.seed = random_seed();
    device->order = orders->front();
    device->order_seed = order_seed(*arguments.seed);
  }
  GradeOptions options;
  options.second_look = additions().second_look;
  options.looks_soon = options.second_look != nullptr;
  return run_and_print(arguments, *device, options, grade);
}

struct PrintArguments {
  std::string file;
  std::string candidate;
  std::vector<std::string> cases;
  bool verbose = false;
};

constexpr std::uint64_t largest_record = std::uint64_t{256} << 20;

// Leaves only the selected parts of the record. An Error if nothing is left.
std::optional<Error> select(const PrintArguments& arguments, Record& record) {
  std::erase_if(record.candidates, [&](const CandidateRecord& candidate) {
    return !candidate.path.ends_with(arguments.candidate);
  });
  const auto is_left_out = [&names = arguments.cases](const CaseRecord& c) {
    return !names.empty() && std::find(names.begin(), names.end(), c.name) == names.end();
  };
  bool has_case = arguments.cases.empty();
  for (CandidateRecord& candidate : record.candidates) {
    std::erase_if(candidate.cases, is_left_out);
    has_case = has_case || !candidate.cases.empty();
  }
  const char* const option = record.candidates.empty() ? "--candidate" : has_case ? nullptr : "--case";
  if (option == nullptr) return std::nullopt;
  return Error{fmt::format("{}: the record has none of that name", option),
               "without the option all are printed",
               {arguments.file, 0, 0}};
}

int run(const PrintArguments& arguments) {
  const auto text = read_text_file(arguments.file, largest_record);
  if (!text) return fail(text.errors());
  auto record = parse_record(*text, {arguments.file, 0, 0}, RecordDetail::all);
  if (!record || !*record) {
    return fail({{"is no record of `kgrade grade`",
                  "name a file that `kgrade grade --json` wrote; `kgrade leaderboard` reads those of a sweep",
                  {arguments.file, 0, 0}}});
  }
  if (const auto error = select(arguments, **record)) return fail({*error});
  fmt::print("{}", render_table(**record, Style::for_descriptor(STDOUT_FILENO), arguments.verbose));
  // The score covers all cases, so it is left out if cases are selected.
  if (arguments.cases.empty()) fmt::print("{}", candidates_text(**record));
  return exit_ok;
}

}  // namespace

Command add_grade(CLI::App& app) {
  auto arguments = std::make_shared<GradeArguments>();
  CLI::App* command = app.add_subcommand("grade", "Grade candidate kernels for a problem");
  add_run_options(*command, by_grade, *arguments,
                  "Print all cases of accepted candidates too, what sample cases printed, checks, stages and "
                  "compiler messages");
  command
      ->add_option("--order", arguments->order,
                   "Order in which the emulated device runs blocks and threads (default: forward; shuffled "
                   "depends on the seed); results that differ between orders mean a race")
      ->type_name("forward|reverse|shuffled");
  command->add_flag("--agent", arguments->agent,
                    "Print one line of JSON per candidate instead of the table: the stage it reached, the "
                    "verdict, the first wrong element, the slowest case, what to try next");
  add_ci_options(*command, arguments->ci);
  command->footer(
      "Example: kgrade grade conv-transpose-2d-sq-input-asym-kernel "
      "solutions/conv-transpose-2d-sq-input-asym-kernel/naive.cu");
  return {command, [arguments] { return run(*arguments); }, builds_contestants};
}

Command add_print(CLI::App& app) {
  auto arguments = std::make_shared<PrintArguments>();
  CLI::App* command = app.add_subcommand("print", "Print the table of a record that grade --json wrote");
  command->add_option("record", arguments->file, "The record")->required()->type_name("FILE");
  command->add_option("--candidate", arguments->candidate, "Only candidates whose path ends in this")
      ->type_name("PATH");
  command->add_option("--case", arguments->cases, "Only this case (may be repeated)")->type_name("NAME");
  command->add_flag("--verbose", arguments->verbose, "All that grade --verbose prints");
  return {command, [arguments] { return run(*arguments); }};
}

}  // namespace kgrade::cli
