#include "leaderboard/compare.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "cli/app.h"
#include "cli/outputs.h"
#include "leaderboard/compare_output.h"

namespace kgrade::cli {
namespace {

struct CompareArguments {
  std::string before;
  std::string after;
  std::string markdown;
  std::string json;
  std::vector<std::string> fail_on;
};

bool fails_on(const CompareArguments& arguments, const std::string& what) {
  return std::find(arguments.fail_on.begin(), arguments.fail_on.end(), what) != arguments.fail_on.end();
}

int exit_code_of(const CompareArguments& arguments, const ComparedRecords& comparison) {
  if (fails_on(arguments, "not-accepted") && loses_accepted(comparison)) return exit_not_accepted;
  return fails_on(arguments, "slower") && count_of_suspects(comparison) > 0 ? exit_slower : exit_ok;
}

// Writes to standard output for "-". Does nothing if `file` is empty.
Result<bool> write(const std::string& file, const std::string& text) {
  if (file.empty()) return true;
  if (file != "-") return write_file_atomically(file, text);
  fmt::print("{}", text);
  return true;
}

int run(const CompareArguments& arguments) {
  const Errors errors = check_outputs({{"--json", arguments.json}, {"--markdown", arguments.markdown}},
                                      {arguments.before, arguments.after});
  if (!errors.empty()) return fail(errors);
  if (arguments.json == "-" && arguments.markdown == "-") {
    return fail({{"--json and --markdown cannot both be printed", "name a file for one of them", {}}});
  }
  auto before = read_results(arguments.before);
  if (!before) return fail(before.errors());
  auto after = read_results(arguments.after);
  if (!after) return fail(after.errors());
  const auto comparison = compare_results(std::move(*before), std::move(*after));
  if (arguments.json != "-" && arguments.markdown != "-")
    fmt::print("{}", render_table(comparison, Style::for_descriptor(STDOUT_FILENO)));
  if (const auto written = write(arguments.json, to_text(comparison)); !written)
    return fail(written.errors());
  const auto written = write(arguments.markdown, render_markdown(comparison));
  if (!written) return fail(written.errors());
  return exit_code_of(arguments, comparison);
}

}  // namespace

Command add_compare(CLI::App& app) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command =
      app.add_subcommand("compare", "Compare two sets of results: faster, slower, or the same");
  const char* what = "A record or leaderboard (.json), a sweep (.jsonl), or a folder with records and sweeps";
  command->add_option("before", arguments->before, std::string(what) + ": the old results")->required();
  command->add_option("after", arguments->after, std::string(what) + ": the new results")->required();
  command
      ->add_option("--markdown", arguments->markdown,
                   "Write the comparison to FILE in Markdown, for a comment on a pull request; - prints it")
      ->type_name("FILE");
  command
      ->add_option("--json", arguments->json,
                   "Write the comparison to FILE; - prints it instead of the table")
      ->type_name("FILE");
  command
      ->add_option("--fail-on", arguments->fail_on,
                   "Exit with 4 if a candidate became slower; with 1 if an accepted one is no longer "
                   "accepted, is missing or is of a lower precision class, or if a file is cut off or has a "
                   "broken line (may be "
                   "repeated; by default no difference is a failure)")
      ->check(CLI::IsMember({"slower", "not-accepted"}))
      ->delimiter(',')
      ->type_name("slower|not-accepted");
  command->footer(
      "To compare two candidates, grade each with --json, then: kgrade compare a.json b.json\n"
      "Exit codes: 0 compared, and what --fail-on says.");
  return {command, [arguments] { return run(*arguments); }};
}

}  // namespace kgrade::cli
