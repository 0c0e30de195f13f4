#include <nlohmann/json.hpp>
#include <type_traits>

#include "record/json.h"
#include "sweep/lane.h"

namespace kgrade {
namespace {

using Json = nlohmann::json;

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

template <class T>
nlohmann::ordered_json value_or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

// As the record has seeds: they have 64 bits.
nlohmann::ordered_json seed_text(const std::optional<std::uint64_t>& seed) {
  return value_or_null(seed ? std::optional(std::to_string(*seed)) : std::nullopt);
}

nlohmann::ordered_json json_of_conditions(const LaneOptions& options) {
  return {{"warm", options.cache == CacheState::warm},
          {"baselines", options.baselines},
          {"require_sandbox", options.require_sandbox},
          {"seed", seed_text(options.seed)},
          {"hidden_cases", value_or_null(options.hidden_cases)},
          {"hidden_seed", seed_text(options.hidden_seed)},
          {"time_limit_seconds", value_or_null(options.time_limit_seconds)}};
}

// Numbers that count nothing below zero, and nothing else: get() would convert.
template <class T>
T number(const Json& json) {
  if constexpr (std::is_integral_v<T>) {
    return json.get_ref<const Json::number_unsigned_t&>();
  } else {
    return json.get<T>();
  }
}

template <class T>
void read_optional(const Json& json, const char* key, std::optional<T>& value) {
  if (!json.at(key).is_null()) value = number<T>(json.at(key));
}

// Of 0 to `last`; nothing for other numbers.
template <class T>
std::optional<T> enumerator(const Json& json, T last) {
  const auto value = number<std::size_t>(json);
  if (value > static_cast<std::size_t>(last)) return std::nullopt;
  return static_cast<T>(value);
}

}  // namespace

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
  // Numbers: only this program reads them.
  json["seed"] = value_or_null(options.seed);
  json["hidden_seed"] = value_or_null(options.hidden_seed);
  json.update({{"device", options.device},
               {"problems", options.problems},
               {"effort", static_cast<int>(options.effort)},
               {"problem", job.problem},
               {"dtype", job.dtype},
               {"precision", job.precision},
               {"candidates", job.candidates},
               {"only_builds", job.only_builds}});
  return dump(json);
}

std::string to_line(const LaneMessage& message) {
  return dump({{"kind", static_cast<int>(message.kind)},
               {"candidate", message.candidate},
               {"text", message.text},
               {"exit_code", message.exit_code},
               {"bytes", message.bytes}});
}

std::optional<LaneJob> read_job(const std::string& line) try {
  const Json json = Json::parse(line);
  LaneJob job;
  LaneOptions& options = job.options;
  options.device = json.at("device").get<std::string>();
  options.problems = json.at("problems").get<std::string>();
  const auto effort = enumerator(json.at("effort"), Effort::ranked);
  if (!effort) return std::nullopt;
  options.effort = *effort;
  options.cache = json.at("warm").get<bool>() ? CacheState::warm : CacheState::cold;
  options.baselines = json.at("baselines").get<bool>();
  options.require_sandbox = json.at("require_sandbox").get<bool>();
  read_optional(json, "seed", options.seed);
  read_optional(json, "hidden_cases", options.hidden_cases);
  read_optional(json, "hidden_seed", options.hidden_seed);
  read_optional(json, "time_limit_seconds", options.time_limit_seconds);
  job.problem = json.at("problem").get<std::string>();
  job.dtype = json.at("dtype").get<std::string>();
  job.precision = json.at("precision").get<std::string>();
  job.candidates = json.at("candidates").get<std::vector<std::string>>();
  job.only_builds = json.at("only_builds").get<bool>();
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
  return message;
} catch (const Json::exception&) {
  return std::nullopt;
}

}  // namespace kgrade
