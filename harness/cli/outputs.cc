#include "cli/outputs.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "cli/options.h"

namespace kgrade::cli {
namespace {

namespace fs = std::filesystem;

// The first member of a record's file says what it is.
constexpr std::size_t head_bytes = 256;

bool is_plain_file(const std::string& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored);
}

// Devices take as much as they are given, from anybody.
bool is_one_file(const std::string& a, const std::string& b) {
  std::error_code failure;
  if (fs::exists(a, failure) && fs::exists(b, failure))
    return is_plain_file(a) && fs::equivalent(a, b, failure) && !failure;
  return resolved(fs::absolute(a, failure)) == resolved(fs::absolute(b, failure));
}

bool holds_records(const std::string& file) {
  if (!is_plain_file(file)) return false;
  std::ifstream stream(file, std::ios::binary);
  std::string head(head_bytes, '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(stream.gcount()));
  return head.find("\"kgrade-record\"") != std::string::npos;
}

Error complaint(const Output& output, const std::string& what) {
  return {output.option + ": " + what, "name another file", {output.file, 0, 0}};
}

}  // namespace

Errors check_outputs(const std::vector<Output>& outputs, const std::vector<std::string>& inputs) {
  Errors errors;
  std::vector<Output> seen;
  for (const Output& output : outputs) {
    if (output.file.empty() || output.file == "-") continue;
    if (auto error = check_writable(output.file, output.option)) errors.push_back(*error);
    for (const Output& other : seen) {
      if (is_one_file(output.file, other.file))
        errors.push_back(complaint(output, "is the file of " + other.option + " too"));
    }
    for (const std::string& input : inputs) {
      if (is_one_file(output.file, input)) errors.push_back(complaint(output, "is read by this command"));
    }
    if (errors.empty() && !output.replaces_records && holds_records(output.file))
      errors.push_back(complaint(output, "holds records, which would be lost"));
    seen.push_back(output);
  }
  return errors;
}

}  // namespace kgrade::cli
