#include "device/gate.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace kgrade {
namespace {

constexpr std::chrono::milliseconds without_a_pause{200};

}  // namespace

void wait_at_gate(GateWord& word, std::uint32_t number) {
  const std::atomic_ref<std::uint32_t> stands(word.number);
  const auto start = std::chrono::steady_clock::now();
  // Until the gate stands at this number or at a later one. After the largest number, numbers start again at
  // 0.
  while (static_cast<std::int32_t>(stands.load(std::memory_order_acquire) - number) < 0) {
    if (std::chrono::steady_clock::now() - start > without_a_pause)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::optional<Gate::Page> Gate::make_page() {
  UniqueFd file(::memfd_create("kgrade-gate", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || ::ftruncate(file.get(), gate_bytes) != 0) return std::nullopt;
  // The file is sealed, because a worker that shrank it would make the referee fault.
  ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  void* page = ::mmap(nullptr, gate_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (page == MAP_FAILED) return std::nullopt;
  return Page{std::move(file), static_cast<GateWord*>(page)};
}

std::unique_ptr<Gate> Gate::make() {
  auto page = make_page();
  return page ? std::unique_ptr<Gate>(new Gate(std::move(*page))) : nullptr;
}

Gate::~Gate() { ::munmap(word_, gate_bytes); }

void Gate::open(std::uint32_t number) {
  std::atomic_ref<std::uint32_t>(word_->number).store(number, std::memory_order_release);
}

}  // namespace kgrade
