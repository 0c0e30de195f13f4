#include "sweep/lane.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "base/machine_faults.h"
#include "grade/settings_json.h"
#include "record/record_json.h"
#include "sweep/byte_text.h"

namespace kgrade {
namespace {

// --- Messages ---

using Json = nlohmann::json;

// Older results have true or false, from when there were only two choices.
nlohmann::ordered_json json_of_baselines(WantedBaselines wanted) {
  if (wanted == WantedBaselines::none || wanted == WantedBaselines::usual)
    return wanted == WantedBaselines::usual;
  return to_string(wanted);
}

// Bytes that need not be UTF-8, such as a path.
struct ByteText {
  std::string operator()(const JsonValue& value) const { return bytes_of_text(value.text(most_text)); }
  static nlohmann::ordered_json written(std::string_view bytes) { return text_of_bytes(bytes); }
};
constexpr ByteText byte_text;

// A lane's answer may be a whole record.
constexpr std::size_t longest_answer = std::size_t{1} << 30;

template <class T>
std::string line_of(const T& value) {
  return json_of(value).dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class T>
std::optional<T> read_line(const std::string& line) {
  const auto json = parse_json(line, {});
  if (!json) return std::nullopt;
  auto value = read_document<T>(*json);
  return value ? std::optional(std::move(*value)) : std::nullopt;
}

}  // namespace

// --- Messages ---

template <>
inline constexpr int count_of_values<LaneWork> = 3;
template <>
inline constexpr int count_of_values<LaneMessage::Kind> = 5;

std::string_view to_string(LaneWork work) {
  constexpr std::string_view words[] = {"grade", "build_candidates", "build_trusted"};
  return words[static_cast<int>(work)];
}

std::string_view to_string(LaneMessage::Kind kind) {
  constexpr std::string_view words[] = {"begun", "doing", "graded", "spent", "ended"};
  return words[static_cast<int>(kind)];
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<LaneOptions>& options) {
  archive("device", options.device);
  archive("problems", options.problems, byte_text);
  archive("inputs", options.inputs, byte_text);
  archive("python", options.python, byte_text);
  archive("effort", options.effort);
  archive("cache", options.cache);
  archive("baselines", options.baselines);
  archive("clear_outputs", options.clears_outputs);
  archive("require_sandbox", options.require_sandbox);
  archive("seed", options.seed, unsigned_text);
  archive("hidden_cases", options.hidden_cases);
  archive("hidden_seed", options.hidden_seed, unsigned_text);
  archive("time_limit_seconds", options.time_limit_seconds);
  archive("launches", options.launches);
  archive("heat", options.heat);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<LaneJob>& job) {
  archive("options", job.options);
  archive("problem", job.problem, byte_text);
  archive("dtype", job.dtype);
  archive("precision", job.precision);
  archive("candidates", job.candidates, byte_text);
  archive("numbers", job.numbers);
  archive("work", job.work);
  archive("as_declared", job.as_declared);
  archive("cases", job.cases, byte_text);
  archive("lease", job.lease);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<LaneMessage>& message) {
  archive("kind", message.kind);
  archive("candidate", message.candidate);
  archive("text", message.text, text_up_to<longest_answer>);
  archive("exit_code", message.exit_code);
  archive("bytes", message.bytes);
  archive("lease", message.lease);
  archive("seconds", message.seconds);
}

LaneJob job_for(const LaneOptions& options, const Problem& problem) {
  return {options, problem.path.string(), std::string(to_string(problem.dtype)), problem.precision, {}};
}

std::string conditions_of(const LaneOptions& options) {
  Json conditions = {{"warm", options.cache == CacheState::warm},
                     {"baselines", json_of_baselines(options.baselines)},
                     {"require_sandbox", options.require_sandbox},
                     {"hidden_cases", json_of(options.hidden_cases)},
                     {"time_limit_seconds", json_of(options.time_limit_seconds)}};
  conditions["seed"] = options.seed ? Json(std::to_string(*options.seed)) : Json(nullptr);
  conditions["hidden_seed"] =
      options.hidden_seed ? Json(std::to_string(*options.hidden_seed)) : Json(nullptr);
  if (options.clears_outputs) conditions["clear_outputs"] = true;
  return conditions.dump();
}

std::string result_line_of(Record record, const LaneOptions& options) {
  record.sweep_options = conditions_of(options);
  return to_json(record).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string to_line(const LaneJob& job) { return line_of(job); }
std::string to_line(const LaneMessage& message) { return line_of(message); }

std::optional<LaneJob> read_job(const std::string& line) {
  auto job = read_line<LaneJob>(line);
  const bool fits = job && (job->numbers.empty() || job->numbers.size() == job->candidates.size());
  return fits ? std::move(job) : std::nullopt;
}

std::optional<LaneMessage> read_message(const std::string& line) { return read_line<LaneMessage>(line); }

// --- Processes ---

bool LineSocket::send(const std::string& line) const {
  const std::string text = line + "\n";
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t count = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool LineSocket::receive() {
  char buffer[65536];
  const ssize_t count = ::recv(socket_.get(), buffer, sizeof buffer, 0);
  if (count <= 0) return count < 0 && errno == EINTR;
  received_.append(buffer, static_cast<std::size_t>(count));
  return true;
}

std::optional<std::string> LineSocket::next() {
  const std::size_t end = received_.find('\n');
  if (end == received_.npos) return std::nullopt;
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return line;
}

Result<Lane> Lane::start(const std::vector<std::string>& command) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return machine_error(fmt::format("no socket: {}", std::strerror(errno)), "raise `ulimit -n`");
  UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  std::unique_ptr<TemporaryDirectory> folder;
  try {
    folder = std::make_unique<TemporaryDirectory>();
  } catch (const std::system_error& error) {
    return machine_error(fmt::format("a lane gets no folder for temporary files: {}", error.code().message()),
                         remedy_for_machine(error.code().value()),
                         {TemporaryDirectory::base().string(), 0, 0});
  }
  SpawnRequest request;
  request.command = command;
  request.command.push_back(folder->path().string());
  request.environment = whole_environment(folder->path());
  request.kept_fd = theirs.get();
  auto child = spawn(request);
  if (!child) return child.errors();
  return Lane(std::move(folder), std::move(*child), LineSocket(std::move(ours)));
}

bool Lane::give(const LaneJob& job) { return socket_.send(to_line(job)); }

bool Lane::read() { return socket_.receive(); }

std::optional<LaneMessage> Lane::next() {
  while (const auto line = socket_.next()) {
    if (auto message = read_message(*line)) return message;
  }
  return std::nullopt;
}

LaneEnd Lane::end() {
  const auto status = child_.wait_for(std::chrono::seconds(2));
  child_.kill_group();
  if (!status) {
    child_.wait();
    return {"closed its connection and went on", false};
  }
  return {"ended with " + describe_wait_status(*status),
          WIFSIGNALED(*status) && WTERMSIG(*status) == SIGKILL};
}

}  // namespace kgrade
