#include "doctor_checks.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "algos/catalogue.h"
#include "algos/topology.h"
#include "base/memory_file.h"
#include "base/nearest_word.h"
#include "base/printable.h"
#include "base/process_memory.h"
#include "base/programs.h"
#include "base/text_file.h"
#include "base/text_format.h"
#include "base/transports.h"
#include "batch_job.h"
#include "comparison.h"
#include "installation.h"
#include "process_output.h"
#include "store/reader.h"

namespace starling::cli {
namespace {

std::string firstLineOf(const std::string& program, const std::string& argument) {
  const std::string output = outputOf(quotedForShell(program) + " " + argument + " 2>/dev/null");
  return output.substr(0, output.find_first_of("\r\n"));
}

// Says which variables there are.
std::string knownVariables() {
  std::string names;
  for (const OptionRow& row : optionTable()) names += (names.empty() ? "" : ", ") + std::string(row.variable);
  return names;
}

// Returns the plugins for MPI that srun has, with a blank before and behind each; empty where it finds no Slurm.
std::string srunPlugins(const std::string& srun) {
  const std::string said = outputOf("timeout 10 " + quotedForShell(srun) + " --mpi=list 2>&1");
  if (said.find("types are") == std::string::npos) return "";
  std::istringstream words(said);
  std::string plugins = " ";
  for (std::string word; words >> word;) plugins += word + " ";
  return plugins;
}

// Returns the plugin that srun takes when it is not told; empty where the controller does not answer.
std::string defaultPlugin(const Entries& environment, const std::string& search_path) {
  if (const auto told = valueOf(environment, "SLURM_MPI_TYPE")) return *told;
  const auto scontrol = findProgram("scontrol", search_path);
  if (!scontrol) return "";
  std::istringstream said(outputOf("timeout 10 " + quotedForShell(scontrol->string()) + " show config 2>/dev/null"));
  std::string word;
  while (said >> word && word != "MpiDefault") continue;
  said >> word >> word;
  return said ? word : "";
}

Finding checkSrun(const std::string& found, const std::string& plugins, const std::string& standard) {
  if (standard.starts_with("pmix")) {
    return {Health::kOk, "batch system", found + " starts ranks by " + standard + " (`starling run --launcher srun`)",
            ""};
  }
  if (plugins.find(" pmix ") == std::string::npos) {
    return {Health::kWarning, "batch system", found + " has no plugin pmix, which Open MPI's ranks need",
            "start ranks by mpirun, as `starling run` does, or have Slurm's pmix plugin installed"};
  }
  return {Health::kWarning, "batch system",
          fmt::format("{} starts ranks by {} when it is not told otherwise", found,
                      standard.empty() ? "what its controller says, which does not answer," : standard),
          "tell it: starling run --launcher srun --mpi=pmix -n 4 -- program"};
}

// Returns what is wrong with the file of STARLING_LINKS; empty where nothing is, or links are measured.
std::string faultOfLinks(const std::string& links) {
  if (links.empty() || links == kMeasuredLinks) return "";
  const Result<std::string> text = readTextFile(links);
  if (!text.isOk()) return text.status().message();
  const Result<std::vector<std::int32_t>> read = parseLinks(text.value());
  return read.isOk() ? "" : read.status().message();
}

constexpr const char* kPinnedSubject = "pinned algorithm";

Finding pinned(const std::string& what) {
  return {Health::kWarning, kPinnedSubject, what + " may change which algorithm of the MPI library's own runs",
          "leave it if that is meant: it changes what `native` is; remove it to compare with the usual one"};
}

// Returns whether another process can do it.
template <typename Attempt>
bool canAnotherProcess(const Attempt& attempt) {
  const pid_t child = fork();
  if (child == 0) _exit(attempt() ? 0 : 1);
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Does what ranks do: one makes memory, and another one opens it.
bool canOpenMemoryOfAnother() {
  constexpr std::size_t kBytes = 1;
  const Descriptor made = makeMemoryFile(kBytes);
  const pid_t maker = getpid();
  return made.isOpen() && canAnotherProcess([&] { return openMemoryFile(maker, made.number(), kBytes).isOpen(); });
}

// One reads what another one has. Open MPI allows its ranks to be read where Yama asks for that.
bool canReadMemoryOfAnother() {
  const char value = 1;
  const pid_t owner = getpid();
  static_cast<void>(prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0));
  const bool can_read = canAnotherProcess([&] {
    char found = 0;
    return readProcessMemory(owner, &value, &found, sizeof found) && found == value;
  });
  static_cast<void>(prctl(PR_SET_PTRACER, 0, 0, 0, 0));
  return can_read;
}

Finding checkReading(const Entries& environment) {
  const std::string subject = "reading memory";
  const std::string mechanism = valueOf(environment, "OMPI_MCA_btl_vader_single_copy_mechanism").value_or("");
  if (!readsMemory(mechanism)) {
    return {Health::kOk, subject,
            fmt::format("`node_read` is not tried: Open MPI is told to do without such copies "
                        "(OMPI_MCA_btl_vader_single_copy_mechanism={})",
                        mechanism),
            ""};
  }
  if (!canReadMemoryOfAnother()) {
    return {Health::kOk, subject,
            "the system does not let a process read another one's memory (a container's seccomp, or Yama's "
            "ptrace_scope above 1): `node_read` is not tried",
            ""};
  }
  return {Health::kOk, subject, "ranks of one machine can read each other's memory, for `node_read`", ""};
}

}  // namespace

const char* healthName(Health health) {
  switch (health) {
    case Health::kOk:
      return "ok";
    case Health::kWarning:
      return "warning";
    case Health::kFault:
      return "fault";
  }
  return "fault";
}

Finding checkMpirun(const std::string& search_path) {
  const auto mpirun = findProgram("mpirun", search_path);
  if (!mpirun) return {Health::kFault, "mpirun", "not in PATH", "install Open MPI or load its module"};
  const std::string version = firstLineOf(mpirun->string(), "--version");
  if (version.empty()) {
    return {Health::kFault, "mpirun", mpirun->string() + " does not tell its version", "reinstall the MPI library"};
  }
  if (version.find("Open MPI") == std::string::npos) {
    return {Health::kWarning, "mpirun", mpirun->string() + ": " + version,
            "`starling run` speaks to Open MPI's mpirun; start the program with LD_PRELOAD set for the ranks instead"};
  }
  return {Health::kOk, "mpirun", mpirun->string() + ": " + version, ""};
}

Finding checkBatchSystem(const Entries& environment, const std::string& search_path) {
  const auto job = batchJob(environment);
  const auto srun = findProgram("srun", search_path);
  const std::string place = job ? "in " + *job + "; " : "";
  const std::string plugins = srun ? srunPlugins(srun->string()) : "";
  if (!plugins.empty()) return checkSrun(place + srun->string(), plugins, defaultPlugin(environment, search_path));
  const std::string found = place + (srun ? srun->string() + " finds no Slurm" : "srun is not in PATH");
  if (valueOf(environment, "SLURM_JOB_ID")) {
    return {Health::kWarning, "batch system", found, "load the module of Slurm, or use mpirun"};
  }
  return {Health::kOk, "batch system", found + ": `starling run` starts ranks by mpirun", ""};
}

Finding checkPreload(const std::filesystem::path& executable) {
  if (const auto library = findPreload(executable)) {
    const std::filesystem::path loaded = library->parent_path() / STARLING_LIBRARY;
    std::error_code fault;
    if (std::filesystem::exists(loaded, fault)) return {Health::kOk, "preload library", library->string(), ""};
    return {Health::kFault, "preload library", loaded.string() + ", which it loads, is missing",
            "build or install Starling completely"};
  }
  std::string looked;
  for (const auto& candidate : preloadCandidates(executable))
    looked += (looked.empty() ? "" : " and ") + candidate.string();
  return {Health::kFault, "preload library", "not at " + looked, "build or install Starling completely"};
}

Finding checkClocks(const std::string& path) {
  const Result<Reader> reader = Reader::open(path);
  const auto runs = reader.isOk() ? reader.value().runs() : Result<std::vector<RunRow>>(reader.status());
  if (!runs.isOk() || runs.value().empty()) return {Health::kOk, "clocks", "no run has compared them yet", ""};
  const std::int64_t run = runs.value().back().number;
  const auto keys = reader.value().keys(run);
  std::optional<double> error;
  bool is_compared = true;
  for (const KeyRow& key : keys.isOk() ? keys.value() : std::vector<KeyRow>{}) {
    if (isComparedByElapsed(key.communicator.compared_by)) is_compared = false;
    if (key.communicator.clock_error) error = std::max(error.value_or(0.0), *key.communicator.clock_error);
  }
  if (!is_compared) {
    return {Health::kWarning, "clocks", fmt::format("run {} could not compare the clocks of some ranks", run),
            "preload Starling, or call starling_init() on all ranks, so that they are brought together"};
  }
  if (!error) return {Health::kOk, "clocks", fmt::format("run {} has compared none", run), ""};
  return {Health::kOk, "clocks",
          *error > 0.0 ? fmt::format("those of run {} agree within {}", run, formatDuration(error))
                       : fmt::format("all ranks of run {} read one clock", run),
          ""};
}

std::vector<Finding> checkOptions(const Entries& environment) {
  std::vector<Finding> findings;
  const ParsedOptions parsed = parseOptions([&](const char* variable) { return valueOf(environment, variable); });
  for (const std::string& error : parsed.errors) {
    findings.push_back({Health::kFault, "options", error, "`starling options` lists what each variable takes"});
  }
  if (!parsed.options.algorithm.empty()) {
    const Result<Choice> choice = parseChoice(parsed.options.algorithm);
    if (!choice.isOk()) {
      findings.push_back({Health::kFault, "options", "STARLING_ALGORITHM: " + choice.status().message(),
                          "`starling algorithms` lists the names"});
    }
  }
  if (const std::string fault = faultOfLinks(parsed.options.links); !fault.empty()) {
    findings.push_back({Health::kFault, "options", fmt::format("STARLING_LINKS: {}: {}", parsed.options.links, fault),
                        "name a file with a row of numbers for each rank, or \"measure\""});
  }
  for (const auto& [name, hint] : unknownVariables(environment)) {
    findings.push_back(
        {Health::kWarning, "options", name + " is not read by Starling", "known are " + knownVariables() + hint});
  }
  if (findings.empty())
    findings.push_back({Health::kOk, "options", "every STARLING_ variable that is set is valid", ""});
  return findings;
}

std::vector<Finding> checkPrograms(const std::vector<std::string>& command, const std::string& search_path,
                                   const Entries& environment) {
  const ParsedOptions parsed = parseOptions([&](const char* variable) { return valueOf(environment, variable); });
  std::error_code ignored;
  const std::filesystem::path found = findProgram(command.front(), search_path).value_or(command.front());
  const std::filesystem::path executable = std::filesystem::weakly_canonical(found, ignored);
  const auto option = leavesOut(parsed.options, programNames(executable.string(), command));
  if (!option) return {};
  return {
      {Health::kWarning, "program",
       fmt::format("{} is left out by {}: its calls, and those of all ranks of its job, go to the MPI library alone",
                   command.front(), *option),
       "change the patterns if it is to be tuned"}};
}

std::vector<Finding> checkSharedMemory(const Entries& environment) {
  const std::string subject = "shared memory";
  const std::string btl = valueOf(environment, "OMPI_MCA_btl").value_or("");
  if (!sharesMemory(btl)) {
    return {{Health::kOk, subject,
             fmt::format("not used within a machine: Open MPI is told to do without it (OMPI_MCA_btl={})", btl), ""}};
  }
  if (!canOpenMemoryOfAnother()) {
    return {{Health::kWarning, subject,
             "a process cannot open another one's memory: `node` is not tried within a machine",
             "let ranks of one user open /proc/<process>/fd of each other (one process namespace, no hidepid)"}};
  }
  return {{Health::kOk, subject, "ranks of one machine can share it, for `node`", ""}, checkReading(environment)};
}

std::vector<Finding> checkPinning(const Entries& environment) {
  static constexpr std::array<const char*, 5> kPins = {"OMPI_MCA_coll_tuned_", "OMPI_MCA_coll_han_",
                                                       "MPIR_CVAR_ALLREDUCE_", "MPIR_CVAR_COLL_SELECTION_",
                                                       "I_MPI_ADJUST_ALLREDUCE"};
  std::vector<Finding> findings;
  const std::string chosen = pinnedAlgorithm([&](const char* name) { return valueOf(environment, name); });
  if (!chosen.empty()) {
    findings.push_back({Health::kWarning, kPinnedSubject,
                        chosen + " chooses an algorithm of the MPI library's own: Starling observes, and tunes nothing",
                        "leave it if that is meant; remove it to have Starling tune"});
  }
  for (const std::string& entry : environment) {
    if (entry == chosen) continue;
    const bool pins = std::any_of(kPins.begin(), kPins.end(), [&](const char* pin) { return entry.starts_with(pin); });
    if (pins) findings.push_back(pinned(entry));
  }
  const auto home = valueOf(environment, "HOME");
  std::ifstream file(home.value_or("") + "/.openmpi/mca-params.conf");
  for (std::string line; home && std::getline(file, line);) {
    line.erase(0, line.find_first_not_of(" \t"));
    if (line.starts_with("coll_tuned_")) findings.push_back(pinned("~/.openmpi/mca-params.conf (" + line + ")"));
  }
  if (findings.empty()) findings.push_back({Health::kOk, kPinnedSubject, "none: Starling chooses freely", ""});
  return findings;
}

}  // namespace starling::cli
