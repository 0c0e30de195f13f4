#include "sweep/chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "base/text.h"
#include "compile/declarations.h"
#include "compile/module_file.h"
#include "grade/contestants.h"
#include "leaderboard/record_files.h"
#include "sweep/byte_text.h"
#include "sweep/report.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t largest_plan = std::uint64_t{256} << 20;

Error no_plan(const fs::path& path, const std::string& why) {
  return {fmt::format("is no plan of a sweep: {}", why), "start the sweep again", {path.string(), 0, 0}};
}

// Loads each problem of a plan once.
class PlanReader {
 public:
  Result<ChunkedPlan> read(const Json& json) {
    ChunkedPlan result;
    const auto job = read_job(json.at("options").get<std::string>());
    if (!job) throw Json::other_error::create(501, "the options are not read", nullptr);
    result.options = job->options;
    load(json, result.options);
    for (const Json& task : json.at("tasks")) {
      const auto group = group_of(
          result.plan, {bytes_of_text(task.at("problem").get<std::string>()),
                        task.at("dtype").get<std::string>(), task.at("precision").get<std::string>()});
      if (!group) return group.errors();
      result.plan.tasks.push_back({*group, bytes_of_text(task.at("candidate").get<std::string>()),
                                   task.at("sha256").get<std::string>()});
    }
    for (const Json& chunk : json.at("chunks"))
      result.chunks.push_back({chunk.get<std::vector<std::size_t>>()});
    return result;
  }

 private:
  struct GroupKey {
    std::string path, dtype, precision;
    auto operator<=>(const GroupKey&) const = default;
  };

  void load(const Json& json, const LaneOptions& options) {
    const Layout layout = Layout::find(options.problems);
    std::vector<fs::path> files;
    for (const Json& task : json.at("tasks"))
      files.emplace_back(bytes_of_text(task.at("problem").get<std::string>()));
    problems_ = load_problems(files, [&](const fs::path& file) {
      return load_problem_file(file, options.python, layout, options.inputs);
    });
  }

  Result<std::size_t> group_of(SweepPlan& plan, const GroupKey& key) {
    const auto [at, is_new] = groups_.try_emplace(key, plan.groups.size());
    if (!is_new) return at->second;
    auto problem = problems_.at(key.path);
    if (problem) problem = as_asked(*std::move(problem), key.dtype, key.precision);
    if (!problem) return problem.errors();
    plan.groups.push_back({std::move(*problem)});
    return at->second;
  }

  std::map<GroupKey, std::size_t> groups_;
  std::map<fs::path, Result<Problem>> problems_;
};

// The plan with only the chunk's tasks, in their present state.
SweepPlan plan_of_chunk(const ChunkedPlan& all, const Chunk& chunk) {
  SweepPlan plan;
  plan.groups = all.plan.groups;
  for (const std::size_t task : chunk.tasks) plan.tasks.push_back(all.plan.tasks.at(task));
  return plan;
}

std::string failure_line(const UngradedCandidate& one) {
  return Json{{"candidate", text_of_bytes(one.candidate.string())}, {"message", one.message}}.dump(
             -1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

void write_failures(const fs::path& path, const SweepOutcome& outcome) {
  std::string text;
  for (const UngradedCandidate& one : outcome.ungraded) text += failure_line(one);
  if (!text.empty()) (void)write_file_atomically(path, text);
}

// The results of a chunk's earlier runs. They need not be found again.
Result<std::vector<Record>> earlier_results(const fs::path& folder, std::size_t round, std::size_t chunk,
                                            int restart) {
  std::vector<Record> all;
  for (int earlier = 0; earlier < restart; ++earlier) {
    const fs::path path = results_of_chunk(folder, round, chunk, earlier);
    if (!fs::exists(path)) continue;
    auto results = read_records(path);
    if (!results) return results.errors();
    all.insert(all.end(), results->begin(), results->end());
  }
  return all;
}

}  // namespace

std::vector<Chunk> cut(const SweepPlan& plan, const std::vector<std::size_t>& tasks, std::size_t in_each,
                       std::size_t most) {
  const std::size_t size =
      std::max({std::size_t{1}, in_each, (tasks.size() + most - 1) / std::max<std::size_t>(1, most)});
  std::vector<std::size_t> ordered = tasks;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [&](std::size_t a, std::size_t b) { return plan.tasks[a].group < plan.tasks[b].group; });
  std::vector<Chunk> chunks;
  for (std::size_t begin = 0; begin < ordered.size(); begin += size) {
    const auto first = ordered.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = ordered.begin() + static_cast<std::ptrdiff_t>(std::min(begin + size, ordered.size()));
    chunks.push_back({{first, last}});
  }
  return chunks;
}

std::string to_text(const ChunkedPlan& plan) {
  Json tasks = Json::array();
  for (const SweepTask& task : plan.plan.tasks) {
    const Problem& problem = plan.plan.groups[task.group].problem;
    tasks.push_back({{"problem", text_of_bytes(problem.path.string())},
                     {"dtype", std::string(to_string(problem.dtype))},
                     {"precision", problem.precision},
                     {"candidate", text_of_bytes(task.candidate.string())},
                     {"sha256", task.sha256}});
  }
  Json chunks = Json::array();
  for (const Chunk& chunk : plan.chunks) chunks.push_back(chunk.tasks);
  const Json json = {{"schema", "kgrade-chunks"},
                     {"options", to_line(LaneJob{plan.options, "", "", "", {}})},
                     {"tasks", tasks},
                     {"chunks", chunks}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<ChunkedPlan> read_chunked_plan(const fs::path& path) {
  const auto text = read_text_file(path, largest_plan);
  if (!text) return text.errors();
  try {
    auto plan = PlanReader().read(Json::parse(*text));
    if (!plan) return plan;
    for (const Chunk& chunk : plan->chunks) {
      for (const std::size_t task : chunk.tasks) {
        if (task >= plan->plan.tasks.size()) return no_plan(path, "a chunk names a task that is not there");
      }
    }
    return plan;
  } catch (const Json::exception& error) {
    return no_plan(path, error.what());
  }
}

fs::path results_of_chunk(const fs::path& folder, std::size_t round, std::size_t chunk, int restart) {
  return folder / fmt::format("round{}-chunk{:05}-run{}.jsonl", round, chunk, restart);
}

std::optional<std::pair<std::size_t, std::size_t>> chunk_of_results(const fs::path& results) {
  static const std::regex pattern(R"(round([0-9]{1,9})-chunk([0-9]{1,9})-run[0-9]+\.jsonl)");
  const std::string name = results.filename().string();
  std::smatch match;
  if (!std::regex_match(name, match, pattern)) return std::nullopt;
  return std::pair{std::stoul(match[1]), std::stoul(match[2])};
}

fs::path failures_of_chunk(const fs::path& results) {
  return fs::path(results).replace_extension(".failures");
}

std::vector<fs::path> all_results(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
    if (at->path().extension() == ".jsonl") files.push_back(at->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void remove_chunk_files(const fs::path& folder) {
  static const std::regex ours(
      R"(plan[0-9]+\.json|job\.json|task\.sh|round[0-9]+-chunk[0-9]+-run[0-9]+\.(jsonl|failures)|[0-9]+_[0-9]+\.log)");
  std::error_code failure;
  std::vector<fs::path> files;
  for (const fs::path& place : {folder, folder / "logs"}) {
    for (fs::directory_iterator at(place, failure), end; !failure && at != end; at.increment(failure)) {
      if (std::regex_match(at->path().filename().string(), ours)) files.push_back(at->path());
    }
  }
  for (const fs::path& file : files) fs::remove(file, failure);
}

std::map<std::string, std::string> read_failures(const fs::path& folder) {
  std::map<std::string, std::string> messages;
  for (const fs::path& results : all_results(folder)) {
    const auto content = read_text_file(failures_of_chunk(results));
    std::istringstream lines(content ? *content : "");
    for (std::string line; std::getline(lines, line);) {
      const Json json = Json::parse(line, nullptr, false);
      const auto text = [&json](const char* key) {
        const auto found = json.find(key);
        return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
      };
      if (json.is_object()) messages[bytes_of_text(text("candidate"))] = text("message");
    }
  }
  return messages;
}

Result<int> run_chunk(const fs::path& plan_file, std::size_t round, std::size_t chunk, int restart) {
  const fs::path folder = plan_file.parent_path();
  const auto all = read_chunked_plan(plan_file);
  if (!all) return all.errors();
  if (chunk >= all->chunks.size()) return no_plan(plan_file, "it has no such chunk");
  const SweepPlan plan = plan_of_chunk(*all, all->chunks[chunk]);
  auto earlier = earlier_results(folder, round, chunk, restart);
  if (!earlier) return earlier.errors();
  const fs::path path = results_of_chunk(folder, round, chunk, restart);
  auto results = ResultFile::open(path, ResultMode::resume, std::move(*earlier));
  if (!results) return results.errors();
  SweepOptions options;
  options.lane = all->options;
  options.devices = {all->options.device};
  options.lane_command = {"/proc/self/exe", "sweep-lane"};
  options.layout = Layout::find(all->options.problems);
  options.events.result = [](const Record& record, std::size_t done, std::size_t count) {
    fmt::print(stderr, "[{}/{}] {}\n", done, count, result_line(record, Style(false)));
  };
  const auto outcome = sweep(plan, options, *results);
  if (!outcome) return outcome.errors();
  // Print the lacks to the task's log: the failures only name the candidates.
  if (!outcome->lacks.empty()) fmt::print(stderr, "{}\n", to_string(outcome->lacks));
  write_failures(failures_of_chunk(path), *outcome);
  return outcome->ungraded.empty() ? 0 : exit_internal;
}

std::vector<std::string> GrowingFile::new_lines(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(begin_));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != text.npos; begin = end + 1)
    lines.push_back(text.substr(begin, end - begin));
  begin_ += begin;
  return lines;
}

std::vector<ChunkResults::Line> ChunkResults::new_lines() {
  std::vector<Line> lines;
  for (const fs::path& path : all_results(folder_)) {
    const auto chunk = chunk_of_results(path);
    if (chunk && settled_.contains(*chunk)) continue;
    for (std::string& text : files_[path].new_lines(path)) lines.push_back({path, std::move(text)});
  }
  return lines;
}

void ChunkResults::task_state(std::size_t round, std::size_t chunk, bool ended, double now) {
  const std::pair key{round, chunk};
  if (!ended) {
    ended_.erase(key);
    settled_.erase(key);
  } else if (now - ended_.try_emplace(key, now).first->second > late_results) {
    settled_.insert(key);
  }
}

bool ChunkResults::has_any(std::size_t round, std::size_t chunk) const {
  return std::any_of(files_.begin(), files_.end(), [&](const auto& file) {
    return file.second.had_lines() && chunk_of_results(file.first) == std::pair{round, chunk};
  });
}

}  // namespace kgrade
