// A cheat is a candidate with a header: comment lines that say what it does, which check must catch it, and
// with which defences off it gets through.
//
//   // cheat: keeps the output of the first call and copies it back later
//   // row: 4                     of the catalogue (coverage_test.cc)
//   // caught-by: outputs_match   a check; `completion (emulated), idle (cuda)` where the device decides; of
//   //                            several for one device any will do
//   // device: any                or emulated, or cuda
//   // control: moving_buffers    optional: with these defences off it profits
//   // profit: accepted           optional: what that means; `faster`: accepted, and twice as fast
//   // problem: SLUG              optional: or the path of a problem file beside the cheat
//   // case: NAME                 optional, repeatable: only this case; `tiny (emulated)` on one device
//   // with: FILE                 optional: an accomplice in the same folder, graded just before it
//   // twin: FILE                 with `no_gain`: an accomplice that does the same work honestly
//   // time-limit: SECONDS        optional: of one call
//   // launches: N                optional: of a sample, of cases whose speed is measured
//   // needs: confinement         optional: where contestants are not confined it would do harm, or find
//   //                            what it looks for, and is skipped; `control group`: likewise where
//   //                            memory is not limited by one
//   //
//
// No line may be longer than the formatter allows, or it would break the line. `no_gain` in place of a check:
// the cheat is harmless, accepted but no faster than its twin. A file that begins with `// accomplice:` is
// not a cheat by itself. A cheat in Python has `# ` in the place of `// `.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kgrade::test {

// A check, or a case.
struct OnDevice {
  std::string name;
  std::string device;  // empty: any

  bool is_on(const std::string& kind) const { return device.empty() || device == kind; }
};

struct Cheat {
  std::filesystem::path file;
  std::string name;  // "timing/sizes-as-fingerprint"
  std::string description;
  int row = 0;
  std::vector<OnDevice> caught_by;
  std::string device;                // "any", "emulated" or "cuda"
  std::vector<std::string> without;  // defences that the control switches off
  bool must_be_faster = false;
  std::string problem;
  std::vector<OnDevice> cases;
  std::string accomplice;  // its path; empty: none
  std::string twin;        // likewise
  std::string time_limit;
  std::string launches;
  bool is_python = false;  // which takes an interpreter with PyTorch
  bool needs_confinement = false;
  bool needs_control_group = false;

  bool runs_on(const std::string& kind) const { return device == "any" || device == kind; }
  bool is_harmless_on(const std::string& kind) const { return expected_on(kind) == std::vector{no_gain}; }
  // The checks of which one must fail on this kind of device.
  std::vector<std::string> expected_on(const std::string& kind) const;
  // The arguments with which `kgrade grade` grades it on a device; the last candidate is the cheat.
  std::vector<std::string> arguments(const std::string& kind) const;

  static const std::string no_gain;
};

struct CheatHeader {
  std::optional<Cheat> cheat;         // nothing for an accomplice
  std::vector<std::string> mistakes;  // in the header, one sentence each
};

// `text` is the file's contents; the file itself is not read.
CheatHeader read_cheat(const std::filesystem::path& file, const std::string& text);

}  // namespace kgrade::test
