#include "record/record_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "record/arms_json.h"
#include "record/shared_json.h"

namespace kgrade {

using Json = nlohmann::ordered_json;

namespace {

// An error beyond all bounds is written as null.
template <class Archive>
void error_field(Archive& archive, const char* name, typename Archive::template Value<double>& error) {
  if constexpr (Archive::reads) {
    std::optional<double> found;
    archive(name, found, not_negative);
    error = found.value_or(std::numeric_limits<double>::infinity());
  } else {
    archive(name, error);
  }
}

// Whole numbers are integer parameters of the kernel, and others are real parameters.
void read_parameters(const JsonValue& json, CaseRecord& c) {
  for (const auto& [name, value] : json.members(1000)) {
    if (value.is_whole()) {
      c.parameters[name] = value.integer(INT64_MIN, INT64_MAX);
    } else {
      c.real_parameters[name] =
          value.number(-std::numeric_limits<double>::max(), std::numeric_limits<double>::max());
    }
  }
}

Json parameters_json(const CaseRecord& c) {
  Json parameters = Json::object();
  for (const auto& [name, value] : c.parameters) parameters[name] = value;
  for (const auto& [name, value] : c.real_parameters) parameters[name] = value;
  return parameters;
}

void read_fast_p(const JsonValue& json, std::map<double, double>& fast) {
  for (const auto& [name, share] : json.members(100)) {
    double p = -1;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), p);
    if (parsed.ec != std::errc{} || parsed.ptr != name.data() + name.size() || !(p >= 0 && p <= 1e6)) {
      share.complain("is of no speedup");
    } else {
      fast[p] = share.number(0, 1);
    }
  }
}

// Writes a list unless it is empty.
template <class Archive, class List>
void where_any(Archive& archive, const char* name, List& list) {
  if constexpr (Archive::reads) {
    if (archive.value().find(name)) archive(name, list);
  } else if (!list.empty()) {
    archive(name, list);
  }
}

// Times that do not enter any speedup. They expose speeds that are impossible (measure/speed_checks.h).
template <class Archive>
void evidence_fields(Archive& archive, typename Archive::template Value<CaseRecord>& c) {
  constexpr std::pair<const char*, Purpose> purposes[] = {{"repeated_ms", Purpose::repeated},
                                                          {"changed_ms", Purpose::changed},
                                                          {"unmeasured_ms", Purpose::warm_up}};
  for (const auto& [name, purpose] : purposes) {
    std::vector<double> times;
    if constexpr (Archive::reads) {
      archive(name, times, not_negative);
      for (const double ms : times) c.candidate().samples.push_back({ms, purpose});
    } else {
      archive(name, times_for(c.candidate(), purpose));
    }
  }
  archive("reference_before_ms", c.reference_before_ms);
  archive("reference_after_ms", c.reference_after_ms);
  std::optional<double> bound;
  if (c.lower_bound_ms > 0) bound = c.lower_bound_ms;
  archive("lower_bound_ms", bound);
  if constexpr (Archive::reads) c.lower_bound_ms = bound.value_or(0);
}

template <class Archive>
void roofline_fields(Archive& archive, typename Archive::template Value<CaseRecord>& c) {
  if constexpr (Archive::reads) {
    const auto json = archive.value().find("roofline");
    if (!json) return;
    CaseRoofline& roofline = c.roofline.emplace();
    roofline.floor = {not_negative((*json)["memory_ms"]), not_negative((*json)["arithmetic_ms"])};
    for (const Arm& arm : c.arms) roofline.shares.push_back((*json)["shares"][arm.name].number(0, 1e6));
  } else if (!c.roofline) {
    archive("roofline", std::optional<double>());
  } else {
    archive.object("roofline", [&](auto& roofline) {
      roofline("memory_ms", c.roofline->floor.memory_ms);
      roofline("arithmetic_ms", c.roofline->floor.arithmetic_ms);
      roofline("floor_ms", c.roofline->floor.ms());
      roofline("bound_by", c.roofline->floor.bound_by());
      Json shares = Json::object();
      for (std::size_t arm = 0; arm < c.arms.size(); ++arm)
        shares[c.arms[arm].name] = c.roofline->shares[arm];
      roofline("shares", shares);
    });
  }
}

}  // namespace

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Thresholds>& thresholds) {
  archive("fp32", thresholds.fp32, positive);
  archive("tf32", thresholds.tf32, positive);
  archive("bf16", thresholds.bf16, positive);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Speedup>& speedup) {
  archive("against", speedup.against, text_up_to<200>);
  fields(archive, speedup.ratio);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Score>& score) {
  archive("against", score.against, text_up_to<200>);
  archive("geometric_mean", score.speedup.geometric_mean, positive);
  archive("interval", score.speedup.interval);
  archive("cases", score.speedup.count);
  if constexpr (Archive::reads) {
    read_fast_p(archive.value()["fast_p"], score.fast);
  } else {
    archive("fast_p", fast_p_json(score.fast));
  }
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<TelemetrySummary>& telemetry) {
  archive("absent", telemetry.absent);
  archive("missing", telemetry.missing);
  archive("readings", telemetry.readings);
  archive("seconds", telemetry.seconds);
  archive("sm_clock_mhz", telemetry.sm_clock_mhz);
  archive("memory_clock_mhz", telemetry.memory_clock_mhz);
  archive("power_milliwatts", telemetry.power_milliwatts);
  archive("power_limit_milliwatts", telemetry.power_limit_milliwatts);
  archive("temperature_celsius", telemetry.temperature_celsius);
  if constexpr (Archive::reads) {
    const auto reasons = archive.value().find("reasons");
    telemetry.reasons_known = reasons.has_value();
    if (reasons) {
      for (const auto& [name, share] : reasons->members(100))
        telemetry.reasons.push_back({name, share_of_one(share)});
    }
  } else {
    archive("reasons", reasons_json(telemetry));
  }
  archive("other_processes", telemetry.other_processes);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<ClockRecord>& clock) {
  archive("attested_share", clock.attested_share, share_of_one);
  archive("protocol_ms", clock.protocol_ms);
  archive("samples", clock.samples);
  archive.object("raised", [&](auto& raised) {
    raised("candidate", clock.raised_candidate);
    raised("reference", clock.raised_reference);
  });
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrongElement>& element) {
  archive("index", element.index);
  archive("expected", element.expected);
  archive("got", element.got);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrongOutput>& wrong) {
  archive("tensor", wrong.tensor);
  archive("elements", wrong.elements);
  archive("wrong", wrong.wrong);
  archive("never_written", wrong.never_written);
  archive("added_to", wrong.added_to);
  archive("pattern", wrong.pattern);
  archive("examples", wrong.examples);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Printed>& printed) {
  archive("lines", printed.lines);
  archive("more_lines", printed.more_lines);
  archive("cut_off", printed.cut_off);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<DrawnFamilies>& drawn) {
  archive("inputs", drawn.inputs);
  archive("tells", drawn.tells);
}

// The weight is left out if it is the default.
template <class Archive>
void weight_field(Archive& archive, typename Archive::template Value<CaseRecord>& c) {
  if constexpr (Archive::reads) {
    if (archive.value().find("weight")) archive("weight", c.weight, positive);
  } else if (c.weight != 1) {
    archive("weight", c.weight, positive);
  }
}

// The scales are left out if the case has none.
template <class Archive>
void scales_field(Archive& archive, typename Archive::template Value<CaseRecord>& c) {
  if constexpr (Archive::reads) {
    if (archive.value().find("scales")) archive("scales", c.scales);
  } else if (!c.scales.empty()) {
    archive("scales", c.scales);
  }
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<AppliedRule>& rule) {
  archive("decided_by", rule.decided_by);
  archive("bound", rule.bound, positive);
  archive("terms", rule.terms, bytes);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<CaseRecord>& c) {
  archive("name", c.name, case_name_of);
  archive("role", c.role);
  if constexpr (Archive::reads) {
    if (archive.wants_detail()) read_parameters(archive.value()["parameters"], c);
  } else {
    archive("parameters", parameters_json(c));
  }
  scales_field(archive, c);
  archive("tensor_bytes", c.tensor_bytes, bytes);
  archive("flops", c.flops, bytes);
  weight_field(archive, c);
  archive("run", c.run);
  if constexpr (Archive::reads) {
    if (c.run) archive("verdict", c.verdict);
  } else {
    archive("verdict", c.run ? Json(to_string(c.verdict)) : Json(nullptr));
  }
  archive("message", c.message);
  if (!c.run) return;
  archive("precision", c.precision);
  archive.object("error", [&](auto& error) {
    error_field(error, "relative", c.relative_error);
    error_field(error, "max_scaled", c.max_scaled_error);
    if (Archive::reads || c.rule) error("rule", c.rule);
  });
  if (Archive::reads || c.wrong) archive("wrong", c.wrong);
  if (archive.wants_detail() && (Archive::reads || c.printed)) archive("printed", c.printed);
  where_any(archive, "families", c.families);
  where_any(archive, "hardly_depends", c.hardly_depends);
  archive("calls", c.calls);
  archive("latency_hidden", c.latency_hidden);
  if constexpr (Archive::reads) {
    read_arms(archive, c);
  } else {
    write_arms(archive, c);
  }
  archive("comparisons", c.speedups);
  where_any(archive, "other_comparisons", c.others);
  if (Archive::reads || c.clock) archive("clock", c.clock);
  roofline_fields(archive, c);
  if (archive.wants_detail())
    archive.object("evidence", [&](auto& evidence) { evidence_fields(evidence, c); });
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Check>& check) {
  archive("name", check.name);
  archive("outcome", check.outcome);
  archive("detail", check.detail);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<BaselineCase>& c) {
  archive("name", c.name);
  archive("problem", c.problem);
  archive("precision", c.precision);
  error_field(archive, "relative_error", c.relative_error);
  archive("samples_ms", c.ms);
  archive.derived("summary", summarise(c.ms));
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<BaselineRecord>& baseline) {
  archive("name", baseline.name);
  where_any(archive, "library", baseline.library);
  archive("path", baseline.path);
  archive("sha256", baseline.sha256, sha256_of);
  archive("problem", baseline.problem);
  archive("cases", baseline.cases);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<LibraryUse>& libraries) {
  archive("linked", libraries.linked);
  archive("opened", libraries.opened);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<PythonRecord>& python) {
  archive("entry", python.entry);
  archive("module", python.is_module);
  archive("interpreter", python.interpreter);
  archive("pytorch", python.torch);
  archive("triton", python.triton);
  archive("headers", python.headers);
  archive("functions", python.functions);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<HeatRecord>& heat) {
  archive("number", heat.number);
  archive("candidates", heat.candidates);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<ComparedCase>& c) {
  archive("name", c.name, case_name_of);
  fields(archive, c.ratio);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Neighbour>& neighbour) {
  archive("path", neighbour.path, text_up_to<4 << 10>);
  archive("sha256", neighbour.sha256, sha256_of);
  archive("geometric_mean", neighbour.speedup.geometric_mean, positive);
  archive("interval", neighbour.speedup.interval);
  archive("cases", neighbour.cases);
  if constexpr (Archive::reads) neighbour.speedup.count = neighbour.cases.size();
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<CandidateRecord>& candidate) {
  archive("path", candidate.path, text_up_to<4 << 10>);
  archive("sha256", candidate.sha256, sha256_of);
  if (Archive::reads || candidate.lines) archive("lines", candidate.lines, lines_of);
  if (Archive::reads || candidate.seed) archive("seed", candidate.seed, unsigned_text);
  if (Archive::reads || candidate.heat) archive("heat", candidate.heat);
  archive("verdict", candidate.verdict);
  archive("message", candidate.message);
  archive("precision", candidate.precision);
  if (Archive::reads || candidate.deterministic) archive("deterministic", candidate.deterministic);
  archive("scores", candidate.scores);
  where_any(archive, "by_baseline", candidate.by_baseline);
  where_any(archive, "neighbours", candidate.neighbours);
  if (Archive::reads || candidate.python) archive("python", candidate.python);
  if (archive.wants_detail()) {
    archive.object("compile", [&](auto& compile) {
      compile("seconds", candidate.compile_seconds);
      compile("cached", candidate.compile_cached);
      compile("log", candidate.compiler_log, text_up_to<most_log>);
    });
    archive("libraries", candidate.libraries);
    archive("telemetry", candidate.telemetry);
    archive("notes", candidate.notes);
    archive("checks", candidate.checks);
  }
  archive("cases", candidate.cases);
}

namespace {

template <class Archive>
void result_fields(Archive& archive, typename Archive::template Value<Record>& record) {
  archive("effort", record.effort);
  if (archive.wants_detail()) {
    archive.object("baselines", [&](auto& baselines) {
      baselines("missing", record.no_baselines);
      baselines("contestants", record.baselines);
    });
  }
  archive("ceilings", record.ceilings);
  if (archive.wants_detail()) archive("notes", record.notes);
  archive("candidates", record.candidates);
}

// True if the candidate claims a speed. A forged record may do so.
bool has_speed(const CandidateRecord& candidate) {
  return !candidate.scores.empty() || !candidate.neighbours.empty() || !compared_cases(candidate).empty();
}

Record record_of(const JsonValue& root, bool detailed, const Location& from) {
  Record record;
  record.read_from = from;
  JsonReader archive(root, detailed);
  read_begin(archive, record);
  archive.object("problem", [&](auto& problem) {
    problem("precision", record.required_precision);
    if (problem.wants_detail()) problem("thresholds", record.thresholds);
  });
  archive("hidden_seed", record.hidden_seed, unsigned_text);
  result_fields(archive, record);
  if (detailed) {
    read_end(archive, record);
  } else {
    archive("total_seconds", record.total_seconds, [](const JsonValue& json) { return json.number(0, 1e9); });
  }
  if (const auto options = root.find("options")) record.sweep_options = options->dump();
  return record;
}

std::optional<Error> wrong_version(std::int64_t version, const Location& from) {
  if (version == record_schema_version) return std::nullopt;
  if (version > record_schema_version) {
    return Error{fmt::format("is a record of version {}, and this program knows version {}", version,
                             record_schema_version),
                 "read it with a newer kgrade", from};
  }
  return Error{fmt::format("is a record of version {}, and this program knows version {}", version,
                           record_schema_version),
               "grade again", from};
}

}  // namespace

Json to_json(const Record& record) {
  Json json = begin_json(record, "kgrade-record", record_schema_version);
  json["problem"]["precision"] = to_string(record.required_precision);
  json["problem"]["thresholds"] = json_of(record.thresholds);
  JsonWriter archive(json);
  archive("hidden_seed", record.hidden_seed, unsigned_text);
  result_fields(archive, record);
  end_json(json, record);
  if (!record.sweep_options.empty()) json["options"] = Json::parse(record.sweep_options);
  return json;
}

std::string to_text(const Record& record) {
  return to_json(record).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::optional<Record>> parse_record(std::string_view text, const Location& from, RecordDetail detail) {
  const bool detailed = detail == RecordDetail::all;
  std::vector<std::string_view> left_out;
  if (!detailed) {
    left_out = {"samples_ms", "reported_ms", "attested_ms", "evidence", "processes",
                "log",        "checks",      "telemetry",   "sandbox",  "host"};
  }
  const auto json = parse_json(text, from, left_out);
  if (!json) return json.errors();
  const auto schema = json->is_object() ? json->find("schema") : json->end();
  if (schema == json->end() || *schema != "kgrade-record") return std::optional<Record>();
  JsonComplaints complaints(from, "grade it again, or leave the file out");
  const JsonValue root(*json, complaints);
  const std::int64_t version = root["schema_version"].integer(1, 1'000'000);
  if (!complaints.empty()) return complaints.errors();
  if (const auto error = wrong_version(version, from)) return *error;
  Record record = record_of(root, detailed, from);
  const bool claims = std::any_of(record.candidates.begin(), record.candidates.end(), has_speed);
  if (complaints.empty() && claims && !record.device.measures_speed)
    complaints.add("/device/times_are_speed", "is false, but speeds are compared");
  if (!complaints.empty()) return complaints.errors();
  return std::optional(std::move(record));
}

}  // namespace kgrade
