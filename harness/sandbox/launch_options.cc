#include "sandbox/launch_options.h"

#include <charconv>
#include <functional>
#include <map>
#include <sstream>

namespace kgrade {
namespace {

struct LayerName {
  const char* name;
  bool LaunchLayers::*layer;
};

constexpr LayerName layer_names[] = {
    {"namespaces", &LaunchLayers::namespaces},
    {"user", &LaunchLayers::user},
    {"uts", &LaunchLayers::uts},
    {"cgroup-namespace", &LaunchLayers::cgroup_namespace},
    {"bubblewrap", &LaunchLayers::bubblewrap},
    {"bubblewrap-sizes", &LaunchLayers::bubblewrap_sizes},
    {"landlock", &LaunchLayers::landlock},
    {"seccomp", &LaunchLayers::seccomp},
    {"cgroup", &LaunchLayers::control_group},
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::vector<std::string> names_in(const std::string& list) {
  return list.empty() ? std::vector<std::string>() : split(list, ',');
}

bool read_layers(const std::string& text, LaunchLayers& layers) {
  for (const std::string& part : names_in(text)) {
    bool known = false;
    for (const auto& [name, layer] : layer_names) {
      if (part != name) continue;
      layers.*layer = true;
      known = true;
    }
    if (!known) return false;
  }
  return true;
}

template <class Number>
bool read_number(const std::string& text, Number& number) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size();
}

// Applies the value of an option. False if the value is wrong.
using Reader = std::function<bool(LaunchOptions&, const std::string&)>;

Reader path_list(std::vector<std::filesystem::path> SandboxPolicy::*list) {
  return [list](LaunchOptions& options, const std::string& value) {
    (options.policy.*list).emplace_back(value);
    return !value.empty() && value.front() == '/';
  };
}

const std::map<std::string, Reader>& readers() {
  static const std::map<std::string, Reader> table = {
      {"--ro", path_list(&SandboxPolicy::readable)},
      {"--rw", path_list(&SandboxPolicy::writable)},
      {"--hide", path_list(&SandboxPolicy::hidden)},
      {"--dev", path_list(&SandboxPolicy::devices)},
      {"--tmp", [](auto& o, auto& value) { return read_number(value, o.policy.temporary_bytes); }},
      {"--memory", [](auto& o, auto& value) { return read_number(value, o.policy.memory_bytes); }},
      {"--processes", [](auto& o, auto& value) { return read_number(value, o.policy.processes); }},
      {"--layers", [](auto& o, auto& value) { return read_layers(value, o.layers); }},
      {"--without",
       [](auto& o, auto& value) {
         o.without = names_in(value);
         return true;
       }},
      {"--bubblewrap",
       [](auto& o, auto& value) {
         o.bubblewrap_program = value;
         return !value.empty();
       }},
      {"--supervisor", [](auto& o, auto& value) { return read_number(value, o.supervisor); }},
  };
  return table;
}

bool read_flag(LaunchOptions& options, const std::string& name) {
  if (name == "--programs") {
    options.policy.starts_programs = true;
  } else if (name == "--no-proc") {
    options.policy.proc = false;
  } else if (name == "--name-threads") {
    options.policy.names_threads = true;
  } else if (name == "--probe") {
    options.probe = true;
  } else if (name == "--remount-each") {
    options.remount_each = true;
  } else {
    return false;
  }
  return true;
}

void append_paths(std::vector<std::string>& arguments, const char* name,
                  const std::vector<std::filesystem::path>& paths) {
  for (const auto& path : paths) {
    arguments.emplace_back(name);
    arguments.push_back(path.string());
  }
}

}  // namespace

std::string to_text(const LaunchLayers& layers) {
  std::string text;
  for (const auto& [name, layer] : layer_names) {
    if (layers.*layer) text += (text.empty() ? "" : ",") + std::string(name);
  }
  return text;
}

std::vector<std::string> to_arguments(const LaunchOptions& options) {
  const SandboxPolicy& policy = options.policy;
  std::vector<std::string> arguments = {"--layers", to_text(options.layers)};
  append_paths(arguments, "--ro", policy.readable);
  append_paths(arguments, "--rw", policy.writable);
  append_paths(arguments, "--hide", policy.hidden);
  append_paths(arguments, "--dev", policy.devices);
  for (const auto& [name, value] :
       {std::pair{"--tmp", policy.temporary_bytes}, std::pair{"--memory", policy.memory_bytes},
        std::pair{"--processes", std::uint64_t{policy.processes}}}) {
    arguments.emplace_back(name);
    arguments.push_back(std::to_string(value));
  }
  if (policy.starts_programs) arguments.emplace_back("--programs");
  if (!policy.proc) arguments.emplace_back("--no-proc");
  if (policy.names_threads) arguments.emplace_back("--name-threads");
  if (options.remount_each) arguments.emplace_back("--remount-each");
  if (options.layers.bubblewrap) {
    arguments.emplace_back("--bubblewrap");
    arguments.push_back(options.bubblewrap_program);
  }
  if (options.supervisor >= 0) {
    arguments.emplace_back("--supervisor");
    arguments.push_back(std::to_string(options.supervisor));
  }
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), options.command.begin(), options.command.end());
  return arguments;
}

LaunchOptions parse_arguments(const std::vector<std::string>& arguments, std::string& problem) {
  LaunchOptions options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (name == "--") {
      options.command.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
      break;
    }
    if (read_flag(options, name)) continue;
    const auto reader = readers().find(name);
    if (reader == readers().end()) {
      problem = "unknown option '" + name + "'";
      return options;
    }
    if (++i == arguments.size() || !reader->second(options, arguments[i])) {
      problem =
          "option " + name + " has a wrong value" + (i < arguments.size() ? " '" + arguments[i] + "'" : "");
      return options;
    }
  }
  if (options.command.empty() && !options.probe) problem = "no command behind '--'";
  return options;
}

std::string to_text(const ProbeReport& report) {
  std::string text =
      "layers\t" + to_text(report.layers) + "\nbubblewrap\t" + report.bubblewrap_program + "\n";
  for (const SandboxLayer& finding : report.findings) {
    text += "layer\t" + finding.name + "\t" + (finding.active ? "1" : "0") + "\t" + finding.detail + "\t" +
            finding.remedy + "\n";
  }
  return text;
}

ProbeReport parse_probe_report(const std::string& text) {
  ProbeReport report;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> fields = split(line, '\t');
    if (fields.size() == 2 && fields[0] == "layers") read_layers(fields[1], report.layers);
    if (fields.size() == 2 && fields[0] == "bubblewrap") report.bubblewrap_program = fields[1];
    if (fields.size() == 5 && fields[0] == "layer")
      report.findings.push_back({fields[1], fields[2] == "1", fields[3], fields[4]});
  }
  return report;
}

}  // namespace kgrade
