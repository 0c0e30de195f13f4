#include "tests/cheats/cheat_file.h"

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>

#include "grade/run_setup.h"

namespace kgrade::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* default_problem = "conv-depthwise-2d-square-input-asym-kernel";

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(trimmed(part));
  return parts;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 4 && text.find_first_not_of("0123456789") == std::string::npos;
}

// "outputs_match" or "outputs_match (emulated)".
OnDevice read_on_device(const std::string& text) {
  const std::size_t bracket = text.find('(');
  if (bracket == std::string::npos) return {text, ""};
  const std::size_t end = std::min(text.find(')', bracket), text.size());
  return {trimmed(text.substr(0, bracket)), text.substr(bracket + 1, end - bracket - 1)};
}

class HeaderReader {
 public:
  HeaderReader(const fs::path& file, CheatHeader& header) : file_(file), header_(header) {
    cheat_.file = file;
    cheat_.name = (file.parent_path().filename() / file.stem()).string();
    cheat_.problem = default_problem;
    cheat_.is_python = file.extension() == ".py";
  }

  void read(const std::string& text) {
    std::istringstream stream(text);
    std::string line;
    const std::string start = comment() + " ";
    while (std::getline(stream, line) && line.starts_with(start) && !is_accomplice_)
      take(line.substr(start.size()));
    if (is_accomplice_) return;
    if (line != comment()) complain("the header does not end with a line `" + comment() + "`");
    for (const char* key : {"cheat", "row", "caught-by", "device"}) {
      if (!seen_.contains(key)) complain("no line `" + start + key + ":`");
    }
    const bool is_harmless = cheat_.is_harmless_on("emulated") || cheat_.is_harmless_on("cuda");
    if (is_harmless != seen_.contains("twin"))
      complain("`no_gain` needs a line `" + start + "twin:`, and nothing else does");
    header_.cheat = cheat_;
  }

 private:
  std::string comment() const { return cheat_.is_python ? "#" : "//"; }
  void complain(const std::string& what) { header_.mistakes.push_back(file_.string() + ": " + what); }

  void take(const std::string& line) {
    const std::size_t colon = line.find(": ");
    const std::string key = line.substr(0, colon);
    const std::string value = colon == std::string::npos ? "" : trimmed(line.substr(colon + 2));
    is_accomplice_ = key == "accomplice" && seen_.empty();
    if (is_accomplice_) return;
    const auto known = readers().find(key);
    if (known == readers().end() || value.empty())
      return complain("cannot read '" + comment() + " " + line + "'");
    if (++seen_[key] > 1 && key != "case") complain("'" + key + ":' comes twice");
    known->second(*this, value);
  }

  using Reader = std::function<void(HeaderReader&, const std::string&)>;
  static const std::map<std::string, Reader>& readers() {
    static const std::map<std::string, Reader> all = {
        {"cheat", [](auto& self, auto& value) { self.cheat_.description = value; }},
        {"row", &HeaderReader::take_row},
        {"caught-by", &HeaderReader::take_caught_by},
        {"device", &HeaderReader::take_device},
        {"control", [](auto& self, auto& value) { self.cheat_.without = split_at_commas(value); }},
        {"profit", &HeaderReader::take_profit},
        {"problem", &HeaderReader::take_problem},
        {"case", [](auto& self, auto& value) { self.cheat_.cases.push_back(read_on_device(value)); }},
        {"with", [](auto& self, auto& value) { self.take_file(value, self.cheat_.accomplice); }},
        {"twin", [](auto& self, auto& value) { self.take_file(value, self.cheat_.twin); }},
        {"time-limit", [](auto& self, auto& value) { self.cheat_.time_limit = value; }},
        {"launches", [](auto& self, auto& value) { self.take_number(value, self.cheat_.launches); }},
        {"needs", &HeaderReader::take_needs},
    };
    return all;
  }

  void take_row(const std::string& value) {
    if (!is_number(value)) return complain("'" + value + "' is no row");
    cheat_.row = std::stoi(value);
  }

  void take_number(const std::string& value, std::string& into) {
    if (!is_number(value)) return complain("'" + value + "' is no number");
    into = value;
  }

  void take_needs(const std::string& value) {
    if (value != "confinement" && value != "control group")
      complain("'" + value + "' is nothing that a cheat can need: confinement or control group");
    cheat_.needs_confinement = true;
    cheat_.needs_control_group = value == "control group";
  }

  void take_caught_by(const std::string& value) {
    for (const std::string& part : split_at_commas(value)) cheat_.caught_by.push_back(read_on_device(part));
  }

  void take_device(const std::string& value) {
    if (value != "any" && value != "emulated" && value != "cuda")
      complain("'" + value + "' is no device: any, emulated or cuda");
    cheat_.device = value;
  }

  void take_profit(const std::string& value) {
    if (value != "accepted" && value != "faster")
      complain("'" + value + "' is no profit: accepted or faster");
    cheat_.must_be_faster = value == "faster";
  }

  void take_problem(const std::string& value) {
    const bool is_path = value.ends_with(".md") || value.ends_with(".py");
    cheat_.problem = is_path ? (file_.parent_path() / value).string() : value;
    if (is_path && !fs::exists(cheat_.problem)) complain("there is no " + cheat_.problem);
  }

  void take_file(const std::string& value, std::string& into) {
    into = (file_.parent_path() / value).string();
    if (!fs::exists(into)) complain("there is no " + into);
  }

  fs::path file_;
  CheatHeader& header_;
  Cheat cheat_;
  std::map<std::string, int> seen_;
  bool is_accomplice_ = false;
};

}  // namespace

const std::string Cheat::no_gain = "no_gain";

std::vector<std::string> Cheat::expected_on(const std::string& kind) const {
  std::vector<std::string> checks;
  for (const OnDevice& one : caught_by) {
    if (one.is_on(kind)) checks.push_back(one.name);
  }
  return checks;
}

std::vector<std::string> Cheat::arguments(const std::string& kind) const {
  std::vector<std::string> all = {problem};
  if (!accomplice.empty()) {
    // By this seed the accomplice is graded first.
    std::uint64_t seed = 0;
    while (grading_order(2, seed).front() != 0) ++seed;
    all.insert(all.end(), {accomplice, "--seed", std::to_string(seed)});
  }
  all.push_back(file.string());
  for (const OnDevice& one : cases) {
    if (one.is_on(kind)) all.insert(all.end(), {"--case", one.name});
  }
  if (!time_limit.empty()) all.insert(all.end(), {"--time-limit", time_limit});
  if (!launches.empty()) all.insert(all.end(), {"--launches", launches});
  return all;
}

CheatHeader read_cheat(const fs::path& file, const std::string& text) {
  CheatHeader header;
  HeaderReader(file, header).read(text);
  return header;
}

}  // namespace kgrade::test
