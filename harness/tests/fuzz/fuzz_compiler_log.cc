#include "base/text.h"
#include "compile/binding.h"
#include "compile/compiler_log.h"
#include "problem/scalar_type.h"
#include "tests/fuzz/targets.h"

namespace kgrade::fuzz {
namespace {

Parameter tensor(const char* name, bool is_const) {
  Parameter parameter;
  parameter.name = name;
  parameter.type = element_type_name;
  parameter.pointer = true;
  parameter.is_const = is_const;
  return parameter;
}

Problem two_parameters() {
  Problem problem;
  problem.parameters = {tensor("input", true), tensor("output", false)};
  return problem;
}

}  // namespace

int fuzz_compiler_log(const std::uint8_t* data, std::size_t size) {
  static const Problem problem = two_parameters();
  // In the form in which readers get the compilers' output.
  const std::string log = with_lines_cut(std::string_view(reinterpret_cast<const char*>(data), size));
  promise(log.size() <= size + size / 1000, "cutting lines makes no text longer");
  const std::string line = first_error_line(log);
  promise(!line.empty(), "there is always something to say");
  promise(line.find('\n') == std::string::npos, "it is one line");
  ProcessOutcome process;
  process.exit_code = 1;
  process.output = log;
  const auto limit = exceeded_limit(process, ProcessLimits{});
  promise(!limit || !limit->empty(), "a limit has words");
  const auto complaint = signature_complaint(problem, log, Dtype::float32);
  promise(!complaint || !complaint->empty(), "a complaint has words");
  return 0;
}

}  // namespace kgrade::fuzz
