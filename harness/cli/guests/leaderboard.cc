// `kgrade leaderboard` and `kgrade compare`, which read many records.
#include "leaderboard/leaderboard.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>

#include "base/text.h"
#include "cli/app.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "leaderboard/compare.h"
#include "leaderboard/compare_output.h"
#include "leaderboard/leaderboard_output.h"
#include "leaderboard/page.h"
#include "leaderboard/record_files.h"
#include "leaderboard/samples.h"
#include "problem/catalogue.h"

namespace kgrade::cli {
namespace {

struct LeaderboardArguments {
  std::vector<std::string> paths;
  std::string json;
  std::string markdown;
  std::string html;
  std::string kernelbench;
  std::string against;
  std::string fail_on;
  std::string problems;
  std::string links;
};

// One form of the leaderboard and its destination.
struct Export {
  std::string_view option;
  const std::string& file;
  std::function<std::string(const Leaderboard&)> render;
};

namespace fs = std::filesystem;

bool is_file_here(const std::string& path) {
  std::error_code ignored;
  return fs::path(path).is_relative() && fs::is_regular_file(path, ignored);
}

// The problems that could have results. A file that cannot be read is left out here; `kgrade list` reports
// it.
std::vector<PageProblem> catalogue(const LeaderboardArguments& arguments, bool links_all) {
  std::vector<PageProblem> catalogue;
  const auto files = problem_files(Layout::find(arguments.problems).problems);
  if (!files) return catalogue;
  for (const fs::path& file : *files) {
    const auto problem = load_problem(file);
    if (!problem) continue;
    const std::string path = file.generic_string();
    const bool linked = is_file_here(path) || (links_all && file.is_relative());
    catalogue.push_back(
        {problem->slug, problem->title, problem->family, problem->author, problem->tags, linked ? path : ""});
  }
  return catalogue;
}

// Without --links, a page that is written to a file links to files in the working folder.
PageContext context_of(const LeaderboardArguments& arguments) {
  PageContext context;
  const bool links_all = !arguments.links.empty();
  context.links = arguments.links;
  if (!links_all && arguments.html != "-") {
    context.links =
        fs::relative(fs::current_path(), fs::absolute(arguments.html).parent_path()).generic_string();
    context.is_linked = is_file_here;
  }
  while (context.links.ends_with('/')) context.links.pop_back();
  context.catalogue = catalogue(arguments, links_all);
  return context;
}

// Check before reading, because reading many records takes time.
Errors check_files(const std::vector<Export>& exports, const LeaderboardArguments& arguments) {
  std::vector<Output> outputs;
  int printed = arguments.kernelbench == "-" ? 1 : 0;
  for (const Export& one : exports) {
    outputs.push_back({std::string(one.option), one.file});
    printed += one.file == "-";
  }
  Errors errors = check_outputs(outputs, arguments.paths);
  if (printed > 1) {
    errors.push_back({"--json, --markdown, --html, --kernelbench: only one can be printed",
                      "write the others to files",
                      {}});
  }
  return errors;
}

// The records of all paths together.
Result<RecordsRead> read_all(const std::vector<std::string>& paths) {
  RecordsRead all;
  Errors errors;
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (const std::string& path : paths) {
    auto read = read_what_can_be(path);
    if (!read) {
      append(errors, read.errors());
      continue;
    }
    append(all.records, read->records);
    append(all.unreadable, read->unreadable);
    append(all.unfinished, read->unfinished);
    all.unreadable_count += read->unreadable_count;
  }
  // With --clear-outputs, a kernel may rely on cleared outputs, which breaks the rules of the problem.
  const auto is_cleared = [](const Record& record) { return record.clears_outputs; };
  for (const Record& record : all.records) {
    if (!is_cleared(record)) continue;
    ++all.unreadable_count;
    if (all.unreadable.size() < RecordsRead::most_errors)
      all.unreadable.push_back(
          {"was graded with --clear-outputs, and is not ranked", "grade it again without", record.read_from});
  }
  std::erase_if(all.records, is_cleared);
  if (errors.empty() && all.records.empty()) {
    append(errors, all.unreadable);
    append(errors, all.unfinished);
  }
  if (errors.empty() && all.records.empty()) {
    errors.push_back(
        {"there is no record to rank", "kgrade grade --json FILE writes records", {paths.front(), 0, 0}});
  }
  if (!errors.empty()) return errors;
  return all;
}

// Reports records that were named but are not on the leaderboard. True if there are any.
bool tell_what_is_left_out(const RecordsRead& read) {
  for (const Errors* errors : {&read.unreadable, &read.unfinished}) {
    if (!errors->empty()) fail(*errors);
  }
  const std::size_t count = read.unreadable_count + read.unfinished.size();
  if (count > 0)
    fmt::print(stderr, "kgrade: warning: {} left out of the leaderboard\n",
               count == 1 ? "this one is" : fmt::format("{} records or lines are", count));
  return count > 0;
}

// Writes files in KernelBench's form, one per run and level.
Result<bool> write_kernelbench(const Leaderboard& leaderboard, const LeaderboardArguments& arguments) {
  const auto results = kernelbench_results(leaderboard, arguments.kernelbench);
  if (!results) return results.errors();
  std::vector<Output> outputs;
  for (const auto& [file, text] : results->files) outputs.push_back({"--kernelbench", file.string()});
  if (Errors errors = check_outputs(outputs, arguments.paths); !errors.empty()) return errors;
  for (const auto& [file, text] : results->files) {
    if (file == "-") {
      fmt::print("{}", text);
    } else if (auto written = write_file_atomically(file, text); !written) {
      return written.errors();
    }
  }
  if (results->left_out > 0)
    fmt::print(stderr, "kgrade: --kernelbench: {} of no numbered problem, or for a GPU to judge, left out\n",
               counted(results->left_out, "candidate"));
  return true;
}

// The folder that is read if no path is named.
constexpr const char* usual_folder = "results";

int run(LeaderboardArguments& arguments) {
  std::error_code ignored;
  if (arguments.paths.empty() && !std::filesystem::exists(usual_folder, ignored))
    return fail({{"no records are named, and there is no folder `results` here",
                  "name records, files of `kgrade sweep`, or folders of them: kgrade leaderboard sweep.jsonl",
                  {}}});
  if (arguments.paths.empty()) arguments.paths = {usual_folder};
  const bool leads_out = arguments.links.starts_with("https://") || arguments.links.starts_with("http://");
  if (!leads_out && arguments.links.find(':') != std::string::npos)
    return fail({{fmt::format("--links: '{}' is no address of a page", arguments.links),
                  "begin it with https://",
                  {}}});
  const std::vector<Export> exports = {
      {"--json", arguments.json, [](const Leaderboard& leaderboard) { return to_text(leaderboard); }},
      {"--markdown", arguments.markdown,
       [](const Leaderboard& leaderboard) { return render_markdown(leaderboard); }},
      {"--html", arguments.html,
       [&](const Leaderboard& leaderboard) { return render_page(leaderboard, context_of(arguments)); }}};
  if (const Errors errors = check_files(exports, arguments); !errors.empty()) return fail(errors);
  auto read = read_all(arguments.paths);
  if (!read) return fail(read.errors());
  const bool lacks_some = tell_what_is_left_out(*read);
  Leaderboard leaderboard = make_leaderboard(std::move(read->records));
  if (!arguments.against.empty()) {
    if (const auto kept = keep_suites_against(leaderboard, arguments.against); !kept)
      return fail(kept.errors());
  }
  bool prints_table = true;
  for (const Export& one : exports) {
    if (one.file.empty()) continue;
    const std::string text = one.render(leaderboard);
    if (one.file == "-") {
      fmt::print("{}", text);
      prints_table = false;
    } else if (const auto written = write_file_atomically(one.file, text); !written) {
      return fail(written.errors());
    }
  }
  if (!arguments.kernelbench.empty()) {
    if (const auto written = write_kernelbench(leaderboard, arguments); !written)
      return fail(written.errors());
  }
  if (prints_table && arguments.kernelbench != "-") {
    // The tables, and below them the notes that a reader needs.
    const Style style = Style::for_descriptor(STDOUT_FILENO);
    std::string text = render_table(leaderboard, style);
    for (const LeaderboardNote& note : notes_of(leaderboard)) {
      if (note.names.empty()) text += "\n" + style(Colour::yellow, printable_line(note.text));
    }
    fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
  }
  return lacks_some && !arguments.fail_on.empty() ? exit_usage : exit_ok;
}

struct CompareArguments {
  std::string before;
  std::string after;
  std::string markdown;
  std::string json;
  std::vector<std::string> fail_on;
};

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
  const auto fails_on = [&](const char* what) {
    return std::find(arguments.fail_on.begin(), arguments.fail_on.end(), what) != arguments.fail_on.end();
  };
  if (fails_on("not-accepted") && loses_accepted(comparison)) return exit_not_accepted;
  return fails_on("slower") && count_of_suspects(comparison) > 0 ? exit_slower : exit_ok;
}

}  // namespace

Command add_leaderboard(CLI::App& app) {
  auto arguments = std::make_shared<LeaderboardArguments>();
  CLI::App* command = app.add_subcommand("leaderboard", "Rank the candidates of many records");
  command
      ->add_option(
          "paths", arguments->paths,
          "Records of `kgrade grade`, files of `kgrade sweep`, or folders with either (default: results)")
      ->type_name("PATH");
  command
      ->add_option("--json", arguments->json,
                   "Write the leaderboard as JSON; - prints it instead of the table")
      ->type_name("FILE");
  command
      ->add_option("--markdown", arguments->markdown,
                   "Write a table of the leaders for a README; - prints it instead of the table")
      ->type_name("FILE");
  command
      ->add_option("--html", arguments->html,
                   "Write one HTML page that needs no other file; - prints it instead of the table")
      ->type_name("FILE");
  command
      ->add_option(
          "--kernelbench", arguments->kernelbench,
          "Write the results as KernelBench's eval_results.json, which its scripts read; {run} and "
          "{level} in the name make a file for each; - prints it instead of the table (docs/kernelbench.md)")
      ->type_name("FILE");
  command
      ->add_option(
          "--against", arguments->against,
          "Show fast_p against this alone: reference, baseline (the fastest of an answer's class), or one by "
          "its name, as pytorch-tf32")
      ->type_name("NAME");
  command
      ->add_option("--fail-on", arguments->fail_on,
                   "Exit with 2, after writing, if a file or line could not be read and was left out "
                   "(without this option it is only reported)")
      ->check(CLI::IsMember({"left-out"}))
      ->type_name("left-out");
  command
      ->add_option(
          "--links", arguments->links,
          "Where the page's links to statements and candidates lead: the address of the working folder, as "
          "https://github.com/OWNER/NAME/blob/main (default: to files of the working folder)")
      ->type_name("URL");
  add_grade_option(*command, "problems", &arguments->problems);
  command->footer(
      "Candidates are ranked within one problem, one GPU model and one precision class. Two share a rank if "
      "equally\n"
      "many lie above them with their whole interval. A candidate is a path, whatever its file has held: its "
      "newest\n"
      "result counts, and the others are its history. Existing files are replaced.\n"
      "Example: kgrade leaderboard results --json leaderboard.json --html leaderboard.html");
  return {command, [arguments] { return run(*arguments); }};
}

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
