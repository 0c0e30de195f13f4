#include "measure/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/text.h"
#include "record/shared_json.h"

namespace kgrade {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The fastest algorithms need this share of the operations that a problem counts (hardware_bound_ms()).
constexpr double fewest_multiplications = 0.25;

// The ceilings, with their names in messages.
enum class Unit { memory, arithmetic };
struct Rate {
  const char* name;
  double Ceilings::*value;
  Unit unit = Unit::arithmetic;
};
constexpr std::array<Rate, 6> rates{{{"a copy", &Ceilings::copy_bytes_per_second, Unit::memory},
                                     {"fp32", &Ceilings::fp32_flops_per_second},
                                     {"tf32", &Ceilings::tf32_flops_per_second},
                                     {"fp16", &Ceilings::fp16_flops_per_second},
                                     {"bf16", &Ceilings::bf16_flops_per_second},
                                     {"fp64", &Ceilings::fp64_flops_per_second}}};

// Every device's rates per second lie in these ranges. A measured rate may be up to peak_tolerance times the
// nominal peak.
constexpr Interval memory_bytes{1e9, 1e15};
constexpr Interval arithmetic_operations{1e8, 1e18};
constexpr double peak_tolerance = 1.2;

// How far a unit may exceed its measured ceiling, with a known nominal peak and without.
struct Margin {
  double beside_peak;
  double alone;
};
constexpr Margin memory_margin{1.15, 2};
constexpr Margin arithmetic_margin{1.15, 4};

double highest_rate(double peak, double measured, const Margin& margin) {
  return peak > 0 ? std::max(peak, margin.beside_peak * measured) : margin.alone * measured;
}

double fastest_arithmetic(const Ceilings& ceilings) {
  return std::max({ceilings.fp32_flops_per_second, ceilings.tf32_flops_per_second,
                   ceilings.fp16_flops_per_second, ceilings.bf16_flops_per_second,
                   ceilings.fp64_flops_per_second});
}

// The bytes that must be read from memory or written to it.
double least_bytes(const Case& bound, const DeviceInfo& device, CacheState cache) {
  double inputs = 0;
  double outputs = 0;
  for (const Tensor& tensor : bound.tensors) {
    const auto element_size = static_cast<std::int64_t>(element_bytes(bound.dtype_of(tensor)));
    (tensor.output ? outputs : inputs) += static_cast<double>(tensor.elements * element_size);
  }
  if (bound.bytes) {
    outputs = std::min(outputs, static_cast<double>(*bound.bytes));
    inputs = static_cast<double>(*bound.bytes) - outputs;
  }
  const auto l2_bytes = static_cast<double>(device.l2_bytes);
  if (cache == CacheState::warm) return std::max(0.0, inputs + outputs - l2_bytes);
  return inputs + std::max(0.0, outputs - l2_bytes);
}

double seconds_of(double amount, double rate) { return rate > 0 ? amount / rate : 0; }

constexpr int schema_version = 1;
constexpr std::uint64_t file_limit = 8 << 10;  // ours have less than 1 KiB

// The file of a device's ceilings.
struct KeptCeilings {
  int schema_version = 0;
  int protocol = 0;
  std::string uuid, name, driver_version;  // of the device
  Ceilings ceilings;
};

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<KeptCeilings>& kept) {
  archive("schema_version", kept.schema_version);
  archive("protocol", kept.protocol);
  archive("uuid", kept.uuid);
  archive("name", kept.name);
  archive("driver_version", kept.driver_version);
  fields(archive, kept.ceilings);
}

std::string to_text(const Ceilings& ceilings, const DeviceInfo& device) {
  const KeptCeilings kept{schema_version,         ceilings_protocol,     device.uuid,
                          printable(device.name), device.driver_version, ceilings};
  return json_of(kept).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Whether there is something at the path, even a dangling link. False if we are not allowed to look.
bool is_there(const fs::path& path) {
  std::error_code failure;
  return fs::exists(fs::symlink_status(path, failure));
}

// Whether the path is a regular file. A link could lead anywhere, and a fifo makes reader and writer wait.
bool is_plain_file(const fs::path& path) {
  std::error_code failure;
  return fs::symlink_status(path, failure).type() == fs::file_type::regular;
}

// Says why a file is of no use.
Result<Ceilings> refuse(const std::string& reason) { return Error{reason, "", {}}; }

Result<Ceilings> read(const fs::path& path, const DeviceInfo& device) {
  if (!is_plain_file(path)) return refuse("is not a regular file");
  const auto text = read_text_file(path, file_limit);
  if (!text) return refuse(text.error().message);
  const auto json = parse_json(*text, {});
  if (!json || !json->is_object()) return refuse("is not JSON as kgrade writes it");
  JsonComplaints complaints({}, "");
  KeptCeilings kept;
  read_value(JsonValue(*json, complaints), kept, AnyValue{}, true);
  if (kept.schema_version != schema_version || kept.protocol != ceilings_protocol)
    return refuse("is from another version of kgrade");
  if (kept.uuid != device.uuid) return refuse("is about another device");
  if (kept.driver_version != device.driver_version) return refuse("is from another driver");
  if (!complaints.empty()) return refuse("is damaged: " + complaints.errors().front().message);
  const std::string& units = kept.ceilings.tensor_instructions;
  if (units != "wgmma" && units != "mma.sync" && units != "fma" && !units.empty())
    return refuse("does not say how it was measured");
  if (const auto reason = why_implausible(kept.ceilings, device)) return refuse("cannot be true: " + *reason);
  return kept.ceilings;
}

Error not_kept(const fs::path& path, const std::string& reason) {
  return Error{fmt::format("the measured ceilings cannot be kept: {}", reason),
               "set XDG_CACHE_HOME to a folder that you may write to", Location{path.string(), 0, 0}};
}

std::optional<Error> keep(const fs::path& path, const std::string& text) {
  std::error_code failure;
  fs::create_directories(path.parent_path(), failure);
  if (failure) return not_kept(path.parent_path(), failure.message());
  if (is_there(path) && !is_plain_file(path))
    return not_kept(path, "something that is no regular file is there");
  const auto written = write_file_atomically(path, text);
  if (!written) return not_kept(path, written.error().message);
  return std::nullopt;
}

void measure(Device& device, const fs::path& path, CachedCeilings& result) {
  auto measured = device.measure_ceilings();
  if (!measured) return;
  if (const auto reason = why_implausible(*measured, device.info())) {
    result.warnings.push_back({fmt::format("the device's ceilings are not known: {}", *reason),
                               "measure again when nothing else uses the device",
                               {}});
    return;
  }
  if (measured->measured_at.empty()) measured->measured_at = utc_now();
  result.ceilings = std::move(measured);
  result.measured_now = true;
  auto warning = path.empty() ? not_kept(path, "there is no folder or no name for a file")
                              : keep(path, to_text(*result.ceilings, device.info()));
  if (warning) result.warnings.push_back(std::move(*warning));
}

}  // namespace

double arithmetic_rate(const Ceilings& ceilings, Precision precision, Dtype dtype) {
  const double of_class = arithmetic_rate(ceilings, precision);
  if (dtype == Dtype::float16) return std::max(of_class, ceilings.fp16_flops_per_second);
  if (dtype == Dtype::bfloat16) return std::max(of_class, ceilings.bf16_flops_per_second);
  return of_class;
}

double arithmetic_rate(const Ceilings& ceilings, Precision precision) {
  // The rate of products of 11 significant bits: tf32 and fp16 both have 11.
  const double of_11_bits = std::max(ceilings.tf32_flops_per_second, ceilings.fp16_flops_per_second);
  const double fp32 = std::max(ceilings.fp32_flops_per_second, of_11_bits / 3);
  const double tf32 = std::max(fp32, of_11_bits);
  if (precision == Precision::fp32) return fp32;
  if (precision == Precision::tf32) return tf32;
  if (precision == Precision::bf16) return std::max(tf32, ceilings.bf16_flops_per_second);
  return fastest_arithmetic(ceilings);  // small integers are exact in every arithmetic
}

std::optional<Floor> roofline_floor(const Case& bound, const Ceilings& ceilings, Precision precision) {
  const auto flops = static_cast<double>(bound.flops.value_or(0));
  const Floor floor{1e3 * seconds_of(static_cast<double>(bound.bytes ? *bound.bytes : bound.tensor_bytes()),
                                     ceilings.copy_bytes_per_second),
                    1e3 * seconds_of(flops, arithmetic_rate(ceilings, precision, bound.dtype))};
  if (floor.ms() > 0) return floor;
  return std::nullopt;
}

double share(double floor_ms, double time_ms) { return time_ms > 0 ? floor_ms / time_ms : 0; }

std::optional<CaseRoofline> roofline_of(const Case& bound, const CaseRecord& record,
                                        const std::optional<Ceilings>& ceilings) {
  if (!ceilings || !record.measurement) return std::nullopt;
  const auto floor = roofline_floor(bound, *ceilings, record.precision);
  if (!floor) return std::nullopt;
  CaseRoofline roofline{*floor, {}};
  for (const Arm& arm : record.arms) roofline.shares.push_back(share(floor->ms(), arm.summary.median));
  return roofline;
}

double hardware_bound_ms(const Case& bound, const std::optional<Ceilings>& ceilings, const DeviceInfo& device,
                         CacheState cache) {
  const Ceilings measured = ceilings.value_or(Ceilings{});
  const double bytes_per_second =
      highest_rate(device.peak_bytes_per_second, measured.copy_bytes_per_second, memory_margin);
  const double flops_per_second =
      highest_rate(device.peak_flops_per_second, fastest_arithmetic(measured), arithmetic_margin);
  const double least_flops = fewest_multiplications * static_cast<double>(bound.flops.value_or(0));
  return 1e3 * std::max(seconds_of(least_bytes(bound, device, cache), bytes_per_second),
                        seconds_of(least_flops, flops_per_second));
}

std::optional<std::string> why_implausible(const Ceilings& ceilings, const DeviceInfo& device) {
  for (const Rate& rate : rates) {
    const bool is_memory = rate.unit == Unit::memory;
    const double value = ceilings.*rate.value;
    const double peak =
        is_memory ? device.peak_bytes_per_second : device.peak_flops_per_second;  // 0: unknown
    if (!std::isfinite(value)) return fmt::format("the rate of {} is not a finite number", rate.name);
    if (!(is_memory ? memory_bytes : arithmetic_operations).contains(value))
      return fmt::format("no device has a rate of {:g} per second for {}", value, rate.name);
    if (peak > 0 && value > peak_tolerance * peak) {
      return fmt::format("a rate of {:g} per second for {} is above the device's peak of {:g}", value,
                         rate.name, peak);
    }
  }
  return std::nullopt;
}

fs::path ceilings_folder() { return user_cache_folder("ceilings"); }

CachedCeilings load_or_measure(Device& device, const fs::path& folder, bool remeasure) {
  CachedCeilings result;
  const DeviceInfo info = device.info();
  // The name of the file must have no special meaning in the file system.
  const bool can_be_kept = !folder.empty() && !info.uuid.empty() && info.uuid.size() <= 64 &&
                           info.uuid.front() != '-' &&
                           std::all_of(info.uuid.begin(), info.uuid.end(),
                                       [](char c) { return is_digit(c) || is_letter(c) || c == '-'; });
  const fs::path path = can_be_kept ? folder / (info.uuid + ".json") : fs::path();
  if (!remeasure && !path.empty() && is_there(path)) {
    auto kept = read(path, info);
    if (kept) {
      result.ceilings = std::move(*kept);
      return result;
    }
    result.warnings.push_back(
        Error{fmt::format("the kept ceilings are not used: the file {}", kept.error().message),
              "nothing to do: they are measured again", Location{path.string(), 0, 0}});
  }
  measure(device, path, result);
  return result;
}

}  // namespace kgrade
