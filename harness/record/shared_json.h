// The JSON that the records of all commands share: a RunRecord and its parts.
#pragma once

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/json_archive.h"
#include "problem/problem.h"
#include "record/record.h"
#include "record/settings.h"

namespace kgrade {

class SchemaDefinitions;

// The words for the element types that [VAR] can be.
template <>
inline constexpr std::array<std::string_view, 3> enum_words<Dtype> = {
    to_string(var_dtypes[0]), to_string(var_dtypes[1]), to_string(var_dtypes[2])};

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<ToolInfo>& tool) {
  archive.constant("name", "kgrade");
  archive("version", tool.version, text_up_to<64>);
  archive("git_commit", tool.git_commit, text_up_to<64>, "Empty outside a git checkout.");
  archive("git_dirty", tool.git_dirty);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<HostInfo>& host) {
  archive("system", host.system);
  archive("kernel", host.kernel);
  archive("machine", host.machine);
  archive("processor", host.processor);
  archive("cores", host.cores, from_zero);
  archive("memory_bytes", host.memory_bytes);
  archive.or_default(
      "load_average", host.load_average, not_negative,
      "Processes that ran or waited for a core, over the minute before the run. Times of launches "
      "suffer if there are more than cores.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<DeviceInfo>& device) {
  archive("kind", device.kind, one_of("cuda", "emulated"));
  archive("name", device.name, text_up_to<200>);
  archive("uuid", device.uuid, text_up_to<64>);
  if (archive.wants_detail()) {
    archive("architecture", device.architecture);
    archive("driver_version", device.driver_version);
    archive("runtime_version", device.runtime_version);
    archive("multiprocessors", device.multiprocessors, from_zero);
    archive("memory_bytes", device.memory_bytes);
    archive("l2_bytes", device.l2_bytes);
  }
  archive("times_are_speed", device.measures_speed,
          "If false, times of this device do not measure speed, and no speedup is reported.");
  archive.where("kind", device.kind, "emulated", [&](auto& only_there) {
    only_there.or_default(
        "thread_order", device.thread_order, one_of("forward", "reverse", "shuffled"),
        "The order in which the emulated device runs the threads of a block and the blocks of "
        "a grid (--order).");
  });
}

template <class Archive>
void rate_fields(Archive& archive, typename Archive::template Value<Ceilings>& ceilings) {
  archive("copy_bytes_per_second", ceilings.copy_bytes_per_second, positive);
  archive("fp32_flops_per_second", ceilings.fp32_flops_per_second, positive);
  archive("tf32_flops_per_second", ceilings.tf32_flops_per_second, positive);
  archive("fp16_flops_per_second", ceilings.fp16_flops_per_second, positive);
  archive("bf16_flops_per_second", ceilings.bf16_flops_per_second, positive);
  archive("fp64_flops_per_second", ceilings.fp64_flops_per_second, positive);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Ceilings>& ceilings) {
  archive("measured_at", ceilings.measured_at, moment_of);
  archive("tensor_instructions", ceilings.tensor_instructions, text_up_to<64>);
  rate_fields(archive, ceilings);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<SandboxLayer>& layer) {
  archive("name", layer.name, one_of("no_new_privileges", "namespaces", "landlock", "seccomp", "cgroup"));
  archive("active", layer.active);
  archive("detail", layer.detail, "What an active layer consists of, or why another one is missing.");
  archive("remedy", layer.remedy, "What a missing layer would need.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<SandboxRecord>& sandbox) {
  archive("confined", sandbox.confined, "Contestants had their own file system, network and processes.");
  archive("layers", sandbox.layers, "Missing layers too. Empty if there was no sandbox at all.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Summary>& summary) {
  archive("count", summary.count, from_one);
  archive("median_ms", summary.median, positive);
  archive("first_quartile_ms", summary.first_quartile, positive);
  archive("third_quartile_ms", summary.third_quartile, positive);
  archive("minimum_ms", summary.minimum, positive);
}
// Unset if there are no samples.
std::optional<Summary> summary_or_none(const Summary& summary);

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Interval>& interval) {
  archive("low", interval.low, positive);
  archive("high", interval.high, positive);
  if constexpr (Archive::reads) {
    if (!(interval.low <= interval.high)) archive.value().complain("ends below its beginning");
  }
}

template <class Archive>
void ratio_fields(Archive& archive, typename Archive::template Value<SpeedRatio>& ratio,
                  const IntegerRule& counts) {
  archive(
      "speedup", ratio.ratio, positive,
      "Above 1, the candidate is faster. The Hodges-Lehmann estimate over blocks, or the mean of these over "
      "processes on the log scale.");
  archive("interval", ratio.interval,
          "Of 95 % confidence. Null if there are too few blocks or processes for an interval.");
  archive.derived("half_width", ratio.half_width(), not_negative);
  archive.derived(
      "statement", ratio.statement(),
      "faster or slower if the interval is more than 1 % away from 1, and same if it is within 1 %.");
  archive("method", ratio.method,
          "Of the interval: Wilcoxon's signed ranks over blocks, or Student's t over processes.");
  archive("count", ratio.count, counts, "The number of blocks or processes.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<SpeedRatio>& ratio) {
  ratio_fields(archive, ratio, any_count);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<MeasuringGoal>& goal) {
  archive("half_width", goal.half_width, "Relative, of every interval.");
  archive("budget_seconds", goal.budget_seconds, "Of one process.");
  archive("processes", goal.processes, from_one, "The fewest processes of every contestant.");
  archive.or_default("most_processes", goal.most_processes, from_one,
                     "The most, if what a process adds to its launches would hide more than the half width.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<TelemetryRange>& range) {
  archive("minimum", range.minimum);
  archive("median", range.median, not_negative);
  archive("maximum", range.maximum);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<ReferenceRecord>& reference) {
  archive("path", reference.path);
  archive("sha256", reference.sha256, sha256_of);
}

// An error beyond all bounds is written as null.
template <class Archive>
void error_field(Archive& archive, const char* name, typename Archive::template Value<double>& error,
                 const char* description) {
  std::optional<double> written;
  if (std::isfinite(error)) written = error;
  archive(name, written, not_negative, description);
  if constexpr (Archive::reads) error = written.value_or(std::numeric_limits<double>::infinity());
}

// Written as [first, last].
struct LineRangeRule {
  LineRange operator()(const JsonValue& value) const;
  static nlohmann::ordered_json written(const LineRange& lines);
  static nlohmann::ordered_json schema();
};
inline constexpr LineRangeRule lines_rule;
inline constexpr const char* about_lines =
    "Of a document with code blocks: the first and the last line of the block. Left out for a whole file.";
inline constexpr const char* about_hidden_seed = "With which the cases of role hidden were drawn.";

// Why clocks were low.
inline constexpr auto reason_shares = by_name(&ReasonShare::name, &ReasonShare::share, share_of_one);
// Null if unknown.
std::optional<std::vector<ReasonShare>> known_reasons(const TelemetrySummary& telemetry);

// The name of a document and its version, with which it begins.
template <class Archive>
void kind_fields(Archive& archive, const char* schema, int version) {
  archive.constant("schema", schema);
  archive.constant("schema_version", version);
}

// The beginning of every record, up to the seed. `more` lists further fields of the problem.
template <class Archive, class More>
void run_begin_fields(Archive& archive, typename Archive::template Value<RunRecord>& record, More more) {
  archive("tool", record.tool);
  archive("started_at", record.started_at, moment_of);
  if (archive.wants_detail()) archive("host", record.host);
  archive("device", record.device);
  if (archive.wants_detail()) archive("sandbox", record.sandbox, "What compilers and workers ran in.");
  archive.object("problem", [&](auto& problem) {
    problem("slug", record.problem_slug, slug_of);
    problem("title", record.problem_title);
    problem("sha256", record.problem_sha256, sha256_of);
    problem.or_default("path", record.problem_path, "The path into the public set that the problem is from.");
    problem("dtype", record.dtype, "The element type.");
    problem.or_default("inputs", record.inputs,
                       "What the inputs were drawn from instead of what the problem says, as in --inputs.");
    problem.or_default("clears_outputs", record.clears_outputs,
                       "Outputs were zero before each call (--clear-outputs).");
    more(problem);
  });
  archive("reference", record.reference);
  archive("toolchain", record.toolchain, "Compiler, version and flags.");
  archive("seed", record.seed, unsigned_text, "Of the inputs. Text, because it has 64 bits.");
}

// The end of every record: its times.
template <class Archive, class AnyRecord>
void run_end_fields(Archive& archive, AnyRecord& record) {
  if (archive.wants_detail())
    archive("stages_seconds", record.stages, by_name(&StageTime::name, &StageTime::seconds, not_negative),
            "Wall seconds. Stages that run side by side overlap.");
  archive("total_seconds", record.total_seconds, NumberRule{0, 1e9});
}

// The scalar parameters of a case by name, in the order of the signature. Of the two maps, the parameters of
// the problem count; a `bool` is true or false.
nlohmann::ordered_json scalar_values(const Problem& problem, const Bindings& integers, const Reals& reals);

// --- The options of a run over many candidates in its records ---

// Older results have true or false, from when there were only two choices.
struct RecordedBaselines {
  template <class T>
  nlohmann::ordered_json schema(SchemaDefinitions&) const {
    return {{"enum", {true, false, "pytorch", "compiled"}}, {"description", "true: the usual ones."}};
  }
  static nlohmann::ordered_json written(WantedBaselines wanted) {
    if (wanted == WantedBaselines::none || wanted == WantedBaselines::usual)
      return wanted == WantedBaselines::usual;
    return to_string(wanted);
  }
};

// Writes the options that verdicts and times depend on.
template <class Archive>
void recorded_options(Archive& archive, const GradeSettings& settings) {
  grade_options(
      [&archive]<class T, class Rule>(const GradeOption& option, const T& value, const Rule&) {
        if (option.recorded == Recorded::never) return;
        if (option.recorded == Recorded::if_chosen) return archive.or_default(option.name, value);
        if constexpr (std::is_same_v<Rule, AnySeed>) {
          archive(option.name, value, unsigned_text);
        } else if constexpr (std::is_same_v<T, WantedBaselines>) {
          archive(option.name, value, RecordedBaselines{});
        } else {
          archive(option.name, value);
        }
      },
      settings);
}

}  // namespace kgrade
