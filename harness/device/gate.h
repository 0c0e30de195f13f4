// Where calls wait for their inputs. The referee lends a page of memory to the worker; a call that waits at
// the gate has all of its launches queued behind the moment when the number in that page reaches its own.
// Only then are the inputs in place: whatever a contestant runs beside its queue, or ahead of it, reads
// poison. A contestant that opens the gate itself runs on poison too.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/unique_fd.h"

namespace kgrade {

// What the page holds.
struct GateWord {
  std::uint32_t number;
};

inline constexpr std::size_t gate_bytes = 4096;

// Returns when the number in the page is this one or a later one. Looks without a pause for as long as inputs
// usually take: who sleeps wakes up late.
void wait_at_gate(GateWord& word, std::uint32_t number);

class Gate {
 public:
  // Null when the kernel has no memory left.
  static std::unique_ptr<Gate> make();
  virtual ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  int descriptor() const { return file_.get(); }
  // The number that the next call waits for.
  std::uint32_t next() { return ++last_; }
  // Lets the call through that waits for this number, and all before it.
  void open(std::uint32_t number);

 protected:
  struct Page {
    UniqueFd file;
    GateWord* word;
  };
  static std::optional<Page> make_page();
  explicit Gate(Page page) : file_(std::move(page.file)), word_(page.word) {}
  GateWord* word() const { return word_; }

 private:
  UniqueFd file_;
  GateWord* word_;
  std::uint32_t last_ = 0;
};

}  // namespace kgrade
