#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/options.h"
#include "base/text_format.h"
#include "call_stack.h"
#include "command_options.h"
#include "commands.h"
#include "doctor_checks.h"
#include "installation.h"
#include "listing.h"
#include "option_values.h"
#include "terminal.h"
#include "usage_error.h"

namespace starling::cli {
namespace {

Tone toneOf(Health health) {
  return health == Health::kOk ? Tone::kGood : health == Health::kWarning ? Tone::kOpen : Tone::kBad;
}

struct Request {
  ListOptions list;
  std::string database;              // --db; empty: not given
  std::string colour;                // --color; empty: not given
  std::vector<std::string> command;  // after `--`
};

Json findingJson(const Finding& finding) {
  Json row;
  row["health"] = healthName(finding.health);
  row["subject"] = finding.subject;
  row["text"] = finding.text;
  row["remedy"] = finding.remedy;
  return row;
}

const ListShape<Finding>& findingsShape() {
  static const ListShape<Finding> kShape = {
      {{"HEALTH", ColumnKind::kFigure, "health", [](const Finding& finding) { return healthName(finding.health); },
        [](const Finding& finding) { return toneOf(finding.health); },
        [](const Finding& finding) { return Json(static_cast<int>(finding.health)); }},
       {"SUBJECT", ColumnKind::kText, "subject", [](const Finding& finding) { return finding.subject; }}},
      findingJson};
  return kShape;
}

// Everything after `--` belongs to the program that is asked about.
Result<Request> parseRequest(const std::vector<std::string>& arguments) {
  Request request;
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  if (separator != arguments.end()) {
    request.command.assign(separator + 1, arguments.end());
    if (request.command.empty()) return Status::error("there is no program after `--`");
    if (request.command.front().starts_with("-")) {
      return Status::error(
          fmt::format("{} is no program: options of `doctor` come before `--`", request.command.front()));
    }
  }
  CLI::App own;
  addListOptions(own, request.list, findingsShape().names());
  own.add_option("--db", request.database)->option_text("FILE")->check(faultOfFile);
  own.add_option("--color", request.colour)->check(oneOf("choice of colours", {"auto", "always", "never"}));
  refuseOptionsAsValues(own);
  std::vector<std::string> options(arguments.begin(), separator);
  if (const std::string fault = faultOfEmptyValue(options); !fault.empty()) return Status::error(fault);
  try {
    own.parse(std::vector<std::string>(options.rbegin(), options.rend()));
  } catch (const CLI::ParseError& error) {
    return Status::error(sentenceOf(error, own, options));
  }
  return request;
}

std::vector<Finding> allFindings(const Request& request, const std::string& database) {
  const Entries environment = ownEnvironment();
  const char* path = std::getenv("PATH");
  const std::string search_path = path == nullptr ? "" : path;
  std::vector<Finding> findings{checkMpirun(search_path), checkBatchSystem(environment, search_path),
                                checkPreload(executablePath()), checkDatabase(database), checkClocks(database)};
  std::vector<std::vector<Finding>> more{checkStartDatabase(parseEnvironment().options.start_database),
                                         checkSharedMemory(environment), checkOptions(environment),
                                         checkPinning(environment)};
  const auto library = findPreload(executablePath());
  if (!request.command.empty() && library) {
    more.push_back(checkCommand(request.command.front(), search_path, environment, library->string()));
    more.push_back(checkPrograms(request.command, search_path, environment));
  }
  for (const auto& group : more) findings.insert(findings.end(), group.begin(), group.end());
  return findings;
}

void printFinding(const Finding& finding, const Look& look) {
  const std::string health = fmt::format("{:<8}", healthName(finding.health));
  fmt::print("{}", look.has_colours ? toned(toneOf(finding.health), health) : health);
  show(" {:<17} {}\n", finding.subject, finding.text);
  if (!finding.remedy.empty()) show("{:<8} {:<17} {}\n", "", "", "to mend: " + finding.remedy);
}

Outcome examine(Globals globals) {
  const Result<Request> request = parseRequest(globals.raw_arguments);
  if (!request.isOk()) {
    return Outcome::usage(request.status().message() + " (write `starling doctor` or `starling doctor -- program`)");
  }
  if (!request.value().database.empty()) globals.database = request.value().database;
  if (!request.value().colour.empty()) globals.colour = request.value().colour;
  const std::vector<Finding> findings = allFindings(request.value(), globals.databaseInForce());
  const ListOptions& options = request.value().list;
  const std::vector<Finding> listed = arranged(findingsShape(), findings, options);
  if (options.isForPrograms()) {
    fmt::print("{}", formatList(findingsShape(), listed, options, globals.look()));
  } else {
    for (const Finding& finding : listed) printFinding(finding, globals.look());
  }
  const auto faults = std::count_if(findings.begin(), findings.end(),
                                    [](const Finding& finding) { return finding.health == Health::kFault; });
  if (faults > 0) return Outcome::fault(formatCount(faults, "fault") + " found");
  return Outcome::ok();
}

}  // namespace

// The options are declared for the help only: parseRequest() reads them, because a program's stand behind them.
Action setUpDoctor(CLI::App& command, const Globals& globals) {
  const auto unused = std::make_shared<ListOptions>();
  addListOptions(command, *unused, findingsShape().names());
  command.add_option(kProgramArgument)
      ->description("After `--`: what the ranks run, and its arguments")
      ->option_text("...");
  command.footer(
      "  starling doctor\n"
      "  starling doctor -- ./app input.txt\n"
      "With a program, says which libraries wrap its MPI functions and whether Starling comes first. LD_PRELOAD "
      "counts\n"
      "as it is where it names libstarling_preload.so, else as `starling run` sets it. The program is not run.");
  return [unused, &globals] { return examine(globals); };
}

}  // namespace starling::cli
