#include "base/options.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/nearest_word.h"
#include "base/value_words.h"

namespace starling {
namespace {

Status reject(const OptionRow& row, std::string_view text) {
  return Status::error(std::string(row.variable) + "=" + std::string(text) + " is not understood: it takes " +
                       row.values + didYouMean(text, valueWords(row.values)));
}

template <typename Number>
std::optional<Number> parseNumber(std::string_view text, Number minimum, Number maximum) {
  Number number{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size() || !(number >= minimum && number <= maximum)) {
    return std::nullopt;
  }
  return number;
}

template <typename Number>
Status applyNumber(const OptionRow& row, std::string_view text, Number minimum, Number maximum, Number& field) {
  const auto number = parseNumber<Number>(text, minimum, maximum);
  if (!number) return reject(row, text);
  field = *number;
  return Status::ok();
}

template <typename Value>
struct Word {
  const char* text;
  Value value;
};

template <typename Value, std::size_t kCount>
Status applyWord(const OptionRow& row, std::string_view text, const Word<Value> (&words)[kCount], Value& field) {
  for (const Word<Value>& word : words) {
    if (text == word.text) {
      field = word.value;
      return Status::ok();
    }
  }
  return reject(row, text);
}

Status applyMode(const OptionRow& row, std::string_view text, Options& options) {
  static constexpr Word<Mode> kWords[] = {{"off", Mode::kOff}, {"observe", Mode::kObserve}, {"tune", Mode::kTune}};
  return applyWord(row, text, kWords, options.mode);
}

Status applyReproducible(const OptionRow& row, std::string_view text, Options& options) {
  static constexpr Word<bool> kWords[] = {{"0", false}, {"1", true}};
  return applyWord(row, text, kWords, options.reproducible);
}

Status applyVerbosity(const OptionRow& row, std::string_view text, Options& options) {
  static constexpr Word<LogLevel> kWords[] = {
      {"silent", LogLevel::kSilent}, {"warning", LogLevel::kWarning}, {"info", LogLevel::kInfo}};
  return applyWord(row, text, kWords, options.verbosity);
}

Status applySummary(const OptionRow& row, std::string_view text, Options& options) {
  static constexpr Word<SummaryLength> kWords[] = {
      {"off", SummaryLength::kOff}, {"short", SummaryLength::kShort}, {"full", SummaryLength::kFull}};
  return applyWord(row, text, kWords, options.summary);
}

Status applyVirtualRanks(const OptionRow& row, std::string_view text, Options& options) {
  static constexpr Word<TablePolicy> kWords[] = {{"sort", TablePolicy::kSort}, {"swap", TablePolicy::kSwap}};
  return applyWord(row, text, kWords, options.virtual_ranks);
}

Status applyPrepare(const OptionRow& row, std::string_view text, Options& options) {
  static constexpr Word<Preparation> kWords[] = {{"worthwhile", Preparation::kWorthwhile},
                                                 {"always", Preparation::kAlways}};
  return applyWord(row, text, kWords, options.prepare);
}

Status applyWriter(const OptionRow& row, std::string_view text, Options& options) {
  static constexpr Word<WriterThread> kWords[] = {{"thread", WriterThread::kOwn}, {"inline", WriterThread::kCallers}};
  return applyWord(row, text, kWords, options.writer);
}

// Of what may be wrong with a pattern, an opening bracket without its closing one is all that can be told.
Status applyPatterns(const OptionRow& row, std::string_view text, std::string& field) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find_first_of(":,", start), text.size());
    const std::string_view pattern = text.substr(start, end - start);
    start = end + 1;
    const std::size_t opening = pattern.find('[');
    if (opening == std::string_view::npos || pattern.find(']', opening) != std::string_view::npos) continue;
    return Status::error(std::string(row.variable) + "=" + std::string(text) + " is not understood: the [ in `" +
                         std::string(pattern) + "` has no ]");
  }
  field = text;
  return Status::ok();
}

Status applyPath(const OptionRow& row, std::string_view text, std::string& field) {
  if (text.starts_with('~')) {
    return Status::error(std::string(row.variable) + "=" + std::string(text) +
                         " is not understood: no shell has put your home folder in place of the ~; write $HOME");
  }
  field = text;
  return Status::ok();
}

constexpr OptionRow kTable[] = {
    {"STARLING_MODE", "off | observe | tune", "tune", "", true,
     "off passes every call to the MPI library; observe records and changes nothing; tune learns and chooses, but "
     "observes where OMPI_MCA_coll_tuned_allreduce_algorithm or _dynamic_rules_filename is set, also by mpirun --mca.",
     applyMode},
    {"STARLING_ALGORITHM", "a name of `starling algorithms`, or NAME:parameter=value,...", "", "", true,
     "Uses this algorithm wherever it is valid instead of learning one. In reproducible mode: recursive_doubling, "
     "rabenseifner or direct.",
     [](const OptionRow&, std::string_view text, Options& options) {
       options.algorithm = text;
       return Status::ok();
     }},
    {"STARLING_REPRODUCIBLE", "0 | 1", "0", "", true,
     "1 fixes the association of operands by rank and count alone (that of recursive_doubling), so that runs give "
     "equal "
     "bits.",
     applyReproducible},
    {"STARLING_PROGRAMS", "patterns of names, parted by : or ,", "", "", true,
     "The preload library leaves all calls to the MPI library unless every program of the job is like one of these, as "
     "lmp* or train.py; empty means every program.",
     [](const OptionRow& row, std::string_view text, Options& options) {
       return applyPatterns(row, text, options.programs);
     }},
    {"STARLING_NOT_PROGRAMS", "patterns of names, parted by : or ,", "", "", true,
     "The preload library leaves all calls to the MPI library where a program of the job is like one of these.",
     [](const OptionRow& row, std::string_view text, Options& options) {
       return applyPatterns(row, text, options.not_programs);
     }},
    {"STARLING_DB", "a path", "", "", false,
     "The tuning database; empty means $XDG_DATA_HOME/starling/tuning.db, else ~/.local/share/starling/tuning.db, "
     "else starling-tuning.db in the working folder.",
     [](const OptionRow& row, std::string_view text, Options& options) {
       return applyPath(row, text, options.database);
     }},
    {"STARLING_START_DB", "a path", "", "", false,
     "Another tuning database, for all users of a machine, say, which is only read: programs start from its policies "
     "for ranks, sizes, types and operations of which their own database has none.",
     [](const OptionRow& row, std::string_view text, Options& options) {
       return applyPath(row, text, options.start_database);
     }},
    {"STARLING_VERBOSITY", "silent | warning | info", "warning", "", false,
     "How much is told on stderr while the program runs.", applyVerbosity},
    {"STARLING_SUMMARY", "off | short | full", "short", "", false,
     "What is told on stderr at the end of a run: what allreduce and waiting took, and what tuning won; full adds a "
     "line for each call site and size of vectors, the twenty that took longest. Nothing with "
     "STARLING_VERBOSITY=silent.",
     applySummary},
    {"STARLING_VIRTUAL_RANKS", "sort | swap", "sort", "", true,
     "How the virtual-rank table follows the arrivals: sorted by prediction, or one exchange at a time.",
     applyVirtualRanks},
    {"STARLING_LINKS", "measure, or a file", "", "", false,
     "How fast the links between ranks are, for topology_tree: measured when a communicator is first tuned, or a file "
     "with a row and a column for each rank of MPI_COMM_WORLD.",
     [](const OptionRow&, std::string_view text, Options& options) {
       options.links = text;
       return Status::ok();
     }},
    {"STARLING_MINIMUM_CALLS", "whole number, 1 to 1000000", "4", "calls", false,
     "Calls that a communicator makes before its ranks ask each other whether it is worth tuning; on MPI_COMM_WORLD "
     "one where an earlier run promises a gain and this is 4 or less.",
     [](const OptionRow& row, std::string_view text, Options& options) {
       return applyNumber<std::int64_t>(row, text, 1, 1'000'000, options.minimum_calls);
     }},
    {"STARLING_PREPARE", "worthwhile | always", "worthwhile", "", false,
     "Which communicators get a private communicator and tuning after that many calls: always all; or each once its "
     "calls have taken six times as long as preparing it takes, and MPI_COMM_WORLD also where the program does little "
     "else, is linked with Starling and not preloaded, an earlier run promises a gain, or STARLING_MODE=observe.",
     applyPrepare},
    {"STARLING_LONGEST_EPOCH", "whole number, 4 to 65536", "256", "calls", false,
     "Longest run of calls between two agreements of the ranks; where calls are left to the MPI library and nothing is "
     "left to learn, up to 64 times as many.",
     [](const OptionRow& row, std::string_view text, Options& options) {
       return applyNumber<std::int64_t>(row, text, 4, 65536, options.longest_epoch);
     }},
    {"STARLING_ROOTED_PERIOD", "whole number, 1 to 65536", "16", "calls", false,
     "Calls of tuned_bcast or tuned_reduce with one root after which the ranks exchange what they have measured.",
     [](const OptionRow& row, std::string_view text, Options& options) {
       return applyNumber<std::int64_t>(row, text, 1, 65536, options.rooted_period);
     }},
    {"STARLING_FLUSH_INTERVAL", "number, 0.1 to 3600", "2", "seconds", false,
     "How often observations are written to the database: so many seconds apart, and up to five times as many where "
     "writing takes more than a 5,000th of a core.",
     [](const OptionRow& row, std::string_view text, Options& options) {
       return applyNumber<double>(row, text, 0.1, 3600.0, options.flush_interval.value);
     }},
    {"STARLING_WATCHDOG", "0, or number, 0.1 to 86400", "30", "seconds", false,
     "How long a rank waits for the others to join Starling before it says which have not; 0 says nothing.",
     [](const OptionRow& row, std::string_view text, Options& options) {
       if (text == "0") {
         options.watchdog = {};
         return Status::ok();
       }
       return applyNumber<double>(row, text, 0.1, 86400.0, options.watchdog.value);
     }},
    {"STARLING_WRITER", "thread | inline", "thread", "", false,
     "Who writes the database: a thread of its own, or (where a process may have none) the program between its calls.",
     applyWriter},
    {"STARLING_CLOCK_OFFSET", "number, -1000000 to 1000000", "0", "seconds", false,
     "Added to the clock of the process that has it set: plays another machine's clock in tests.",
     [](const OptionRow& row, std::string_view text, Options& options) {
       return applyNumber<double>(row, text, -1e6, 1e6, options.clock_fault.offset.value);
     }},
    {"STARLING_CLOCK_DRIFT", "number, -100 to 100", "0", "millionths", false,
     "By how much the clock of the process that has it set runs fast, which may be below zero; for tests.",
     [](const OptionRow& row, std::string_view text, Options& options) {
       return applyNumber<double>(row, text, -100.0, 100.0, options.clock_fault.drift_ppm);
     }},
};

constexpr std::string_view kPrefix = "STARLING_";

// These have the prefix and are no options: where modules say that a library is installed, and what the laboratory
// reads.
constexpr std::string_view kOthers[] = {"ROOT", "HOME",    "DIR",   "PREFIX", "PATH",  "BASE",    "BIN",     "LIB",
                                        "INC",  "INCLUDE", "SHARE", "SRC",    "BUILD", "VERSION", "LAB_NAME"};

std::optional<std::string> lookupEnvironment(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

}  // namespace

std::span<const OptionRow> optionTable() { return kTable; }

ParsedOptions parseOptions(const EnvironmentLookup& lookup) {
  ParsedOptions parsed;
  for (const OptionRow& row : kTable) {
    const std::optional<std::string> text = lookup(row.variable);
    if (!text || text->empty()) continue;
    const Status status = row.apply(row, *text, parsed.options);
    if (!status.isOk()) parsed.errors.push_back(status.message());
  }
  return parsed;
}

ParsedOptions parseEnvironment() { return parseOptions(lookupEnvironment); }

std::vector<UnknownVariable> unknownVariables(std::span<const std::string> environment) {
  // What all names have in common says nothing of how near they are.
  const auto rest_of = [](std::string_view name) { return name.substr(kPrefix.size()); };
  std::vector<std::string> known;
  for (const OptionRow& row : kTable) known.emplace_back(rest_of(row.variable));
  std::vector<UnknownVariable> unknown;
  for (const std::string& entry : environment) {
    const std::string name = entry.substr(0, entry.find('='));
    if (!name.starts_with(kPrefix)) continue;
    const std::string_view rest = rest_of(name);
    if (std::ranges::find(known, rest) != known.end() || std::ranges::find(kOthers, rest) != std::end(kOthers))
      continue;
    const std::optional<std::string> meant = nearestWord(rest, known);
    unknown.push_back({name, meant ? "; did you mean `" + std::string(kPrefix) + *meant + "`?" : ""});
  }
  return unknown;
}

std::vector<std::string> ownEnvironment() {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return entries;
}

std::string pinnedAlgorithm(const EnvironmentLookup& lookup) {
  for (const char* variable :
       {"OMPI_MCA_coll_tuned_allreduce_algorithm", "OMPI_MCA_coll_tuned_dynamic_rules_filename"}) {
    const std::optional<std::string> value = lookup(variable);
    // Algorithm 0 is Open MPI's own choice, so nothing is pinned.
    if (value && !value->empty() && *value != "0") return std::string(variable) + "=" + *value;
  }
  return {};
}

std::string databasePath(const Options& options, const EnvironmentLookup& lookup) {
  if (!options.database.empty()) return options.database;
  const auto data_home = lookup("XDG_DATA_HOME");
  // What is relative there is to be ignored (XDG Base Directory Specification).
  if (data_home && data_home->starts_with('/')) return *data_home + "/starling/tuning.db";
  const auto home = lookup("HOME");
  if (home && !home->empty()) return *home + "/.local/share/starling/tuning.db";
  return "starling-tuning.db";
}

std::string databasePath(const Options& options) { return databasePath(options, lookupEnvironment); }

std::string absoluteDatabasePath(const Options& options) {
  const std::string path = databasePath(options);
  if (path == ":memory:") return path;
  std::error_code fault;
  const std::filesystem::path absolute = std::filesystem::absolute(path, fault);
  return fault ? path : absolute.string();
}

}  // namespace starling
