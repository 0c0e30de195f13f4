#include "problem/set_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/base64.h"
#include "base/json_value.h"
#include "base/text.h"
#include "problem/fields.h"
#include "problem/frontmatter.h"
#include "problem/module_file.h"

namespace kgrade {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The beginning of the last line of a text that read_set_problem() has made.
constexpr std::string_view last_line = "from kgrade_python.sets import ";
constexpr std::uint64_t largest_text = std::uint64_t{16} << 20;
constexpr std::uint64_t largest_tensors = std::uint64_t{64} << 20;  // in all files of a problem
constexpr std::size_t shortest_line = 100;                          // above the tests of TritonBench
constexpr std::size_t most_entries_seen = 20000;                    // of a set's folder of workloads

// Thrown to refuse a file. Many places throw it, and read_set_problem() catches it.
struct Refused {
  Errors errors;
};

[[noreturn]] void refuse(const fs::path& file, std::string message, std::string remedy, int line = 0) {
  throw Refused{{Error{std::move(message), std::move(remedy), {file.string(), line, 0}}}};
}

bool is_file(const fs::path& path) {
  std::error_code failure;
  return fs::exists(fs::symlink_status(path, failure)) && !fs::is_directory(path, failure);
}

// --- Reading ---

std::string bytes_of(const fs::path& file, std::uint64_t limit, const std::string& remedy) {
  std::error_code failure;
  // A link in a set could hand over any file of the user.
  if (fs::is_symlink(file, failure)) refuse(file, "is a link", "put the file itself there");
  auto content = read_text_file(file, limit);
  if (content) return std::move(*content);
  Error error = content.error();
  if (!fs::exists(file, failure) && !remedy.empty()) error.remedy = remedy;
  throw Refused{{std::move(error)}};
}

std::string text_of(const fs::path& file, const std::string& remedy = "") {
  std::string text = bytes_of(file, largest_text, remedy);
  if (const auto offset = first_invalid_utf8(text)) {
    const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(*offset), '\n') + 1;
    refuse(file, fmt::format("is not UTF-8: byte {:#04x}", static_cast<unsigned char>(text[*offset])),
           "save the file in the encoding UTF-8", static_cast<int>(line));
  }
  return text;
}

// The line that a message of the JSON parser names: "parse error at line 3, column 5: ...".
int line_in(std::string_view message) {
  constexpr std::string_view before = "at line ";
  const std::size_t at = message.find(before);
  int line = 0;
  for (std::size_t i = at + before.size(); at != message.npos && i < message.size() && is_digit(message[i]);
       ++i)
    line = line * 10 + (message[i] - '0');
  return line;
}

// An object. `line`: the line of the file that the text is; 0 for the whole file.
nlohmann::json json_of(std::string_view text, const fs::path& file, int line = 0) {
  auto json = parse_json(text, {file.string(), line, 0});
  if (!json) {
    Error error = json.error();
    if (line == 0) error.location.line = line_in(error.message);
    error.remedy = "correct it, or fetch the set anew";
    throw Refused{{std::move(error)}};
  }
  if (!json->is_object()) refuse(file, "is not a JSON object", "write: {...}", line);
  return std::move(*json);
}

std::string string_in(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// A value as the YAML readers of Python understand it.
Json value_of(const YamlNode& node) {
  const std::string& text = node.value;
  const auto is_one_of = [text = lower_case(text)](std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), text) != words.end();
  };
  if (node.quoted) return text;
  if (is_one_of({"", "~", "null"})) return nullptr;
  if (is_one_of({"true", "yes", "on"})) return true;
  if (is_one_of({"false", "no", "off"})) return false;
  const std::string number = replace_all(text.substr(text.starts_with('+') ? 1 : 0), "_", "");
  const std::size_t sign = number.starts_with('-') ? 1 : 0;
  if (number.size() == sign || !(is_digit(number[sign]) || number[sign] == '.')) return text;
  std::int64_t whole = 0;
  const auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), whole);
  if (status == std::errc() && end == number.data() + number.size()) return whole;
  if (const auto real = parse_real(number)) return *real;
  return text;
}

Json json_of(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::null) return nullptr;
  if (node.is_scalar()) return value_of(node);
  Json json = node.is_map() ? Json::object() : Json::array();
  for (const YamlNode& child : node.children)
    node.is_map() ? json[child.key] = json_of(child) : json.emplace_back(json_of(child));
  return json;
}

YamlNode yaml_of(const fs::path& file) {
  Diagnostics diagnostics;
  auto yaml = read_yaml(text_of(file), file.string(), diagnostics);
  if (!yaml) throw Refused{yaml.errors()};
  if (!diagnostics.empty()) throw Refused{diagnostics.take()};
  if (!yaml->is_map()) refuse(file, "holds no keys", "fetch the set anew", 1);
  return std::move(*yaml);
}

// --- Recognition ---

bool has_line(std::string_view text, std::string_view beginning) {
  return text.starts_with(beginning) || text.find("\n" + std::string(beginning)) != text.npos;
}

// Whether a file has KernelBench's form, and so needs no others, whatever else is in it.
bool is_complete(std::string_view text) {
  return has_line(text, "class Model(") && has_line(text, "def get_inputs(");
}

// Where the tests of a TritonBench file begin: behind the last line that consists of `#`. 0 if there is none.
std::size_t begin_of_tests(std::string_view text) {
  const std::string line = "\n" + std::string(shortest_line, '#');
  std::size_t at = text.rfind("\ndef test_");
  while (at != text.npos && at > 0) {
    at = text.rfind(line, at - 1);
    if (at == text.npos) break;
    const std::size_t end = text.find('\n', at + 1);
    if (trimmed(text.substr(at, end - at), "# \r\n").empty()) return end;
  }
  return 0;
}

// The first of these names that is in the folder, or nothing.
std::optional<fs::path> first_of(const fs::path& folder, std::initializer_list<std::string> names) {
  for (const std::string& name : names) {
    if (is_file(folder / name)) return folder / name;
  }
  return std::nullopt;
}

std::optional<fs::path> task_in(const fs::path& folder) {
  return first_of(folder, {"task.yml", "task.yaml"});
}

// config_forward.json for func_forward.py.
std::optional<fs::path> config_of(const fs::path& file) {
  const std::string stem = file.stem().string();
  if (!stem.starts_with("func_")) return std::nullopt;
  return first_of(file.parent_path(), {"config_" + stem.substr(5) + ".json"});
}

struct Found {
  std::string set;
  fs::path file;  // the definition, the task or the Python file
};

std::optional<Found> found_in_folder(const fs::path& folder) {
  if (const auto file = first_of(folder, {"definition.json"})) return Found{"flashinfer_bench", *file};
  if (const auto file = task_in(folder)) return Found{"gpu_mode", *file};
  if (is_file(folder / "problem.yaml") && is_file(folder / "reference.py"))
    return Found{"kernelbench_v3", folder / "reference.py"};
  if (is_file(folder / "func_forward.py") && config_of(folder / "func_forward.py"))
    return Found{"robust_kbench", folder / "func_forward.py"};
  return std::nullopt;
}

std::optional<Found> found_in_json(const fs::path& path) {
  if (path.filename() == "definition.json") return Found{"flashinfer_bench", path};
  const auto content = read_text_file(path);
  const auto json = content ? parse_json(*content, {}) : Result<nlohmann::json>(Error{});
  if (!json || !json->is_object()) return std::nullopt;
  if (json->contains("operator") && json->contains("dtype")) return Found{"backend_bench", path};
  for (const char* key : {"axes", "inputs", "outputs", "reference"}) {
    if (!json->contains(key)) return std::nullopt;
  }
  return Found{"flashinfer_bench", path};
}

std::optional<Found> found_in_python(const fs::path& path) {
  const fs::path folder = path.parent_path();
  if (path.filename() == "reference.py") {
    if (const auto task = task_in(folder)) return Found{"gpu_mode", *task};
  }
  const auto content = read_text_file(path);
  // A text that read_set_problem() has made is complete.
  if (!content || has_line(*content, last_line)) return std::nullopt;
  const bool has_model = has_line(*content, "class Model(");
  const bool complete = is_complete(*content);
  if (!complete && has_line(*content, "def get_input_groups(")) return Found{"multi_kernel_bench", path};
  if (has_model && has_line(*content, "def forward_fn(") && config_of(path))
    return Found{"robust_kbench", path};
  if (has_model && (is_file(folder / "shapes.py") || is_file(folder / "problem.yaml")))
    return Found{"kernelbench_v3", path};
  if (!complete && begin_of_tests(*content) > 0) return Found{"triton_bench", path};
  return std::nullopt;
}

std::optional<Found> found_at(const fs::path& path) {
  std::error_code failure;
  if (fs::is_directory(path, failure)) return found_in_folder(path);
  if (path.extension() == ".json") return found_in_json(path);
  if (path.extension() == ".py") return found_in_python(path);
  const std::string name = path.filename().string();
  if (name == "task.yml" || name == "task.yaml") return Found{"gpu_mode", path};
  return name == "problem.yaml" ? found_in_folder(path.parent_path()) : std::nullopt;
}

// Says which file a folder lacks to be a problem.
[[noreturn]] void refuse_unknown(const fs::path& path) {
  std::error_code failure;
  if (!fs::exists(path, failure)) refuse(path, "no such file or folder", "check the path");
  const bool is_folder = fs::is_directory(path, failure);
  const fs::path folder = is_folder ? path : path.parent_path();
  // The first of each pair is there, and the second is not.
  constexpr std::array<std::pair<const char*, const char*>, 5> needed = {
      {{"workload.jsonl", "definition.json"},
       {"func_forward.py", "config_forward.json"},
       {"shapes.py", "reference.py"},
       {"problem.yaml", "reference.py"},
       {"reference.py", "task.yml or problem.yaml"}}};
  for (const auto& [there, lacking] : needed) {
    if (is_file(folder / there) && !is_file(folder / lacking) && (is_folder || path.filename() == there))
      refuse(path, fmt::format("there is {} and no {}, which the problem needs too", there, lacking),
             "fetch the set anew, or name another problem");
  }
  const char* const hint = "`kgrade sets` lists the sets, and which path to give";
  if (is_folder)
    refuse(path, "is a folder, and no problem of a set that kgrade reads",
           fmt::format("name a file in it; {}", hint));
  refuse(path, "is no problem of a set that kgrade reads", hint);
}

// --- The files of each set ---

// The text of a set's problem while its files are added.
struct Parts {
  std::string slug;
  std::string main;
  Json files = Json::object();
};

std::string slug_of_folder(const fs::path& file) {
  return slug_of_module_file(resolved(file).parent_path().string() + ".py");
}

// `file` is TREE/definitions/OPERATOR/NAME.json. Its workloads are in TREE/workloads/OPERATOR/NAME.jsonl, or
// elsewhere below TREE/workloads. The path is empty if there are none.
fs::path workloads_in_tree(const fs::path& file) {
  fs::path below = file.filename();
  for (fs::path folder = file.parent_path(); folder != folder.parent_path(); folder = folder.parent_path()) {
    if (folder.filename() != "definitions") {
      below = folder.filename() / below;
      continue;
    }
    const fs::path workloads = folder.parent_path() / "workloads";
    below.replace_extension(".jsonl");
    if (is_file(workloads / below)) return workloads / below;
    std::error_code failure;
    fs::recursive_directory_iterator entry(workloads, failure);
    for (std::size_t seen = 0;
         !failure && entry != fs::recursive_directory_iterator() && seen < most_entries_seen; ++seen) {
      if (entry->path().filename() == below.filename()) return entry->path();
      entry.increment(failure);
    }
    return {};
  }
  return {};
}

fs::path workloads_of(const fs::path& definition) {
  const fs::path file = fs::absolute(definition).lexically_normal();
  if (const auto beside = first_of(file.parent_path(), {"workload.jsonl", "workloads.jsonl"})) return *beside;
  if (fs::path found = workloads_in_tree(file); !found.empty()) return found;
  refuse(definition, "has no workloads",
         "put workload.jsonl beside it, or NAME.jsonl below workloads/ for definitions/.../NAME.json");
}

// The safetensors files that the workloads name, as paths in them. Errors say their line.
std::set<std::string> tensor_files_in(std::string_view workloads, const fs::path& file) {
  std::set<std::string> paths;
  int line = 0;
  for (std::size_t begin = 0; begin < workloads.size();) {
    const std::size_t end = std::min(workloads.find('\n', begin), workloads.size());
    const std::string_view text = trimmed(workloads.substr(begin, end - begin));
    begin = end + 1;
    ++line;
    if (text.empty()) continue;
    const nlohmann::json json = json_of(text, file, line);
    const auto inner = json.find("workload");
    const nlohmann::json& workload = inner != json.end() && inner->is_object() ? *inner : json;
    const auto inputs = workload.find("inputs");
    if (inputs == workload.end() || !inputs->is_object())
      refuse(file, "the workload has no inputs", "write: \"inputs\": {\"A\": {\"type\": \"random\"}}", line);
    for (const nlohmann::json& input : *inputs) {
      if (string_in(input, "type") != "safetensors") continue;
      const fs::path path = string_in(input, "path");
      const bool leads_out = std::find(path.begin(), path.end(), "..") != path.end();
      if (path.is_absolute() || leads_out || path.extension() != ".safetensors")
        refuse(file,
               fmt::format("the path {} is not one of a .safetensors file below the set's folder",
                           in_quotes(path.string())),
               "write a path without '..' that is relative to the set's folder", line);
      paths.insert(path.string());
    }
  }
  return paths;
}

void add_tensors(const std::set<std::string>& paths, const fs::path& definition, Json& files) {
  std::uint64_t left = largest_tensors;
  for (const std::string& path : paths) {
    const fs::path start = fs::absolute(definition).lexically_normal().parent_path();
    for (fs::path folder = start;; folder = folder.parent_path()) {
      const fs::path file = (folder / path).lexically_normal();
      if (is_file(file)) {
        // A folder on the way may be a link, too.
        if (!is_within(resolved(file), resolved(folder)))
          refuse(file, "is in a folder that is a link", "put the file itself into the set's folder");
        std::error_code failure;
        if (fs::file_size(file, failure) > left && !failure)
          refuse(file,
                 fmt::format("makes the tensors of this problem larger than {} in total",
                             format_bytes(largest_tensors)),
                 "take lines out of a copy of the file of workloads");
        const std::string bytes = bytes_of(file, left, "");
        left -= bytes.size();
        files[path] = base64(bytes);
        break;
      }
      if (folder == folder.parent_path()) break;
    }
  }
}

Parts flashinfer_bench(const fs::path& path) {
  const std::string definition = text_of(path);
  const nlohmann::json json = json_of(definition, path);
  const std::string reference = string_in(json, "reference");
  if (reference.empty())
    refuse(path, "has no text 'reference'", "add the Python code of run() under this key");
  const fs::path workloads_file = workloads_of(path);
  const std::string workloads = text_of(workloads_file);
  std::string slug = slug_from(string_in(json, "name")).substr(0, 100);
  if (slug.empty())
    slug = path.filename() == "definition.json" ? slug_of_folder(path) : slug_of_module_file(path);
  Parts parts{slug, reference, {{"definition", definition}, {"workloads", workloads}}};
  add_tensors(tensor_files_in(workloads, workloads_file), path, parts.files);
  return parts;
}

Parts gpu_mode(const fs::path& task) {
  const fs::path folder = task.parent_path();
  const YamlNode yaml = yaml_of(task);
  fs::path main = folder / "reference.py";
  Parts parts{slug_of_folder(task), "", {{"task", json_of(yaml).dump()}}};
  constexpr std::array<std::string_view, 4> of_the_judge = {"submission.py", "eval.py", "utils.py",
                                                            "task.py"};
  const YamlNode* const files = yaml.find("files");
  const auto none = std::vector<YamlNode>();
  for (const YamlNode& entry : files != nullptr ? files->children : none) {
    const YamlNode* const name = entry.find("name");
    const YamlNode* const source = entry.find("source");
    if (name == nullptr || source == nullptr || !source->value.ends_with(".py")) continue;
    if (std::find(of_the_judge.begin(), of_the_judge.end(), name->value) != of_the_judge.end()) continue;
    const fs::path file = (folder / source->value).lexically_normal();
    // Tasks share files that are in the folder above theirs, or in a task beside theirs.
    if (!is_within(resolved(file), resolved(folder / "..")))
      refuse(task, fmt::format("the file {} is too far from the task", in_quotes(source->value)),
             "name a file in the task's folder", source->location.line);
    if (name->value == "reference.py") {
      main = file;
    } else {
      parts.files[name->value] = text_of(file, "fetch the set anew");
    }
  }
  parts.main = text_of(main, "the reference of a task is in reference.py beside it");
  return parts;
}

Parts multi_kernel_bench(const fs::path& path) {
  Parts parts{slug_of_module_file(path), text_of(path)};
  // The reader puts a stand-in into the place of Ascend's library, before the file imports it.
  if (parts.main.find("import torch_npu") != parts.main.npos)
    parts.main =
        "import kgrade_python.sets.multi_kernel_bench as _kgrade_set; _kgrade_set.prepare()\n" + parts.main;
  for (const char* extension : {".json", ".jsonl"}) {
    const fs::path file = fs::path(path).replace_extension(extension);
    if (is_file(file)) parts.files[file.filename().string()] = text_of(file);
  }
  return parts;
}

Parts backend_bench(const fs::path& path) {
  return {slug_of_module_file(path), "", {{"sample", text_of(path)}}};
}

Parts kernelbench_v3(const fs::path& path) {
  const bool is_of_folder = path.filename() == "reference.py";
  Parts parts{is_of_folder ? slug_of_folder(path) : slug_of_module_file(path), text_of(path)};
  const fs::path shapes = path.parent_path() / "shapes.py";
  const fs::path problem = path.parent_path() / "problem.yaml";
  if (is_file(shapes)) parts.files["shapes"] = text_of(shapes);
  if (is_file(problem)) parts.files["problem"] = json_of(yaml_of(problem)).dump();
  return parts;
}

Parts robust_kbench(const fs::path& path) {
  const fs::path config = *config_of(path);
  const std::string text = text_of(config);
  json_of(text, config);
  const std::string suffix =
      path.stem() == "func_forward" ? "" : "-" + slug_from(path.stem().string().substr(5));
  return {slug_of_folder(path) + suffix, text_of(path), {{"config", text}}};
}

Parts triton_bench(const fs::path& path) {
  const std::string text = text_of(path);
  const std::size_t tests = begin_of_tests(text);
  return {slug_of_module_file(path), text.substr(0, tests), {{"tests", text.substr(tests)}}};
}

Parts parts_of(const Found& found) {
  if (found.set == "flashinfer_bench") return flashinfer_bench(found.file);
  if (found.set == "gpu_mode") return gpu_mode(found.file);
  if (found.set == "backend_bench") return backend_bench(found.file);
  if (found.set == "multi_kernel_bench") return multi_kernel_bench(found.file);
  if (found.set == "kernelbench_v3") return kernelbench_v3(found.file);
  if (found.set == "robust_kbench") return robust_kbench(found.file);
  return triton_bench(found.file);
}

}  // namespace

bool is_set_path(const fs::path& path) { return found_at(path).has_value(); }

bool may_be_set_path(const fs::path& path) {
  std::error_code failure;
  const std::string extension = path.extension().string();
  return fs::is_directory(path, failure) || extension == ".json" || extension == ".jsonl" ||
         extension == ".yaml" || extension == ".yml";
}

std::optional<std::string> lacking_of_set(std::string_view name, std::string_view text) {
  const bool has_model = has_line(text, "class Model(");
  const bool complete = is_complete(text);
  if (has_line(text, last_line)) return std::nullopt;
  if (!complete && has_line(text, "def get_input_groups("))
    return "is a file of MultiKernelBench, whose cases are in the .json file beside it";
  if (has_model && has_line(text, "def forward_fn(") && name.starts_with("func_"))
    return "is a file of robust-kbench, whose cases are in the config_*.json beside it";
  if (!has_model && has_line(text, "def ref_kernel("))
    return "is a reference of GPU MODE, whose cases are in the task.yml beside it";
  if (!complete && begin_of_tests(text) > 0) return "is a file of TritonBench, whose tests become the cases";
  return std::nullopt;
}

Result<SetText> read_set_problem(const fs::path& path) try {
  const auto found = found_at(path);
  if (!found) refuse_unknown(path);
  Parts parts = parts_of(*found);
  if (!is_slug(parts.slug)) refuse(path, "its name gives no slug", "rename it: letters and digits");
  const std::string json = Json({{"name", parts.slug}, {"files", std::move(parts.files)}}).dump();
  // A string of JSON is also a literal of Python.
  const std::string literal = Json(json).dump();
  return SetText{found->set, parts.slug,
                 fmt::format("{}\n\n{}{} as _kgrade_set; _kgrade_set.define(globals(), {})\n", parts.main,
                             last_line, found->set, literal)};
} catch (const Refused& refused) {
  return refused.errors;
}

}  // namespace kgrade
