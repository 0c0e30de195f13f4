#include "profile/activity.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <utility>

#include "base/text.h"

namespace kgrade {
namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& line) {
  Words words;
  std::istringstream stream(line);
  for (std::string word; std::getline(stream, word, '\t');) words.push_back(std::move(word));
  return words;
}

// The numbers from `first` on. Any program may have written them, so nothing is returned if they are not
// plausible.
std::optional<std::vector<std::int64_t>> numbers_of(const Words& words, std::size_t first,
                                                    std::size_t count) {
  if (words.size() != first + count) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (std::size_t i = first; i < words.size(); ++i) {
    char* end = nullptr;
    const long long number = std::strtoll(words[i].c_str(), &end, 10);
    if (words[i].empty() || *end != '\0' || number < 0) return std::nullopt;
    numbers.push_back(number);
  }
  return numbers;
}

// The resources of a multiprocessor.
struct Limits {
  std::int64_t threads = 0;
  std::int64_t registers = 0;
  std::int64_t shared_bytes = 0;
  std::int64_t blocks = 0;
  std::int64_t reserved_shared_bytes = 0;  // for each block
};

constexpr std::int64_t warp = 32;
// The units in which a warp gets registers and a block gets shared memory (NVIDIA's occupancy calculator,
// "Warp Allocation" and "Shared Memory Allocation", compute capability 7.0 and later).
constexpr std::int64_t register_piece = 256;
constexpr std::int64_t shared_piece = 128;

std::int64_t rounded_up(std::int64_t value, std::int64_t piece) {
  return (value + piece - 1) / piece * piece;
}

// The most warps of the kernel that a multiprocessor can hold, as a share of the warps that fit at most (CUDA
// C++ Best Practices Guide, "Calculating Occupancy").
void add_occupancy(KernelProfile& kernel, const Limits& limits, std::int64_t registers, std::int64_t shared) {
  const std::int64_t threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
  if (threads <= 0 || threads > 1024 || limits.threads <= 0) return;
  const std::int64_t warps = rounded_up(threads, warp) / warp;
  const std::int64_t most = limits.threads / warp;
  std::vector<std::pair<const char*, std::int64_t>> blocks = {{"blocks", limits.blocks},
                                                              {"warps", most / warps}};
  if (registers > 0 && registers <= 255)
    blocks.emplace_back("registers",
                        limits.registers / (rounded_up(registers * warp, register_piece) * warps));
  const std::int64_t of_block = rounded_up(shared + limits.reserved_shared_bytes, shared_piece);
  if (of_block > 0) blocks.emplace_back("shared_memory", limits.shared_bytes / of_block);
  const auto least = std::min_element(blocks.begin(), blocks.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
  for (const auto& [limit, count] : blocks) {
    if (count == least->second) kernel.occupancy_limits.emplace_back(limit);
  }
  kernel.facts["theoretical_occupancy_pct"] =
      100.0 * static_cast<double>(std::min(least->second * warps, most)) / static_cast<double>(most);
}

}  // namespace

Activity parse_activity(const std::string& text) {
  Activity activity;
  Limits limits;
  std::vector<std::pair<std::int64_t, KernelProfile>> by_start;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const Words words = words_of(line);
    if (words.empty()) continue;
    if (words[0] == "error" && words.size() == 2) activity.problem = words[1];
    if (words[0] == "limits") {
      if (const auto n = numbers_of(words, 1, 5)) limits = {(*n)[0], (*n)[1], (*n)[2], (*n)[3], (*n)[4]};
    }
    if (words[0] != "kernel") continue;
    const auto n = numbers_of(words, 2, 12);
    if (!n || (*n)[1] < (*n)[0]) continue;
    KernelProfile kernel;
    kernel.mangled = words[1];
    kernel.name = short_name(words[1]);
    kernel.launches = 1;
    kernel.grid = {(*n)[2], (*n)[3], (*n)[4]};
    kernel.block = {(*n)[5], (*n)[6], (*n)[7]};
    kernel.facts["duration_us"] = static_cast<double>((*n)[1] - (*n)[0]) * 1e-3;
    kernel.facts["registers"] = static_cast<double>((*n)[8]);
    kernel.facts["shared_static_b"] = static_cast<double>((*n)[9]);
    kernel.facts["shared_dynamic_b"] = static_cast<double>((*n)[10]);
    kernel.facts["local_b"] = static_cast<double>((*n)[11]);
    add_occupancy(kernel, limits, (*n)[8], (*n)[9] + (*n)[10]);
    by_start.emplace_back((*n)[0], std::move(kernel));
  }
  std::stable_sort(by_start.begin(), by_start.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [start, kernel] : by_start) activity.launches.push_back(std::move(kernel));
  return activity;
}

void take_activity(const std::vector<KernelProfile>& activity, std::vector<KernelProfile>& kernels) {
  for (const KernelProfile& seen : activity) {
    const auto same = std::find_if(kernels.begin(), kernels.end(),
                                   [&](const KernelProfile& kernel) { return kernel.is_like(seen); });
    if (same == kernels.end()) {
      kernels.push_back(seen);
      continue;
    }
    // Perhaps only some of the kernel's launches have counters.
    for (const char* fact : {"duration_us", "local_b"}) {
      const auto value = seen.facts.find(fact);
      if (value != seen.facts.end()) same->facts[fact] = value->second;
    }
    same->scale_sums(seen.launches);
    same->launches = seen.launches;
  }
}

namespace {

constexpr std::uint64_t most_binary_bytes = std::uint64_t{256} << 20;
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

}  // namespace

OwnKernels::OwnKernels(const std::vector<std::filesystem::path>& binaries, std::string text)
    : text_(std::move(text)) {
  for (const auto& path : binaries) {
    if (auto bytes = read_text_file(path, most_binary_bytes)) binaries_.push_back(std::move(*bytes));
  }
}

bool OwnKernels::has(const KernelProfile& kernel) const {
  if (kernel.mangled.empty()) return false;
  // The name must be a whole string of the binary.
  const std::string registered = std::string(1, '\0') + kernel.mangled + '\0';
  for (const std::string& bytes : binaries_) {
    if (bytes.find(registered) != std::string::npos) return true;
  }
  // "a::b::kernel<int>" has the space "a::b" and the name "kernel".
  const std::string plain = kernel.name.substr(0, kernel.name.find('<'));
  const std::size_t at = plain.rfind("::");
  const std::string space = at == std::string::npos ? "" : plain.substr(0, at);
  const std::string name = at == std::string::npos ? plain : plain.substr(at + 2);
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
