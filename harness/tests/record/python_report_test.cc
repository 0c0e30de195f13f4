// What a candidate in Python says of its rehearsal: it says what it likes, and names alone are taken.
#include "record/python_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kgrade::python_report_test {

using nlohmann::json;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

PythonRecord read(const std::string& report) {
  PythonRecord record;
  record.headers = {"before"};
  record.functions = {"before"};
  read_python_report(report, record);
  return record;
}

TEST(PythonReports, AreTakenIntoTheRecord) {
  const PythonRecord record =
      read(R"({"operators": ["conv1d", "_C.linalg.norm"], "headers": ["small", "torch"]})");
  EXPECT_THAT(record.functions, ElementsAre("conv1d", "_C.linalg.norm"));
  EXPECT_THAT(record.headers, ElementsAre("small", "torch"));
}

TEST(PythonReports, OfOtherFormsAreLeftOut) {
  for (const std::string& report :
       {std::string(), std::string("{"), std::string("[]"), std::string("3"), std::string("\xff\xfe"),
        std::string(200'000, '['),
        "{\"operators\": " + std::string(200'000, '[') + std::string(200'000, ']')}) {
    const PythonRecord record = read(report);
    EXPECT_THAT(record.functions, ElementsAre("before")) << report.substr(0, 40);
    EXPECT_THAT(record.headers, ElementsAre("before")) << report.substr(0, 40);
  }
  for (const char* list : {"{}", "3", "\"conv1d\"", "null", "[]", "[1, null, [\"conv1d\"], {}]"})
    EXPECT_THAT(read(std::string(R"({"operators": )") + list + "}").functions, IsEmpty()) << list;
  EXPECT_THAT(read("{}").headers, IsEmpty());
}

TEST(PythonReports, NameTheWeightsThatAModuleDoesWithout) {
  EXPECT_THAT(left_out_note(R"({"left_out": ["fc_bias", "<b>", "fc_weight"]})"),
              HasSubstr("no parameter for fc_bias, fc_weight: "));
  for (const char* report : {"", "3", "{}", R"({"left_out": []})", R"({"left_out": "fc_bias"})"})
    EXPECT_EQ(left_out_note(report), "") << report;
}

TEST(PythonReports, NestedForEverAreNoNames) {
  const std::string nested = std::string(200'000, '[') + std::string(200'000, ']');
  EXPECT_THAT(read(R"({"operators": )" + nested + "}").functions, IsEmpty());
}

TEST(PythonReports, HoldNothingThatAPageOrATerminalObeys) {
  const json names = {
      "relu", "<b>", "\x1b[31m", "a b", "a\nb", "", "m\xc3\xa4", std::string(61, 'a'), std::string(60, 'a')};
  EXPECT_THAT(read(json{{"operators", names}}.dump()).functions, ElementsAre("relu", std::string(60, 'a')));
}

TEST(PythonReports, AreBounded) {
  const json names = std::vector<std::string>(1000, "relu");
  const PythonRecord record = read(json{{"operators", names}, {"headers", names}}.dump());
  EXPECT_THAT(record.functions, AllOf(SizeIs(40), Each("relu")));
  EXPECT_THAT(record.headers, SizeIs(40));
}

TEST(PythonReports, AreANoteIfPyTorchComputedSomething) {
  PythonRecord record;
  EXPECT_EQ(functions_note(record), "");
  record.functions = {"conv1d", "relu"};
  EXPECT_EQ(functions_note(record), "PyTorch computed conv1d, relu (as seen in the rehearsal)");
}

}  // namespace kgrade::python_report_test
