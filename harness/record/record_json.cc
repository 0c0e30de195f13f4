#include "record/record_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "record/case_json.h"
#include "record/shared_json.h"

namespace kgrade {

using Json = nlohmann::ordered_json;

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Thresholds>& thresholds) {
  archive("fp32", thresholds.fp32, positive);
  archive("tf32", thresholds.tf32, positive);
  archive("bf16", thresholds.bf16, positive);
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
void fields(Archive& archive, typename Archive::template Value<CandidateBySet>& by_set) {
  archive("verdict", by_set.verdict,
          "not_decided: no case was refused, but some case did not come to a call that was checked.");
  archive("cases", by_set.cases, from_zero, "The number of cases that were judged.");
  archive("all_cases", by_set.all_cases, from_one, "The number of cases that have a rule.");
  archive("refused", by_set.refused, case_name_of, "The names of the cases that the set refuses.");
  archive(
      "differs", by_set.differs,
      "Why the set's verdict differs from `verdict`. Null if both accept or both refuse, or if the set's is "
      "not decided.");
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
      "by_set", candidate.by_set,
      "The verdict by the rule of the set that the problem is from. Left out if no case has one.");
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
    archive.or_default(
        "matrix_units", candidate.matrix_units, items(0, 64, text_up_to<100>),
        "The matrix units (tensor cores) that its own compiled GPU code uses, in problems with tensors of 16 "
        "bits or fewer: 'bf16 (HGMMA)' has the type of the factors and the instruction. Empty: none. "
        "Libraries such as cuBLAS are not its own code. Left out if they are not known.");
    archive("telemetry", candidate.telemetry, "Of the device while this candidate was graded.");
    archive("notes", candidate.notes);
    archive("checks", candidate.checks, items(1));
  }
  archive("cases", candidate.cases);
}

// The options of a run over many candidates, which the record holds as text.
struct OptionsRule {
  std::string operator()(const JsonValue& value) const { return value.dump(); }
  static Json written(const std::string& text) { return Json::parse(text); }
  template <class T>
  Json schema(SchemaDefinitions& definitions) const {
    Json schema = Json::object();
    SchemaWriter options(schema, definitions);
    recorded_options(options, GradeSettings());
    return definitions.reference_to("SweepConditions", schema);
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
  archive.or_default("options", record.options, OptionsRule{},
                     "In a line of a sweep: the options that verdicts and times depend on.");
}

namespace {

// True if the candidate claims a speed. A forged record may do so.
bool has_speed(const CandidateRecord& candidate) {
  return !candidate.scores.empty() || !candidate.neighbours.empty() || !compared_cases(candidate).empty();
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
  if (version != record_schema_version)
    return Error{fmt::format("is a record of version {}, and this program knows version {}", version,
                             record_schema_version),
                 version > record_schema_version ? "read it with a newer kgrade" : "grade again", from};
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
