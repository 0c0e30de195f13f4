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
#include "record/json_archive.h"
#include "record/record_json.h"
#include "sweep/byte_text.h"

namespace kgrade {
namespace {

// --- Messages ---

using Json = nlohmann::json;

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Seeds have 64 bits, so they are written as text, like in the record.
nlohmann::ordered_json seed_text(const std::optional<std::uint64_t>& seed) {
  return json_of(seed ? std::optional(std::to_string(*seed)) : std::nullopt);
}

// Older results have true or false, from when there were only two choices.
nlohmann::ordered_json json_of_baselines(WantedBaselines wanted) {
  if (wanted == WantedBaselines::none || wanted == WantedBaselines::usual)
    return wanted == WantedBaselines::usual;
  return to_string(wanted);
}

std::optional<WantedBaselines> baselines_from(const Json& json) {
  for (const auto wanted :
       {WantedBaselines::none, WantedBaselines::usual, WantedBaselines::pytorch, WantedBaselines::compiled}) {
    if (json == Json(json_of_baselines(wanted))) return wanted;
  }
  return std::nullopt;
}

nlohmann::ordered_json json_of_conditions(const LaneOptions& options) {
  nlohmann::ordered_json conditions = {{"warm", options.cache == CacheState::warm},
                                       {"baselines", json_of_baselines(options.baselines)},
                                       {"require_sandbox", options.require_sandbox},
                                       {"seed", seed_text(options.seed)},
                                       {"hidden_cases", json_of(options.hidden_cases)},
                                       {"hidden_seed", seed_text(options.hidden_seed)},
                                       {"time_limit_seconds", json_of(options.time_limit_seconds)}};
  if (options.clears_outputs) conditions["clear_outputs"] = true;
  return conditions;
}

std::vector<std::string> texts_of_bytes(const std::vector<std::string>& all) {
  std::vector<std::string> texts;
  for (const std::string& each : all) texts.push_back(text_of_bytes(each));
  return texts;
}

// Accepts only non-negative whole numbers: get() would convert others.
template <class T>
T number(const Json& json) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(json.get_ref<const Json::number_unsigned_t&>());
  } else {
    return json.get<T>();
  }
}

template <class T>
void read_optional(const Json& json, const char* key, std::optional<T>& value) {
  if (!json.at(key).is_null()) value = number<T>(json.at(key));
}

// A value from 0 to `last`. Nothing for other numbers.
template <class T>
std::optional<T> enumerator(const Json& json, T last) {
  const auto value = number<std::size_t>(json);
  if (value > static_cast<std::size_t>(last)) return std::nullopt;
  return static_cast<T>(value);
}

// --- Processes ---

}  // namespace

// --- Messages ---

LaneJob job_for(const LaneOptions& options, const Problem& problem) {
  return {options, problem.path.string(), std::string(to_string(problem.dtype)), problem.precision, {}};
}

std::string conditions_of(const LaneOptions& options) {
  return nlohmann::json(json_of_conditions(options)).dump();
}

std::string result_line_of(Record record, const LaneOptions& options) {
  record.sweep_options = conditions_of(options);
  return to_json(record).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string to_line(const LaneJob& job) {
  const LaneOptions& options = job.options;
  Json json = json_of_conditions(options);
  // Seeds may be numbers here, because only this program reads them.
  json["seed"] = json_of(options.seed);
  json["hidden_seed"] = json_of(options.hidden_seed);
  json.update({{"device", options.device},
               {"problems", text_of_bytes(options.problems)},
               {"python", text_of_bytes(options.python)},
               {"inputs", texts_of_bytes(options.inputs)},
               {"effort", static_cast<int>(options.effort)},
               {"clear_outputs", options.clears_outputs},
               {"launches", json_of(options.launches)},
               {"heat", json_of(options.heat)},
               {"problem", text_of_bytes(job.problem)},
               {"dtype", job.dtype},
               {"precision", job.precision},
               {"candidates", texts_of_bytes(job.candidates)},
               {"numbers", job.numbers},
               {"work", static_cast<int>(job.work)},
               {"as_declared", job.as_declared},
               {"cases", texts_of_bytes(job.cases)},
               {"lease", job.lease}});
  return dump(json);
}

std::string to_line(const LaneMessage& message) {
  return dump({{"kind", static_cast<int>(message.kind)},
               {"candidate", message.candidate},
               {"text", message.text},
               {"exit_code", message.exit_code},
               {"bytes", message.bytes},
               {"lease", message.lease},
               {"seconds", message.seconds}});
}

std::optional<LaneJob> read_job(const std::string& line) try {
  const Json json = Json::parse(line);
  LaneJob job;
  LaneOptions& options = job.options;
  options.device = json.at("device").get<std::string>();
  options.problems = bytes_of_text(json.at("problems").get<std::string>());
  options.python = bytes_of_text(json.at("python").get<std::string>());
  for (const std::string& input : json.at("inputs").get<std::vector<std::string>>())
    options.inputs.push_back(bytes_of_text(input));
  const auto effort = enumerator(json.at("effort"), Effort::ranked);
  if (!effort) return std::nullopt;
  options.effort = *effort;
  options.cache = json.at("warm").get<bool>() ? CacheState::warm : CacheState::cold;
  options.clears_outputs = json.at("clear_outputs").get<bool>();
  const auto baselines = baselines_from(json.at("baselines"));
  if (!baselines) return std::nullopt;
  options.baselines = *baselines;
  options.require_sandbox = json.at("require_sandbox").get<bool>();
  read_optional(json, "seed", options.seed);
  read_optional(json, "hidden_cases", options.hidden_cases);
  read_optional(json, "hidden_seed", options.hidden_seed);
  read_optional(json, "time_limit_seconds", options.time_limit_seconds);
  read_optional(json, "launches", options.launches);
  read_optional(json, "heat", options.heat);
  job.problem = bytes_of_text(json.at("problem").get<std::string>());
  job.dtype = json.at("dtype").get<std::string>();
  job.precision = json.at("precision").get<std::string>();
  for (const std::string& candidate : json.at("candidates").get<std::vector<std::string>>())
    job.candidates.push_back(bytes_of_text(candidate));
  for (const Json& each : json.at("numbers").get_ref<const Json::array_t&>())
    job.numbers.push_back(number<std::size_t>(each));
  if (!job.numbers.empty() && job.numbers.size() != job.candidates.size()) return std::nullopt;
  const auto work = enumerator(json.at("work"), LaneWork::build_trusted);
  if (!work) return std::nullopt;
  job.work = *work;
  job.as_declared = json.at("as_declared").get<bool>();
  for (const std::string& each : json.at("cases").get<std::vector<std::string>>())
    job.cases.push_back(bytes_of_text(each));
  job.lease = json.at("lease").get<std::string>();
  return job;
} catch (const Json::exception&) {
  return std::nullopt;
}

std::optional<LaneMessage> read_message(const std::string& line) try {
  const Json json = Json::parse(line);
  LaneMessage message;
  const auto kind = enumerator(json.at("kind"), LaneMessage::Kind::ended);
  if (!kind) return std::nullopt;
  message.kind = *kind;
  message.candidate = number<std::size_t>(json.at("candidate"));
  message.text = json.at("text").get<std::string>();
  message.exit_code = json.at("exit_code").get<int>();
  message.bytes = number<std::uint64_t>(json.at("bytes"));
  message.lease = json.at("lease").get<std::string>();
  message.seconds = json.at("seconds").get<double>();
  return message;
} catch (const Json::exception&) {
  return std::nullopt;
}

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
