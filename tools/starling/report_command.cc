#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "base/text_format.h"
#include "command_options.h"
#include "commands.h"
#include "recording.h"
#include "report_comparison.h"
#include "report_document.h"
#include "report_page.h"
#include "report_site.h"
#include "terminal.h"
#include "text_file.h"

namespace starling::cli {
namespace {

struct ReportArguments {
  std::string run = "latest";
  std::vector<std::string> compared;
  std::string output;
  std::size_t limit = kReportKeys;
};

Result<Json> reportOf(const ReportArguments& arguments, const std::string& database) {
  if (arguments.compared.empty()) {
    const Result<Recording> recording = Recording::open(database, arguments.run);
    if (!recording.isOk()) return recording.status();
    return runReport(recording.value(), database, arguments.limit);
  }
  const Result<Recording> before = Recording::open(database, arguments.compared.front());
  if (!before.isOk()) return before.status();
  const Result<Recording> after = Recording::open(database, arguments.compared.back());
  if (!after.isOk()) return after.status();
  const std::int64_t number = after.value().runs().back().number;
  if (before.value().runs().back().number == number) {
    return Status::error(fmt::format("run {} is compared with itself: give the numbers of two runs", number));
  }
  return comparisonReport(before.value(), after.value(), database);
}

Outcome writeReport(const ReportArguments& arguments, const std::string& database) {
  if (arguments.output.empty() && ::isatty(STDOUT_FILENO) != 0) {
    return Outcome::usage("a report is a page for a browser: give a file by `-o report.html`, or `-o -` to print it");
  }
  const Result<Json> report = reportOf(arguments, database);
  if (!report.isOk()) return Outcome::fault(report.status());
  const std::string page = reportPage(report.value());
  Outcome written = writeText(page, arguments.output);
  if (isStandardOutput(arguments.output) || written.exitCode() != 0) return written;
  show("{}: {}, {}. It needs no other file and no network; open it in a browser.\n", arguments.output,
       report.value().at("title").get<std::string>(), formatBytes(Bytes{std::ssize(page)}));
  return written;
}

}  // namespace

Action setUpReport(CLI::App& command, const Globals& globals) {
  const auto arguments = std::make_shared<ReportArguments>();
  addSingleRunOption(command, arguments->run, "reported");
  command.add_option("--compare", arguments->compared, "Show two runs side by side: their numbers, or `latest`")
      ->option_text("N M")
      ->expected(2)
      ->excludes("--run")
      ->check([](const std::string& text) {
        if (text == "all") return std::string("one run is compared with one other: give its number, or `latest`");
        return checkRunChoice(text).message();
      });
  command
      .add_option("--limit", arguments->limit,
                  fmt::format("Show the N keys with most time in allreduce (default: {})", kReportKeys))
      ->option_text("N")
      ->excludes("--compare")
      ->check(faultOfLimit);
  command
      .add_option("-o,--output", arguments->output,
                  "Write to this file; - is standard output (default: standard output, where it is no terminal)")
      ->option_text("FILE")
      ->check(faultOfFile);
  command.footer(
      "One HTML file to look at and to send around: the verdict, every site with plots of lateness, candidates,\n"
      "decisions and predictions, and what is incomplete. It needs no network. A file of that name is replaced,\n"
      "unless it is a database.");
  return [arguments, &globals] { return writeReport(*arguments, globals.databaseInForce()); };
}

}  // namespace starling::cli
