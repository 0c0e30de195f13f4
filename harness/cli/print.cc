#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "cli/app.h"
#include "measure/compared_speeds.h"
#include "record/record_json.h"
#include "record/table.h"

namespace kgrade::cli {
namespace {

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
