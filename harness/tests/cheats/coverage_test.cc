// The suite covers the catalogue, and all names in its headers exist.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "tests/cheats/suite.h"

namespace kgrade::test::coverage_test {

// The ways in which graders of kernels have been cheated, or could be: 65 rows. Each row that a CUDA source
// can try has at least one cheat.
struct CatalogueRow {
  int number;
  std::string_view name;
  std::string_view why_no_cheat;  // empty: there must be one
};

const std::array<CatalogueRow, 65> catalogue = {{
    // Work that escapes the clock.
    {1, "a stream that the clock's does not wait for", ""},
    {2, "launches by a host thread after the call", ""},
    {3, "a resident kernel or thread", ""},
    {4, "outputs kept by address", ""},
    {5, "outputs kept by a fingerprint of contents or sizes", ""},
    {6, "outputs kept in files between stages", ""},
    {7, "many calls answered in one", ""},
    {8, "phases told apart", ""},
    {9, "stalling while warming up", ""},
    {10, "most timed calls wrong", ""},
    {11, "work done while loading or in the first call", ""},
    {12, "a stale graph", ""},
    {13, "lines kept in the second-level cache", ""},
    {14, "inputs fetched before the clock starts", ""},
    {15, "work that is no kernel", ""},
    {16, "launches from the device", ""},
    {17, "the baseline sabotaged", ""},
    {18, "the aggregate gamed", ""},
    {19, "a second GPU", ""},
    // Tampering with the clock.
    {20, "import tables patched", ""},
    {21, "code patched", ""},
    {22, "symbols interposed at link time", ""},
    {23, "symbols interposed by a loaded library", "libraries that are loaded already do not see them"},
    {24, "the harness run again with a preloaded library", ""},
    {25, "injection variables", ""},
    {26, "the harness's events tampered with", ""},
    {27, "an interpreter's timers patched from the library", ""},
    {28, "timers patched in Python", ""},
    // Forging the verdict.
    {29, "an early exit", ""},
    {30, "a result written to the harness's descriptor", ""},
    {31, "the parent's descriptors by way of /proc", ""},
    {32, "a result at exit", ""},
    {33, "a result on standard output", ""},
    {34, "output rerouted", ""},
    {35, "secrets found in memory", ""},
    {36, "messages that make the parent run code", ""},
    {37, "files of a stage forged", ""},
    {38, "another process traced, written to or killed", ""},
    {39, "signals ignored, daemons", ""},
    // Stealing the answer, or breaking the comparison.
    {40, "a stale output", ""},
    {41, "the expected output read on the device", ""},
    {42, "the expected output or the error count overwritten", ""},
    {43, "expected output or seed read from the host", ""},
    {44, "the reference included", ""},
    {45, "test sources replaced", "a candidate is one file"},
    {46, "constants of the problem redefined", ""},
    {47, "inputs changed", ""},
    {48, "writes out of bounds", ""},
    {49, "NaN and infinities", ""},
    {50, "zeros below an absolute tolerance", ""},
    {51, "a problem that collapses to a constant", ""},
    {52, "a sample instead of the whole", ""},
    {53, "less precision than asked for", ""},
    {54, "inputs of a special structure", ""},
    {55, "public shapes only", ""},
    {56, "hard-coded outputs", ""},
    {57, "races that pass by luck", ""},
    {58, "a tolerance for outliers spent", ""},
    {59, "an output made when it is looked at", ""},
    {60, "the judge's arithmetic", ""},
    // Evading rules, denying service.
    {61, "a library does the work", ""},
    {62, "a scan of the source evaded", ""},
    {63, "bombs for the compiler", ""},
    {64, "a device that hangs", ""},
    {65, "persistence", ""},
}};

// In the order in which they can fail; `no_gain` stands for a cheat that may run but gains nothing.
const std::set<std::string> checks = {"compile",        "signature",
                                      "libraries",      "load",
                                      "completion",     "protocol",
                                      "device_errors",  "memory",
                                      "guard_zones",    "inputs_unchanged",
                                      "clock",          "idle",
                                      "outputs_match",  "precision",
                                      "fresh_contents", "hidden_shapes",
                                      "lower_bound",    "reference_agreement",
                                      Cheat::no_gain};

std::map<int, std::vector<const Cheat*>> cheats_by_row() {
  std::map<int, std::vector<const Cheat*>> rows;
  for (const Cheat& cheat : suite().cheats) rows[cheat.row].push_back(&cheat);
  return rows;
}

TEST(Coverage, HeadersAreSound) { EXPECT_THAT(suite().mistakes, testing::IsEmpty()); }

TEST(Coverage, HeadersNameChecksAndDefencesThatExist) {
  const std::vector<std::string> known = names_of_defences();
  ASSERT_GT(known.size(), 20u);
  for (const Cheat& cheat : suite().cheats) {
    for (const OnDevice& one : cheat.caught_by) {
      EXPECT_TRUE(checks.contains(one.name)) << cheat.name << ": no check " << one.name;
      EXPECT_TRUE(one.device.empty() || one.device == "emulated" || one.device == "cuda") << cheat.name;
    }
    for (const std::string& defence : cheat.without) {
      EXPECT_THAT(known, testing::Contains(defence)) << cheat.name;
    }
    for (const char* kind : {"emulated", "cuda"}) {
      EXPECT_TRUE(!cheat.runs_on(kind) || !cheat.expected_on(kind).empty())
          << cheat.name << " runs on " << kind << ", but no check is named for that";
    }
  }
}

TEST(Coverage, EveryRowHasACheatOrAReason) {
  const auto rows = cheats_by_row();
  std::string table = fmt::format("{:>3}  {:<55} {:>6} {:>8} {:>5} {:>8}\n", "row", "name", "cheats",
                                  "emulated", "cuda", "controls");
  int covered = 0;
  for (const CatalogueRow& row : catalogue) {
    const auto found = rows.find(row.number);
    const auto all = found != rows.end() ? found->second : std::vector<const Cheat*>{};
    const auto count = [&](auto predicate) { return std::count_if(all.begin(), all.end(), predicate); };
    table += fmt::format("{:>3}  {:<55} {:>6} {:>8} {:>5} {:>8}  {}\n", row.number, row.name, all.size(),
                         count([](const Cheat* cheat) { return cheat->runs_on("emulated"); }),
                         count([](const Cheat* cheat) { return cheat->runs_on("cuda"); }),
                         count([](const Cheat* cheat) { return !cheat->without.empty(); }), row.why_no_cheat);
    covered += all.empty() ? 0 : 1;
    EXPECT_EQ(all.empty(), !row.why_no_cheat.empty()) << "row " << row.number << ": " << row.name;
  }
  fmt::print("{}", table);
  EXPECT_GE(covered, 55);
}

TEST(Coverage, RowsAreThoseOfTheCatalogue) {
  for (std::size_t i = 0; i < catalogue.size(); ++i) EXPECT_EQ(catalogue[i].number, static_cast<int>(i) + 1);
  for (const Cheat& cheat : suite().cheats) {
    EXPECT_GE(cheat.row, 1) << cheat.name;
    EXPECT_LE(cheat.row, static_cast<int>(catalogue.size())) << cheat.name;
  }
}

TEST(Coverage, WhatWouldHarmAMachineIsRunWhereItIsConfined) {
  for (const char* name :
       {"process/kill-referee", "answers/memory-hog", "answers/daemon", "answers/left-in-home",
        "process/expected-by-ptrace", "answers/include-embedded"}) {
    Cheat harmful = cheat_called(name);
    harmful.device = "any";
    EXPECT_EQ(reason_to_skip(harmful, true), "") << name;
    EXPECT_THAT(reason_to_skip(harmful, false), testing::HasSubstr("no namespaces")) << name;
  }
  Cheat harmless = cheat_called("answers/zeros");
  EXPECT_EQ(reason_to_skip(harmless, false), "");
  harmless.device = device_kind() == "cuda" ? "emulated" : "cuda";
  EXPECT_THAT(reason_to_skip(harmless, true), testing::HasSubstr("for device"));
}

TEST(Coverage, ManyCheatsHaveAControl) { EXPECT_GE(names_of_controls(Language::cuda).size(), 25u); }

}  // namespace kgrade::test::coverage_test
