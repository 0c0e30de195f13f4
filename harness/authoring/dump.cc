#include "authoring/dump.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/machine_faults.h"
#include "base/text.h"
#include "contest/contest.h"
#include "grade/contestants.h"
#include "grade/run_setup.h"
#include "verify/checks.h"

namespace kgrade {
namespace {

constexpr Patience oracle_patience{300'000};

// The header in the format of https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html, padded
// to 64 bytes.
std::string npy_header(const std::vector<std::int64_t>& shape, std::string_view type) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}", type,
                                   fmt::join(shape, ", "));
  constexpr std::size_t prefix = 10;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size() & 0xff);
  text += static_cast<char>(header.size() >> 8 & 0xff);
  return text + header;
}

Result<Case> bind(const Problem& problem, const std::string& name, const Bindings& overrides) {
  const CaseSpec* found = problem.find_case(name);
  Result<CaseSpec> chosen = found != nullptr        ? Result<CaseSpec>(*found)
                            : is_written_case(name) ? parse_written_case(name, problem)
                                                    : unknown_case(problem, name);
  if (!chosen) return chosen.errors();
  CaseSpec spec = std::move(*chosen);
  for (const auto& [parameter, value] : overrides) {
    if (!spec.integers.contains(parameter)) {
      return Error{fmt::format("--set: '{}' is no scalar parameter of '{}'", parameter, problem.slug),
                   "see kgrade show",
                   {}};
    }
    spec.integers[parameter] = value;
  }
  return resolve_case(problem, spec);
}

// Converts float32 elements to float16. Each value must be one that float16 can hold.
std::string narrowed(const std::string& elements) {
  std::string halves(elements.size() / 2, '\0');
  for (std::size_t i = 0; i < elements.size() / sizeof(float); ++i) {
    float value = 0;
    std::memcpy(&value, elements.data() + i * sizeof value, sizeof value);
    const std::uint16_t bits = encode(Dtype::float16, value);
    std::memcpy(halves.data() + i * sizeof bits, &bits, sizeof bits);
  }
  return halves;
}

// Converts elements of a type that NumPy lacks to float32.
std::string widened(Dtype dtype, const std::string& elements, std::size_t count) {
  std::string floats(count * sizeof(float), '\0');
  for (std::size_t i = 0; i < count; ++i) {
    const float value = load_element(dtype, reinterpret_cast<const unsigned char*>(elements.data()), i);
    std::memcpy(floats.data() + i * sizeof value, &value, sizeof value);
  }
  return floats;
}

Failure write_tensor(Device& device, Dtype dtype, const Lease::Loaned& tensor, const std::string& name,
                     const std::filesystem::path& directory) {
  // The tensors are the oracle's. In the oracle, the element type under test is float32.
  const auto count = static_cast<std::size_t>(tensor.tensor->elements);
  std::string elements(count * element_bytes(tensor.dtype), '\0');
  device.read(*tensor.buffer, tensor.begin, elements.data(), elements.size());
  const bool halves = dtype == Dtype::float16 && !tensor.tensor->output && !tensor.tensor->own_dtype;
  const bool is_widened = numpy_type(tensor.dtype).empty();
  if (is_widened)
    elements = widened(tensor.dtype, elements, count);
  else if (halves)
    elements = narrowed(elements);
  const Dtype written_as = is_widened ? Dtype::float32 : halves ? dtype : tensor.dtype;
  const auto written = write_file_atomically(
      directory / (name + ".npy"), npy_header(tensor.tensor->shape, numpy_type(written_as)) + elements);
  if (!written) return written.errors();
  return std::nullopt;
}

// Writes the initial contents of outputs, because the call has overwritten them. Inputs have their own files.
Failure write_beginnings(Device& device, ContestantRunner& runner, const Case& bound, std::uint64_t seed,
                         const std::filesystem::path& directory) {
  const auto begins = std::mem_fn(&Tensor::begins_as_drawn);
  if (std::none_of(bound.tensors.begin(), bound.tensors.end(), begins)) return std::nullopt;
  Lease& lease = runner.lease();
  lease.prepare({seed, 0}, seed, 2, runner.computed_inputs().get());
  lease.reveal();
  for (const Lease::Loaned& tensor : lease.tensors()) {
    if (!tensor.tensor->begins_as_drawn) continue;
    const std::string name = tensor.tensor->name + ".begins";
    if (auto failure = write_tensor(device, bound.dtype, tensor, name, directory)) return failure;
  }
  return std::nullopt;
}

Failure write_description(const Problem& problem, const Case& bound, std::uint64_t seed,
                          const std::filesystem::path& directory) {
  nlohmann::ordered_json json = {{"slug", problem.slug},
                                 {"case", bound.name},
                                 {"dtype", to_string(problem.dtype)},
                                 {"seed", std::to_string(seed)}};
  for (const Parameter& parameter : problem.parameters) {
    if (parameter.is_output()) json["outputs"].push_back(parameter.name);
    const auto value = bound.integers.find(parameter.name);
    if (!parameter.pointer && value != bound.integers.end())
      json["parameters"][parameter.name] = value->second;
  }
  const auto written = write_file_atomically(directory / "case.json", json.dump(2) + "\n");
  if (!written) return written.errors();
  return std::nullopt;
}

// Calls the oracle once and writes its tensors to files.
Failure dump_case(Device& device, const Problem& problem, ContestantRunner& runner, const Case& bound,
                  const DumpOptions& options) {
  const std::filesystem::path directory = options.directory / bound.name;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    return Errors{{"cannot make the folder: " + error.message(),
                   "name another with --directory",
                   {directory.string(), 0, 0},
                   blame_for_file(error.value())}};
  }
  Contest contest(device, problem, runner, nullptr, options.seed);
  const auto lent = contest.lend(Role::oracle, bound, 1);
  if (!lent) return lent.errors();
  if (!lent->ok()) return Errors{trusted_failure("oracle", problem, bound, *lent)};
  const CallReport report = contest.call(Role::oracle, {options.seed, 0}, oracle_patience);
  if (const auto finding = review_call(report)) {
    return Errors{{fmt::format("the reference fails on case '{}': {}", bound.name, finding->message),
                   "`kgrade lint` looks for what is wrong with it",
                   {problem.path.string(), 0, 0},
                   blame_for_trusted(*finding)}};
  }
  for (const Lease::Loaned& tensor : runner.lease().tensors()) {
    if (auto failure = write_tensor(device, bound.dtype, tensor, tensor.tensor->name, directory))
      return failure;
  }
  if (auto failure = write_beginnings(device, runner, bound, options.seed, directory)) return failure;
  return write_description(problem, bound, options.seed, directory);
}

}  // namespace

Failure dump_cases(const Problem& problem, const DumpOptions& options, Bench& bench) {
  if (const Errors missing = missing_for_grading(problem); !missing.empty()) return missing;
  std::vector<Case> cases;
  for (const std::string& name : options.cases) {
    auto bound = bind(problem, name, options.overrides);
    if (!bound) return bound.errors();
    cases.push_back(std::move(*bound));
  }
  StageClock stages(bench.clock());
  if (auto failure = bench.open_toolchain(options.require_sandbox)) return failure;
  if (problem.has_model()) {
    const Errors missing = bench.find_python(options.python, options.layout.python);
    if (!missing.empty()) return missing;
  }
  const auto host =
      problem.has_model() ? std::optional(host_of(*bench.python(), bench.toolchain(), false)) : std::nullopt;
  const std::filesystem::path source = options.layout.reference_source(problem);
  TrustedContestant oracle(Role::oracle, source,
                           std::make_unique<Build>(bench.toolchain(), problem, Role::oracle, source,
                                                   options.layout, stages, false, bench.python()));
  if (auto failure = bench.open_device(stages)) return failure;
  Device& device = bench.device();
  if (auto failure = oracle.start_runner(device, problem, host ? &*host : nullptr)) return failure;
  const auto& built = oracle.built();
  if (!built) return built.errors();
  if (built->status != BuildStatus::built)
    return Errors{{"the oracle does not build: " + built->message, built->log, {}}};
  if (auto failure = oracle.load(built->library)) return failure;
  for (const Case& bound : cases) {
    if (auto failure = dump_case(device, problem, oracle.runner(), bound, options)) return failure;
  }
  return std::nullopt;
}

}  // namespace kgrade
