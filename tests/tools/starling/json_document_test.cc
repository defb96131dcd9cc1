// Holds docs/json.md to what the built program prints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "example_commands.h"

namespace starling::cli {
namespace {

using Fields = std::set<std::string>;

// Returns what stands in backticks in the first column of each section's table, by its heading.
std::map<std::string, Fields> documentedFields() {
  std::map<std::string, Fields> sections;
  std::istringstream lines(readFile(STARLING_JSON_DOCUMENT));
  std::string section;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) section = line.substr(3);
    if (!line.starts_with("| `")) continue;
    line.resize(line.find(" | "));
    const std::regex field("`([a-z_.\\[\\]]+)`");
    for (std::sregex_iterator found(line.begin(), line.end(), field); found != std::sregex_iterator(); ++found) {
      sections[section].insert((*found)[1]);
    }
  }
  return sections;
}

// Adds the names of all fields, as "ranks[].rank".
void addFields(const nlohmann::json& value, const std::string& within, Fields& fields) {
  if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      fields.insert(within + name);
      addFields(member, within + name + ".", fields);
    }
  } else if (value.is_array()) {
    const std::string one = within.empty() ? "" : within.substr(0, within.size() - 1) + "[].";
    for (const nlohmann::json& entry : value) addFields(entry, one, fields);
  }
}

class JsonDocument : public ExampleCommands {};

TEST_F(JsonDocument, namesWhatIsPrinted) {
  std::map<std::string, Fields> documented = documentedFields();
  const Fields key = documented["sites"];
  for (const char* command : {"show", "explain"}) documented[command].insert(key.begin(), key.end());
  const Fields name{"run",   "site", "where",     "communicator", "communicator_size",
                    "bytes", "type", "operation", "compared_by"};
  for (const char* command : {"arrivals", "decisions"}) documented[command].insert(name.begin(), name.end());
  for (const auto& [command, argument] : std::map<std::string, std::string>{{"sites", ""},
                                                                            {"show", " pressure"},
                                                                            {"explain", " pressure"},
                                                                            {"arrivals", " pressure"},
                                                                            {"decisions", " pressure"},
                                                                            {"whatif", " pressure"},
                                                                            {"summary", ""},
                                                                            {"runs", ""},
                                                                            {"policies", ""}}) {
    Fields printed;
    addFields(parsed(command + argument + " --json"), "", printed);
    EXPECT_GE(printed.size(), 10U) << command;
    EXPECT_EQ(documented[command], printed) << command;
  }
}

TEST(JsonDocumentWithoutADatabase, namesWhatIsPrinted) {
  std::map<std::string, Fields> documented = documentedFields();
  for (const auto& [command, arguments] : std::map<std::string, std::string>{
           {"algorithms", ""}, {"simulate", " --timeline ring"}, {"options", ""}, {"doctor", ""}}) {
    Fields printed;
    // Whatever `doctor` finds wrong here.
    addFields(nlohmann::json::parse(runStarling(command + arguments + " --json").out, nullptr, false), "", printed);
    EXPECT_GE(printed.size(), 4U) << command;
    EXPECT_EQ(documented[command], printed) << command;
  }
}

}  // namespace
}  // namespace starling::cli
