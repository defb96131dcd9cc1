#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/text_format.h"
#include "call_stack.h"
#include "commands.h"
#include "doctor_checks.h"
#include "installation.h"
#include "json_text.h"
#include "terminal.h"

extern char** environ;

namespace starling::cli {
namespace {

struct Request {
  bool json = false;
  std::string database;              // --db; empty: not given
  std::vector<std::string> command;  // after `--`
};

// Everything after `--` belongs to the program that is asked about.
Result<Request> parseRequest(const std::vector<std::string>& arguments) {
  Request request;
  for (auto argument = arguments.begin(); argument != arguments.end(); ++argument) {
    if (*argument == "--") {
      request.command.assign(argument + 1, arguments.end());
      if (request.command.empty()) return Status::error("there is no program after `--`");
    } else if (*argument == "--json") {
      request.json = true;
      continue;
    } else if (*argument == "--db" && argument + 1 != arguments.end()) {
      request.database = *++argument;
      continue;
    } else {
      return Status::error("not expected: " + *argument);
    }
    break;
  }
  return request;
}

std::vector<Finding> allFindings(const Request& request, const std::string& database) {
  Entries environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  const char* path = std::getenv("PATH");
  const std::string search_path = path == nullptr ? "" : path;
  std::vector<Finding> findings{checkMpirun(search_path), checkBatchSystem(environment, search_path),
                                checkPreload(executablePath()), checkDatabase(database), checkClocks(database)};
  std::vector<std::vector<Finding>> more{
      {checkSharedMemory(environment)}, checkOptions(environment), checkPinning(environment)};
  const auto library = findPreload(executablePath());
  if (!request.command.empty() && library) {
    more.push_back(checkCommand(request.command.front(), search_path, environment, library->string()));
    more.push_back(checkPrograms(request.command, search_path, environment));
  }
  for (const auto& group : more) findings.insert(findings.end(), group.begin(), group.end());
  return findings;
}

Outcome examine(const Globals& globals) {
  const Result<Request> request = parseRequest(globals.raw_arguments);
  if (!request.isOk()) {
    return Outcome::usage(request.status().message() + "; write `starling doctor` or `starling doctor -- program`");
  }
  const bool json = request.value().json;
  const std::string& own_database = request.value().database;
  const std::vector<Finding> findings =
      allFindings(request.value(), own_database.empty() ? globals.databaseInForce() : own_database);
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
    show("{:<8} {:<17} {}\n", healthName(finding.health), finding.subject, finding.text);
    if (!finding.remedy.empty()) show("{:<8} {:<17} {}\n", "", "", "to mend: " + finding.remedy);
  }
  if (json) fmt::print("{}", formatJson(rows));
  const auto faults = std::count_if(findings.begin(), findings.end(),
                                    [](const Finding& finding) { return finding.health == Health::kFault; });
  if (faults > 0) return Outcome::fault(formatCount(faults, "fault") + " found");
  return Outcome::ok();
}

}  // namespace

// The options are declared for the help only: parseRequest() reads them, because a program's stand behind them.
Action setUpDoctor(CLI::App& command, const Globals& globals) {
  command.add_flag("--json")->description("Print JSON");
  command.add_option("program")->description("After `--`: what the ranks run, and its arguments")->option_text("...");
  command.footer(
      "  starling doctor\n"
      "  starling doctor -- ./app input.txt\n"
      "With a program, says which libraries wrap its MPI functions and whether Starling comes first. LD_PRELOAD "
      "counts\n"
      "as it is where it names libstarling_preload.so, else as `starling run` sets it. The program is not run.");
  return [&globals] { return examine(globals); };
}

}  // namespace starling::cli
