#include "record/record_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "record/arms_json.h"
#include "record/shared_json.h"

namespace kgrade {

using Json = nlohmann::ordered_json;

// How a case's roofline is written.
struct WrittenRoofline {
  Floor floor;
  std::map<std::string, double> shares;  // by the name of the arm
};

// The options of a sweep that verdicts and times depend on (sweep/lane.h), as the command line gave them.
struct SweepConditions {
  bool warm = false;
  bool clears_outputs = false;
  bool require_sandbox = false;
  std::optional<std::uint64_t> seed, hidden_seed;
  std::optional<std::size_t> hidden_cases;
  std::optional<double> time_limit_seconds;
};

namespace {

// An error beyond all bounds is written as null.
template <class Archive>
void error_field(Archive& archive, const char* name, typename Archive::template Value<double>& error,
                 const char* description) {
  std::optional<double> written;
  if (std::isfinite(error)) written = error;
  archive(name, written, not_negative, description);
  if constexpr (Archive::reads) error = written.value_or(std::numeric_limits<double>::infinity());
}

// Whole numbers are integer parameters of the kernel, and others are real parameters.
struct Parameters {
  Bindings whole;
  std::map<std::string, double, std::less<>> real;
};
struct ParameterRule {
  Parameters operator()(const JsonValue& json) const {
    Parameters parameters;
    for (const auto& [name, value] : json.members(most_members)) {
      if (value.is_whole()) {
        parameters.whole[name] = value.integer(INT64_MIN, INT64_MAX);
      } else {
        parameters.real[name] =
            value.number(-std::numeric_limits<double>::max(), std::numeric_limits<double>::max());
      }
    }
    return parameters;
  }
  static Json written(const Parameters& parameters) {
    Json json = Json::object();
    for (const auto& [name, value] : parameters.whole) json[name] = value;
    for (const auto& [name, value] : parameters.real) json[name] = value;
    return json;
  }
  static Json schema() { return {{"type", "object"}, {"additionalProperties", {{"type", "number"}}}}; }
};

// Times that do not enter any speedup. They expose speeds that are impossible (measure/speed_checks.h).
template <class Archive>
void evidence_fields(Archive& archive, typename Archive::template Value<CaseRecord>& c) {
  constexpr std::tuple<const char*, Purpose, const char*> purposes[] = {
      {"repeated_ms", Purpose::repeated, "The candidate, called again with contents that it has just seen."},
      {"changed_ms", Purpose::changed, "The candidate on contents of which only a few elements are new."},
      {"unmeasured_ms", Purpose::warm_up, "The candidate on new contents, in calls without a sample."}};
  for (const auto& [name, purpose, description] : purposes) {
    std::vector<double> times;
    if constexpr (!Archive::reads) times = times_for(c.candidate(), purpose);
    archive(name, times, positive, description);
    if constexpr (Archive::reads) {
      for (const double ms : times) c.candidate().samples.push_back({ms, purpose});
    }
  }
  archive("reference_before_ms", c.reference_before_ms, positive,
          "The reference alone on the device, before the candidate was loaded.");
  archive("reference_after_ms", c.reference_after_ms, positive,
          "The reference alone on the device, after the candidate had ended.");
  std::optional<double> bound;
  if (c.lower_bound_ms > 0) bound = c.lower_bound_ms;
  archive("lower_bound_ms", bound, positive,
          "What the device's memory and arithmetic need at least. Null if unknown.");
  if constexpr (Archive::reads) c.lower_bound_ms = bound.value_or(0);
}

template <class Archive>
void roofline_field(Archive& archive, typename Archive::template Value<CaseRecord>& c) {
  std::optional<WrittenRoofline> written;
  if constexpr (!Archive::reads) {
    if (c.roofline) written = WrittenRoofline{c.roofline->floor, {}};
    for (std::size_t arm = 0; written && arm < c.arms.size(); ++arm)
      written->shares[c.arms[arm].name] = c.roofline->shares[arm];
  }
  archive(
      "roofline", written,
      "The least time that the case's bytes and operations need at the device's measured rates. Null if it "
      "is unknown or was not measured.");
  if constexpr (Archive::reads) {
    if (!written) return;
    c.roofline = CaseRoofline{written->floor, {}};
    for (const Arm& arm : c.arms) {
      const auto share = written->shares.find(arm.name);
      if (share == written->shares.end()) (void)(*archive.value().find("roofline"))["shares"][arm.name];
      c.roofline->shares.push_back(share == written->shares.end() ? 0 : share->second);
    }
  }
}

// Null if the case did not run.
template <class Archive>
void verdict_field(Archive& archive, typename Archive::template Value<CaseRecord>& c) {
  std::optional<Verdict> verdict;
  if (c.run) verdict = c.verdict;
  archive("verdict", verdict);
  if constexpr (Archive::reads) {
    if (c.run && !verdict) archive.value()["verdict"].complain("is missing in a case that ran");
    c.verdict = verdict.value_or(c.verdict);
  }
}

}  // namespace

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrittenRoofline>& roofline) {
  archive("memory_ms", roofline.floor.memory_ms, not_negative);
  archive("arithmetic_ms", roofline.floor.arithmetic_ms, not_negative);
  archive.derived("floor_ms", roofline.floor.ms(), not_negative);
  archive.derived("bound_by", roofline.floor.bound_by());
  archive("shares", roofline.shares, NumberRule{0, 1e6},
          "Of each arm: the floor's share of the median. Above 1 if fewer operations are done than `flops` "
          "says.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Thresholds>& thresholds) {
  archive("fp32", thresholds.fp32, positive);
  archive("tf32", thresholds.tf32, positive);
  archive("bf16", thresholds.bf16, positive);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Speedup>& speedup) {
  archive("against", speedup.against, text_up_to<200>, "The name of an arm.");
  fields(archive, speedup.ratio);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Score>& score) {
  archive("against", score.against, text_up_to<200>,
          "`baseline` means the fastest baseline of the candidate's class in each case.");
  archive("geometric_mean", score.speedup.geometric_mean, positive);
  archive("interval", score.speedup.interval);
  archive("cases", score.speedup.count, from_one);
  archive("fast_p", score.fast, share_of_one,
          "KernelBench's fast_p, by p: the share of the cases with a speedup above p.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<TelemetrySummary>& telemetry) {
  archive("absent", telemetry.absent, "Why there is no telemetry. Empty if there is.");
  archive("missing", telemetry.missing, "What this device does not tell, and why.");
  archive("readings", telemetry.readings);
  archive("seconds", telemetry.seconds, not_negative);
  archive("sm_clock_mhz", telemetry.sm_clock_mhz);
  archive("memory_clock_mhz", telemetry.memory_clock_mhz);
  archive("power_milliwatts", telemetry.power_milliwatts);
  archive("power_limit_milliwatts", telemetry.power_limit_milliwatts);
  archive("temperature_celsius", telemetry.temperature_celsius);
  auto reasons = known_reasons(telemetry);
  archive("reasons", reasons, reason_shares, "Why clocks were low: shares of the time. Null if unknown.");
  if constexpr (Archive::reads) {
    telemetry.reasons_known = reasons.has_value();
    telemetry.reasons = std::move(reasons).value_or(std::vector<ReasonShare>());
  }
  archive("other_processes", telemetry.other_processes, "On the device, the most at once.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<ClockRecord>& clock) {
  archive("attested_share", clock.attested_share, share_of_one,
          "The median share of a counted time of the candidate that the referee's clock attests.");
  archive("protocol_ms", clock.protocol_ms, not_negative,
          "What the protocol adds to a call, measured on the reference.");
  archive("samples", clock.samples);
  archive.object(
      "raised",
      [&](auto& raised) {
        raised("candidate", clock.raised_candidate);
        raised("reference", clock.raised_reference);
      },
      "Samples that count as longer than their worker reported.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrongElement>& element) {
  archive("index", element.index);
  archive("expected", element.expected, "A number, inf, -inf or nan.");
  archive("got", element.got, "Like `expected`, or what the kernel did instead, such as never written.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrongOutput>& wrong) {
  archive("tensor", wrong.tensor);
  archive("elements", wrong.elements);
  archive("wrong", wrong.wrong);
  archive("never_written", wrong.never_written, "Wrong elements that the kernel never wrote.");
  archive("added_to", wrong.added_to, "Wrong elements that the kernel added to instead of overwriting them.");
  archive("pattern", wrong.pattern, "What the wrong elements have in common. Empty if unknown.");
  archive("examples", wrong.examples, "The first wrong elements. None of hidden and measured cases.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Printed>& printed) {
  archive("lines", printed.lines, items(0, 40), "The first lines, without control characters.");
  archive("more_lines", printed.more_lines);
  archive("cut_off", printed.cut_off, "More was printed than kgrade keeps.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<DrawnFamilies>& drawn) {
  archive("inputs", drawn.inputs,
          "How they differ from the case's distribution, such as `x: elements are multiplied by 4`.");
  archive("tells", drawn.tells,
          "If false, honest answers to these inputs may differ, so the candidate was not called.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<AppliedRule>& rule) {
  archive("decided_by", rule.decided_by, "The elements whose error came nearest to the bound.");
  archive("bound", rule.bound, positive, "For the class that the problem or the candidate asks for.");
  archive("terms", rule.terms, any_count, "The length of the longest sum in the case.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<CaseRecord>& c) {
  archive("name", c.name, case_name_of);
  archive("role", c.role);
  if (archive.wants_detail()) {
    Parameters parameters{c.parameters, c.real_parameters};
    archive("parameters", parameters, ParameterRule{});
    if constexpr (Archive::reads) {
      c.parameters = std::move(parameters.whole);
      c.real_parameters = std::move(parameters.real);
    }
  }
  archive.or_default("scales", c.scales, "How the inputs of this case differ from those of other cases.");
  archive("tensor_bytes", c.tensor_bytes, any_count, "Of all tensors, each counted once.");
  archive("flops", c.flops, any_count);
  std::optional<double> weight;
  if (c.weight != 1) weight = c.weight;
  archive.or_default("weight", weight, positive, "In scores over cases. 1 if it is left out.");
  if constexpr (Archive::reads) c.weight = weight.value_or(1);
  archive("run", c.run);
  verdict_field(archive, c);
  archive("message", c.message);
  archive.where("run", c.run, true, [&](auto& run) { run_fields(run, c); });
}

// What is known only of a case that ran.
template <class Archive>
void run_fields(Archive& archive, typename Archive::template Value<CaseRecord>& c) {
  archive("precision", c.precision);
  archive.object("error", [&](auto& error) {
    error_field(
        error, "relative", c.relative_error,
        "||actual - expected|| / ||expected||, or / the usual ||expected|| if that is larger. It is the "
        "largest over all elements, those that vary, and the smaller three quarters of these, and the worst "
        "of all calls. Null: beyond all bounds.");
    error_field(
        error, "max_scaled", c.max_scaled_error,
        "The largest |actual - expected| of an element, divided by its own |expected| or the root mean "
        "square of expected over its set of elements, whichever is larger. Null: beyond all bounds.");
    error.or_default("rule", c.rule, "How the output that came nearest to its bound was judged.");
  });
  archive.or_default("wrong", c.wrong, "How an output was wrong. Only of cases with a wrong answer.");
  if (archive.wants_detail())
    archive.or_default("printed", c.printed,
                       "What the candidate printed in the first call of a sample case.");
  archive.or_default("families", c.families, items(1),
                     "Inputs that were drawn beside the case's own distribution, in their order.");
  archive.or_default("hardly_depends", c.hardly_depends, items(1),
                     "Outputs of a Model whose answer is the same for other inputs, or nearly.");
  archive("calls", c.calls, from_zero, "Calls of the candidate that returned. Each was checked.");
  archive("latency_hidden", c.latency_hidden);
  arm_fields(archive, c);
  archive("comparisons", c.speedups,
          "The reference is first, and the last one counts. Empty if times do not measure speed, or if the "
          "candidate "
          "is not accepted.");
  archive.or_default("other_comparisons", c.others, items(1), "With the other baselines, in their order.");
  archive.or_default(
      "clock", c.clock,
      "How much of the speed the referee's clock attests. Only of cases whose speed is measured.");
  roofline_field(archive, c);
  if (archive.wants_detail())
    archive.object(
        "evidence", [&](auto& evidence) { evidence_fields(evidence, c); },
        "Times that expose speeds that are impossible. No speedup is computed from them.");
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
  archive("problem", c.problem, "Why its answer is not accepted. Empty if it is.");
  archive("precision", c.precision);
  error_field(archive, "relative_error", c.relative_error, "Null: beyond all bounds.");
  archive("samples_ms", c.ms, positive);
  archive.derived("summary", summary_or_none(summarise(c.ms)));
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<BaselineRecord>& baseline) {
  archive("name", baseline.name);
  archive.or_default("library", baseline.library, "The vendor's library that it calls, with its version.");
  archive("path", baseline.path);
  archive("sha256", baseline.sha256, sha256_of);
  archive("problem", baseline.problem, "Why it was not compared. Empty if it was.");
  archive("cases", baseline.cases);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<LibraryUse>& libraries) {
  archive("linked", libraries.linked, "What the built library needs, in its order.");
  archive(
      "opened", libraries.opened,
      "What its process had open after loading it or after a case, except what every worker has. 'NAME (from "
      "memory)' is code that comes from no file of the machine.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<PythonRecord>& python) {
  archive("entry", python.entry, "The function or class that was called.");
  archive("module", python.is_module,
          "A module keeps its weights from call to call. Leaderboards keep modules and kernels apart.");
  archive("interpreter", python.interpreter);
  archive("pytorch", python.torch);
  archive("triton", python.triton, "Empty if it is not installed.");
  archive("headers", python.headers, items(0, 40),
          "The headers that its extensions were built with: small (kgrade's) or torch.");
  archive("functions", python.functions, items(0, 40),
          "Functions of PyTorch that it called in its rehearsal, as far as PyTorch shows them.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<HeatRecord>& heat) {
  archive("number", heat.number, from_one, "Among the heats of a run.");
  archive("candidates", heat.candidates, from_one, "In this heat.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<ComparedCase>& c) {
  archive("name", c.name, case_name_of);
  ratio_fields(archive, c.ratio, from_one);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Neighbour>& neighbour) {
  archive("path", neighbour.path, text_up_to<4 << 10>);
  archive("sha256", neighbour.sha256, sha256_of);
  archive("geometric_mean", neighbour.speedup.geometric_mean, positive,
          "Over all cases, by their weights. Above 1, the candidate is faster than this neighbour.");
  archive("interval", neighbour.speedup.interval);
  archive("cases", neighbour.cases, items(1));
  if constexpr (Archive::reads) neighbour.speedup.count = neighbour.cases.size();
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<CandidateRecord>& candidate) {
  archive("path", candidate.path, text_up_to<4 << 10>);
  archive("sha256", candidate.sha256, sha256_of,
          "Of the file. If the candidate has headers, of all its files together.");
  archive.or_default("lines", candidate.lines, lines_rule, about_lines);
  archive.or_default(
      "seed", candidate.seed, unsigned_text,
      "Of the contents in the attempt that counts. With --seed, it repeats them for this candidate "
      "alone.");
  archive.or_default(
      "heat", candidate.heat,
      "The candidates that were graded side by side with this one. Left out if it was graded alone.");
  archive("verdict", candidate.verdict);
  archive("message", candidate.message);
  archive("precision", candidate.precision);
  archive.or_default(
      "deterministic", candidate.deterministic,
      "Whether all calls on the same inputs gave the same bits. Left out if no call was repeated, or "
      "if the outputs are too large.");
  archive("scores", candidate.scores,
          "Over contestants of the class of an accepted candidate, in all bench cases. The last one counts.");
  archive.or_default(
      "by_baseline", candidate.by_baseline, items(1),
      "Against each baseline that was measured in every bench case, and against a reference of a "
      "better class. None of these counts.");
  archive.or_default(
      "neighbours", candidate.neighbours, items(1),
      "Accepted candidates of the same heat and class that were called in the same blocks in every "
      "measured case.");
  archive.or_default("python", candidate.python, "Of a candidate in Python. Left out for CUDA C++.");
  if (archive.wants_detail()) {
    archive.object("compile", [&](auto& compile) {
      compile("seconds", candidate.compile_seconds, not_negative);
      compile("cached", candidate.compile_cached);
      compile("log", candidate.compiler_log, text_up_to<most_log>);
    });
    archive("libraries", candidate.libraries, "Names of files.");
    archive("telemetry", candidate.telemetry, "Of the device while this candidate was graded.");
    archive("notes", candidate.notes);
    archive("checks", candidate.checks, items(1));
  }
  archive("cases", candidate.cases);
}

// Two of the words are written as true (the usual ones) and false (none).
struct WantedBaselinesRule {
  bool operator()(const JsonValue& value) const { return value.truth(); }
  static Json schema() { return {{"enum", {true, false, "pytorch", "compiled"}}}; }
};

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<SweepConditions>& options) {
  archive("warm", options.warm);
  archive.or_default("clear_outputs", options.clears_outputs);
  archive("baselines", true, WantedBaselinesRule{}, "true: the usual ones.");
  archive("require_sandbox", options.require_sandbox);
  archive("seed", options.seed, unsigned_text);
  archive("hidden_cases", options.hidden_cases);
  archive("hidden_seed", options.hidden_seed, unsigned_text);
  archive("time_limit_seconds", options.time_limit_seconds, positive);
}

// The options of a sweep, which the record holds as text.
struct SweepOptionsRule {
  std::string operator()(const JsonValue& value) const { return value.dump(); }
  static Json written(const std::string& text) { return Json::parse(text); }
  template <class T>
  Json schema(SchemaDefinitions& definitions) const {
    return definitions.reference_to<SweepConditions>();
  }
};

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Record>& record) {
  kind_fields(archive, "kgrade-record", record_schema_version);
  run_begin_fields(archive, record, [&](auto& problem) {
    problem("precision", record.required_precision);
    if (problem.wants_detail()) problem("thresholds", record.thresholds);
  });
  archive("hidden_seed", record.hidden_seed, unsigned_text, about_hidden_seed);
  archive("effort", record.effort);
  if (archive.wants_detail()) {
    archive.object(
        "baselines",
        [&](auto& baselines) {
          baselines("missing", record.no_baselines, "Which are left out and why. Empty if none is.");
          baselines("contestants", record.baselines);
        },
        "Contestants that call a vendor's library or PyTorch.");
  }
  archive("ceilings", record.ceilings, "The rates that the device was measured to reach. Null if unknown.");
  if (archive.wants_detail()) archive("notes", record.notes);
  archive("candidates", record.candidates, items(1));
  run_end_fields(archive, record);
  archive.or_default("options", record.sweep_options, SweepOptionsRule{},
                     "In a line of a sweep: the options that verdicts and times depend on.");
}

namespace {

// True if the candidate claims a speed. A forged record may do so.
bool has_speed(const CandidateRecord& candidate) {
  return !candidate.scores.empty() || !candidate.neighbours.empty() || !compared_cases(candidate).empty();
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

Json to_json(const Record& record) { return json_of(record); }

Json record_schema() {
  return schema_document<Record>(
      fmt::format("kgrade record, version {}", record_schema_version),
      "What one run of `kgrade grade` found. Times are in milliseconds and of one launch unless a name says "
      "otherwise. Numbers are unrounded.");
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
  Record record;
  record.read_from = from;
  read_value(root, record, AnyValue{}, detailed);
  const bool claims = std::any_of(record.candidates.begin(), record.candidates.end(), has_speed);
  if (complaints.empty() && claims && !record.device.measures_speed)
    complaints.add("/device/times_are_speed", "is false, but speeds are compared");
  if (!complaints.empty()) return complaints.errors();
  return std::optional(std::move(record));
}

}  // namespace kgrade
