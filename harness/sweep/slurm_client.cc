#include "sweep/slurm_client.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <sstream>
#include <string_view>

#include "base/subprocess.h"
#include "base/text.h"

namespace kgrade {
namespace {

// --- Slurm's commands ---

constexpr std::size_t usual_largest_array = 1001;
constexpr std::array<std::string_view, 10> end_states = {
    "COMPLETED", "FAILED",    "CANCELLED", "TIMEOUT",   "OUT_OF_MEMORY",
    "NODE_FAIL", "BOOT_FAIL", "DEADLINE",  "PREEMPTED", "REVOKED"};

// The reasons in squeue's output for tasks that will not start without help.
constexpr std::array<std::string_view, 12> held_reasons = {
    "JobHeldUser",    "JobHeldAdmin",       "JobHoldMaxRequeue",  "launch failed requeued held",
    "BadConstraints", "PartitionTimeLimit", "PartitionNodeLimit", "DependencyNeverSatisfied",
    "InvalidAccount", "InvalidQOS",         "AccountNotAllowed",  "QOSNotAllowed"};

template <std::size_t count>
bool contains(const std::array<std::string_view, count>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Result<ProcessOutcome> call(const std::vector<std::string>& command) {
  if (!find_program(command.front())) {
    return machine_error(
        fmt::format("there is no {} here", command.front()),
        "install Slurm's client programs (Debian, Ubuntu: apt install slurm-client), or leave out "
        "--executor slurm");
  }
  ProcessRequest request;
  request.command = command;
  request.environment = whole_environment();
  request.limits.wall = std::chrono::seconds(120);
  request.output_limit_bytes = std::size_t{64} << 20;
  return run_process(request);
}

Error no_answer(const std::string& output) {
  return machine_error(fmt::format("squeue: {}", printable(trimmed(output))),
                       "the controller may be away for a while: `scontrol ping`");
}

std::string element(const std::string& job, std::size_t task) { return fmt::format("{}_{}", job, task); }

}  // namespace

// --- Slurm's commands ---

bool SlurmTask::ended() const { return contains(end_states, state); }

bool SlurmTask::waits_for_nothing() const { return state == "PENDING" && reason == "BeginTime"; }

bool SlurmTask::held() const { return state == "PENDING" && contains(held_reasons, reason); }

Result<std::string> SlurmClient::submit(const SlurmArray& array) const {
  // Requeue after the loss of a node, whatever the site's default is. The log then continues.
  std::vector<std::string> command = {"sbatch",
                                      "--parsable",
                                      "--requeue",
                                      "--open-mode=append",
                                      "--job-name=" + array.name,
                                      fmt::format("--array=0-{}", array.tasks - 1),
                                      fmt::format("--output={}/%A_%a.log", array.logs.string())};
  command.insert(command.end(), array.options.begin(), array.options.end());
  command.push_back(array.script.string());
  const auto outcome = call(command);
  if (!outcome) return outcome.errors();
  std::smatch match;
  const std::string output(trimmed(outcome->output));
  // Warnings may come before the number, and the name of a cluster after it.
  if (outcome->success() && std::regex_search(output, match, std::regex(R"((?:^|\n)([0-9]+)(?:;[^\n]*)?$)")))
    return match[1].str();
  return machine_error(
      fmt::format("sbatch refused the work: {}", printable(output)),
      "`sinfo` shows partitions, nodes and what they have; options for sbatch go behind --slurm");
}

Result<std::optional<std::string>> SlurmClient::find(const std::string& name) const {
  const auto outcome = call({"squeue", "--noheader", "--states=all", "--name=" + name, "--format=%F"});
  if (!outcome) return outcome.errors();
  if (!outcome->success()) return no_answer(outcome->output);
  std::istringstream lines(outcome->output);
  std::optional<std::string> newest;
  for (std::string job; lines >> job;) {
    if (!newest || std::pair(job.size(), job) > std::pair(newest->size(), *newest)) newest = job;
  }
  return newest;
}

Result<std::map<std::size_t, SlurmTask>> SlurmClient::tasks(const std::string& job) const {
  const auto outcome =
      call({"squeue", "--noheader", "--array", "--states=all", "--jobs=" + job, "--format=%i|%T|%r|%N"});
  if (!outcome) return outcome.errors();
  if (outcome->success()) return read_tasks(outcome->output, job);
  if (outcome->output.find("Invalid job id") != std::string::npos) return std::map<std::size_t, SlurmTask>{};
  return no_answer(outcome->output);
}

void SlurmClient::start_now(const std::string& job, std::size_t task) const {
  (void)call({"scontrol", "update", "JobId=" + element(job, task), "StartTime=now"});
}

void SlurmClient::cancel(const std::string& job) const { (void)call({"scancel", job}); }

std::size_t SlurmClient::largest_array() const {
  const auto outcome = call({"scontrol", "show", "config"});
  return read_largest_array(outcome && outcome->success() ? outcome->output : "");
}

std::string SlurmClient::how_ended(const std::string& job, std::size_t task) const {
  const auto outcome = call({"scontrol", "show", "job", element(job, task)});
  std::smatch match;
  if (!outcome || !std::regex_search(outcome->output, match, std::regex(R"(\bExitCode=([0-9]+):([0-9]+))")))
    return "";
  return match[2] == "0" ? fmt::format("exit code {}", match[1].str())
                         : fmt::format("signal {}", match[2].str());
}

std::map<std::size_t, SlurmTask> read_tasks(const std::string& output, const std::string& job) {
  static const std::regex pattern(R"(([0-9]+)_([0-9]{1,9})\|([A-Z_]+)\|([^|]*)\|([^|]*))");
  std::map<std::size_t, SlurmTask> tasks;
  std::istringstream lines(output);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, match, pattern) && match[1] == job)
      tasks[std::stoul(match[2])] = {match[3].str(), match[4].str(), match[5].str()};
  }
  return tasks;
}

bool all_ended(const std::map<std::size_t, SlurmTask>& tasks) {
  return std::all_of(tasks.begin(), tasks.end(), [](const auto& task) { return task.second.ended(); });
}

std::string why_held(const std::map<std::size_t, SlurmTask>& tasks) {
  std::string reason;
  for (const auto& [index, task] : tasks) {
    if (task.ended()) continue;
    if (!task.held()) return "";
    if (reason.empty()) reason = task.reason;
  }
  return reason;
}

std::size_t read_largest_array(const std::string& output) {
  std::smatch match;
  const std::regex pattern(R"(\bMaxArraySize\s*=\s*([0-9]{1,9})\b)");
  if (!std::regex_search(output, match, pattern)) return usual_largest_array;
  return std::max<std::size_t>(1, std::stoul(match[1]));
}

// --- The job of a sweep ---

std::string new_job_name(const std::filesystem::path& results) {
  std::string name = results.stem().string();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-') c = '_';
  }
  return fmt::format("kgrade-{}-{:08x}", name, std::random_device()());
}

Result<bool> write_job(const std::filesystem::path& path, const SlurmJob& job) {
  const nlohmann::json json = {{"name", job.name}, {"job", job.id}, {"round", job.round}};
  return write_file_atomically(path, json.dump() + "\n");
}

std::optional<SlurmJob> read_slurm_job(const std::filesystem::path& path) {
  const auto text = read_text_file(path);
  if (!text) return std::nullopt;
  try {
    const auto json = nlohmann::json::parse(*text);
    return SlurmJob{json.at("name").get<std::string>(), json.at("job").get<std::string>(),
                    json.at("round").get<std::size_t>()};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

Result<bool> write_task_script(const std::filesystem::path& script, const std::filesystem::path& program,
                               const std::filesystem::path& plan, std::size_t round) {
  const auto quoted = [](const std::filesystem::path& path) {
    return "'" + replace_all(path.string(), "'", "'\\''") + "'";
  };
  const std::string text = fmt::format(
      "#!/bin/sh\nexec {} sweep-chunk {} {} \"$SLURM_ARRAY_TASK_ID\" \"${{SLURM_RESTART_COUNT:-0}}\"\n",
      quoted(program), quoted(std::filesystem::absolute(plan)), round);
  auto written = write_file_atomically(script, text);
  if (written) ::chmod(script.c_str(), 0755);
  return written;
}

Result<std::string> submit_noted(const std::filesystem::path& path, std::size_t round,
                                 const SlurmClient& client, const SlurmArray& array) {
  if (auto written = write_job(path, {array.name, "", round}); !written) return written.errors();
  auto job = client.submit(array);
  if (!job) {
    // If the answer came too late, the job may still have been accepted.
    const auto found = client.find(array.name);
    if (!found || !*found) return job;
    job = **found;
  }
  if (auto written = write_job(path, {array.name, *job, round}); !written) return written.errors();
  return job;
}

Result<std::string> id_of(const SlurmJob& job, const SlurmClient& client) {
  if (!job.id.empty()) return job.id;
  auto found = client.find(job.name);
  if (!found) return found.errors();
  return found->value_or("");
}

// --- Nodes ---

void NodeWatch::look_at(const std::map<std::size_t, SlurmTask>& tasks) {
  for (const auto& [index, task] : tasks) {
    if (!task.node.empty()) last_[index] = task;
  }
}

std::set<std::string> NodeWatch::end_of_job(const std::function<bool(std::size_t)>& has_result) {
  std::set<std::string> failed;
  for (const auto& [index, task] : last_) {
    if (has_result(index)) {
      good_.insert(task.node);
    } else if (task.state == "FAILED") {
      failed.insert(task.node);
    }
  }
  last_.clear();
  std::erase_if(failed,
                [this](const std::string& node) { return good_.contains(node) || excluded_.contains(node); });
  if (good_.empty()) return {};
  excluded_.insert(failed.begin(), failed.end());
  return failed;
}

std::vector<std::string> without_nodes(std::vector<std::string> options, const std::set<std::string>& nodes) {
  constexpr std::string_view exclude = "--exclude=";
  std::string all = fmt::format("{}", fmt::join(nodes, ","));
  if (all.empty()) return options;
  // sbatch uses only the last of several options, so merge them.
  for (const std::string& option : options) {
    if (option.starts_with(exclude)) all = option.substr(exclude.size()) + "," + all;
    if (option.starts_with("-x") && option.size() > 2) all = option.substr(2) + "," + all;
  }
  options.push_back(std::string(exclude) + all);
  return options;
}

}  // namespace kgrade
