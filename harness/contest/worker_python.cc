#include "contest/worker_python.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/text_file.h"

namespace kgrade {
namespace {

// The one contestant of this process.
const PythonCallbacks* callbacks_of_process = nullptr;
std::string report_of_process;
Fault fault_of_last_call = Fault::none;

// Entry has const arguments, since a library never changes them. Here they are the worker's own array, which
// may change. The result is not a CUDA error, but ends the launches of the call.
int call_python(const unsigned long long* arguments) {
  const int fault = callbacks_of_process->call(const_cast<unsigned long long*>(arguments));
  fault_of_last_call = static_cast<Fault>(fault);
  return fault;
}

class PythonContestant : public Contestant {
 public:
  Entry load(const UniqueFd& file) override {
    return callbacks_of_process->load(file.get()) == 0 ? &call_python : nullptr;
  }
  bool rehearses() const override { return true; }
  bool describe(const UniqueFd& text) override { return callbacks_of_process->describe(text.get()) == 0; }
  bool draw_inputs(std::uint64_t seed, const unsigned long long* addresses,
                   std::span<const std::uint64_t> /*scalars*/) override {
    return callbacks_of_process->draw_inputs(seed, addresses) == 0;
  }
  void begin_call(std::span<const std::uint64_t> seeds) override {
    fault_of_last_call = Fault::none;
    callbacks_of_process->begin(reinterpret_cast<const unsigned long long*>(seeds.data()),
                                static_cast<int>(seeds.size()));
  }
  Fault fault_of_call() const override { return fault_of_last_call; }
  UniqueFd lock() override {
    callbacks_of_process->lock();
    return memory_file(report_of_process);
  }
};

}  // namespace

int serve_python(WorkerDevice& device, const PythonCallbacks& callbacks, int socket) {
  callbacks_of_process = &callbacks;
  PythonContestant contestant;
  wait_for_request(socket);
  return run_worker(device, contestant, socket);
}

}  // namespace kgrade

namespace {

// https://dmlc.github.io/dlpack/latest/c_api.html, version 0.8.
struct DLDevice {
  std::int32_t device_type;
  std::int32_t device_id;
};

struct DLDataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor*);
};

struct OwnedTensor {
  DLManagedTensor managed{};
  std::vector<std::int64_t> extents;  // shape, then strides
};

void delete_tensor(DLManagedTensor* managed) { delete static_cast<OwnedTensor*>(managed->manager_ctx); }

// The strides of a contiguous tensor. Some versions of PyTorch do not accept a tensor without strides.
void fill_strides(OwnedTensor& tensor, std::size_t count) {
  std::int64_t step = 1;
  for (std::size_t i = count; i-- > 0;) {
    tensor.extents[count + i] = step;
    step *= std::max<std::int64_t>(tensor.extents[i], 1);
  }
}

}  // namespace

extern "C" {

// Each device defines them (worker_python_cuda.cc).
extern const std::int32_t kgrade_dlpack_device;

int kgrade_build(const char* request, std::size_t length, int* descriptor) {
  const kgrade::UniqueFd text = kgrade::memory_file({request, length});
  if (!text) return -1;
  kgrade::BuiltFile built = kgrade::request_build(text);
  if (!built.file) return -1;
  *descriptor = built.file.release();
  return static_cast<int>(built.kind);
}

void* kgrade_lent_tensor(unsigned long long address, const long long* shape, int count, int code, int bits) {
  const auto dimensions = static_cast<std::size_t>(std::max(count, 0));
  auto* const tensor = new OwnedTensor;
  tensor->extents.resize(2 * dimensions);
  std::copy_n(shape, dimensions, tensor->extents.begin());
  fill_strides(*tensor, dimensions);
  DLTensor& view = tensor->managed.dl_tensor;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the referee's slots hold addresses as numbers.
  view.data = reinterpret_cast<void*>(address);
  view.device = {kgrade_dlpack_device, 0};
  view.ndim = count;
  view.dtype = {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), 1};
  view.shape = tensor->extents.data();
  view.strides = tensor->extents.data() + dimensions;
  tensor->managed.manager_ctx = tensor;
  tensor->managed.deleter = &delete_tensor;
  return &tensor->managed;
}

void kgrade_report(const char* text, std::size_t length) { kgrade::report_of_process.assign(text, length); }

int kgrade_fault(const char* word) {
  return static_cast<int>(kgrade::enum_from<kgrade::Fault>(word).value());
}

void kgrade_end(int fault) { kgrade::end_worker(static_cast<kgrade::Fault>(fault)); }
}
