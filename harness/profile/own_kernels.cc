#include "profile/own_kernels.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text.h"

namespace kgrade {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;
constexpr std::size_t most_others = 20;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Whether the name is defined there: after `__global__` and its attributes and type, or after `def`.
bool defines(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at > 0 && is_word(text[at - 1])) || (end < text.size() && is_word(text[end]))) continue;
    if (text.find_first_not_of(" \t\n", end) == std::string::npos) continue;
    if (text[text.find_first_not_of(" \t\n", end)] != '(') continue;
    const std::string before = text.substr(at > 200 ? at - 200 : 0, std::min<std::size_t>(at, 200));
    const std::size_t global = before.rfind("__global__");
    const bool of_cuda =
        global != std::string::npos && before.find_first_of(";{}", global) == std::string::npos;
    const std::size_t word = before.find_last_not_of(" \t");
    const bool of_python = word != std::string::npos && word >= 2 &&
                           before.compare(word - 2, 3, "def") == 0 && word + 1 < before.size();
    if (of_cuda || of_python) return true;
  }
  return false;
}

// Splits "a::b::kernel<int>" into "a::b" and "kernel".
std::pair<std::string, std::string> split_name(const std::string& name) {
  const std::string plain = name.substr(0, name.find('<'));
  const std::size_t at = plain.rfind("::");
  if (at == std::string::npos) return {"", plain};
  return {plain.substr(0, at), plain.substr(at + 2)};
}

}  // namespace

OwnKernels::OwnKernels(const std::vector<std::filesystem::path>& binaries, std::string text)
    : text_(std::move(text)) {
  for (const auto& path : binaries) {
    if (auto bytes = read_text_file(path, most_bytes)) binaries_.push_back(std::move(*bytes));
  }
}

bool OwnKernels::has(const KernelProfile& kernel) const {
  if (kernel.mangled.empty()) return false;
  // The name must be a whole string of the binary.
  const std::string registered = std::string(1, '\0') + kernel.mangled + '\0';
  for (const std::string& bytes : binaries_) {
    if (bytes.find(registered) != std::string::npos) return true;
  }
  const auto [space, name] = split_name(kernel.name);
  if (!defines(text_, name)) return false;
  if (space.empty() || space.starts_with("(anonymous")) return true;
  return text_.find("namespace " + space.substr(0, space.find("::"))) != std::string::npos;
}

OwnShare mark_own(std::vector<KernelProfile>& kernels, const OwnKernels& own) {
  OwnShare share;
  double all = 0;
  double of_own = 0;
  for (KernelProfile& kernel : kernels) {
    kernel.own = own.has(kernel);
    const double time = kernel.fact("duration_us").value_or(0);
    all += time;
    if (kernel.own) {
      of_own += time;
    } else if (share.others.size() < most_others &&
               std::find(share.others.begin(), share.others.end(), kernel.name) == share.others.end()) {
      share.others.push_back(kernel.name);
    }
  }
  if (all > 0) share.time_share = of_own / all;
  return share;
}

}  // namespace kgrade
