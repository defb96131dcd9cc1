#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "command_options.h"
#include "commands.h"
#include "doctor_checks.h"
#include "installation.h"
#include "json_text.h"

extern char** environ;

namespace starling::cli {
namespace {

std::vector<Finding> allFindings(const std::string& database) {
  Entries environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  const char* search_path = std::getenv("PATH");
  std::vector<Finding> findings{checkMpirun(search_path == nullptr ? "" : search_path), checkPreload(executablePath()),
                                checkDatabase(database)};
  for (auto& more : {checkOptions(environment), checkPinning(environment)}) {
    findings.insert(findings.end(), more.begin(), more.end());
  }
  return findings;
}

Outcome examine(bool json, const std::string& database) {
  const std::vector<Finding> findings = allFindings(database);
  Json rows = Json::array();
  for (const Finding& finding : findings) {
    if (json) {
      Json row;
      row["health"] = healthName(finding.health);
      row["subject"] = finding.subject;
      row["text"] = finding.text;
      row["remedy"] = finding.remedy;
      rows.push_back(std::move(row));
      continue;
    }
    fmt::print("{:<8} {:<17} {}\n", healthName(finding.health), finding.subject, finding.text);
    if (!finding.remedy.empty()) fmt::print("{:<8} {:<17} {}\n", "", "", "to mend: " + finding.remedy);
  }
  if (json) fmt::print("{}", formatJson(rows));
  const auto faults = std::count_if(findings.begin(), findings.end(),
                                    [](const Finding& finding) { return finding.health == Health::kFault; });
  if (faults > 0) return Outcome::fault(fmt::format("{} fault{} found", faults, faults == 1 ? "" : "s"));
  return Outcome::ok();
}

}  // namespace

Action setUpDoctor(CLI::App& command, const Globals& globals) {
  const auto json = std::make_shared<bool>(false);
  addJsonFlag(command, *json);
  return [json, &globals] { return examine(*json, globals.databaseInForce()); };
}

}  // namespace starling::cli
