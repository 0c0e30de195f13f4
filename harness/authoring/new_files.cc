#include "authoring/new_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <set>
#include <vector>

#include "base/text.h"
#include "base/text_file.h"
#include "problem/scalar_type.h"

namespace kgrade::authoring {
namespace {

namespace fs = std::filesystem;

Error failed(const fs::path& path, int code) {
  if (code == EEXIST)
    return {"the file exists already and was not changed",
            "choose another name, or move the existing file away first",
            {path.string(), 0, 0}};
  return {fmt::format("cannot be written: {}", ::strerror(code)),
          "name a folder that you may write to",
          {path.string(), 0, 0}};
}

// The files and folders that are being made. The destructor removes them unless they are kept.
class Batch {
 public:
  ~Batch() {
    partial_.clear();  // partial files go before their folders
    if (kept_) return;
    for (const fs::path& path : made_) ::unlink(path.c_str());
    for (auto folder = folders_.rbegin(); folder != folders_.rend(); ++folder) ::rmdir(folder->c_str());
  }

  // Writes the content to a partial file beside the path. Returns 0, or the errno of the failure.
  int prepare(const NewFile& file) {
    const fs::path folder = file.path.has_parent_path() ? file.path.parent_path() : ".";
    std::error_code ignored;
    if (const int code = make_folder(folder); code != 0) return code;
    if (fs::exists(fs::symlink_status(file.path, ignored))) return EEXIST;
    PartialFile partial = PartialFile::beside(file.path);
    if (!partial) return errno;
    partial_.push_back(std::move(partial));
    UniqueFd fd = partial_.back().take_descriptor();
    if (::fchmod(fd.get(), 0644) != 0) return errno;
    return write_and_close(std::move(fd), file.content);
  }

  // link(2) never replaces a file, unlike rename(2).
  int publish(const NewFile& file, std::size_t i) {
    if (::link(partial_[i].name(), file.path.c_str()) != 0) return errno;
    made_.push_back(file.path);
    return 0;
  }

  void keep() { kept_ = true; }

 private:
  // Makes the folder and its missing parents, the outermost first.
  int make_folder(const fs::path& folder) {
    std::error_code ignored;
    if (folder.empty() || fs::exists(folder, ignored)) return 0;
    if (const int code = make_folder(folder.parent_path()); code != 0) return code;
    if (::mkdir(folder.c_str(), 0777) != 0) return errno == EEXIST ? 0 : errno;
    folders_.push_back(folder);
    return 0;
  }

  std::vector<fs::path> folders_;
  std::vector<PartialFile> partial_;
  std::vector<fs::path> made_;
  bool kept_ = false;
};

}  // namespace

ProblemPlaces places_of(const fs::path& folder, const std::string& slug) {
  return {(folder / (slug + ".md")).lexically_normal(),
          (folder / ".." / "reference" / (slug + ".cu")).lexically_normal()};
}

Result<bool> write_new_files(const std::vector<NewFile>& files) {
  Batch batch;
  for (const NewFile& file : files) {
    if (const int code = batch.prepare(file); code != 0) return failed(file.path, code);
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (const int code = batch.publish(files[i], i); code != 0) return failed(files[i].path, code);
  }
  batch.keep();
  return true;
}

namespace {

class StubWriter {
 public:
  explicit StubWriter(const Problem& problem) : problem_(problem) {
    for (const Parameter& parameter : problem.parameters) taken_.insert(parameter.name);
    for (const auto& [name, value] : problem.let) taken_.insert(name);
  }

  std::string run() {
    std::string kernels;
    std::string calls;
    const std::string count = free_name("count");
    for (const Parameter& parameter : problem_.arguments()) {
      if (!parameter.is_output()) continue;
      const std::string kernel = free_name(parameter.name + "_kernel");
      kernels += kernel_text(parameter, kernel, count);
      calls += call_text(parameter, kernel, count);
    }
    const std::string helped = helpers(calls);
    std::string title = problem_.title;
    for (char& c : title) {
      if (static_cast<unsigned char>(c) < 0x20 || c == '\\') c = ' ';
    }
    std::string text = "// " + title + ".\n";
    if (helped.find("std::m") != std::string::npos) text += "#include <algorithm>\n\n";
    text += "#include \"ops/launch.cuh\"\n\nnamespace {\n\n" + helped + kernels + "}  // namespace\n\n" +
            wrapped("extern \"C\" void solution(", arguments(""), ") {\n");
    return text + calls + "}\n";
  }

 private:
  std::string free_name(std::string name) const {
    while (taken_.contains(name)) name += "_";
    return name;
  }

  static std::string element_of(const Parameter& parameter) {
    return parameter.type == element_type_name ? "ops::element" : parameter.type;
  }

  static std::string type_of(const Parameter& parameter) {
    const std::string base = element_of(parameter);
    return parameter.is_input() ? "const " + base + "* " : parameter.pointer ? base + "* " : base + " ";
  }

  // The inputs, the scalars and the output named `output`. If `output` is empty, all arguments.
  std::vector<std::string> arguments(const std::string& output) const {
    std::vector<std::string> list;
    for (const Parameter& parameter : problem_.arguments()) {
      if (output.empty() || !parameter.is_output() || parameter.name == output)
        list.push_back(type_of(parameter) + parameter.name);
    }
    return list;
  }

  // Writes `head`, the list with commas, and `tail`. A line is broken before column 108, and the next line
  // begins below the first item.
  static std::string wrapped(const std::string& head, const std::vector<std::string>& list,
                             const std::string& tail) {
    std::string text = head;
    std::size_t column = head.size();
    for (std::size_t i = 0; i < list.size(); ++i) {
      const bool fits = column + list[i].size() + 3 <= 108;
      if (i > 0) text += fits ? ", " : ",\n" + std::string(head.size(), ' ');
      column = i > 0 && !fits ? head.size() + list[i].size() : column + list[i].size() + 2;
      text += list[i];
    }
    return text + tail;
  }

  std::string kernel_text(const Parameter& output, const std::string& kernel,
                          const std::string& count) const {
    std::vector<std::string> list = arguments(output.name);
    list.push_back("std::int64_t " + count);
    const std::string i = free_name("i");
    return "// One thread for each element of `" + output.name +
           "`, which is row-major: the last index moves fastest.\n" +
           wrapped("__global__ void " + kernel + "(", list, ") {\n") +
           fmt::format(
               "  const std::int64_t {0} = ops::position_in_plane();\n  if ({0} >= {1}) return;\n"
               "  // Write the formula in place of 0. Sums and products belong in ops::accumulator, which "
               "is\n"
               "  // double in the oracle and float in the reference.\n"
               "  const ops::accumulator {2} = 0;\n  {3}[{0}] = static_cast<{4}>({2});\n}}\n\n",
               i, count, free_name("value"), output.name, element_of(output));
  }

  // The expression in C++. Parameters become std::int64_t unless they are size_t, and functions such as min
  // get their names in C++.
  std::string in_cpp(const Expression& expression) const {
    const std::string& text = expression.text();
    std::string cpp;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at;
      while (end < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
        ++end;
      const std::string word = text.substr(at, end - at);
      if (word.empty()) {
        cpp += text[at++];
        continue;
      }
      const Parameter* parameter = problem_.find_parameter(word);
      const bool other = parameter != nullptr && parameter->type != "size_t";
      const bool function = word == "min" || word == "max" || word == "ceil_div" || word == "log2";
      cpp += function && parameter == nullptr ? word + "_of" : other ? "std::int64_t(" + word + ")" : word;
      at = end;
    }
    return cpp;
  }

  std::string call_text(const Parameter& output, const std::string& kernel, const std::string& count) const {
    std::string factors;
    for (const Expression& extent : output.shape) {
      const std::string text = in_cpp(extent);
      factors += (factors.empty() ? "" : " * ") +
                 (text.find(' ') == std::string::npos || output.shape.size() == 1 ? text : "(" + text + ")");
    }
    std::vector<std::string> list;
    for (const Parameter& parameter : problem_.arguments()) {
      if (!parameter.is_output() || parameter.name == output.name) list.push_back(parameter.name);
    }
    const auto outputs = std::count_if(problem_.parameters.begin(), problem_.parameters.end(),
                                       [](const Parameter& p) { return p.is_output(); });
    const std::string own_count = outputs > 1 ? free_name(output.name + "_" + count) : count;
    list.push_back(own_count);
    // The definitions of the `let` values stand before the first output, because all outputs may use them.
    const auto first = std::find_if(problem_.parameters.begin(), problem_.parameters.end(),
                                    [](const Parameter& p) { return p.is_output(); });
    std::string values;
    for (const auto& [name, expression] : problem_.let) {
      if (&*first == &output)
        values += fmt::format("  const std::int64_t {} = static_cast<std::int64_t>({});\n", name,
                              in_cpp(expression));
    }
    return values +
           fmt::format("  const std::int64_t {} = static_cast<std::int64_t>({});\n", own_count, factors) +
           wrapped(
               fmt::format("  {}<<<ops::plane_grid(1, {}), ops::threads_per_block>>>(", kernel, own_count),
               list, ");\n");
  }

  static std::string helpers(const std::string& calls) {
    std::string text;
    if (calls.find("min_of(") != std::string::npos)
      text +=
          "template <class... T>\nstd::int64_t min_of(T... values) {\n  return "
          "std::min({static_cast<std::int64_t>(values)...});\n}\n\n";
    if (calls.find("max_of(") != std::string::npos)
      text +=
          "template <class... T>\nstd::int64_t max_of(T... values) {\n  return "
          "std::max({static_cast<std::int64_t>(values)...});\n}\n\n";
    if (calls.find("ceil_div_of(") != std::string::npos)
      text += "std::int64_t ceil_div_of(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }\n\n";
    if (calls.find("log2_of(") != std::string::npos)
      text +=
          "std::int64_t log2_of(std::int64_t a) {\n  std::int64_t levels = 0;\n  while ((std::int64_t{1} << "
          "levels) < a) "
          "++levels;\n  return levels;\n}\n\n";
    return text;
  }

  const Problem& problem_;
  std::set<std::string> taken_;
};

}  // namespace

std::string reference_stub(const Problem& problem) { return StubWriter(problem).run(); }

}  // namespace kgrade::authoring
