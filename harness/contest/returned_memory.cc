#include "contest/returned_memory.h"

#include <sys/random.h>

#include <algorithm>
#include <utility>

#include "base/defences.h"

namespace kgrade {
namespace {

unsigned char random_byte() {
  unsigned char random[2] = {};
  if (::getrandom(random, sizeof random, 0) != sizeof random) return most_overwriting_byte;
  constexpr int choices = most_overwriting_byte - least_overwriting_byte + 1;
  const auto byte = static_cast<unsigned char>(least_overwriting_byte + random[0] % choices);
  return random[1] % 2 != 0 ? byte | overwriting_sign : byte;
}

}  // namespace

void ReturnedMemory::lend(const Loan& loan, std::uint64_t address) {
  Loan& lent = lent_.at(loan.launch).at(loan.parameter);
  lent.length = loan.length;
  if (loan.captures == 0) buffers_.at(loan.launch).at(loan.parameter) = {address, loan.bytes};
  // The capture of an output is lent after the output.
  if (loan.captures != 0) lent = loan;
}

void ReturnedMemory::set_length(const Loan& loan) {
  Loan& lent = lent_.at(loan.launch).at(loan.parameter);
  if (lent.is_overwritten == 0) lent.length = loan.bytes;
}

void ReturnedMemory::begin_call(const Arguments& lent, std::uint32_t launches) {
  arguments_ = lent;
  launches_ = std::min(launches, max_launches);
}

bool ReturnedMemory::is_memory_of_input(const Extent& extent) const {
  for (std::uint32_t launch = 0; launch < launches_; ++launch) {
    for (std::uint32_t i = 0; i < max_parameters; ++i) {
      const Loan& lent = lent_.at(launch).at(i);
      if (lent.captures == 0 && extent.meets(buffers_.at(launch).at(i))) return true;
    }
  }
  return false;
}

std::string ReturnedMemory::look(const Arguments& returned) {
  for (std::uint32_t launch = 0; launch < launches_; ++launch) {
    std::uint32_t output = 0;
    for (std::uint32_t i = 0; i < max_parameters; ++i) {
      const Loan& lent = lent_.at(launch).at(i);
      if (lent.captures == 0) continue;
      output += 1;
      const Extent extent{returned.at(launch).at(i), lent.length};
      if (extent.begin == arguments_.at(launch).at(i)) continue;
      const bool is_input = is_memory_of_input(extent);
      if (is_input && lent.may_be_input == 0 && is_on(Defence::outputs_apart)) {
        return "returned memory of an input for output " + std::to_string(output) +
               "; return a tensor of its own";
      }
      if (lent.is_overwritten != 0 && !is_input) to_overwrite_.push_back(extent);
    }
  }
  return "";
}

bool ReturnedMemory::overwrite(WorkerDevice& device) {
  const std::vector<Extent> extents = std::exchange(to_overwrite_, {});
  if (!is_on(Defence::outputs_overwritten)) return true;
  return std::all_of(extents.begin(), extents.end(), [&](const Extent& extent) {
    return extent.bytes == 0 || device.overwrite(extent.begin, extent.bytes, random_byte());
  });
}

}  // namespace kgrade
