// The suite covers the catalogue, and all names in its headers exist.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/cheats/catalogue.h"
#include "tests/cheats/suite.h"

namespace kgrade::test::coverage_test {

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
