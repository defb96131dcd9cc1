#include "manual.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "base/options.h"

namespace starling::cli {
namespace {

// Returns what man(7) writes in place of a character that it would turn into another one; null for others.
const char* nameOfCharacter(char c) {
  switch (c) {
    case '-':
      return "\\-";
    case '\\':
      return "\\e";
    case '`':
      return "\\(ga";
    case '\'':
      return "\\(aq";
    case '~':
      return "\\(ti";
    case '^':
      return "\\(ha";
    default:
      return nullptr;
  }
}

// Writes text so that it is shown as it is, also where it begins with a '.', as requests do.
std::string roff(std::string_view text) {
  std::string safe = text.starts_with('.') ? "\\&" : "";
  for (const char c : text) {
    const char* const name = nameOfCharacter(c);
    safe += name == nullptr ? std::string(1, c) : name;
  }
  return safe;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

// Returns what is written first in a page, up to its description; no word is parted at the end of a line.
std::string beginning(const std::string& page, const std::string& help, const std::string& synopsis) {
  std::string title = page;
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(
      ".\\\" Made by `starling man`.\n.TH \"{}\" 1 \"\" \"starling {}\" \"Starling\"\n.nh\n.ad l\n.SH NAME\n{} \\- {}\n"
      ".SH SYNOPSIS\n{}\n.SH DESCRIPTION\n{}.\n",
      roff(title), STARLING_VERSION, roff(page), roff(help), synopsis, roff(help));
}

// Writes a footer: its sentences as paragraphs, its examples as they are.
std::string footerText(const std::string& footer) {
  std::string text;
  bool was_example = false;
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    const bool is_example = line.starts_with(' ');
    if (text.empty() || is_example != was_example)
      text += is_example ? ".PP\n.nf\n" : was_example ? ".fi\n.PP\n" : ".PP\n";
    text += (is_example ? "    " : "") + roff(line.substr(std::min(line.size(), line.find_first_not_of(' ')))) + "\n";
    was_example = is_example;
  }
  return was_example ? text + ".fi\n" : text;
}

std::string entry(const std::string& term, const std::string& text) { return ".TP\n" + term + "\n" + text + "\n"; }

std::string entryOf(const OptionNode& option, bool is_argument) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back(is_argument ? italic(name) : bold(name));
  std::string term = fmt::format("{}", fmt::join(names, ", "));
  if (!is_argument && !option.value.empty()) term += " " + italic(option.value);
  std::string text = roff(option.help + ".");
  const bool is_told = option.value.find('|') != std::string::npos;
  if (!option.words.empty() && !is_told)
    text += "\nKnown words: " + roff(fmt::format("{}", fmt::join(option.words, ", "))) + ".";
  return entry(term, text);
}

std::string listOf(const std::vector<OptionNode>& nodes, bool are_arguments) {
  std::string text;
  for (const OptionNode& node : nodes) text += entryOf(node, are_arguments);
  return text;
}

std::string environmentPart() {
  std::string text = ".SH ENVIRONMENT\n";
  for (const OptionRow& row : optionTable()) {
    std::string meaning = roff(fmt::format("{} It takes {}", row.help, row.values));
    if (*row.fallback != '\0') meaning += roff(fmt::format("; default: {} {}", row.fallback, row.unit));
    meaning.erase(meaning.find_last_not_of(" .") + 1);
    text += entry(bold(row.variable), meaning + ".");
  }
  text += entry(bold("NO_COLOR"), "Where it is set and not empty, there are no colours.");
  return text + entry(bold("COLUMNS"), "How many characters lines may have, in place of the terminal's.");
}

constexpr const char* kFilesAndStatus =
    ".SH FILES\n.TP\n\\fI$XDG_DATA_HOME/starling/tuning.db\\fR, \\fI\\(ti/.local/share/starling/tuning.db\\fR\n"
    "The tuning database, an SQLite file.\n"
    ".SH \"EXIT STATUS\"\n.TP\n.B 0\nSuccess.\n.TP\n.B 1\nThe command was understood and failed.\n"
    ".TP\n.B 2\nThe command was not understood.\n.PP\n\\fBstarling run\\fR ends with the exit status of the launcher.\n"
    ".SH \"SEE ALSO\"\n";

}  // namespace

std::string manualOf(const CommandTree& tree) {
  std::string text = beginning("starling", tree.common.help,
                               bold("starling") + " [" + italic("OPTIONS") + "] " + italic("COMMAND") + " ...");
  text += ".SH COMMANDS\n";
  std::string pages;
  for (const CommandNode& command : tree.commands) {
    text += entry(bold(command.name), roff(command.help + "."));
    pages += fmt::format("{}\\fB{}\\fR(1)", pages.empty() ? "" : ",\n", roff("starling-" + command.name));
  }
  text += ".SH OPTIONS\n" + listOf(tree.common.options, false);
  return text + environmentPart() + kFilesAndStatus + pages + "\n";
}

std::string manualOf(const CommandTree& tree, const CommandNode& command) {
  std::string synopsis = bold("starling " + command.name) + " [" + italic("OPTIONS") + "]";
  if (command.takes_program) synopsis += " [" + bold("--") + " " + italic("PROGRAM") + " ...]";
  if (!command.takes_program) {
    for (const OptionNode& argument : command.arguments) synopsis += " " + italic(argument.value);
  }
  std::string text = beginning("starling-" + command.name, command.help, synopsis) + footerText(command.footer);
  text += ".SH OPTIONS\n" + listOf(command.arguments, true) + listOf(optionsOf(tree, command), false);
  return text + ".SH \"SEE ALSO\"\n\\fBstarling\\fR(1)\n";
}

}  // namespace starling::cli
