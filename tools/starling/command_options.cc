#include "command_options.h"

#include "recording.h"

namespace starling::cli {

void addRunOption(CLI::App& command, std::string& run) {
  command.add_option("--run", run, "Which run: its number, `latest` or `all` (default: latest)")
      ->option_text("N")
      ->check([](const std::string& text) { return checkRunChoice(text).message(); });
}

void addSingleRunOption(CLI::App& command, std::string& run, const std::string& doing) {
  command.add_option("--run", run, "Which run: its number or `latest` (default: latest)")
      ->option_text("N")
      ->check([doing](const std::string& text) {
        if (text == "all") return "one run is " + doing + " at a time: give its number, or `latest`";
        return checkRunChoice(text).message();
      });
}

void addJsonFlag(CLI::App& command, bool& json) { command.add_flag("--json", json, "Print JSON"); }

void addSiteQuery(CLI::App& command, Query& query) {
  command.add_option("SITE", query.site, "Number or label of the site, or a part of its symbol")->required();
  addRunOption(command, query.run);
  addJsonFlag(command, query.json);
}

}  // namespace starling::cli
