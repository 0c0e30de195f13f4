// The JSON that the records of all commands share: a RunRecord and its parts.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "record/json_archive.h"
#include "record/record.h"

namespace kgrade {

template <>
inline constexpr int count_of_values<Method> = 3;
template <>
inline constexpr int count_of_values<Dtype> = 3;
template <>
inline constexpr int count_of_values<Precision> = 5;
template <>
inline constexpr int count_of_values<Verdict> = verdict_count;
template <>
inline constexpr int count_of_values<CaseRole> = 4;
template <>
inline constexpr int count_of_values<CheckOutcome> = 3;
template <>
inline constexpr int count_of_values<Effort> = 3;
template <>
inline constexpr int count_of_values<WantedBaselines> = 4;
template <>
inline constexpr int count_of_values<CacheState> = 2;
template <>
inline constexpr int count_of_values<BlockEnd> = 4;

template <class T>
nlohmann::ordered_json value_or_null(const std::optional<T>& value) {
  return json_of(value);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<ToolInfo>& tool) {
  archive.derived("name", std::string("kgrade"));
  archive("version", tool.version, text_up_to<64>);
  archive("git_commit", tool.git_commit, text_up_to<64>);
  archive("git_dirty", tool.git_dirty);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<HostInfo>& host) {
  archive("system", host.system);
  archive("kernel", host.kernel);
  archive("machine", host.machine);
  archive("processor", host.processor);
  archive("cores", host.cores);
  archive("memory_bytes", host.memory_bytes);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<DeviceInfo>& device) {
  archive("kind", device.kind, [](const auto& json) { return word_of(json, {"cuda", "emulated"}); });
  archive("name", device.name, text_up_to<200>);
  archive("uuid", device.uuid, text_up_to<64>);
  if (archive.wants_detail()) {
    archive("architecture", device.architecture);
    archive("driver_version", device.driver_version);
    archive("runtime_version", device.runtime_version);
    archive("multiprocessors", device.multiprocessors);
    archive("memory_bytes", device.memory_bytes);
    archive("l2_bytes", device.l2_bytes);
  }
  archive("times_are_speed", device.measures_speed);
  if constexpr (Archive::reads) {
    if (const auto order = archive.value().find("thread_order")) device.thread_order = order->text(64);
  } else {
    if (!device.thread_order.empty()) archive("thread_order", device.thread_order);
  }
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Ceilings>& ceilings) {
  archive("measured_at", ceilings.measured_at, moment_of);
  archive("tensor_instructions", ceilings.tensor_instructions, text_up_to<64>);
  archive("copy_bytes_per_second", ceilings.copy_bytes_per_second, positive);
  archive("fp32_flops_per_second", ceilings.fp32_flops_per_second, positive);
  archive("tf32_flops_per_second", ceilings.tf32_flops_per_second, positive);
  archive("fp16_flops_per_second", ceilings.fp16_flops_per_second, positive);
  archive("bf16_flops_per_second", ceilings.bf16_flops_per_second, positive);
  archive("fp64_flops_per_second", ceilings.fp64_flops_per_second, positive);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<SandboxLayer>& layer) {
  archive("name", layer.name);
  archive("active", layer.active);
  archive("detail", layer.detail);
  archive("remedy", layer.remedy);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<SandboxRecord>& sandbox) {
  archive("confined", sandbox.confined);
  archive("layers", sandbox.layers);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Summary>& summary) {
  archive("count", summary.count);
  archive("median_ms", summary.median, positive);
  archive("first_quartile_ms", summary.first_quartile, positive);
  archive("third_quartile_ms", summary.third_quartile, positive);
  archive("minimum_ms", summary.minimum, positive);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Interval>& interval) {
  archive("low", interval.low, positive);
  archive("high", interval.high, positive);
  if constexpr (Archive::reads) {
    if (!(interval.low <= interval.high)) archive.value().complain("ends below its beginning");
  }
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<SpeedRatio>& ratio) {
  archive("speedup", ratio.ratio, positive);
  archive("interval", ratio.interval);
  archive.derived("half_width", ratio.half_width());
  archive.derived("statement", ratio.statement());
  archive("method", ratio.method);
  archive("count", ratio.count);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<MeasuringGoal>& goal) {
  archive("half_width", goal.half_width);
  archive("budget_seconds", goal.budget_seconds);
  archive("processes", goal.processes);
  archive("most_processes", goal.most_processes);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<TelemetryRange>& range) {
  archive("minimum", range.minimum);
  archive("median", range.median);
  archive("maximum", range.maximum);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<ReferenceRecord>& reference) {
  archive("path", reference.path);
  archive("sha256", reference.sha256, sha256_of);
}

// Written as [first, last].
nlohmann::ordered_json json_of(const LineRange& lines);
LineRange lines_of(const JsonValue& value);

// The share of cases above each speedup. The key of the speedup 1.5 is "1.5".
nlohmann::ordered_json fast_p_json(const std::map<double, double>& fast_p);
// Why clocks were low: the share of the time for each reason. Null if unknown.
nlohmann::ordered_json reasons_json(const TelemetrySummary& telemetry);
nlohmann::ordered_json stages_json(const std::vector<StageTime>& stages);

// The beginning of every record, from the name of its schema to the seed.
nlohmann::ordered_json begin_json(const RunRecord& record, const std::string& schema, int schema_version);
void read_begin(JsonReader& archive, RunRecord& record);
// The end of every record: its times.
void end_json(nlohmann::ordered_json& json, const RunRecord& record);
void read_end(JsonReader& archive, RunRecord& record);

}  // namespace kgrade
