#include "compile/extension.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/text_file.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr std::size_t most_units = 64;
constexpr std::size_t most_flags = 256;

Error unusable(const std::string& what) { return Error{"an extension cannot be built: " + what, "", {}}; }

// Parsing deeper nesting would take too much of the stack.
constexpr int deepest_nesting = 16;

bool nests_too_deeply(const std::string& text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size() && depth <= deepest_nesting; ++i) {
    const char c = text[i];
    if (in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string) {
      if (c == '[' || c == '{') ++depth;
      if (c == ']' || c == '}') --depth;
    }
  }
  return depth > deepest_nesting;
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.size() <= 100 && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
         });
}

std::vector<std::string> texts(const json& all, const char* key) {
  std::vector<std::string> result;
  const auto found = all.find(key);
  if (found == all.end() || !found->is_array()) return result;
  for (const json& text : *found) {
    if (text.is_string() && result.size() < most_flags) result.push_back(text.get<std::string>());
  }
  return result;
}

}  // namespace

bool ExtensionUnit::is_cuda() const {
  const fs::path suffix = fs::path(file).extension();
  return suffix == ".cu" || suffix == ".cuh";
}

Result<ExtensionRequest> parse_extension_request(const std::string& text) {
  if (nests_too_deeply(text)) return unusable("the request nests too deeply");
  const json all = json::parse(text, nullptr, false);
  if (!all.is_object()) return unusable("the request is no JSON object");
  ExtensionRequest request;
  request.name = all.value("name", json("")).is_string() ? all.value("name", "") : "";
  if (!is_plain_name(request.name)) return unusable("its name is no identifier");
  const json units = all.value("units", json::array());
  if (!units.is_array() || units.empty() || units.size() > most_units)
    return unusable("it has no sources, or too many");
  for (const json& unit : units) {
    if (!unit.is_object() || !unit.value("file", json()).is_string() ||
        !unit.value("text", json()).is_string())
      return unusable("a source has no name or no text");
    request.units.push_back({unit["file"].get<std::string>(), unit["text"].get<std::string>(), {}});
    request.units.back().small_flags = texts(unit, "small_flags");
    if (!is_plain_name(request.units.back().file)) return unusable("a source's name is no plain file name");
    const auto has_its_name = [&](const ExtensionUnit& other) {
      return other.file == request.units.back().file;
    };
    if (std::count_if(request.units.begin(), request.units.end(), has_its_name) > 1)
      return unusable("two sources have the same name");
  }
  request.cflags = texts(all, "cflags");
  request.cuda_cflags = texts(all, "cuda_cflags");
  request.ldflags = texts(all, "ldflags");
  request.include_paths = texts(all, "include_paths");
  request.torch_headers = all.value("headers", json("")) == "torch";
  auto own_headers = parse_submission_headers(all.value("own_headers", json::object()));
  if (!own_headers) return unusable(own_headers.error().message);
  request.own_headers = std::move(*own_headers);
  return request;
}

Result<std::vector<fs::path>> write_units(const ExtensionRequest& extension, const ExtensionHeaders& headers,
                                          BuildRequest& request) {
  if (auto written = write_submission_headers(extension.own_headers, request.output_directory); !written)
    return written.errors();
  std::vector<fs::path> paths;
  for (const ExtensionUnit& unit : extension.units) {
    paths.push_back(request.output_directory / unit.file);
    if (auto written = write_file_atomically(paths.back(), unit.text); !written) return written.errors();
  }
  if (request.readable) {
    std::vector<fs::path>& readable = *request.readable;
    readable.insert(readable.end(), paths.begin(), paths.end());
    readable.push_back(extension.torch_headers ? headers.torch : headers.small);
    if (extension.torch_headers) readable.push_back(headers.python);
  }
  add_submission_headers(extension.own_headers, request);
  return paths;
}

}  // namespace kgrade
