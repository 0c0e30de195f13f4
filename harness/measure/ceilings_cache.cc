#include "measure/ceilings_cache.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "base/text.h"
#include "base/user_cache.h"
#include "measure/roofline.h"

namespace kgrade {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int schema_version = 1;
constexpr std::uint64_t file_limit = 8 << 10;  // ours have less than 1 KiB

struct Field {
  const char* name;
  double Ceilings::*value;
};
constexpr std::array<Field, 6> rates{{{"copy_bytes_per_second", &Ceilings::copy_bytes_per_second},
                                      {"fp32_flops_per_second", &Ceilings::fp32_flops_per_second},
                                      {"tf32_flops_per_second", &Ceilings::tf32_flops_per_second},
                                      {"fp16_flops_per_second", &Ceilings::fp16_flops_per_second},
                                      {"bf16_flops_per_second", &Ceilings::bf16_flops_per_second},
                                      {"fp64_flops_per_second", &Ceilings::fp64_flops_per_second}}};

std::string utc_now() {
  const std::time_t now = ::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// What is printed later must be what we would have written.
bool is_moment(std::string_view text) {
  constexpr std::string_view form = "0000-00-00T00:00:00Z";
  return std::equal(text.begin(), text.end(), form.begin(), form.end(),
                    [](char c, char expected) { return expected == '0' ? is_digit(c) : c == expected; });
}

bool is_known_instruction(std::string_view text) {
  return text == "wgmma" || text == "mma.sync" || text == "fma" || text.empty();
}

// A name without a meaning to the file system.
bool can_name_a_file(const std::string& uuid) {
  return !uuid.empty() && uuid.size() <= 64 && uuid.front() != '-' &&
         std::all_of(uuid.begin(), uuid.end(), [](char c) {
           return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
         });
}

std::string to_text(const Ceilings& ceilings, const DeviceInfo& device) {
  Json json{{"schema_version", schema_version},
            {"protocol", ceilings_protocol},
            {"uuid", device.uuid},
            {"name", printable(device.name)},
            {"driver_version", device.driver_version},
            {"measured_at", ceilings.measured_at},
            {"tensor_instructions", ceilings.tensor_instructions}};
  for (const Field& rate : rates) json[rate.name] = ceilings.*rate.value;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Nothing where the member is missing or of another type.
std::optional<std::string> text_member(const Json& json, const char* name) {
  const auto member = json.find(name);
  if (member == json.end() || !member->is_string()) return std::nullopt;
  return member->get<std::string>();
}

bool has_number(const Json& json, const char* name, int expected) {
  const auto member = json.find(name);
  return member != json.end() && member->is_number_integer() && *member == expected;
}

// Why a file is of no use, in words that quote nothing of it.
Result<Ceilings> refuse(const std::string& reason) { return Error{reason, "", {}}; }

Result<Ceilings> parse(const std::string& text, const DeviceInfo& device) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return refuse("is not JSON as kgrade writes it");
  if (!has_number(json, "schema_version", schema_version) ||
      !has_number(json, "protocol", ceilings_protocol)) {
    return refuse("is from another version of kgrade");
  }
  if (text_member(json, "uuid") != device.uuid) return refuse("is about another device");
  if (text_member(json, "driver_version") != device.driver_version) return refuse("is from another driver");
  const auto moment = text_member(json, "measured_at");
  const auto instructions = text_member(json, "tensor_instructions");
  if (!moment || !is_moment(*moment)) return refuse("does not say when it was measured");
  if (!instructions || !is_known_instruction(*instructions))
    return refuse("does not say how it was measured");
  Ceilings ceilings;
  ceilings.measured_at = *moment;
  ceilings.tensor_instructions = *instructions;
  for (const Field& rate : rates) {
    const auto member = json.find(rate.name);
    if (member == json.end() || !member->is_number()) return refuse(fmt::format("has no {}", rate.name));
    ceilings.*rate.value = member->get<double>();
  }
  if (const auto reason = why_implausible(ceilings, device)) return refuse("cannot be true: " + *reason);
  return ceilings;
}

// As far as we may look.
bool is_there(const fs::path& path) {
  std::error_code failure;
  return fs::exists(fs::symlink_status(path, failure));
}

// A link could lead anywhere, and a fifo lets the reader and the writer wait.
bool is_plain_file(const fs::path& path) {
  std::error_code failure;
  return fs::symlink_status(path, failure).type() == fs::file_type::regular;
}

Result<Ceilings> read(const fs::path& path, const DeviceInfo& device) {
  if (!is_plain_file(path)) return refuse("is not a regular file");
  const auto text = read_text_file(path, file_limit);
  if (!text) return refuse(text.error().message);
  return parse(*text, device);
}

Error distrusted(const fs::path& path, const Error& reason) {
  return Error{fmt::format("the kept ceilings are not used: the file {}", reason.message),
               "nothing to do: they are measured again", Location{path.string(), 0, 0}};
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

// Where the device's file is; an empty path when there can be none.
fs::path file_of(const DeviceInfo& device, const fs::path& folder) {
  if (folder.empty() || !can_name_a_file(device.uuid)) return {};
  return folder / (device.uuid + ".json");
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

fs::path ceilings_folder() { return user_cache_folder("ceilings"); }

CachedCeilings load_or_measure(Device& device, const fs::path& folder, bool remeasure) {
  CachedCeilings result;
  const DeviceInfo info = device.info();
  const fs::path path = file_of(info, folder);
  if (!remeasure && !path.empty() && is_there(path)) {
    auto kept = read(path, info);
    if (kept) {
      result.ceilings = std::move(*kept);
      return result;
    }
    result.warnings.push_back(distrusted(path, kept.error()));
  }
  measure(device, path, result);
  return result;
}

}  // namespace kgrade
