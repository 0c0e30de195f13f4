#include "sweep/earlier_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "device/registry.h"
#include "grade/run_setup.h"

namespace kgrade {
namespace {

// The devices of the lanes: "cuda" or "emulated", with the model if it is known. If the lanes are elsewhere,
// any device is wanted.
class WantedDevices {
 public:
  explicit WantedDevices(const SweepOptions& options) {
    if (options.lane_command.is_elsewhere) return;
    for (const std::string& name : options.devices) {
      const auto choice = parse_device_choice(name);
      if (choice) choices_.push_back(resolve_choice(*choice));
    }
    if (std::any_of(choices_.begin(), choices_.end(), is_gpu)) probe();
  }

  bool include(const Record& record) const {
    if (choices_.empty()) return true;
    return std::any_of(choices_.begin(), choices_.end(), [&](const DeviceChoice& choice) {
      if (record.device.kind != (is_gpu(choice) ? "cuda" : "emulated")) return false;
      const auto model = models_.find(choice.ordinal);
      return !is_gpu(choice) || model == models_.end() || model->second == record.device.name;
    });
  }

 private:
  static bool is_gpu(const DeviceChoice& choice) { return choice.kind != DeviceChoice::Kind::emulated; }

  void probe() {
    const CudaProbe probe = probe_cuda();
    for (std::size_t i = 0; i < probe.devices.size(); ++i)
      models_[static_cast<int>(i)] = probe.devices[i].name;
  }

  std::vector<DeviceChoice> choices_;
  std::map<int, std::string> models_;
};

class EarlierResultFinder {
 public:
  EarlierResultFinder(const SweepPlan& plan, const SweepOptions& options)
      : plan_(plan),
        options_(options),
        finder_(plan, options.lane.effort),
        conditions_(conditions_of(options.lane)),
        devices_(options),
        references_(plan.groups.size()),
        found_(plan.tasks.size()) {}

  void take(const Record& result) {
    const std::string& path = result.candidate().path;
    const auto task = finder_.find(result);
    if (!task) {
      if (finder_.knows(path))
        unusable_[path] = "of other contents, for another precision class or with another effort";
    } else if (const char* const why = mismatch(result, *task)) {
      unusable_[path] = why;
    } else {
      found_[*task] = result;
    }
  }

  EarlierResults results(const std::filesystem::path& file) {
    for (std::size_t task = 0; task < found_.size(); ++task) {
      if (found_[task]) unusable_.erase(plan_.tasks[task].candidate.string());
    }
    return {std::move(found_), note(file)};
  }

 private:
  // Why a result does not count. Null if it counts.
  const char* mismatch(const Record& result, std::size_t task) {
    if (result.reference.sha256 != reference(plan_.tasks[task].group)) return "against another reference";
    if (result.options != conditions_) return "with other options";
    return devices_.include(result) ? nullptr : "on another device";
  }

  const std::string& reference(std::size_t group) {
    if (!references_[group])
      references_[group] = hash_of_reference(options_.layout.reference_source(plan_.groups[group].problem));
    return *references_[group];
  }

  std::string note(const std::filesystem::path& file) const {
    if (unusable_.empty()) return "";
    std::map<std::string, std::size_t> reasons;
    for (const auto& [path, why] : unusable_) reasons[why] += 1;
    std::string text = fmt::format(
        "{} no result in {} that counts, and will be graded again; what is there was made",
        unusable_.size() == 1 ? "1 candidate has" : fmt::format("{} candidates have", unusable_.size()),
        file.string());
    const char* between = " ";
    for (const auto& [why, count] : reasons) {
      text += fmt::format("{}{}: {}", between, why, count);
      between = ", ";
    }
    return text;
  }

  const SweepPlan& plan_;
  const SweepOptions& options_;
  TaskFinder finder_;
  std::string conditions_;
  WantedDevices devices_;
  std::vector<std::optional<std::string>> references_;  // by group
  std::vector<std::optional<Record>> found_;
  std::map<std::string, std::string> unusable_;  // the reasons, by path
};

}  // namespace

EarlierResults find_earlier_results(const SweepPlan& plan, const SweepOptions& options,
                                    const ResultFile& results) {
  EarlierResults none{std::vector<std::optional<Record>>(plan.tasks.size()), ""};
  if (results.before().empty()) return none;
  EarlierResultFinder finder(plan, options);
  for (const Record& result : results.before()) finder.take(result);
  return finder.results(results.path());
}

}  // namespace kgrade
