#include "compile/solution_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/text.h"
#include "problem/diagnostics.h"
#include "problem/fields.h"
#include "problem/module_call.h"
#include "problem/module_file.h"

namespace kgrade {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int deepest_include = 16;
constexpr int deepest_value = 32;  // of JSON

// Thrown to refuse a file. Many places throw it, and read_solution() catches it.
struct UnfitSolution {
  std::string message;
  std::string remedy;
};

[[noreturn]] void refuse(std::string message, std::string remedy) {
  throw UnfitSolution{std::move(message), std::move(remedy)};
}

// Without values that are nested too deeply, whose copies would exhaust the stack. Discarded if it is not
// JSON.
Json parsed(std::string_view text) {
  return Json::parse(
      text, [](int depth, Json::parse_event_t, Json&) { return depth < deepest_value; }, false);
}

Json member(const Json& object, const char* key) {
  return object.is_object() ? object.value(key, Json()) : Json();
}

std::string text_in(const Json& object, const char* key) {
  const Json value = member(object, key);
  return value.is_string() ? value.get<std::string>() : "";
}

// The strings of a list as a list of Python.
std::string flags_in(const Json& options, const char* key) {
  Json flags = Json::array();
  const Json given = member(options, key);
  for (const Json& flag : given) {
    if (flag.is_string()) flags.push_back(flag);
  }
  return flags.dump();
}

using Sources = std::map<std::string, std::string>;  // texts by path

bool is_one_of(const std::string& path, std::initializer_list<std::string_view> extensions) {
  const std::string extension = fs::path(path).extension().string();
  return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

// The source with the solution's own headers in the place of their #include lines. Each is included once.
std::string with_headers(const std::string& path, const Sources& sources, std::set<std::string>& included,
                         int depth = 0) {
  std::string whole;
  const std::string& text = sources.at(path);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    std::string_view rest = trimmed(line);
    if (depth > 0 && rest == "#pragma once") continue;
    std::string header;
    if (rest.starts_with("#")) rest = trimmed(rest.substr(1));
    if (rest.starts_with("include")) {
      rest = trimmed(rest.substr(7));
      if (rest.starts_with('"')) header = rest.substr(1, rest.find('"', 1) - 1);
    }
    std::string found = (fs::path(path).parent_path() / header).lexically_normal().string();
    if (!sources.contains(found)) found = fs::path(header).lexically_normal().string();
    if (header.empty() || !sources.contains(found)) {
      whole.append(line) += '\n';
    } else if (depth < deepest_include && included.insert(found).second) {
      whole += with_headers(found, sources, included, depth + 1);
    }
  }
  return whole;
}

std::string loaded_extension(const Sources& sources, const Json& specification) {
  Json cpp = Json::array();
  Json cuda = Json::array();
  for (const auto& [path, text] : sources) {
    std::set<std::string> included;
    if (is_one_of(path, {".cpp", ".cc", ".cxx", ".c"})) cpp.push_back(with_headers(path, sources, included));
    if (is_one_of(path, {".cu"})) cuda.push_back(with_headers(path, sources, included));
  }
  Json options = member(specification, "compile_options");
  // The default of SOL-ExecBench.
  if (options.is_object() && !options.contains("cuda_cflags"))
    options["cuda_cflags"] = {"-O3", "--use_fast_math"};
  return fmt::format(
      "from torch.utils.cpp_extension import load_inline as _load_inline\n"
      "_extension = _load_inline(name=\"solution\", cpp_sources={}, cuda_sources={}, extra_cflags={}, "
      "extra_cuda_cflags={}, extra_ldflags={})\n",
      cpp.dump(), cuda.dump(), flags_in(options, "cflags"), flags_in(options, "cuda_cflags"),
      flags_in(options, "ld_flags"));
}

Sources sources_of(const Json& solution) {
  Sources sources;
  const Json given = member(solution, "sources");
  for (const Json& source : given) {
    const std::string path = text_in(source, "path");
    if (path.empty()) refuse("has a source without 'path'", "write \"path\" and \"content\" for each source");
    sources[fs::path(path).lexically_normal().string()] = text_in(source, "content");
  }
  return sources;
}

Solution solution_of(const Json& json) {
  const Json specification = member(json, "spec");
  const Sources sources = sources_of(json);
  const std::string entry_point = text_in(specification, "entry_point");
  const std::size_t colons = entry_point.find("::");
  if (sources.empty() || colons == entry_point.npos)
    refuse("is not a solution: it needs 'sources' and an entry point in 'spec'",
           "write: \"spec\": {\"entry_point\": \"kernel.py::run\"}, \"sources\": [...]");
  const std::string path = fs::path(entry_point.substr(0, colons)).lexically_normal().string();
  std::string entry = entry_point.substr(colons + 2);
  const auto main = sources.find(path);
  if (main == sources.end())
    refuse(fmt::format("its entry point is in {}, which is not among its sources", path), "add the source");
  Solution solution{"", text_in(json, "definition"), "", ""};
  if (is_one_of(path, {".py"})) {
    if (sources.size() > 1)
      refuse("has several sources in Python",
             fmt::format("write them into a folder and name {} there", path));
    solution.text = main->second + "\n";
  } else {
    // flashinfer-bench, which names one language, has another default than SOL-ExecBench.
    const std::string binding = text_in(specification, "binding");
    if (binding != "torch" && (!binding.empty() || specification.contains("language")))
      solution.unsupported =
          "is bound by TVM FFI, which kgrade does not build; bind it with pybind11: \"binding\": \"torch\"";
    solution.text = loaded_extension(sources, specification);
    entry = "_extension." + entry;
  }
  if (member(specification, "destination_passing_style") != Json(false))
    solution.writes = entry;
  else
    solution.text += fmt::format(
        "import torch as _torch\n"
        "class ModelNew(_torch.nn.Module):\n    def forward(self, *given):\n"
        "        return {}(*given)\n# kgrade: entry ModelNew\n",
        entry);
  return solution;
}

}  // namespace

Result<Solution> read_solution(std::string_view content, const fs::path& file) try {
  const Json solution = parsed(content);
  if (solution.is_discarded()) refuse("is not JSON", "fetch it anew, or name a .py or .cu file");
  return solution_of(solution);
} catch (const UnfitSolution& unfit) {
  return Error{unfit.message, unfit.remedy, {file.string(), 0, 0}};
}

Result<std::string> text_for(const Problem& problem, const Solution& solution) {
  if (is_module_file(problem.path) && !solution.definition.empty() &&
      slug_from(solution.definition).substr(0, 100) != problem.source_slug())
    return Error{fmt::format("is for the definition {}, and the problem is {}",
                             in_quotes(solution.definition), in_quotes(problem.source_slug())),
                 "grade it with its own problem",
                 {}};
  if (solution.writes.empty()) return solution.text;
  std::vector<std::string> names, given, outputs;
  for (const Parameter& parameter : problem.arguments()) {
    names.push_back(parameter.name);
    if (parameter.is_output())
      outputs.push_back(parameter.name);
    else if (!problem.torch)
      given.push_back(parameter.name);
  }
  if (problem.torch)
    for (const std::string& argument : problem.torch->forward)
      given.push_back(is_given_value(argument) ? given_value_text(argument) : argument);
  given.insert(given.end(), outputs.begin(), outputs.end());
  return fmt::format(
      "{}import torch\ndef kgrade_solution({}):\n    {}({})\n# kgrade: entry kgrade_solution\n",
      solution.text, fmt::join(names, ", "), solution.writes, fmt::join(given, ", "));
}

}  // namespace kgrade
