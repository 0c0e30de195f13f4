// A library with NVML's names that returns what a test wants, so that the real one is not needed. The
// environment variable FAKE_NVML names a file that is read at every call, with lines of these forms:
//   sm_clock 1980              a figure: sm_clock, memory_clock, power, power_limit, temperature, reasons
//   processes 101 102          ids of the processes that compute
//   process_bytes 32           size of one entry of that list
//   uuid GPU-...               the only GPU; without this line, every UUID is a GPU
//   fail sm_clock 3            the error that this call returns; also init, temperature_v, processes
//   log PATH                   the name of every call is appended to this file
// Without a file it is an idle GPU. It has its own declarations, so that a mistake in the harness's shows.
// FAKE_NVML_OLD leaves only the names that the first versions of NVML had.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

class Wish {
 public:
  Wish() {
    const char* const path = std::getenv("FAKE_NVML");
    if (path == nullptr) return;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string key;
      words >> key;
      if (key == "fail") {
        std::string what;
        int status = 0;
        words >> what >> status;
        failures_[what] = status;
      } else {
        for (std::string value; words >> value;) values_[key].push_back(value);
      }
    }
  }

  int called(const std::string& name) const {
    if (const auto log = values_.find("log"); log != values_.end()) {
      std::ofstream(log->second.at(0), std::ios::app) << name << "\n";
    }
    const auto failure = failures_.find(name);
    return failure != failures_.end() ? failure->second : 0;
  }

  unsigned long long figure(const std::string& key, unsigned long long otherwise) const {
    const auto found = values_.find(key);
    return found != values_.end() ? std::stoull(found->second.at(0)) : otherwise;
  }

  std::vector<std::string> list(const std::string& key) const {
    const auto found = values_.find(key);
    return found != values_.end() ? found->second : std::vector<std::string>{};
  }

 private:
  std::map<std::string, int> failures_;
  std::map<std::string, std::vector<std::string>> values_;
};

int answer(const char* key, unsigned otherwise, unsigned* value) {
  const Wish wish;
  const int status = wish.called(key);
  if (status == 0) *value = static_cast<unsigned>(wish.figure(key, otherwise));
  return status;
}

int reasons(unsigned long long* mask) {
  const Wish wish;
  const int status = wish.called("reasons");
  if (status == 0) *mask = wish.figure("reasons", 1);
  return status;
}

// An entry begins with its process id and is written completely.
int processes(unsigned* count, unsigned char* entries, unsigned long long usual_bytes) {
  const Wish wish;
  if (const int status = wish.called("processes"); status != 0) return status;
  const std::vector<std::string> pids = wish.list("processes");
  const bool fits = *count >= pids.size();
  *count = static_cast<unsigned>(pids.size());
  if (!fits) return 7;
  const auto bytes = static_cast<std::size_t>(wish.figure("process_bytes", usual_bytes));
  for (std::size_t i = 0; i < pids.size(); ++i) {
    const auto pid = static_cast<unsigned>(std::stoul(pids[i]));
    std::memset(entries + i * bytes, 0xff, bytes);
    std::memcpy(entries + i * bytes, &pid, sizeof pid);
  }
  return 0;
}

}  // namespace

extern "C" {

struct nvmlDevice_st;
using nvmlDevice_t = nvmlDevice_st*;

const char* nvmlErrorString(int status) {
  switch (status) {
    case 3:
      return "Not Supported";
    case 4:
      return "Insufficient Permissions";
    case 6:
      return "Not Found";
    case 9:
      return "Driver Not Loaded";
    default:
      return nullptr;
  }
}

int nvmlShutdown() { return Wish().called("shutdown"); }

int nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device) {
  static char gpu;
  const std::vector<std::string> known = Wish().list("uuid");
  if (!known.empty() && known[0] != uuid) return 6;
  *device = reinterpret_cast<nvmlDevice_t>(&gpu);
  return 0;
}

int nvmlDeviceGetClockInfo(nvmlDevice_t, int type, unsigned* mhz) {
  if (type == 1) return answer("sm_clock", 345, mhz);
  return type == 2 ? answer("memory_clock", 2619, mhz) : 2;
}

int nvmlDeviceGetPowerUsage(nvmlDevice_t, unsigned* milliwatts) { return answer("power", 75000, milliwatts); }

int nvmlDeviceGetTemperature(nvmlDevice_t, int sensor, unsigned* celsius) {
  return sensor == 0 ? answer("temperature", 30, celsius) : 2;
}

#ifdef FAKE_NVML_OLD

int nvmlInit() { return Wish().called("init"); }

int nvmlDeviceGetPowerManagementLimit(nvmlDevice_t, unsigned* milliwatts) {
  return answer("power_limit", 700000, milliwatts);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t, unsigned long long* mask) {
  return reasons(mask);
}

int nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t, unsigned* count, unsigned char* entries) {
  return processes(count, entries, 16);
}

#else

int nvmlInit_v2() { return Wish().called("init"); }

int nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t, unsigned* milliwatts) {
  return answer("power_limit", 700000, milliwatts);
}

struct nvmlTemperature_v1_t {
  unsigned version;
  int sensorType;
  int temperature;
};

int nvmlDeviceGetTemperatureV(nvmlDevice_t, nvmlTemperature_v1_t* temperature) {
  const Wish wish;
  if (const int status = wish.called("temperature_v"); status != 0) return status;
  if (temperature->version != 0x0100000c) return 25;  // NVML_ERROR_ARGUMENT_VERSION_MISMATCH
  if (temperature->sensorType != 0) return 2;
  temperature->temperature = static_cast<int>(wish.figure("temperature", 30));
  return 0;
}

int nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t, unsigned long long* mask) { return reasons(mask); }

int nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t, unsigned* count, unsigned char* entries) {
  return processes(count, entries, 24);
}

#endif

}  // extern "C"
