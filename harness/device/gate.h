// A gate, where calls wait for their inputs. The referee lends a page of memory to the worker. Each call has
// a number. The launches of a call run only after the number in the page has reached the call's number. The
// inputs are in place only then, so work that a contestant runs outside of its queue, or earlier, reads
// poison. A contestant that opens the gate itself also reads poison.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/unique_fd.h"

namespace kgrade {

// The contents of the page.
struct GateWord {
  std::uint32_t number;
};

inline constexpr std::size_t gate_bytes = 4096;

// Returns when the number in the page has reached this one. Polls without a pause for the time that inputs
// usually take, because a sleeping thread would wake up late.
void wait_at_gate(GateWord& word, std::uint32_t number);

class Gate {
 public:
  // Null if memory runs out.
  static std::unique_ptr<Gate> make();
  virtual ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  int descriptor() const { return file_.get(); }
  // The number that the next call waits for.
  std::uint32_t next() { return ++last_; }
  // Lets the call that waits for this number pass, and all calls before it.
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
